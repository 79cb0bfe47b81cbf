/** What BuildKit tells of a build: steps by name and the lines that they print, in the form of protocol buffers. */

interface Told {
  /** Steps that began with this message. */
  readonly began: readonly { readonly step: string; readonly isCached: boolean }[];
  /** Bytes that a step printed into one of its streams, which may end within a line or a character. */
  readonly printed: readonly { readonly stream: string; readonly step: string; readonly bytes: Uint8Array }[];
  /** Streams into which nothing is printed any more. */
  readonly ended: readonly string[];
}

/** Remembers the names of steps, which later messages call by their digests. */
export class BuildTrace {
  readonly #names = new Map<string, string>();
  readonly #begun = new Set<string>();

  /** Reads one message, as the engine sends it in base64. Throws a `RangeError` for one that is cut. */
  read(message: string): Told {
    const began: Told["began"][number][] = [];
    const printed: Told["printed"][number][] = [];
    const ended: string[] = [];
    for (const { field, bytes } of fieldsOf(Uint8Array.fromBase64(message))) {
      const inner = new Map(fieldsOf(bytes).map((one) => [one.field, one]));
      const text = (number: number) => decoder.decode(inner.get(number)?.bytes);
      if (field === VERTEX) {
        const [digest, name] = [text(1), text(3)];
        this.#names.set(digest, name);
        if (inner.has(6)) ended.push(...STREAMS.map((stream) => `${digest} ${stream}`));
        const hasBegun = inner.has(5) || inner.get(4)?.number === 1;
        if (!hasBegun || this.#begun.has(digest)) continue;
        this.#begun.add(digest);
        began.push({ step: name, isCached: inner.get(4)?.number === 1 });
      } else if (field === LOG) {
        const stream = `${text(1)} ${inner.get(3)?.number ?? 0}`;
        printed.push({ stream, step: this.#names.get(text(1)) ?? "", bytes: inner.get(4)?.bytes ?? NONE });
      }
    }
    return { began, printed, ended };
  }
}

const VERTEX = 1;
const LOG = 3;
/** Standard output and error. */
const STREAMS = [1, 2];
const decoder = new TextDecoder();

interface Field {
  readonly field: number;
  readonly bytes: Uint8Array;
  /** The value of a number; 0 for others. */
  readonly number: number;
}

/** The fields of one message, in their order. */
function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError("the message is cut");
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number is too long");
  };
  const take = (length: number) => {
    if (at + length > bytes.length) throw new RangeError("the message is cut");
    return bytes.subarray(at, at += length);
  };
  while (at < bytes.length) {
    const key = varint();
    const field = Math.floor(key / 8);
    const form = key % 8;
    if (form === 0) fields.push({ field, bytes: NONE, number: varint() });
    else if (form === 2) fields.push({ field, bytes: take(varint()), number: 0 });
    else if (form === 1 || form === 5) fields.push({ field, bytes: take(form === 1 ? 8 : 4), number: 0 });
    else throw new RangeError("the message has a field of an unknown form");
  }
  return fields;
}

const NONE = new Uint8Array();
