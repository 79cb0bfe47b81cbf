/** The listening socket: comes back after running out of descriptors, and closes only when the work is done. */
import type { Log } from "../../core/log.ts";
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import { Latch, within } from "../../core/signal.ts";

/** The whole service, or what stands for it while it starts. */
export type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

interface ListenOptions {
  readonly hostname: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly tls: TlsTexts | null;
  readonly handler: Handler;
  readonly log: Log;
}

/** PEM texts. */
interface TlsTexts {
  readonly cert: string;
  readonly key: string;
}

export interface Listener {
  readonly hostname: string;
  readonly port: number;
  /** Returns the number of times that the socket was opened again. */
  reopened(): number;
  /**
   * Uses this certificate for new connections; those that are open go on as they are. Rejects, and
   * changes nothing, when the two texts are no certificate and its key.
   */
  renew(tls: TlsTexts): Promise<void>;
  /** Takes no new connection and resolves when every request is answered, or false after `timeoutMs`. */
  drain(timeoutMs: number): Promise<boolean>;
}

const RETRY_MS = 100;

/**
 * Listens until drained. `Deno.serve` ends when the process runs out of descriptors (EMFILE); connections that are
 * open live on, and the socket is opened again as soon as it can be.
 *
 * @throws Deno.errors.AddrInUse and other errors of the first attempt.
 */
export function listen(options: ListenOptions): Listener {
  return new ReopeningListener(options);
}

class ReopeningListener implements Listener {
  readonly hostname: string;
  readonly port: number;
  readonly #options: ListenOptions;
  readonly #log: Log;
  readonly #lifetime: Promise<void>;
  readonly #stopped = new Latch();
  /** Servers with an earlier certificate that still have connections. */
  readonly #earlier = new Set<Promise<void>>();
  #server: Deno.HttpServer<Deno.NetAddr>;
  #tls: TlsTexts | null;
  readonly #renewed = new Latch();
  #isStopping = false;
  #reopened = 0;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#tls = options.tls;
    this.#server = this.#open(options.port);
    const { hostname, port } = this.#server.addr;
    this.hostname = hostname;
    this.port = port;
    this.#lifetime = this.#keepOpen();
  }

  reopened(): number {
    return this.#reopened;
  }

  async renew(tls: TlsTexts): Promise<void> {
    if (!await belongTogether(tls)) throw new TypeError("no certificate and its key");
    this.#tls = tls;
    const closed: Promise<void> = this.#server.shutdown().catch(() => {})
      .finally(() => this.#earlier.delete(closed));
    this.#earlier.add(closed);
    try {
      this.#server = this.#open(this.port);
    } catch {
      await this.#reopen();
    }
    this.#renewed.wake();
  }

  async drain(timeoutMs: number): Promise<boolean> {
    this.#isStopping = true;
    this.#stopped.open();
    const closed = this.#server.shutdown().catch(() => {});
    const done = Promise.all([closed, this.#lifetime, ...this.#earlier]).then(() => true);
    return await within(done, timeoutMs, false);
  }

  #open(port: number): Deno.HttpServer<Deno.NetAddr> {
    return Deno.serve({
      hostname: this.#options.hostname,
      port,
      ...(this.#tls === null ? {} : this.#tls),
      handler: this.#options.handler,
      onListen: () => {},
      onError: (error) => {
        this.#log.error("A request failed outside every handler", { error });
        return new Response(null, { status: 500 });
      },
    });
  }

  /** Opens the socket again whenever it ends, until drained. */
  async #keepOpen(): Promise<void> {
    while (!this.#isStopping) {
      try {
        const current = this.#server;
        await Promise.race([current.finished, this.#renewed.opened]);
        if (this.#isStopping) return;
        if (current !== this.#server) continue;
        this.#log.error("The listener ended by itself and is opened again");
      } catch (error) {
        if (this.#isStopping) return;
        this.#log.error("The listener failed and is opened again", { error });
      }
      await this.#reopen();
    }
  }

  async #reopen(): Promise<void> {
    while (!this.#isStopping) {
      await pause(RETRY_MS, undefined, this.#stopped.opened);
      if (this.#isStopping) return;
      try {
        this.#server = this.#open(this.port);
        this.#log.warn("The listener is open again", { port: this.port, reopened: ++this.#reopened });
        return;
      } catch {
        // Still no descriptor, or the port is not free yet: the next attempt comes soon.
      }
    }
  }
}

async function belongTogether({ cert, key }: TlsTexts): Promise<boolean> {
  const { createPrivateKey, X509Certificate } = await import("node:crypto"); // a start does not wait for it
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Returns why listening failed, in one sentence for the operator. */
export function listenFailure(error: unknown, hostname: string, port: number): string {
  if (error instanceof ServiceError) return error.message;
  const address = hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
  if (error instanceof Deno.errors.AddrInUse) {
    return `Cannot listen on ${address}: another program uses that port; name another one with BERTH_PORT, or find ` +
      `it with: ss -ltnp sport = :${port}`;
  }
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return `Cannot listen on ${address}: permission denied`;
  }
  if (error instanceof Deno.errors.AddrNotAvailable) {
    return `Cannot listen on ${address}: this machine has no such address`;
  }
  const words = error instanceof Error ? error.message : "";
  if (error instanceof Deno.errors.InvalidData) {
    return words.includes("key data")
      ? `Cannot listen on ${address}: the TLS key's file holds no PEM key`
      : `Cannot listen on ${address}: the TLS certificate's file holds no PEM certificate`;
  }
  if (words.includes("KeyMismatch")) {
    return `Cannot listen on ${address}: the TLS key is not the certificate's`;
  }
  if (words.startsWith("failed to lookup address")) {
    return `Cannot listen on ${address}: no such host name is known`;
  }
  return `Cannot listen on ${address}: the system refused`;
}
