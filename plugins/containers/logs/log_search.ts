/** Passes on the lines that contain a text, in linear time. The case of ASCII letters does not matter. */
import type { LineSink } from "./lines.ts";

const LOWER = new Uint8Array(256).map((_, byte) => byte >= 65 && byte <= 90 ? byte + 32 : byte);

export function searching(query: string, sink: LineSink): LineSink {
  const sought = new TextEncoder().encode(query).map((byte) => LOWER[byte]!); // has all 256
  return {
    line: (line) => {
      if (holds(line.bytes, line.from, line.to, sought)) sink.line(line);
    },
  };
}

function holds(bytes: Uint8Array, from: number, to: number, sought: Uint8Array): boolean {
  const first = sought[0];
  const last = to - sought.byteLength;
  for (let at = from; at <= last; at++) {
    if (LOWER[bytes[at]!] !== first) continue;
    let same = 1;
    while (same < sought.byteLength && LOWER[bytes[at + same]!] === sought[same]) same++;
    if (same === sought.byteLength) return true;
  }
  return first === undefined;
}
