/** A bounded load of GETs over any kind of connection, for answers that are chunked or whose length changes. */

export interface Target {
  connect(): Promise<Deno.Conn>;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server on this machine. */
export function onPort(port: number, headers: Target["headers"] = {}): Target {
  return {
    connect: () => Deno.connect({ hostname: "127.0.0.1", port }),
    host: `127.0.0.1:${port}`,
    headers,
  };
}

/** The engine itself. */
export function onSocket(path: string): Target {
  return { connect: () => Deno.connect({ transport: "unix", path }), host: "localhost", headers: {} };
}

const CONNECTIONS = 8;
const LAST_CHUNK = new TextEncoder().encode("\r\n0\r\n\r\n");

/** Whole answers per second over eight kept connections. Anything but a 200 ends the measurement. */
export async function exchangesPerSecond(target: Target, path: string, seconds: number): Promise<number> {
  const head = Object.entries(target.headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const request = new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nhost: ${target.host}\r\n${head}\r\n`);
  const started = performance.now();
  const until = started + seconds * 1_000;
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, () => repeat(target, request, until)));
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - started) / 1_000);
}

async function repeat(target: Target, request: Uint8Array, until: number): Promise<number> {
  using connection = await target.connect();
  const buffer = new Uint8Array(4 * 1024 * 1024);
  let count = 0;
  while (performance.now() < until) {
    for (let sent = 0; sent < request.length;) sent += await connection.write(request.subarray(sent));
    await exchange(connection, buffer);
    count += 1;
  }
  return count;
}

/** Reads one answer: its head is looked at once, its body only for where it ends. */
async function exchange(connection: Deno.Conn, buffer: Uint8Array): Promise<void> {
  let received = 0;
  let length: number | "chunked" | null = null;
  while (length === null || !isWhole(buffer, received, length)) {
    const read = await connection.read(buffer.subarray(received));
    if (read === null) throw new Error("the server closed the connection");
    received += read;
    length ??= lengthOf(buffer.subarray(0, Math.min(received, 8_192)));
  }
}

function isWhole(buffer: Uint8Array, received: number, length: number | "chunked"): boolean {
  if (length !== "chunked") return received >= length;
  return LAST_CHUNK.every((byte, index) => buffer[received - LAST_CHUNK.length + index] === byte);
}

function lengthOf(received: Uint8Array): number | "chunked" | null {
  const text = new TextDecoder("latin1").decode(received);
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  if (!text.startsWith("HTTP/1.1 200")) throw new Error(`not a 200: ${text.slice(0, 200)}`);
  const head = text.slice(0, end);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length === undefined ? "chunked" : end + 4 + Number(length);
}
