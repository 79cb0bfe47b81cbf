/** Escapes bytes for a JSON string, four at a time while none needs an escape. */

const NOT_ASCII = 0xff;
const BACKSLASH = 92;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The form of each byte in JSON: 0 as itself, 1 as \u00.., 0xff not ASCII, otherwise this letter after a backslash. */
const ESCAPE = new Uint8Array(256);
ESCAPE.fill(1, 0, 32);
ESCAPE.fill(NOT_ASCII, 128);
for (
  const [byte, letter] of [[8, "b"], [9, "t"], [10, "n"], [12, "f"], [13, "r"], [34, '"'], [
    BACKSLASH,
    "\\",
  ]] as const
) {
  ESCAPE[byte] = letter.charCodeAt(0);
}
const CONTROL = encoder.encode("u00");
const HEX = encoder.encode("0123456789abcdef");

/** Views of the latest buffers, which are nearly always those of the next line, too. */
let source = new Uint8Array(0);
let sourceWords = new DataView(source.buffer);
let drain = source;
let drainWords = sourceWords;

/**
 * Writes bytes `from` up to `to` into `target`, which must have room for six times as many, and returns where they end.
 * Text that is not ASCII goes through a decoder, because it may not be UTF-8.
 */
export function putEscaped(
  target: Uint8Array<ArrayBuffer>,
  at: number,
  bytes: Uint8Array<ArrayBuffer>,
  from: number,
  to: number,
): number {
  if (bytes !== source) {
    source = bytes;
    sourceWords = viewOf(bytes);
  }
  if (target !== drain) {
    drain = target;
    drainWords = viewOf(target);
  }
  const begin = at;
  for (let index = from; index < to;) {
    if (index + 4 <= to) {
      const word = sourceWords.getInt32(index, true);
      if (isPlain(word)) {
        drainWords.setInt32(at, word, true);
        index += 4;
        at += 4;
        continue;
      }
    }
    const end = Math.min(index + 4, to);
    while (index < end) {
      const byte = bytes[index++]!; // below end
      const escape = ESCAPE[byte]!; // has all 256
      if (escape === 0) {
        target[at++] = byte;
      } else if (escape === NOT_ASCII) {
        const text = JSON.stringify(decoder.decode(bytes.subarray(from, to)));
        return begin + encoder.encodeInto(text.slice(1, -1), target.subarray(begin)).written;
      } else {
        target[at++] = BACKSLASH;
        if (escape === 1) {
          target.set(CONTROL, at);
          at += CONTROL.length;
          target[at++] = HEX[byte >> 4]!;
          target[at++] = HEX[byte & 15]!;
        } else {
          target[at++] = escape;
        }
      }
    }
  }
  return at;
}

/**
 * Returns true if each of four bytes is ASCII, no control character, no quote and no backslash. A difference below zero
 * sets the highest bit of its byte; the borrow from the next byte can only cause a false alarm there.
 */
function isPlain(word: number): boolean {
  const control = word - 0x20202020 | 0;
  const quote = (word ^ 0x22222222) - 0x01010101 | 0;
  const backslash = (word ^ 0x5c5c5c5c) - 0x01010101 | 0;
  return ((word | control | quote | backslash) & 0x80808080) === 0;
}

function viewOf(bytes: Uint8Array<ArrayBuffer>): DataView<ArrayBuffer> {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
