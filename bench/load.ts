/** A bounded load over keep-alive connections: as cheap as it can be, so that the server is what is measured. */

export interface Load {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections?: number;
  readonly seconds: number;
}

/**
 * Requests answered per second. Every answer must be a 200 of one and the same length: bytes are counted, not parsed,
 * and anything else ends the measurement.
 */
export async function requestsPerSecond(load: Load): Promise<number> {
  const { port, path, headers = {}, connections = 8, seconds } = load;
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const request = new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${head}\r\n`);
  const until = performance.now() + seconds * 1000;
  const started = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, () => repeat(port, request, until)),
  );
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - started) / 1000);
}

async function repeat(port: number, request: Uint8Array, until: number): Promise<number> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  connection.setNoDelay(true);
  const buffer = new Uint8Array(1024 * 1024);
  let length = 0;
  let count = 0;
  while (performance.now() < until) {
    await write(connection, request);
    let received = 0;
    do {
      const read = await connection.read(buffer.subarray(received));
      if (read === null) throw new Error("the server closed the connection");
      received += read;
      if (length === 0) length = lengthOf(buffer.subarray(0, received));
    } while (length === 0 || received < length);
    if (received !== length) throw new Error(`an answer of ${received} bytes where ${length} were expected`);
    count++;
  }
  return count;
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** The whole length of the first answer, or 0 while its head is not complete. */
function lengthOf(received: Uint8Array): number {
  const text = new TextDecoder("latin1").decode(received);
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return 0;
  if (!text.startsWith("HTTP/1.1 200")) throw new Error(`not a 200: ${text.slice(0, 200)}`);
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  if (length === undefined) throw new Error("the answer has no content-length");
  return end + 4 + Number(length);
}
