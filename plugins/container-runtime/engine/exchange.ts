/** One request on a connection of its own, sent exactly once, and its whole answer. */
import { engineError } from "./errors.ts";
import { close, type Fresh } from "./spare.ts";

export interface Exchanged {
  readonly status: number;
  readonly text: string;
}

const MOST_HEAD = 32 * 1024;
const decoder = new TextDecoder();
const latin1 = new TextDecoder("latin1");

/** Throws when the connection ends before the answer does; closes it in any case. */
export async function exchange(
  { conn, bytes, first }: Fresh,
  request: Uint8Array,
  { maxBytes, doing, signal, begun }: {
    readonly maxBytes: number;
    readonly doing: string;
    readonly signal: AbortSignal;
    /** Called with the answer's first bytes. */
    readonly begun: () => void;
  },
): Promise<Exchanged> {
  const end = () => close(conn);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    for (let at = 0; at < request.byteLength;) at += await conn.write(request.subarray(at));
    const answer = new Answer(maxBytes + MOST_HEAD);
    for (let size = await first; size > 0; size = await conn.read(bytes) ?? 0) {
      begun();
      if (!answer.add(bytes.subarray(0, size))) {
        throw engineError(
          "engine_failed",
          `Cannot ${doing}: the engine answered more than ${maxBytes} bytes`,
        );
      }
      const whole = answer.whole(false);
      if (whole !== null) return whole;
    }
    const whole = answer.whole(true);
    if (whole === null) throw new Error("connection closed before the answer's end");
    return whole;
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/** What came so far of one answer. */
class Answer {
  #bytes = new Uint8Array(4 * 1024);
  #length = 0;

  constructor(private readonly most: number) {}

  add(bytes: Uint8Array): boolean {
    const length = this.#length + bytes.byteLength;
    if (length > this.most) return false;
    if (length > this.#bytes.byteLength) {
      const wider = new Uint8Array(length * 2);
      wider.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = wider;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
    return true;
  }

  /** The answer, once all of it is there; `ended` when nothing comes any more. */
  whole(ended: boolean): Exchanged | null {
    const all = this.#bytes.subarray(0, this.#length);
    const head = latin1.decode(all.subarray(0, MOST_HEAD));
    const end = head.indexOf("\r\n\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
    if (end < 0 || Number.isNaN(status)) return null;
    const body = all.subarray(end + 4);
    const lines = head.slice(0, end);
    const length = /^content-length: *(\d{1,15})\s*$/im.exec(lines)?.[1];
    if (status === 204 || status === 304) return { status, text: "" };
    if (/^transfer-encoding: *chunked\s*$/im.test(lines)) {
      const text = unchunked(body);
      return text === null ? null : { status, text };
    }
    if (length === undefined) return ended ? { status, text: decoder.decode(body) } : null;
    if (body.byteLength < Number(length)) return null;
    return { status, text: decoder.decode(body.subarray(0, Number(length))) };
  }
}

/** The text of a chunked body; null while it is not complete. */
function unchunked(body: Uint8Array): string | null {
  const text = new TextDecoder();
  let words = "";
  for (let at = 0;;) {
    const head = latin1.decode(body.subarray(at, at + 64));
    const [line, digits = ""] = /^([0-9a-f]{1,8})[^\r\n]{0,40}\r\n/i.exec(head) ?? [];
    if (line === undefined) return null;
    const from = at + line.length;
    const size = parseInt(digits, 16);
    if (size === 0) return words + text.decode();
    if (from + size + 2 > body.byteLength) return null;
    words += text.decode(body.subarray(from, from + size), { stream: true });
    at = from + size + 2;
  }
}
