/** The client behind a proxy, and the conditions for a request that came through one. */
import { ServiceError } from "../../core/error.ts";
import { authoritiesOfUrl } from "./authorities.ts";
import { hostOf } from "./host.ts";

/** Headers that proxies add to a request. */
const FORWARDING = [
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "via",
];

/**
 * Refuses what a proxy passes on without the host name that was asked for. A proxy on this machine speaks to us by a
 * name of loopback, as people on it do, and such a name always counts: then a page of any name would be answered.
 */
export function proxyCheck(
  { trusted, baseUrl }: { readonly trusted: readonly string[]; readonly baseUrl: string | null },
): (request: Request, socketPeer: string) => ServiceError | null {
  const proxies = new Set(trusted.map(plain));
  const given = baseUrl === null ? null : authoritiesOfUrl(new URL(baseUrl));
  return (request, socketPeer) => {
    if (proxies.has(plain(socketPeer))) {
      if (given === null || given.has(hostOf(request)?.toLowerCase() ?? "")) return null;
      const name = new URL(baseUrl!).port === "" ? "$host" : "$http_host";
      return new ServiceError(
        "wrong_host",
        "The proxy does not send the host name of `BERTH_BASE_URL`: let it pass on the one that was asked for " +
          `(nginx: "proxy_set_header Host ${name};"). A command on this machine needs that address in \`BERTH_URL\``,
      );
    }
    if (!isLoopback(socketPeer)) return null;
    const header = FORWARDING.find((name) => request.headers.has(name));
    if (header === undefined) return null;
    return new ServiceError(
      "wrong_host",
      `A proxy that is not named sent this request (it has "${header}"): set \`BERTH_TRUSTED_PROXIES\` to ` +
        `"${plain(socketPeer)}", and \`BERTH_BASE_URL\` to the address that people use`,
    );
  };
}

let lastPeer = "";
let isLastLoopback = false;

/** Most requests come from where the last one came from. */
function isLoopback(address: string): boolean {
  if (address === lastPeer) return isLastLoopback;
  lastPeer = address;
  return isLastLoopback = /^(?:127\.|::1$)/.test(plain(address));
}

const ADDRESS = /^[0-9A-Fa-f.:]{2,45}$/;
/** Some proxies write the port down, and another connection must not count as another peer. */
const WITH_PORT = /^(?:(\d+(?:\.\d+){3})|\[([0-9A-Fa-f.:]+)\])(?::\d+)?$/;

/**
 * The address nearest to us that is not one of our proxies. What stands further left in the header was written by
 * somebody we do not know, and does not count.
 */
export function peerBehind(trusted: readonly string[]): (request: Request, socketPeer: string) => string {
  const proxies = new Set(trusted.map(plain));
  return (request, socketPeer) => {
    if (!proxies.has(plain(socketPeer))) return socketPeer;
    const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map(addressOf).reverse();
    let peer = socketPeer;
    for (const hop of hops) {
      if (!ADDRESS.test(hop)) return peer;
      peer = hop;
      if (!proxies.has(plain(hop))) return peer;
    }
    return peer;
  };
}

function addressOf(hop: string): string {
  const [, v4, v6] = WITH_PORT.exec(hop.trim()) ?? [];
  return v4 ?? v6 ?? hop.trim();
}

let lastAddress = "";
let lastPlain = "";

/** IPv4 in IPv6 (`::ffff:10.0.0.2`) is the same machine. Most requests come from where the last one came from. */
function plain(address: string): string {
  if (address === lastAddress) return lastPlain;
  lastAddress = address;
  return lastPlain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
}
