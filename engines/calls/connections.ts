/** The connections to one engine: to its unix socket, or over TLS with the credentials that were presented last. */
import { orAborted } from "../../core/signal.ts";
import { type CalledAddress, hostText } from "./address.ts";
import { Clients } from "./clients.ts";
import { connectKept, type Credentials, type RawConnection } from "./kept_connection.ts";
import { Reads } from "./reads.ts";
import { close, type Open, Spare } from "./spare.ts";

/**
 * The host in the URLs of unix sockets. A literal address needs no DNS look-up, and this one is reserved for
 * documentation, so that the permission for it opens nothing.
 */
export const UNIX_HOST = "192.0.2.1:80";

export class Connections implements Disposable {
  /** The origin of its URLs. */
  readonly origin: string;
  readonly reads = new Reads((signal) => this.open(signal));
  /** For changes over TLS; null for a unix socket. */
  readonly spare: Spare | null;
  #clients: Clients | null;
  #credentials: Credentials | null = null;

  constructor(private readonly address: CalledAddress) {
    this.origin = address.kind === "unix"
      ? `http://${UNIX_HOST}`
      : `https://${hostText(address)}:${address.port}`;
    this.#clients = address.kind === "unix"
      ? new Clients({ proxy: { transport: "unix", path: address.path } })
      : null;
    this.spare = address.kind === "unix" ? null : new Spare((signal) => this.open(signal));
  }

  /** The Host header. */
  get host(): string {
    return this.origin.slice(this.origin.indexOf("//") + 2);
  }

  /** Throws until the credentials that it needs are presented. */
  get clients(): Clients {
    if (this.#clients === null) throw new Error(NOT_PRESENTED);
    return this.#clients;
  }

  /** Later connections show these. Throws for unusable ones, and goes on with those before. */
  present(credentials: Credentials): void {
    const { ca, cert, key } = credentials;
    const clients = new Clients({ caCerts: [ca], cert, key });
    this.#clients?.[Symbol.dispose]();
    this.#clients = clients;
    this.#credentials = credentials;
    this.reads.renew();
    this.spare?.drop();
  }

  /** Opens a raw one, which the caller closes. Throws when `signal` aborts before it stands. */
  readonly open: Open = (signal) => opened(this.#open(signal), signal);

  /** The same, for a connection that may be quiet for long: with TCP keep-alive to another host. */
  async openKept(signal: AbortSignal): Promise<RawConnection> {
    const { address } = this;
    if (address.kind === "unix") return await this.open(signal);
    if (this.#credentials === null) throw new Error(NOT_PRESENTED);
    return await opened(connectKept(address, this.#credentials), signal);
  }

  /** The runtime can end a greeting, and not the connecting before it. */
  async #open(signal?: AbortSignal): Promise<Deno.Conn> {
    const { address } = this;
    if (address.kind === "unix") return await Deno.connect({ transport: "unix", path: address.path });
    if (this.#credentials === null) throw new Error(NOT_PRESENTED);
    const { ca, cert, key } = this.#credentials;
    const conn = await Deno.connectTls({
      hostname: address.host,
      port: address.port,
      caCerts: [ca],
      cert,
      key,
    });
    const giveUp = () => close(conn);
    signal?.addEventListener("abort", giveUp);
    if (signal?.aborted) giveUp();
    try {
      await conn.handshake();
      return conn;
    } catch (error) {
      close(conn);
      throw error;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Later calls go over new ones: the old ones may be half open. */
  renew(): void {
    this.#clients?.renew();
    this.reads.renew();
    this.spare?.drop();
  }

  [Symbol.dispose](): void {
    this.#clients?.[Symbol.dispose]();
    this.reads[Symbol.dispose]();
    this.spare?.[Symbol.dispose]();
  }
}

/** Returns the connection once it stands. Throws when `signal` aborts before. */
async function opened<C extends RawConnection>(opening: Promise<C>, signal?: AbortSignal): Promise<C> {
  try {
    return await orAborted(opening, signal);
  } catch (error) {
    opening.then(close, () => {}); // the runtime cannot end the opening of a connection
    throw error;
  }
}

const NOT_PRESENTED = "no certificate was read yet";
