/** `berth source`: how far a folder is behind the branch that it follows, and what the newest commit would change. */

import { type Source, WORKSPACE_SOURCE, WORKSPACE_SOURCE_CHECK } from "../client/berth/workspaces.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { failCall, LONG_S, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { writeOut } from "./output.ts";
import { folderNamed } from "./target.ts";

export async function run(line: Line): Promise<number> {
  let source: Source;
  try {
    using client = await openClient();
    const params = { id: await folderNamed(client, line.args[0]!) };
    source = line.option("--check") === undefined
      ? (await client.get(WORKSPACE_SOURCE, { params })).json()
      : (await client.post(WORKSPACE_SOURCE_CHECK, { params, timeoutS: LONG_S })).json();
  } catch (error) {
    return failCall(error);
  }
  writeOut(line.option("--json") === undefined ? sourceText(source) : `${JSON.stringify(source, null, 2)}\n`);
  return exitCodeOf(source);
}

function exitCodeOf({ state }: Source): number {
  if (state === "synced") return EXIT.FINE;
  if (state === "failed") return EXIT.NO;
  return state === "unchecked" ? EXIT.INCOMPLETE : EXIT.TO_DO;
}

const STATES: Readonly<Record<Source["state"], string>> = {
  unchecked: "no check has ended yet",
  synced: "up to date",
  behind: "behind",
  syncing: "files are being written",
  waiting: "waits for a person",
  conflict: "behind, and files are in the way",
  failed: "the last check failed",
};
const CHANGES = { changed: "changes", added: "is new", removed: "is gone from the files" } as const;

/** Returns the source as lines for people. */
export function sourceText(
  { url, branch, folder, state, error, waiting, synced, head, rewritten, pending, signers, uncommitted }:
    Source,
): string {
  const lines = [
    `${url}, branch ${branch}${folder === "" ? "" : `, folder ${folder}`}: ${STATES[state]}`,
    ...error === null ? [] : [error],
    ...waiting === null ? [] : [`nothing is done by itself: ${waiting}`],
    `synced ${synced?.slice(0, 8) ?? "never"}, newest ${head?.slice(0, 8) ?? "unknown"}`,
    ...signers.map(({ fingerprint, name }) => `signed by ${fingerprint} ${name}`.trimEnd()),
    ...rewritten ? ["history was rewritten: the branch does not contain the synced commit any more"] : [],
  ];
  if (pending !== null) {
    lines.push(
      ...pending.commits.map(({ id, subject, author }) => `  ${id.slice(0, 8)} ${subject} (${author})`),
      ...pending.groups.map(({ name, change, file, line }) =>
        `${name} ${CHANGES[change]}${file === null || line === null ? "" : `: ${file}:${line}`}`
      ),
      ...pending.conflicts.map(({ path, why }) => `in the way: ${path}: ${why}`),
      ...pending.skipped.map(({ path, why }) => `never written: ${path}: ${why}`),
    );
    if (!pending.isPart) {
      lines.push(`${pending.files} file${pending.files === 1 ? "" : "s"} would be written or deleted`);
    }
  }
  lines.push(...uncommitted.map(({ path, change }) => `not committed: ${path} (${change})`));
  return `${lines.map(visible).join("\n")}\n`;
}
