/** A secret out of standard input: on a terminal it is asked for, and not shown. */
import { writeError } from "./output.ts";

/** Longer than any key or password. */
const MOST_BYTES = 4096;

/** The exit code that shells give a command which Ctrl-C ended. */
const INTERRUPTED = 130;

/** Returns one line. */
export async function readSecret(what: string): Promise<string> {
  if (!Deno.stdin.isTerminal()) return firstLine(await readSome());
  writeError(`${what}: `);
  const restore = () => {
    Deno.stdin.setRaw(false);
    writeError("\n");
  };
  const onInterrupt = () => { // the terminal would stay as it is, and show nothing that is typed
    restore();
    Deno.exit(INTERRUPTED);
  };
  Deno.addSignalListener("SIGINT", onInterrupt);
  Deno.stdin.setRaw(true, { cbreak: true });
  try {
    return await typedSecret(Deno.stdin);
  } finally {
    restore();
    Deno.removeSignalListener("SIGINT", onInterrupt);
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

interface Keys {
  read(bytes: Uint8Array): Promise<number | null>;
}

/** Returns the line that was typed. A terminal that does not show it does not edit it either, so this does. */
export async function typedSecret(keys: Keys): Promise<string> {
  const typed: number[] = [];
  const some = new Uint8Array(MOST_BYTES);
  while (typed.length < MOST_BYTES) {
    const read = await keys.read(some);
    if (read === null) break;
    if (!take(some.subarray(0, read), typed)) break;
  }
  return new TextDecoder().decode(new Uint8Array(typed.slice(0, MOST_BYTES)));
}

/** Returns false once the line has ended: by Enter, or by Ctrl-D. */
function take(keys: Uint8Array, typed: number[]): boolean {
  for (const key of keys) {
    if (key === 10 || key === 13 || key === 4) return false;
    if (key === 0x7f || key === 8) dropCharacter(typed);
    else if (key === 0x15) typed.length = 0; // Ctrl-U
    else typed.push(key);
  }
  return true;
}

/** Drops the bytes of one character: in UTF-8 those after the first are 10xxxxxx. */
function dropCharacter(typed: number[]): void {
  for (let byte = typed.pop(); byte !== undefined && (byte & 0xc0) === 0x80;) byte = typed.pop();
}
