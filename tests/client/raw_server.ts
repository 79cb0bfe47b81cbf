/** An HTTP/1.1 server that writes every byte itself, so that it can also answer in ways a library would not allow. */

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  /** The request target, exactly as sent. */
  readonly target: string;
  readonly url: URL;
  /** Lower-case names; repeated headers are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes the answer; what is left open is closed when it returns "close". */
export type Answer = (request: Arrived, connection: Connection) => Promise<"keep" | "close">;

/** One connection, as the answering side sees it. */
export interface Connection {
  write(part: string | Uint8Array): Promise<void>;
  /** Settles when the other side is gone. */
  readonly gone: Promise<void>;
}

/** A running server. */
export interface RawServer extends AsyncDisposable {
  readonly port: number;
}

const encoder = new TextEncoder();

/** Serves on a free loopback port until disposed of; with `tls`, over TLS. */
export function serveRaw(answer: Answer, tls?: { cert: string; key: string }): RawServer {
  const listener = tls
    ? Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...tls })
    : Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const talking = new Set<Promise<void>>();
  const accepting = (async () => {
    while (true) {
      try {
        const connection = await listener.accept();
        open.add(connection);
        const talk = converse(connection, answer).catch(() => {}).finally(() => {
          open.delete(connection);
          talking.delete(talk);
          close(connection);
        });
        talking.add(talk);
      } catch (error) {
        // A handshake that the other side broke off is its affair; a closed listener ends the loop.
        if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) return;
      }
    }
  })();
  return {
    port: listener.addr.port,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) close(connection);
      await accepting;
      await Promise.all(talking);
    },
  };
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // closed already
  }
}

async function converse(connection: Deno.Conn, answer: Answer): Promise<void> {
  let kept = new Uint8Array();
  let reading: Promise<number | null> | undefined;
  const chunk = new Uint8Array(65_536);
  const more = async (): Promise<boolean> => {
    reading ??= connection.read(chunk);
    const size = await reading.catch(() => null);
    reading = undefined;
    if (size === null) return false;
    const joined = new Uint8Array(kept.length + size);
    joined.set(kept);
    joined.set(chunk.subarray(0, size), kept.length);
    kept = joined;
    return kept.length < 32 * 2 ** 20;
  };
  while (true) {
    let end: number;
    while ((end = headEnd(kept)) < 0) if (!await more()) return;
    const [first = "", ...lines] = new TextDecoder("latin1").decode(kept.subarray(0, end)).split("\r\n");
    kept = kept.subarray(end + 4);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    const length = Number(headers["content-length"] ?? 0);
    while (kept.length < length) if (!await more()) return;
    const body = new TextDecoder().decode(kept.subarray(0, length));
    kept = kept.subarray(length);
    const [method = "", target = ""] = first.split(" ");
    const url = new URL(target, "http://raw");
    reading = connection.read(chunk);
    const gone = reading.then((size) => size === null ? undefined : new Promise<void>(() => {}), () => {});
    const done = await answer({ method, target, url, headers, body }, {
      gone,
      async write(part) {
        const bytes = typeof part === "string" ? encoder.encode(part) : part;
        for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
      },
    });
    if (done === "close") return;
  }
}

function headEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return -1;
}
