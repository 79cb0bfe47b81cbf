/** The address of an engine: a unix socket, here or on a host that ssh reaches, or TCP with mutual TLS. */

export interface UnixAddress {
  readonly kind: "unix";
  readonly path: string;
}

interface TlsAddress {
  readonly kind: "tls";
  readonly host: string;
  readonly port: number;
  readonly files: TlsFiles;
}

/** The places of the PEM texts: the authority that berth trusts, and its own certificate and key. */
export interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface SshAddress {
  readonly kind: "ssh";
  /** `user@host`, or a host of the ssh configuration; never begins with a dash. */
  readonly destination: string;
  readonly port: number | null;
  /** The engine's socket there. */
  readonly socket: string;
}

export type EngineAddress = UnixAddress | TlsAddress | SshAddress;

/** The address that calls use. The socket of another host is forwarded to a place here by then. */
export type CalledAddress = UnixAddress | TlsAddress;

const DOCKER_SOCKET = "/var/run/docker.sock";
/** The longest path of a socket. */
const MOST_SOCKET_BYTES = 107;
const SSH =
  /^ssh:\/\/(?<user>[A-Za-z0-9_][\w.-]{0,63}@)?(?<host>\[[0-9A-Fa-f:.]{2,64}\]|[A-Za-z0-9_][\w.-]{0,252})(?::(?<port>\d{1,5}))?(?<socket>\/[\w.\/@+%=,~-]*)?$/;

export function addressText(address: EngineAddress): string {
  if (address.kind === "unix") return `unix://${address.path}`;
  if (address.kind === "tls") return `tcp://${hostText(address)}:${address.port}`;
  const [, user = "", host = ""] = /^(.*@)?(.*)$/.exec(address.destination) ?? [];
  return `ssh://${user}${host.includes(":") ? `[${host}]` : host}${
    address.port === null ? "" : `:${address.port}`
  }${address.socket === DOCKER_SOCKET ? "" : address.socket}`;
}

/** Host and port as a URL writes them. */
export function hostText(address: TlsAddress): string {
  return address.host.includes(":") ? `[${address.host}]` : address.host;
}

/** `unix:///path`, `ssh://user@host/path` or `tcp://host:2376` taken apart; null for anything else. */
export function readAddress(
  text: string,
): UnixAddress | SshAddress | { readonly kind: "tls"; readonly host: string; readonly port: number } | null {
  if (text.startsWith("ssh://")) return readSsh(text);
  if (text.startsWith("unix://")) {
    const path = text.slice("unix://".length);
    return path.startsWith("/") && !path.includes("\0") ? { kind: "unix", path } : null;
  }
  if (!/^(?:tcp|https):\/\//.test(text)) return null;
  const url = URL.parse(text.replace(/^tcp:/, "https:"));
  if (url === null || url.username !== "" || url.pathname.length > 1 || url.search !== "") return null;
  return { kind: "tls", host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || "2376") };
}

function readSsh(text: string): SshAddress | null {
  const { user = "", host = "", port, socket = "/" } = SSH.exec(text)?.groups ?? {};
  const number = port === undefined ? null : Number(port);
  if (host === "" || socket.length > MOST_SOCKET_BYTES) return null;
  if (number !== null && (number < 1 || number > 65_535)) return null;
  return {
    kind: "ssh",
    destination: user + host.replace(/^\[|\]$/g, ""),
    port: number,
    socket: socket === "/" ? DOCKER_SOCKET : socket,
  };
}
