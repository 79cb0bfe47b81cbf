/** `berth folders`: the folders that may become workspaces, as a table or as JSON. */
import { PLACES, type Places } from "../client/berth/places.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { table, writeOut } from "./output.ts";
import type { Line } from "./command.ts";

export async function run(line: Line): Promise<number> {
  let folders: Places;
  try {
    using client = await openClient();
    folders = (await client.get(PLACES)).json();
  } catch (error) {
    return failCall(error);
  }
  writeOut(line.option("--json") === undefined ? shown(folders) : `${JSON.stringify(folders, null, 2)}\n`);
  return EXIT.FINE;
}

function shown({ roots, places }: Places): string {
  return table(["FOLDER", "MAY BE REGISTERED", "PROJECTS"], [
    ...roots.map((path) => [{ text: path }, { text: "yes, as all folders below" }, { text: "" }]),
    ...places.filter(({ path }) => !roots.includes(path)).map(({ path, setting, total }) => [
      { text: path },
      setting === null ? { text: "yes" } : { text: `with ${setting}`, colour: "yellow" as const },
      { text: total === 0 ? "" : String(total) },
    ]),
  ]);
}
