/** Ways to a syslog receiver: TCP and TLS until it has read everything, UDP as well as UDP can. */
import { pause } from "../../core/pause.ts";

export interface SyslogAddress {
  readonly transport: "tcp" | "tls" | "udp";
  readonly hostname: string;
  readonly port: number;
}

export interface Receiver extends Disposable {
  /**
   * Resolves once the messages are taken, as far as the transport can know it; rejects when they may be lost, and when
   * the signal says that there is no more time.
   */
  send(messages: readonly string[], signal: AbortSignal): Promise<void>;
}

const CONNECT_MS = 10_000;
/** For sending a batch, and for the receiver to read it. */
const TAKE_MS = 30_000;
/**
 * The time within which a receiver's close must be noticed, so that our own end is not taken for the reason.
 */
const SETTLE_MS = 250;

export function receiverAt(address: SyslogAddress, ca: string | null): Receiver {
  if (address.transport === "udp") return new Datagrams(address);
  return new Connections(address, ca);
}

/**
 * One batch, one connection. Syslog has no acknowledgement, and what was written to a socket may still be lost with
 * its receiver. But a receiver that closes its side because we closed ours has read all that was between; one that
 * leaves by itself does so before, and is given everything again.
 */
class Connections implements Receiver {
  readonly #address: SyslogAddress;
  readonly #ca: string | null;

  constructor(address: SyslogAddress, ca: string | null) {
    this.#address = address;
    this.#ca = ca;
  }

  async send(messages: readonly string[], signal: AbortSignal): Promise<void> {
    const frames = messages.map((message) => {
      const bytes = new TextEncoder().encode(message);
      return [new TextEncoder().encode(`${bytes.length} `), bytes]; // counted octets (RFC 6587, RFC 5425)
    }).flat();
    const connection = await this.#connect(signal);
    const hangUp = () => close(connection);
    const late = setTimeout(hangUp, TAKE_MS);
    signal.addEventListener("abort", hangUp);
    try {
      const ended = end(connection);
      const left = ended.then(() => {
        throw new Deno.errors.ConnectionAborted("The syslog receiver left before it was given everything");
      });
      const given = writeAll(connection, await new Blob(frames).bytes()).then(() => pause(SETTLE_MS));
      await Promise.race([given, left]);
      await connection.closeWrite();
      await ended;
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", hangUp);
      close(connection);
    }
  }

  [Symbol.dispose](): void {}

  /** Gives up after ten seconds, or when told to; a connection that comes later is closed. */
  async #connect(signal: AbortSignal): Promise<Deno.Conn> {
    const asked = this.#open();
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const giveUp = () => {
      asked.then(close, () => {});
      reject(new Deno.errors.TimedOut("The syslog receiver does not answer"));
    };
    const timer = setTimeout(giveUp, CONNECT_MS);
    signal.addEventListener("abort", giveUp);
    try {
      return await Promise.race([asked, givenUp]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    }
  }

  async #open(): Promise<Deno.Conn> {
    const { transport, hostname, port } = this.#address;
    if (transport === "tcp") return await Deno.connect({ hostname, port });
    const caCerts = this.#ca === null ? {} : { caCerts: [this.#ca] };
    const connection = await Deno.connectTls({ hostname, port, ...caCerts });
    try {
      await connection.handshake();
      return connection;
    } catch (thrown) {
      close(connection);
      throw thrown;
    }
  }
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Resolves when the receiver has closed its side. What it says, nobody asked for. */
async function end(connection: Deno.Conn): Promise<void> {
  const bytes = new Uint8Array(1024);
  try {
    while (await connection.read(bytes) !== null);
  } catch (thrown) {
    // Closed without TLS saying so: the receiver had read everything all the same, or TCP would have reset.
    if (!(thrown instanceof Deno.errors.UnexpectedEof)) throw thrown;
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}

/** `node:dgram`, because Deno's own datagrams are not stable. */
class Datagrams implements Receiver {
  readonly #address: SyslogAddress;
  #socket: import("node:dgram").Socket | null = null;

  constructor(address: SyslogAddress) {
    this.#address = address;
  }

  async send(messages: readonly string[]): Promise<void> {
    const { hostname, port } = this.#address;
    const socket = this.#socket ??= await this.#open();
    for (const message of messages) {
      await new Promise<void>((resolve, reject) => {
        socket.send(message, port, hostname, (error) => error ? reject(error) : resolve());
      });
    }
  }

  [Symbol.dispose](): void {
    this.#socket?.close();
    this.#socket = null;
  }

  async #open() {
    const { createSocket } = await import("node:dgram");
    const socket = createSocket(this.#address.hostname.includes(":") ? "udp6" : "udp4");
    socket.on("error", () => {}); // told to the sender
    socket.unref();
    return socket;
  }
}
