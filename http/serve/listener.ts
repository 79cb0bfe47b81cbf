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
   * changes nothing, when the two texts are no certificate and its key, or of a kind that TLS here does not take.
   * False: it is the one in use.
   */
  renew(tls: TlsTexts): Promise<boolean>;
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
  /** The texts with which the socket was opened last. */
  #taken: TlsTexts | null;
  /** The one loop that opens the socket again: two would take the port from each other. */
  #reopening: Promise<void> | null = null;
  readonly #renewed = new Latch();
  /** Settles once the last renewal that was asked for is over; null while there is none. */
  #renewing: Promise<void> | null = null;
  #isStopping = false;
  #reopened = 0;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#tls = options.tls;
    this.#server = this.#open(options.port);
    this.#taken = options.tls;
    const { hostname, port } = this.#server.addr;
    this.hostname = hostname;
    this.port = port;
    this.#lifetime = this.#keepOpen();
  }

  reopened(): number {
    return this.#reopened;
  }

  async renew(tls: TlsTexts): Promise<boolean> {
    if (!await belongTogether(tls)) throw new TypeError("no certificate and its key");
    const renewal = (this.#renewing ?? Promise.resolve()).then(() => this.#renew(tls));
    const over: Promise<void> = renewal.then(() => {}, () => {}).then(() => {
      if (this.#renewing === over) this.#renewing = null;
    });
    this.#renewing = over;
    return await renewal;
  }

  async #renew(tls: TlsTexts): Promise<boolean> {
    if (tls.cert === this.#tls?.cert && tls.key === this.#tls.key) return false;
    await this.#open(0, tls, "127.0.0.1").shutdown(); // throws before the port is given up
    if (this.#isStopping) return false;
    this.#tls = tls;
    const closed: Promise<void> = this.#server.shutdown().catch(() => {})
      .finally(() => this.#earlier.delete(closed));
    this.#earlier.add(closed);
    await this.#reopen();
    this.#renewed.wake();
    if (this.#tls !== tls) throw new TypeError("the port did not open with it");
    return true;
  }

  async drain(timeoutMs: number): Promise<boolean> {
    this.#isStopping = true;
    this.#stopped.open();
    const closed = this.#server.shutdown().catch(() => {});
    const done = Promise.all([closed, this.#lifetime, ...this.#earlier]).then(() => true);
    return await within(done, timeoutMs, false);
  }

  #open(
    port: number,
    tls = this.#tls,
    hostname = this.#options.hostname,
  ): Deno.HttpServer<Deno.NetAddr> {
    return Deno.serve({
      hostname,
      port,
      ...tls,
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
        if (this.#renewing !== null) { // it closed the socket, and opens it again
          await this.#renewing;
          continue;
        }
        this.#log.error("The listener ended by itself and is opened again");
      } catch (error) {
        if (this.#isStopping) return;
        this.#log.error("The listener failed and is opened again", { error });
      }
      await pause(RETRY_MS, undefined, this.#stopped.opened);
      await this.#reopen();
      if (this.#isStopping) return;
      this.#log.warn("The listener is open again", { port: this.port, reopened: ++this.#reopened });
    }
  }

  /** Tries until the port is open. Where the certificate is what is refused, it goes on with the one of before. */
  #reopen(): Promise<void> {
    return this.#reopening ??= (async () => {
      await null; // it is known as the one loop before it can end
      while (!this.#isStopping && !this.#opensAgain()) {
        await pause(RETRY_MS, undefined, this.#stopped.opened);
      }
      this.#reopening = null;
    })();
  }

  #opensAgain(): boolean {
    try {
      this.#server = this.#open(this.port);
      this.#taken = this.#tls;
      return true;
    } catch (error) {
      // Still no descriptor, or the port is not free yet: the next attempt comes soon.
      if (!maySoonSucceed(error) && this.#taken !== this.#tls) {
        this.#log.error("The port does not open with the new certificate; the one of before is used", {
          error,
        });
        this.#tls = this.#taken;
      }
      return false;
    }
  }
}

function maySoonSucceed(error: unknown): boolean {
  return error instanceof Error && "code" in error &&
    /^(?:EADDRINUSE|EMFILE|ENFILE)$/.test(String(error.code));
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
  if (/failed to parse private key|UnsupportedCertVersion/.test(words)) {
    return `Cannot listen on ${address}: TLS takes a certificate of X.509 version 3 whose key is RSA of 2048 bits or ` +
      "more, ECDSA on P-256 or P-384, or Ed25519";
  }
  if (words.startsWith("failed to lookup address")) {
    return `Cannot listen on ${address}: no such host name is known`;
  }
  return `Cannot listen on ${address}: the system refused`;
}
