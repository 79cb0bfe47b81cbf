/** `berth from-run`: a line of `docker run` as the files of a project. */
import { ARTIFACTS_FROM_RUN } from "../client/berth/artifacts.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { writeOut } from "./output.ts";

export async function run(line: Line): Promise<number> {
  try {
    using client = await openClient();
    const read = (await client.post(ARTIFACTS_FROM_RUN, { payload: { command: line.args[0]! } })).json(); // it is required
    if (line.option("--json") !== undefined) writeOut(`${JSON.stringify(read, null, 2)}\n`);
    else writeOut(read.files.map(({ path, text }) => `# ${visible(read.name)}/${path}\n${text}`).join(""));
    for (const flag of read.unknown) console.error(`berth: not in the text: ${visible(flag)}`);
    for (const note of read.notes) console.error(`berth: ${visible(note)}`);
    return read.unknown.length === 0 ? EXIT.FINE : EXIT.TO_DO;
  } catch (error) {
    return failCall(error);
  }
}
