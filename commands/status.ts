/** `berth status`: one line for each project of a running berth, with its verdict and the reason, or JSON. */
import { PROJECT, type ProjectRow, PROJECTS, type Projects } from "../client/berth/projects.ts";
import { isStatusError } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import { openClient, tellCall } from "./connection.ts";
import { type Cell, type Colour, table, writeOut } from "./output.ts";
import type { Line } from "./table.ts";

type Verdict = ProjectRow["verdict"];
type Answer = Pick<Projects, "items"> & Partial<Projects>;

/** As many rows as the service gives at once. */
const MOST = 5_000;
const [FINE, NO, TO_DO, INCOMPLETE] = [0, 1, 2, 4];

const VERDICTS: Readonly<
  Record<Verdict, { readonly words: string; readonly colour: Colour; readonly code: number }>
> = {
  broken: { words: "broken", colour: "red", code: NO },
  differs: { words: "differs", colour: "yellow", code: TO_DO },
  notStarted: { words: "not started", colour: "yellow", code: TO_DO },
  unknown: { words: "unknown", colour: "yellow", code: INCOMPLETE },
  undeclared: { words: "undeclared", colour: "grey", code: FINE },
  paused: { words: "paused", colour: "grey", code: FINE },
  completed: { words: "completed", colour: "grey", code: FINE },
  asWritten: { words: "as written", colour: "green", code: FINE },
};

export async function run(line: Line): Promise<number> {
  let answer: Answer;
  try {
    answer = await asked(line.args);
  } catch (error) {
    tellCall(error);
    return isStatusError(error) && error.response.statusCode < 500 ? NO : INCOMPLETE;
  }
  if (line.option("--json") !== undefined) writeOut(`${JSON.stringify(answer, null, 2)}\n`);
  else writeOut(table(TITLES, answer.items.map(cellsOf)));
  const missing = missingOf(answer);
  for (const sentence of missing) console.error(`berth: ${visible(sentence)}`);
  return codeOf(answer.items, missing.length > 0);
}

/** Asks for all projects, or for those that were named. */
async function asked(names: readonly string[]): Promise<Answer> {
  using client = await openClient();
  if (names.length === 0) return (await client.get(PROJECTS, { query: { limit: MOST } })).json();
  const items = [];
  for (const id of names) items.push((await client.get(PROJECT, { params: { id } })).json());
  return { items };
}

/** Returns a sentence for each thing that the answer lacks. */
function missingOf({ items, total, engines = [], liveNeeds }: Answer): string[] {
  return [
    ...engines.filter(({ state }) => state !== "up").map(({ name, state, reason }) =>
      `the engine "${name}" could not be asked: ${reason ?? state}`
    ),
    ...(liveNeeds === undefined ? [] : [`the key may not see what runs: it needs ${liveNeeds}`]),
    ...((total ?? 0) > items.length
      ? [`${total! - items.length} more projects are not shown: name those you mean`]
      : []),
  ];
}

/** Returns the exit code: a broken project counts most, then what is missing, then what is to be done. */
function codeOf(items: readonly ProjectRow[], isIncomplete: boolean): number {
  const codes = new Set(items.map(({ verdict }) => VERDICTS[verdict].code));
  if (isIncomplete) codes.add(INCOMPLETE);
  return [NO, INCOMPLETE, TO_DO].find((code) => codes.has(code)) ?? FINE;
}

const TITLES = ["VERDICT", "PROJECT", "RUNNING", "ENGINE", "REASON"];

function cellsOf({ id, verdict, running, desired, engines, reason }: ProjectRow): Cell[] {
  const { words, colour } = VERDICTS[verdict];
  return [
    { text: words, colour },
    { text: id },
    { text: desired === null ? `${running}` : `${running}/${desired}` },
    { text: engines.join(" ") || "–" },
    { text: reason === null ? "–" : sentenceOf(reason) },
  ];
}

/** Returns the reason in plain words, like `web: image is nginx:1.26, declared is nginx:1.27`. */
function sentenceOf(
  { unit, difference, container, notCompared, more }: NonNullable<ProjectRow["reason"]>,
): string {
  const why = difference !== null
    ? `${difference.field} is ${difference.actual}, declared is ${difference.declared}`
    : container !== null
    ? conditionOf(container)
    : notCompared ?? "does not run as it should";
  return `${unit}: ${why}${more === 0 ? "" : `, and ${more} more`}`;
}

function conditionOf(
  { condition, exitCode, restartCount, reason }: NonNullable<NonNullable<ProjectRow["reason"]>["container"]>,
): string {
  const ended = condition === "failed" || condition === "restarting" || condition === "dead";
  return [
    condition,
    ...(ended && exitCode !== null ? [`ended with ${exitCode}`] : []),
    ...(restartCount === 0 ? [] : [`restarted ${restartCount} times`]),
    ...(reason === null ? [] : [reason]),
  ].join(", ");
}
