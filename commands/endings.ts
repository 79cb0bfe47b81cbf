/** `berth endings <unit>`: how its containers ended, one line each, or what the newest said last. */
import { type ContainerEnding, ENDING_LOG, ENDINGS } from "../client/berth/endings.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { type Cell, table, writeOut } from "./output.ts";

export async function run({ args: [unit = ""], option }: Line): Promise<number> {
  try {
    using client = await openClient();
    const { items } = await (await client.get(ENDINGS, { query: { unit } })).json();
    if (option("--log") !== undefined) return await printWords(client, items, option("--json") !== undefined);
    if (option("--json") !== undefined) writeOut(`${JSON.stringify(items, null, 2)}\n`);
    else writeOut(items.length === 0 ? "No endings\n" : table(TITLES, items.map(cellsOf)));
    return EXIT.FINE;
  } catch (error) {
    return failCall(error);
  }
}

async function printWords(
  client: Awaited<ReturnType<typeof openClient>>,
  items: readonly ContainerEnding[],
  isJson: boolean,
): Promise<number> {
  const ending = items.find(({ words }) => words === "kept");
  if (ending === undefined) {
    const [newest] = items;
    console.error(
      `berth: There are no last words: ${newest === undefined ? "no endings" : WORDS[newest.words]}`,
    );
    return EXIT.NO;
  }
  const said = await (await client.get(ENDING_LOG, { params: { id: ending.id } })).json();
  if (isJson) writeOut(`${JSON.stringify({ ending, ...said }, null, 2)}\n`);
  else {
    const health = said.health === "" ? [] : [`health check: ${said.health}`];
    writeOut([...said.lines, ...health].map((line) => `${visible(line)}\n`).join(""));
  }
  return EXIT.FINE;
}

const WORDS: Readonly<Record<ContainerEnding["words"], string>> = {
  kept: "kept",
  none: "its log was empty",
  removedTooSoon: "it was removed before its engine could be asked",
  unreadable: "its engine did not tell its log",
  forgotten: "they gave way to newer ones",
};

const TITLES = ["ENDED", "CONTAINER", "ENGINE", "EXIT CODE", "LAST WORDS"];

function cellsOf({ at, container, engine, exitCode, outOfMemory, more, words }: ContainerEnding): Cell[] {
  const code = `${exitCode ?? "?"}${outOfMemory ? ", out of memory" : ""}`;
  return [
    { text: `${at.slice(0, 19)}Z` },
    { text: visible(container) },
    { text: visible(engine) },
    {
      text: more === 0 ? code : `${code}, and ${more} more`,
      ...(exitCode !== 0 && { colour: "red" as const }),
    },
    { text: WORDS[words] },
  ];
}
