/** By which names a listener is known: what the Host and Origin of a request are compared with. */

interface Authorities {
  /** As a Host header names them, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** As an Origin header names them. */
  readonly origins: ReadonlySet<string>;
  /** The address to show to people, without a trailing slash. */
  readonly baseUrl: string;
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** Loopback names always count: who can name them is on this machine. */
export function authoritiesOf(options: {
  readonly hostname: string;
  readonly port: number;
  readonly tls: boolean;
  readonly baseUrl: string | null;
}): Authorities {
  const { hostname, port, tls } = options;
  const scheme = tls ? "https" : "http";
  const standard = port === (tls ? 443 : 80);
  const names = new Set(LOOPBACK);
  const own = (hostname.includes(":") ? `[${hostname}]` : hostname).toLowerCase();
  const everywhere = own === "0.0.0.0" || own === "[::]";
  if (!everywhere) names.add(own);
  const hosts = new Set<string>();
  const origins = new Set<string>();
  for (const name of names) {
    hosts.add(`${name}:${port}`);
    if (standard) hosts.add(name);
    origins.add(standard ? `${scheme}://${name}` : `${scheme}://${name}:${port}`);
  }
  const given = options.baseUrl === null ? null : new URL(options.baseUrl);
  if (given !== null) {
    for (const host of authoritiesOfUrl(given)) hosts.add(host);
    origins.add(given.origin);
  }
  const shown = everywhere ? "127.0.0.1" : own;
  return {
    hosts,
    origins,
    baseUrl: options.baseUrl ?? `${scheme}://${shown}${standard ? "" : `:${port}`}`,
  };
}

/**
 * Returns the forms in which a Host header may name the address; a client may write the scheme's own port
 * out.
 */
export function authoritiesOfUrl({ host, port, protocol }: URL): ReadonlySet<string> {
  return new Set(port === "" ? [host, `${host}:${protocol === "https:" ? 443 : 80}`] : [host]);
}
