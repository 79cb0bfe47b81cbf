/** HTTP by hand, for what a client library would never send. */

export interface RawAnswer {
  /** Null when the connection was closed without an answer. */
  readonly status: number | null;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends the bytes as they are on a connection of their own, and reads the first answer to its end. */
export async function sendRaw(port: number, request: string | Uint8Array<ArrayBuffer>): Promise<RawAnswer> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const timer = setTimeout(() => connection.close(), 40_000);
  try {
    await writeAll(connection, typeof request === "string" ? new TextEncoder().encode(request) : request);
    return parse(await readAnswer(connection));
  } finally {
    clearTimeout(timer);
  }
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  } catch {
    // The other side refused before it had read everything; its answer is what counts.
  }
}

async function readAnswer(connection: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(16_384);
  let text = "";
  try {
    for (;;) {
      const count = await connection.read(buffer);
      if (count === null) return text;
      text += decoder.decode(buffer.subarray(0, count), { stream: true });
      const head = text.indexOf("\r\n\r\n");
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      if (head !== -1 && length !== undefined && text.length >= head + 4 + Number(length)) return text;
    }
  } catch {
    return text; // Reset by the other side: what came before is all there is.
  }
}

function parse(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return { status: null, headers: new Headers(), body: text };
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
  }
  return { status: Number(first.split(" ")[1]), headers, body: text.slice(end + 4) };
}
