/** The listening socket: comes back after running out of descriptors, and closes only when the work is done. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Log } from "../core/log.ts";
import { ServiceError } from "../core/error.ts";

/** The whole service, or what stands for it while it starts. */
export type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

export interface ListenOptions {
  readonly hostname: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly tls: TlsTexts | null;
  readonly handler: Handler;
  readonly log: Log;
}

/** PEM texts. */
export interface TlsTexts {
  readonly cert: string;
  readonly key: string;
}

export interface Listener {
  readonly hostname: string;
  readonly port: number;
  /** How often the socket had to be opened again. */
  reopened(): number;
  /**
   * Shows this certificate to whoever connects from now on; connections that are open go on as they are. Rejects, and
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
  const { log } = options;
  let port = options.port;
  let tls = options.tls;
  let stopping = false;
  let reopened = 0;
  /** Servers with an earlier certificate that still have connections. */
  const earlier = new Set<Promise<void>>();
  let renewed = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();

  const open = () =>
    Deno.serve({
      hostname: options.hostname,
      port,
      ...(tls === null ? {} : tls),
      handler: options.handler,
      onListen: () => {},
      onError: (error) => {
        log.error("A request failed outside every handler", { error });
        return new Response(null, { status: 500 });
      },
    });

  let server = open();
  port = server.addr.port;
  const lifetime = keepOpen();

  async function keepOpen(): Promise<void> {
    while (!stopping) {
      try {
        const current = server;
        await Promise.race([current.finished, renewed.promise]);
        if (stopping) return;
        if (current !== server) continue;
        log.error("The listener ended by itself and is opened again");
      } catch (error) {
        if (stopping) return;
        log.error("The listener failed and is opened again", { error });
      }
      await reopen();
    }
  }

  async function reopen(): Promise<void> {
    while (!stopping) {
      await pause(RETRY_MS);
      if (stopping) return;
      try {
        server = open();
        reopened++;
        log.warn("The listener is open again", { port, reopened });
        return;
      } catch {
        // Still no descriptor, or the port is not free yet: the next attempt comes soon.
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([new Promise<void>((resolve) => timer = setTimeout(resolve, ms)), woken.promise]);
    clearTimeout(timer);
  }

  return {
    hostname: server.addr.hostname,
    port,
    reopened: () => reopened,
    async renew(next) {
      if (!belongTogether(next)) throw new TypeError("no certificate and its key");
      tls = next;
      const closed: Promise<void> = server.shutdown().catch(() => {}).finally(() => earlier.delete(closed));
      earlier.add(closed);
      try {
        server = open();
      } catch {
        await reopen();
      }
      renewed.resolve();
      renewed = Promise.withResolvers();
    },
    async drain(timeoutMs) {
      stopping = true;
      woken.resolve();
      const closed = server.shutdown().catch(() => {});
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<boolean>((resolve) => timer = setTimeout(() => resolve(false), timeoutMs));
      const done = Promise.all([closed, lifetime, ...earlier]).then(() => true);
      const inTime = await Promise.race([done, late]);
      clearTimeout(timer);
      return inTime;
    },
  };
}

function belongTogether({ cert, key }: TlsTexts): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** A typed, one-sentence reason why listening failed, for whoever starts the service. */
export function listenFailure(error: unknown, hostname: string, port: number): string {
  if (error instanceof ServiceError) return error.message;
  const address = hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
  if (error instanceof Deno.errors.AddrInUse) {
    return `Cannot listen on ${address}: another program uses that port`;
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
