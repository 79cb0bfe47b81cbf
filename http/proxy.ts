/** Who is on the other side when a trusted proxy stands between: `X-Forwarded-For`, from named proxies alone. */

const ADDRESS = /^[0-9A-Fa-f.:]{2,45}$/;
/** Some proxies write the port down, and whoever opens another connection must not be another peer by that. */
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

/** IPv4 in IPv6 (`::ffff:10.0.0.2`) is the same machine. */
function plain(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
}
