/**
 * A TLS connection with TCP keep-alive: a connection that nothing comes over for long ends when its other end is gone. The
 * runtime's own TLS connections offer none, so this one goes through its parts for Node.
 */
import type { TLSSocket } from "node:tls";

/** PEM texts for mutual TLS. */
export interface Credentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** The parts of a connection that are used here. */
export type RawConnection = Pick<Deno.Conn, "read" | "write" | "close"> & {
  closeWrite(): Promise<void>;
};

const QUIET_MS = 30_000;

/** Connects and greets. Throws what the network and the certificates say. */
export async function connectKept(
  { host, port }: { readonly host: string; readonly port: number },
  credentials: Credentials,
): Promise<RawConnection> {
  const [net, tls] = await Promise.all([import("node:net"), import("node:tls")]);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const plain = net.connect({ host, port });
  plain.on("error", reject);
  plain.on("connect", () => plain.setKeepAlive(true, QUIET_MS));
  const socket = tls.connect({
    socket: plain,
    host,
    servername: net.isIP(host) ? "" : host,
    ...credentials,
    rejectUnauthorized: true,
  });
  socket.on("error", reject);
  socket.on("secureConnect", resolve);
  try {
    await promise;
    return new KeptConnection(socket);
  } catch (error) {
    socket.destroy();
    plain.destroy();
    throw error;
  }
}

class KeptConnection implements RawConnection {
  readonly #socket: TLSSocket;
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** Bytes that came and were not read yet. */
  #rest: Uint8Array = new Uint8Array();

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  async read(into: Uint8Array): Promise<number | null> {
    if (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return null;
      this.#rest = value;
    }
    const size = Math.min(into.length, this.#rest.length);
    into.set(this.#rest.subarray(0, size));
    this.#rest = this.#rest.subarray(size);
    return size;
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    });
  }

  closeWrite(): Promise<void> {
    return new Promise((resolve) => void this.#socket.end(resolve));
  }

  close(): void {
    this.#socket.destroy();
  }
}
