/** An engine that says exactly what a test wants, byte for byte, for what a real one will not do on demand. */

export interface ScriptedCall {
  readonly method: string;
  /** Without the version: `/containers/x/logs?follow=true`. */
  readonly path: string;
  readonly conn: Deno.UnixConn;
  /** The request line and the headers. */
  readonly head: string;
  /** The body of the request. */
  readonly body: string;
  /** Writes bytes or text as they are; throws when berth has hung up. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Answers with JSON and closes. */
  json(value: unknown, status?: number): Promise<void>;
}

export class ScriptedEngine implements AsyncDisposable {
  readonly #listener: Deno.UnixListener;
  readonly #open = new Set<Deno.Conn>();
  readonly #running = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;
  /** The version that it greets with. */
  apiVersion = "1.41";
  isPodman = false;
  /** Every request, as `GET /containers/x/json`. */
  readonly calls: string[] = [];

  /** `script` answers whatever is not `/_ping`; the connection is closed when it returns. */
  constructor(
    readonly script: (call: ScriptedCall) => void | Promise<void>,
    readonly socket = `${ownFolder()}/s`,
  ) {
    this.#listener = Deno.listen({ transport: "unix", path: socket });
    this.#accepting = this.#accept();
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#open.size;
  }

  reset(): void {
    for (const conn of this.#open) close(conn);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.reset();
    await this.#accepting;
    await Promise.all(this.#running);
    await Deno.remove(this.socket).catch(() => {});
  }

  async #accept(): Promise<void> {
    try {
      for await (const conn of this.#listener) {
        this.#open.add(conn);
        const running = this.#serve(conn).catch(() => {}).finally(() => {
          close(conn);
          this.#open.delete(conn);
          this.#running.delete(running);
        });
        this.#running.add(running);
      }
    } catch { // the listener was closed while it waited
    }
  }

  async #serve(conn: Deno.UnixConn): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    let text = "";
    let end = -1;
    while ((end = text.indexOf("\r\n\r\n")) < 0) {
      const size = await conn.read(buffer);
      if (size === null) return;
      text += decoder.decode(buffer.subarray(0, size));
    }
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    while (text.length < end + 4 + length) {
      const size = await conn.read(buffer);
      if (size === null) return;
      text += decoder.decode(buffer.subarray(0, size));
    }
    const [, method = "", target = ""] = /^(\w+) (\S+)/.exec(text) ?? [];
    const path = target.replace(/^https?:\/\/[^/]+/, "").replace(/^\/v[\d.]+/, "");
    const write = async (bytes: Uint8Array | string) => {
      const all = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
      for (let at = 0; at < all.byteLength;) at += await conn.write(all.subarray(at));
    };
    const json = (value: unknown, status = 200) => {
      const body = JSON.stringify(value);
      const length = encoder.encode(body).byteLength;
      return write(
        `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
      );
    };
    if (path === "/_ping") {
      return await write(
        `HTTP/1.1 200 OK\r\nApi-Version: ${this.apiVersion}\r\n${
          this.isPodman ? "Libpod-API-Version: 4.3.1\r\n" : ""
        }Content-Length: 2\r\nConnection: close\r\n\r\nOK`,
      );
    }
    this.calls.push(`${method} ${path}`);
    await this.script({
      method,
      path,
      conn,
      head: text.slice(0, end),
      body: text.slice(end + 4),
      write,
      json,
    });
  }
}

/** Gone when the test file is: until then another engine may take over the socket's path. */
function ownFolder(): string {
  const folder = Deno.makeTempDirSync({ prefix: "bs" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  return folder;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");

export const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
export const LAST_CHUNK = "0\r\n\r\n";

/** One frame in one chunk, as the engine writes a log line. */
export function frameChunk(stream: 1 | 2 | 3, text: string): Uint8Array<ArrayBuffer> {
  const payload = encoder.encode(text);
  const head = encoder.encode(`${(payload.byteLength + 8).toString(16)}\r\n`);
  const bytes = new Uint8Array(head.byteLength + 8 + payload.byteLength + 2);
  bytes.set(head);
  bytes[head.byteLength] = stream;
  new DataView(bytes.buffer).setUint32(head.byteLength + 4, payload.byteLength);
  bytes.set(payload, head.byteLength + 8);
  bytes.set([13, 10], bytes.byteLength - 2);
  return bytes;
}

/** Docker's time for the nth nanosecond after a fixed second. */
export function logTime(nanos: number): string {
  const seconds = Math.floor(nanos / 1e9);
  return `${new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().slice(0, 19)}.${
    String(nanos % 1e9).padStart(9, "0")
  }Z`;
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch { // closed before
  }
}
