/** A secret out of standard input: on a terminal it is asked for, and not shown. */
import { writeError } from "./output.ts";

/** Longer than any key or password. */
const MOST_BYTES = 4096;

/** Returns one line. */
export async function readSecret(what: string): Promise<string> {
  if (!Deno.stdin.isTerminal()) return firstLine(await readSome());
  writeError(`${what}: `);
  Deno.stdin.setRaw(true, { cbreak: true });
  try {
    return firstLine(await readSome());
  } finally {
    Deno.stdin.setRaw(false);
    writeError("\n");
  }
}

async function readSome(): Promise<string> {
  const bytes = new Uint8Array(MOST_BYTES);
  let length = 0;
  while (length < MOST_BYTES) {
    const read = await Deno.stdin.read(bytes.subarray(length));
    if (read === null) break;
    length += read;
    if (bytes.subarray(0, length).some((byte) => byte === 10 || byte === 13)) break;
  }
  return new TextDecoder().decode(bytes.subarray(0, length));
}

function firstLine(text: string): string {
  return text.split(/[\r\n]/, 1)[0]!;
}
