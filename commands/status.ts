/** `berth status`: one line for each project of a running berth, with its verdict and the reason, or JSON. */
import { PROJECT, type ProjectRow, PROJECTS, type Projects } from "../client/berth/projects.ts";
import { visible } from "../log/line.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, worstOf } from "./exit_code.ts";
import { type Cell, type Colour, table, writeOut } from "./output.ts";
import type { Line } from "./command.ts";

type Verdict = ProjectRow["verdict"];
type Answer = Pick<Projects, "items" | "total" | "engines" | "liveNeeds">;

/** As many rows as the service gives at once. */
export const MOST = 5_000;

interface Shown {
  readonly words: string;
  readonly colour: Colour;
  readonly code: number;
}

const VERDICTS: Readonly<Record<Verdict, Shown>> = {
  broken: { words: "broken", colour: "red", code: EXIT.NO },
  differs: { words: "differs", colour: "yellow", code: EXIT.TO_DO },
  stopped: { words: "stopped", colour: "yellow", code: EXIT.TO_DO },
  notStarted: { words: "not started", colour: "yellow", code: EXIT.TO_DO },
  unknown: { words: "unknown", colour: "yellow", code: EXIT.INCOMPLETE },
  undeclared: { words: "undeclared", colour: "grey", code: EXIT.FINE },
  paused: { words: "paused", colour: "yellow", code: EXIT.TO_DO },
  completed: { words: "completed", colour: "grey", code: EXIT.FINE },
  asWritten: { words: "as written", colour: "green", code: EXIT.FINE },
};

/** Returns how a verdict is shown. A newer berth may know one that this command does not: it counts as not known. */
export const shownAs = (verdict: string): Shown =>
  Object.hasOwn(VERDICTS, verdict)
    ? VERDICTS[verdict as Verdict]
    : { words: verdict, colour: "yellow", code: EXIT.INCOMPLETE };

export async function run(line: Line): Promise<number> {
  const codes = new Set<number>();
  const fail = (error: unknown) => void codes.add(failCall(error));
  try {
    const answer = await ask(line.args, fail);
    if (line.option("--json") !== undefined) writeOut(`${JSON.stringify(answer, null, 2)}\n`);
    else if (line.option("--names") !== undefined) {
      writeOut(answer.items.map(({ id }) => `${visible(id)}\n`).join(""));
    } else if (answer.items.length > 0 || codes.size === 0) {
      writeOut(table(TITLES, answer.items.map(cellsOf)));
    }
    for (const { verdict } of answer.items) codes.add(shownAs(verdict).code);
    for (const sentence of missingOf(answer)) {
      console.error(`berth: ${visible(sentence)}`);
      codes.add(EXIT.INCOMPLETE);
    }
  } catch (error) {
    fail(error);
  }
  return worstOf(codes);
}

/**
 * Asks for all projects, or for those that were named, and always for the engines: a project may have containers on
 * one that is away. A name that is refused is passed to `fail`, and the others are still answered.
 */
async function ask(names: readonly string[], fail: (error: unknown) => void): Promise<Answer> {
  using client = await openClient();
  const limit = names.length === 0 ? MOST : 0;
  const all = await (await client.get(PROJECTS, { query: { limit, ignored: false } })).json();
  if (names.length === 0) return all;
  const items: ProjectRow[] = [];
  for (const id of names) {
    try {
      items.push(await (await client.get(PROJECT, { params: { id } })).json());
    } catch (error) {
      fail(error);
    }
  }
  const { engines, liveNeeds } = all;
  return { items, total: items.length, engines, ...(liveNeeds !== undefined && { liveNeeds }) };
}

/** Returns a sentence for each thing that the answer lacks. */
function missingOf({ items, total, engines, liveNeeds }: Answer): string[] {
  return [
    ...engines.filter(({ state }) => state !== "up").map(({ name, state, reason }) =>
      `the engine "${name}" could not be asked: ${reason ?? state}`
    ),
    ...(liveNeeds === undefined ? [] : [`the key may not see what runs: it needs ${liveNeeds}`]),
    ...(total > items.length
      ? [`${total - items.length} more projects are not shown: name those you mean`]
      : []),
  ];
}

const TITLES = ["VERDICT", "PROJECT", "RUNNING", "ENGINE", "REASON"];

function cellsOf({ id, verdict, running, desired, engines, reason }: ProjectRow): Cell[] {
  const { words, colour } = shownAs(verdict);
  return [
    { text: words, colour },
    { text: id },
    { text: desired === null ? `${running}` : `${running}/${desired}` },
    { text: engines.join(" ") || "–" },
    {
      text: reason === null || (verdict === "notStarted" && reason.notCompared === null)
        ? "–"
        : sentenceOf(reason),
    },
  ];
}

/** Returns the reason in plain words, like `web: image is nginx:1.26, declared is nginx:1.27`. */
function sentenceOf(
  { unit, difference, container, stopped, notCompared, more }: NonNullable<ProjectRow["reason"]>,
): string {
  const why = difference !== null
    ? `${difference.field} is ${difference.actual}, declared is ${difference.declared}`
    : container !== null
    ? conditionOf(container)
    : stopped !== null
    ? `${stopped.byHand ? "stopped by hand" : "stopped"}${
      stopped.since === null ? "" : ` since ${stopped.since}`
    }`
    : notCompared ?? "does not run as it should";
  return `${unit}: ${why}${more === 0 ? "" : `, and ${more} more`}`;
}

function conditionOf(
  { condition, exitCode, restartCount, reason, healthOutput }: NonNullable<
    NonNullable<ProjectRow["reason"]>["container"]
  >,
): string {
  const ended = condition === "failed" || condition === "restarting" || condition === "dead";
  return [
    condition,
    ...(ended && exitCode !== null ? [`ended with ${exitCode}`] : []),
    ...(restartCount === 0 ? [] : [`restarted ${restartCount} times`]),
    ...(reason === null ? [] : [reason]),
    ...(healthOutput === null ? [] : [healthOutput]),
  ].join(", ");
}
