/** A syslog receiver that goes away and comes back on the same port: counted octets over TCP or TLS. */

export interface SyslogMessage {
  readonly raw: string;
  readonly chain: string;
  readonly seq: number;
  /** The JSON behind the header. */
  // deno-lint-ignore no-explicit-any -- a test reads what it expects
  readonly entry: any;
}

const LINE =
  /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([!-~]{1,255}) berth - (changes|refusals) \[berth@32473 chain="(changes|refusals)" seq="(\d+)" head="\5:\6:([0-9a-f]{64})"\] (\{.*\})$/;

export function parsed(raw: string): SyslogMessage {
  const match = LINE.exec(raw);
  if (match === null) throw new Error(`Not a message of ours: ${raw}`);
  return { raw, chain: match[5]!, seq: Number(match[6]), entry: JSON.parse(match[8]!) };
}

export class SyslogReceiver implements AsyncDisposable {
  /** In the order in which they came, over all connections. */
  readonly messages: SyslogMessage[] = [];
  connections = 0;
  port = 0;
  readonly #tls: { readonly cert: string; readonly key: string } | null;
  readonly #open = new Set<Deno.Conn>();
  #listener: Deno.Listener | null = null;
  #accepting: Promise<void> = Promise.resolve();
  /** After so many messages the next connection is dropped, with what it still holds. */
  dropAfter = Infinity;

  constructor(tls: { readonly cert: string; readonly key: string } | null = null) {
    this.#tls = tls;
    // A port that is known before anybody listens there.
    const probe = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = probe.addr.port;
    probe.close();
  }

  come(): void {
    const address = { hostname: "127.0.0.1", port: this.port };
    this.#listener = this.#tls === null ? Deno.listen(address) : Deno.listenTls({ ...address, ...this.#tls });
    this.#accepting = this.#accept(this.#listener);
  }

  async leave(): Promise<void> {
    this.#listener?.close();
    this.#listener = null;
    for (const connection of this.#open) close(connection);
    await this.#accepting;
  }

  /** Each message once, as a receiver that knows `seq` sees them. */
  distinct(chain: string): SyslogMessage[] {
    const bySeq = new Map<number, SyslogMessage>();
    for (const one of this.messages) if (one.chain === chain && !bySeq.has(one.seq)) bySeq.set(one.seq, one);
    return [...bySeq.values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }

  async #accept(listener: Deno.Listener): Promise<void> {
    const reading: Promise<void>[] = [];
    while (true) {
      let connection: Deno.Conn;
      try {
        connection = await listener.accept();
      } catch (error) {
        if (this.#listener !== listener) break;
        if (error instanceof Deno.errors.BadResource) break;
        continue; // a handshake that failed
      }
      this.connections++;
      this.#open.add(connection);
      reading.push(
        this.#read(connection).catch(() => {}).finally(() => {
          this.#open.delete(connection);
          close(connection);
        }),
      );
    }
    await Promise.all(reading);
  }

  async #read(connection: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(4_096);
    let held = new Uint8Array();
    while (true) {
      const size = await connection.read(buffer);
      if (size === null) return;
      held = new Uint8Array([...held, ...buffer.subarray(0, size)]);
      while (true) {
        const space = held.indexOf(0x20);
        const length = Number(new TextDecoder().decode(held.subarray(0, Math.max(space, 0))));
        if (space < 0 || held.length < space + 1 + length) break;
        if (this.dropAfter-- <= 0) {
          this.dropAfter = Infinity;
          return;
        }
        this.messages.push(parsed(new TextDecoder().decode(held.subarray(space + 1, space + 1 + length))));
        held = held.slice(space + 1 + length);
      }
    }
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}
