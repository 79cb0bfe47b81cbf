/** `berth updates`: the images of projects that have a newer one at their registry, as a table or as JSON. */
import {
  type ProjectUpdates,
  type UpdateCandidate,
  type UpdateItem,
  UPDATES,
  type Updates,
} from "../client/berth/updates.ts";
import { visible } from "../log/line.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, worstOf } from "./exit_code.ts";
import { tellMissing } from "./missing_updates.ts";
import { type Cell, table, writeOut } from "./output.ts";
import type { Line } from "./command.ts";

const COLOURS = {
  newer: "yellow",
  current: "green",
  gone: "red",
  refused: "red",
  limited: "yellow",
  unknown: "grey",
} as const;

export async function run(line: Line): Promise<number> {
  const taken = line.option("--take");
  if (taken !== undefined) return await (await import("./take_update.ts")).takeUpdate(line, taken);
  if (line.option("--back") !== undefined) {
    return await (await import("./take_update.ts")).takeUpdate(line, null);
  }
  if (line.option("--apply") !== undefined) return await (await import("./update_all.ts")).updateAll(line);
  const automatic = line.option("--automatic");
  if (automatic !== undefined) {
    return await (await import("./automatic_updates.ts")).setAutomatic(line, automatic === "on");
  }
  const [project] = line.args;
  let answer: Updates;
  try {
    using client = await openClient();
    answer = (await client.get(UPDATES, { query: project === undefined ? {} : { project } })).json();
  } catch (error) {
    return failCall(error);
  }
  const items = line.option("--all") === undefined
    ? answer.items.filter(({ state, candidates, versionsReason, back }) =>
      state !== "current" || candidates.length > 0 || versionsReason !== null || back !== null
    )
    : answer.items;
  if (line.option("--json") !== undefined) writeOut(`${JSON.stringify({ ...answer, items }, null, 2)}\n`);
  else if (items.length > 0) {
    writeOut(table(["STATE", "IMAGE", "PROJECT", "SERVICES", "NEWER"], items.map(cellsOf)));
  }
  if (line.option("--json") === undefined) {
    for (const rule of answer.projects.filter(({ automatic }) => automatic)) writeOut(automaticText(rule));
  }
  return worstOf([...answer.items.map(codeOf), tellMissing(answer)]);
}

/** What cools down, went back before, or is a major version is nothing to be done. */
function codeOf({ state, candidates, containers, services, versionsReason, back }: UpdateItem): number {
  if (candidates.some(isToDo) || back !== null) return EXIT.TO_DO;
  if (versionsReason !== null) return EXIT.INCOMPLETE;
  if (state === "newer" || state === "current") return EXIT.FINE;
  // A unit that does not run has nothing that could be newer.
  return containers + services === 0 ? EXIT.FINE : EXIT.INCOMPLETE;
}

const isToDo = ({ coolsUntil, step, failed }: UpdateCandidate): boolean =>
  coolsUntil === null && step !== "major" && failed === null;

function cellsOf(
  { state, reference, project, units, reason, candidates, versionsReason, back }: UpdateItem,
): Cell[] {
  const newer = [...candidates.map(textOf), ...(reason === null ? [] : [reason])];
  if (back !== null) newer.push(`went back to ${back.reference}: --back writes it`);
  if (versionsReason !== null) newer.push(`versions: ${versionsReason}`);
  return [
    { text: state, colour: COLOURS[state] },
    { text: reference },
    { text: project },
    { text: units.join(" ") },
    { text: newer.length === 0 ? "–" : newer.join("; ") },
  ];
}

function textOf({ kind, reference, digest, step, coolsUntil, failed }: UpdateCandidate): string {
  const what = kind === "digest"
    ? digest.slice(0, 19)
    : `${reference.slice(reference.lastIndexOf(":") + 1)} (${step})`;
  if (failed !== null) return `${what}, went back on ${failed.at.slice(0, 10)}`;
  return coolsUntil === null ? what : `${what}, cooling down until ${coolsUntil.slice(0, 10)}`;
}

function automaticText({ project, by, window, waits }: ProjectUpdates): string {
  const when = window === null ? "" : ` from ${window.from} to ${window.to} (${window.timeZone})`;
  const text = `${project} is updated by itself${when}, as ${by}${
    waits === null ? "" : `; it waits: ${waits}`
  }`;
  return `${visible(text)}\n`;
}
