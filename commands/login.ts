/** `berth login`: checks a key against a running berth and saves it in a file that only its owner can read. */
import { withoutEnd } from "../core/without_end.ts";
import { writePrivateFile } from "../auth/sealing/private_file.ts";
import { AUTH_ME } from "../client/berth/auth.ts";
import { readClientSettings } from "../config/client.ts";
import { StartFailure } from "../start_failure.ts";
import { clientFor, failCall, loginUrl } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { writeError } from "./output.ts";
import type { Line } from "./command.ts";

/** Longer than any key. */
const MAX_KEY = 4096;

export async function run(line: Line): Promise<number> {
  const url = withoutEnd(line.args[0] ?? loginUrl(), "/");
  try {
    const { loginFile } = readClientSettings();
    if (loginFile === null) throw new StartFailure("Cannot save the key: no home folder is known; set HOME");
    const key = await readKey(url);
    using client = clientFor({ url, key });
    const me = (await client.get(AUTH_ME)).json();
    await Deno.mkdir(loginFile.slice(0, loginFile.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    await writePrivateFile(loginFile, JSON.stringify({ url, key }));
    console.log(`Signed in to ${url} as "${me.name}"; the key is in ${loginFile}`);
    return EXIT.FINE;
  } catch (error) {
    return failCall(error);
  }
}

/** One line of standard input; on a terminal nothing of it is shown. */
async function readKey(url: string): Promise<string> {
  if (!Deno.stdin.isTerminal()) return firstLine(await readSome());
  writeError(`API key for ${url}: `);
  Deno.stdin.setRaw(true, { cbreak: true });
  try {
    return firstLine(await readSome());
  } finally {
    Deno.stdin.setRaw(false);
    writeError("\n");
  }
}

async function readSome(): Promise<string> {
  const bytes = new Uint8Array(MAX_KEY);
  let length = 0;
  while (length < MAX_KEY) {
    const read = await Deno.stdin.read(bytes.subarray(length));
    if (read === null) break;
    length += read;
    if (bytes.subarray(0, length).some((byte) => byte === 10 || byte === 13)) break;
  }
  return new TextDecoder().decode(bytes.subarray(0, length));
}

function firstLine(text: string): string {
  return text.split(/[\r\n]/, 1)[0]!.trim();
}
