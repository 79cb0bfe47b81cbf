/** `berth folders`: the folders that may become workspaces, as a table or as JSON. */
import { type Folders, SYSTEM_FOLDERS } from "../client/berth/system.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { table, writeOut } from "./output.ts";
import type { Line } from "./command.ts";

export async function run(line: Line): Promise<number> {
  let folders: Folders;
  try {
    using client = await openClient();
    folders = (await client.get(SYSTEM_FOLDERS)).json();
  } catch (error) {
    return failCall(error);
  }
  writeOut(line.option("--json") === undefined ? shown(folders) : `${JSON.stringify(folders, null, 2)}\n`);
  return EXIT.FINE;
}

function shown({ roots, suggestions }: Folders): string {
  return table(["FOLDER", "MAY BE REGISTERED"], [
    ...roots.map((path) => [{ text: path }, { text: "yes, as all folders below" }]),
    ...suggestions.filter(({ path }) => !roots.includes(path)).map(({ path, setting }) => [
      { text: path },
      setting === null ? { text: "yes" } : { text: `with ${setting}`, colour: "yellow" as const },
    ]),
  ]);
}
