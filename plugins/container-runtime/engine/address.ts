/** Where an engine listens: a unix socket, or TCP with mutual TLS. */

export interface UnixAddress {
  readonly kind: "unix";
  readonly path: string;
}

export interface TlsAddress {
  readonly kind: "tls";
  readonly host: string;
  readonly port: number;
  /** PEM texts. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export type EngineAddress = UnixAddress | TlsAddress;

export function addressText(address: EngineAddress): string {
  return address.kind === "unix" ? `unix://${address.path}` : `tcp://${hostText(address)}:${address.port}`;
}

/** Host and port as a URL writes them. */
export function hostText(address: TlsAddress): string {
  return address.host.includes(":") ? `[${address.host}]` : address.host;
}

/** `unix:///path` or `tcp://host:2376` taken apart; null for anything else. */
export function readAddress(
  text: string,
): UnixAddress | { readonly kind: "tls"; readonly host: string; readonly port: number } | null {
  if (text.startsWith("unix://")) {
    const path = text.slice("unix://".length);
    return path.startsWith("/") && !path.includes("\0") ? { kind: "unix", path } : null;
  }
  if (!/^(?:tcp|https):\/\//.test(text)) return null;
  const url = URL.parse(text.replace(/^tcp:/, "https:"));
  if (url === null || url.username !== "" || url.pathname.length > 1 || url.search !== "") return null;
  return { kind: "tls", host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || "2376") };
}
