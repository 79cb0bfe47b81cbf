/** The way of a command to the berth beside it, behind whose proxy it is: without the proxy, by the same name. */
import type { BesideSettings } from "../config/client.ts";

/** Speaks plain HTTP to the listener, whatever the proxy offers, and asks for the name that people use. */
export function fetchBeside(beside: BesideSettings): (url: string, init: RequestInit) => Promise<Response> {
  const client = clientTo(beside);
  return (url, init) => fetch(plain(url), { ...init, client });
}

/** Opens a socket: beside this command if the address is that of the berth there. */
export function openWebSocket(
  url: string | URL,
  protocols: string[],
  beside: BesideSettings | null,
): WebSocket {
  if (beside === null || new URL(url).host !== new URL(beside.url).host) return new WebSocket(url, protocols);
  return new WebSocket(plain(url), { protocols, client: clientTo(beside) });
}

const clientTo = ({ hostname, port }: BesideSettings): Deno.HttpClient =>
  Deno.createHttpClient({ proxy: { transport: "tcp", hostname, port } });

const plain = (url: string | URL): string => String(url).replace(/^(http|ws)s:/, "$1:");
