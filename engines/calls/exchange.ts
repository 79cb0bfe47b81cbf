/** One request on a connection, sent exactly once, and its whole answer. */
import { Answer } from "./answer.ts";
import { close } from "./spare.ts";

export interface Exchanged {
  readonly status: number;
  readonly text: string;
}

export interface ExchangeOptions {
  readonly maxBytes: number;
  readonly doing: string;
  /** Closes the connection. */
  readonly signal: AbortSignal;
  /** Called with the answer's first bytes. */
  readonly begun: () => void;
}

/** The connection ended, or was ended, before the answer's first byte. */
export class NoAnswer extends Error {}

/**
 * `first` is a read of `bytes` that was begun before. Closes the connection unless the answer says that it may be used
 * again. Throws when the connection ends before the answer does.
 */
export async function exchange(
  conn: Deno.Conn,
  bytes: Uint8Array<ArrayBuffer>,
  request: Uint8Array,
  { maxBytes, doing, signal, begun }: ExchangeOptions,
  first?: Promise<number>,
): Promise<Answer> {
  const end = () => close(conn);
  const answer = new Answer(maxBytes, doing);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    let size: number;
    try {
      for (let at = 0; at < request.byteLength;) at += await conn.write(request.subarray(at));
      size = await (first ?? conn.read(bytes)) ?? 0;
    } catch (cause) {
      throw new NoAnswer("the connection ended before the answer", { cause });
    }
    if (size === 0) throw new NoAnswer("the connection ended before the answer");
    begun();
    for (; size > 0; size = await conn.read(bytes) ?? 0) {
      answer.add(bytes.subarray(0, size));
      if (answer.isWhole) return answer;
    }
    if (!answer.ended()) throw new Error("the connection ended before the answer did");
    return answer;
  } finally {
    signal.removeEventListener("abort", end);
    if (!answer.isWhole || !answer.isKept) end();
  }
}
