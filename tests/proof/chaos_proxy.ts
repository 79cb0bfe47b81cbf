/**
 * A proxy between two unix sockets that does on purpose what networks and engines do by accident: it is slow, it
 * slices, it cuts at byte N, it resets and it stalls.
 *
 * As a tool: `deno run -A tests/proof/chaos_proxy.ts /run/docker.sock /tmp/chaos.sock`, then one JSON object a line on
 * its input, as `{"latencyMs":200}` or `{"cutAfter":4096}`; `{}` is peace, `"reset"` ends all connections.
 */
import { bounded } from "../support/bounded.ts";

/** Faults of bytes on their way from the engine; none by default. */
export interface Chaos {
  /** The milliseconds that every read is held back. */
  readonly latencyMs?: number;
  /** The most bytes that are written at once. */
  readonly slice?: number;
  /** A connection ends after so many bytes from the engine. */
  readonly cutAfter?: number;
  /** Nothing moves from the engine until this is lifted. */
  readonly stall?: boolean;
  /** Connections are closed before a byte is passed on. */
  readonly refuse?: boolean;
  /** Callers are cut off at once, and the engine hears of their requests only when this is lifted. */
  readonly late?: boolean;
  /** Only connections whose request begins so are troubled, as `GET /v1.41/containers/x/logs`; all by default. */
  readonly only?: (request: string) => boolean;
}

export class ChaosProxy implements AsyncDisposable {
  readonly #listener: Deno.UnixListener;
  readonly #upstream: string;
  readonly #open = new Set<Deno.Conn>();
  readonly #frozen = new WeakSet<Deno.Conn>();
  /** The beginning of each connection's first request, by either end. */
  readonly #heads = new WeakMap<Deno.Conn, { head: string }>();
  readonly #accepting: Promise<void>;
  readonly #passing = new Set<Promise<void>>();
  #chaos: Chaos = {};
  /** The request at which all open connections become half open. */
  #freezing: ((request: string) => boolean) | null = null;
  #lifted = Promise.withResolvers<void>();
  /** The number of connections that were made to the proxy. */
  connections = 0;
  /** Bytes passed on from the engine, over all connections. */
  bytes = 0;

  constructor(upstream: string, readonly socket: string) {
    this.#upstream = upstream;
    this.#listener = Deno.listen({ transport: "unix", path: socket });
    this.#accepting = this.#accept();
  }

  /** Connections that are open to the engine. */
  get open(): number {
    return this.#open.size / 2;
  }

  /** Sets the faults from now on, of open connections too. */
  set(chaos: Chaos): void {
    this.#chaos = chaos;
    this.#lifted.resolve();
    this.#lifted = Promise.withResolvers<void>();
  }

  /** Makes open connections half open: nothing comes from the engine any more, not even an end. */
  freeze(only: (request: string) => boolean = () => true): void {
    for (const conn of this.#open) {
      if (only(this.#heads.get(conn)?.head ?? "")) this.#frozen.add(conn);
    }
  }

  /**
   * Passes the next such request on, and makes all connections half open that are open by then: the engine does what it
   * was asked for, and its answer never comes. Returns true for as long as no such request came.
   */
  freezeAt(request: (request: string) => boolean): () => boolean {
    this.#freezing = request;
    return () => this.#freezing === request;
  }

  /** Ends all connections at once. */
  reset(): void {
    for (const conn of this.#open) close(conn);
    this.#open.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.set({});
    this.reset();
    await bounded("the end of accepting", this.#accepting);
    await bounded("the end of connections", Promise.all(this.#passing));
    await Deno.remove(this.socket).catch(() => {});
  }

  async #accept(): Promise<void> {
    try {
      for await (const caller of this.#listener) {
        this.connections++;
        const passing = this.#pass(caller).catch(() => {}).finally(() => this.#passing.delete(passing));
        this.#passing.add(passing);
      }
    } catch { // the listener was closed while it waited
    }
  }

  async #pass(caller: Deno.UnixConn): Promise<void> {
    this.#open.add(caller);
    if (this.#chaos.refuse) return close(caller);
    let engine: Deno.UnixConn;
    try {
      engine = await Deno.connect({ transport: "unix", path: this.#upstream });
    } catch {
      return close(caller);
    }
    this.#open.add(engine);
    const troubled = { head: "" };
    this.#heads.set(caller, troubled).set(engine, troubled);
    await Promise.all([
      this.#up(caller, engine, troubled),
      this.#down(engine, caller, troubled),
    ]);
    for (const conn of [caller, engine]) {
      close(conn);
      this.#open.delete(conn);
    }
  }

  async #up(caller: Deno.UnixConn, engine: Deno.UnixConn, troubled: { head: string }): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    try {
      for (let size = await caller.read(buffer); size !== null; size = await caller.read(buffer)) {
        if (troubled.head === "") {
          troubled.head = new TextDecoder("latin1").decode(buffer.subarray(0, Math.min(size, 512)));
        }
        if (this.#freezing?.(troubled.head)) {
          this.#freezing = null;
          this.freeze();
        }
        if (this.#chaos.late && this.#chaos.only?.(troubled.head) !== false) {
          const request = await wholeRequest(caller, buffer.slice(0, size));
          close(caller);
          while (this.#chaos.late) await this.#lifted.promise;
          return await writeAll(engine, request); // whoever reads its answer closes the connection
        }
        await writeAll(engine, buffer.subarray(0, size));
      }
      await engine.closeWrite();
    } catch { // one of the two is gone
      close(engine);
    }
  }

  async #down(engine: Deno.UnixConn, caller: Deno.UnixConn, troubled: { head: string }): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    let passed = 0;
    try {
      for (let size = await engine.read(buffer); size !== null; size = await engine.read(buffer)) {
        for (let at = 0; at < size;) {
          const chaos = this.#chaos.only?.(troubled.head) === false ? {} : this.#chaos;
          if (this.#frozen.has(engine)) {
            at = size;
            continue;
          }
          if (chaos.stall) {
            await this.#lifted.promise;
            continue;
          }
          if (chaos.latencyMs) await new Promise((resolve) => setTimeout(resolve, chaos.latencyMs));
          const left = (chaos.cutAfter ?? Infinity) - passed;
          const piece = Math.min(size - at, chaos.slice ?? size, left);
          if (piece > 0) await writeAll(caller, buffer.subarray(at, at + piece));
          at += piece;
          passed += piece;
          this.bytes += piece;
          if (passed >= (chaos.cutAfter ?? Infinity)) {
            close(caller);
            return close(engine);
          }
        }
      }
      if (!this.#frozen.has(engine)) await caller.closeWrite();
    } catch { // one of the two is gone
      if (!this.#frozen.has(engine)) close(caller);
    }
    close(engine);
  }
}

/** Listens beside the engine's socket, in a folder that can hold it. */
export function chaosProxy(
  upstream: string,
  socket = `${Deno.makeTempDirSync({ prefix: "bc" })}/s`,
): ChaosProxy {
  return new ChaosProxy(upstream, socket);
}

/** With its body, which may come behind the head. */
async function wholeRequest(
  caller: Deno.Conn,
  first: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  let request = first;
  const buffer = new Uint8Array(64 * 1024);
  for (;;) {
    const text = new TextDecoder("latin1").decode(request);
    const head = text.indexOf("\r\n\r\n") + 4;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0);
    if (head > 3 && request.length >= head + length) return request;
    const size = await caller.read(buffer);
    if (size === null) return request;
    request = new Uint8Array([...request, ...buffer.subarray(0, size)]);
  }
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength;) at += await conn.write(bytes.subarray(at));
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch { // closed before
  }
}

if (import.meta.main) {
  const [upstream, socket] = Deno.args;
  if (!upstream || !socket) throw new Error("Say the engine's socket and the proxy's");
  await using proxy = new ChaosProxy(upstream, socket);
  const input = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
  let rest = "";
  for await (const chunk of input) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const wish: Chaos | "reset" = JSON.parse(line);
      if (wish === "reset") proxy.reset();
      else proxy.set(wish);
      console.log(JSON.stringify({ connections: proxy.connections, bytes: proxy.bytes }));
    }
  }
}
