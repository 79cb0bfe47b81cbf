/** `berth login`: checks a key against a running berth and saves it in a file that only its owner can read. */
import { withoutEnd } from "../core/without_end.ts";
import { writePrivateFile } from "../auth/sealing/private_file.ts";
import { AUTH_ME } from "../client/berth/auth.ts";
import { readClientSettings } from "../config/client.ts";
import { StartFailure } from "../app/start_failure.ts";
import { clientFor, failCall, loginUrl } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { readSecret } from "./secret.ts";
import type { Line } from "./command.ts";

export async function run(line: Line): Promise<number> {
  const url = withoutEnd(line.args[0] ?? loginUrl(), "/");
  try {
    const { loginFile } = readClientSettings();
    if (loginFile === null) throw new StartFailure("Cannot save the key: no home folder is known; set HOME");
    const key = (await readSecret(`API key for ${url}`)).trim();
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
