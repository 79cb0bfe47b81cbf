/**
 * Reads over connections that stay open. The runtime's `fetch` costs ten times as much for an answer of a few kilobytes,
 * and a mirror is made of those.
 */
import { exchange, type Exchanged, type ExchangeOptions, NoAnswer } from "./exchange.ts";
import { close, type Open } from "./spare.ts";

const BUFFER_BYTES = 32 * 1024;
const MOST_IDLE = 24;
/** The engine closes a connection that nothing came over for long. */
const IDLE_MS = 60_000;

interface Idle {
  readonly conn: Deno.Conn;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly since: number;
}

export class Reads implements Disposable {
  #idle: Idle[] = [];
  /** Connections of before are not used again. */
  #generation = 0;

  constructor(private readonly open: Open) {}

  /** The answer of a GET, which is asked for once more where a connection of before turns out to be over. */
  async get(target: string, host: string, options: ExchangeOptions): Promise<Exchanged> {
    const request = encoder.encode(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const idle = this.#take();
    if (idle !== null) {
      try {
        return await this.#ask(idle.conn, idle.bytes, request, options);
      } catch (error) {
        if (!(error instanceof NoAnswer) || options.signal.aborted) throw error;
        this.renew();
      }
    }
    const conn = await this.open(options.signal);
    return await this.#ask(conn, idle?.bytes ?? new Uint8Array(BUFFER_BYTES), request, options);
  }

  /** Later reads go over new connections. */
  renew(): void {
    this.#generation += 1;
    for (const { conn } of this.#idle) close(conn);
    this.#idle = [];
  }

  [Symbol.dispose](): void {
    this.renew();
    this.#generation = -Infinity; // no one is kept any more
  }

  async #ask(
    conn: Deno.Conn,
    bytes: Uint8Array<ArrayBuffer>,
    request: Uint8Array,
    options: ExchangeOptions,
  ): Promise<Exchanged> {
    const generation = this.#generation;
    const answer = await exchange(conn, bytes, request, options);
    if (answer.isKept) {
      if (generation === this.#generation && generation >= 0 && this.#idle.length < MOST_IDLE) {
        this.#idle.push({ conn, bytes, since: performance.now() });
      } else close(conn);
    }
    return answer;
  }

  #take(): Idle | null {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (performance.now() - idle.since < IDLE_MS) return idle;
      close(idle.conn);
    }
    return null;
  }
}

const encoder = new TextEncoder();
