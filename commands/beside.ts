/** The way of a command to the berth beside it, behind whose proxy it is: without the proxy, by the same name. */
import type { BesideSettings } from "../config/client.ts";

/** Speaks plain HTTP to the listener, whatever the proxy offers, and asks for the name that people use. */
export function fetchBeside(beside: BesideSettings): (url: string, init: RequestInit) => Promise<Response> {
  const client = direct();
  return (url, init) => {
    const headers = new Headers(init.headers);
    headers.set("host", new URL(url).host);
    return fetch(addressOf(url, beside), { ...init, headers, client });
  };
}

/** Opens a socket: beside this command if the address is that of the berth there. */
export function openWebSocket(
  url: string | URL,
  protocols: string[],
  beside: BesideSettings | null,
): WebSocket {
  const { host } = new URL(url);
  if (beside === null || host !== new URL(beside.url).host) return new WebSocket(url, protocols);
  return new WebSocket(addressOf(url, beside), { protocols, client: direct(), headers: { host } });
}

/** Has no proxy of its own: `NO_PROXY` would go before it, and lead to whatever machine the name has, in plain text. */
const direct = (): Deno.HttpClient => Deno.createHttpClient({ allowHost: true });

function addressOf(url: string | URL, { hostname, port }: BesideSettings): string {
  const { protocol, pathname, search } = new URL(url);
  return `${protocol.replace(/^(http|ws)s:$/, "$1:")}//${hostname}:${port}${pathname}${search}`;
}
