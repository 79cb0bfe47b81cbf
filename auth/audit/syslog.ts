/** Ways to a syslog receiver: TCP and TLS until it has read everything, UDP as well as UDP can. */

export interface SyslogAddress {
  readonly transport: "tcp" | "tls" | "udp";
  readonly hostname: string;
  readonly port: number;
}

export interface Receiver extends Disposable {
  /** Resolves once the messages are taken, as far as the transport can know it; rejects when they may be lost. */
  send(messages: readonly string[]): Promise<void>;
}

const CONNECT_MS = 10_000;
/** For sending a batch, and for the receiver to read it. */
const TAKE_MS = 30_000;

export function receiverAt(address: SyslogAddress, ca: string | null): Receiver {
  if (address.transport === "udp") return new Datagrams(address);
  return new Connections(address, ca);
}

/**
 * One batch, one connection. Syslog has no acknowledgement, and what was written to a socket may still be lost with
 * its receiver. But a receiver that closes its side after we closed ours has read all that was between.
 */
class Connections implements Receiver {
  readonly #address: SyslogAddress;
  readonly #ca: string | null;

  constructor(address: SyslogAddress, ca: string | null) {
    this.#address = address;
    this.#ca = ca;
  }

  async send(messages: readonly string[]): Promise<void> {
    const frames = messages.map((message) => {
      const bytes = new TextEncoder().encode(message);
      return [new TextEncoder().encode(`${bytes.length} `), bytes]; // counted octets (RFC 6587, RFC 5425)
    }).flat();
    const connection = await this.#connect();
    const late = setTimeout(() => close(connection), TAKE_MS);
    try {
      await writeAll(connection, await new Blob(frames).bytes());
      await connection.closeWrite();
      await end(connection);
    } finally {
      clearTimeout(late);
      close(connection);
    }
  }

  [Symbol.dispose](): void {}

  async #connect(): Promise<Deno.Conn> {
    const { transport, hostname, port } = this.#address;
    let isLate = false;
    const asked: Promise<Deno.Conn> = transport === "tcp"
      ? Deno.connect({ hostname, port })
      : Deno.connectTls({ hostname, port, ...(this.#ca === null ? {} : { caCerts: [this.#ca] }) })
        .then(async (connection) => {
          await connection.handshake();
          return connection;
        });
    asked.then((connection) => isLate && close(connection), () => {});
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isLate = true;
        reject(new Deno.errors.TimedOut("The syslog receiver does not answer"));
      }, CONNECT_MS);
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
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
