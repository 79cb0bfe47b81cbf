/** `berth sync`: writes a commit into a folder, and applies what it changes. */
import { PROJECTS } from "../client/berth/projects.ts";
import { type Source, WORKSPACE_SOURCE, WORKSPACE_SOURCE_SYNC } from "../client/berth/workspaces.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import { StartFailure } from "../app/start_failure.ts";
import { applyTo, tellLeft } from "./apply.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { failCall, LONG_S, openClient } from "./connection.ts";
import { EXIT, worstOf } from "./exit_code.ts";
import { writeError, writeOut } from "./output.ts";
import { sourceText } from "./source.ts";
import { MOST, shownAs } from "./status.ts";
import { folderNamed } from "./target.ts";

export async function run(line: Line): Promise<number> {
  try {
    using client = await openClient();
    const id = await folderNamed(client, line.args[0]!);
    const source = (await client.get(WORKSPACE_SOURCE, { params: { id } })).json();
    const wanted = line.option("--commit");
    const commit = commitOf(source, wanted);
    const isNewest = commit === source.head;
    if (commit === source.synced && source.state !== "syncing") {
      const codes = isNewest ? await tellNotAsWritten(client, id, new Set()) : [];
      if (wanted === undefined && source.error !== null) {
        writeError(`berth: The last check failed: ${visible(source.error)}\n`);
        codes.push(EXIT.NO);
      } else writeOut("up to date\n");
      return worstOf(codes);
    }
    writeOut(sourceText(source));
    if (!isMeant(`Write commit ${commit.slice(0, 8)} into the folder?`, line)) return EXIT.NO;
    const payload = { commit, keep: [...line.all("--keep")], overwrite: [...line.all("--overwrite")] };
    await client.post(WORKSPACE_SOURCE_SYNC, { params: { id }, payload, timeoutS: LONG_S });
    writeOut(`${visible(id)} is at ${commit.slice(0, 8)}\n`);
    if (!isNewest) return EXIT.FINE;
    if (source.pending !== null) return await applyAll(client, id, source.pending.groups, line);
    writeError("berth: Nothing was applied: berth could not tell which projects this commit changes\n");
    return worstOf([EXIT.INCOMPLETE, ...await tellNotAsWritten(client, id, new Set())]);
  } catch (error) {
    return failCall(error);
  }
}

/** Applies one group after the other, and stops at the first that does not end well. */
async function applyAll(
  client: Client,
  id: string,
  groups: NonNullable<Source["pending"]>["groups"],
  line: Line,
): Promise<number> {
  const codes: number[] = [];
  const left = groups.filter(({ change }) => change !== "removed").map(({ name }) => `${name}@${id}`);
  for (const { name, change } of groups) {
    if (change === "removed") {
      writeOut(`${visible(name)} is gone from the files: what runs of it stays\n`);
      continue;
    }
    left.shift();
    const code = await applyTo(client, { id: `${name}@${id}`, isShort: false }, line, {}); // --commit is the sync's
    codes.push(code);
    if (code !== EXIT.FINE) break;
  }
  tellLeft(left);
  const code = worstOf(codes);
  if (code !== EXIT.FINE) return code;
  // An earlier sync may have left others behind one that did not end well.
  return worstOf(await tellNotAsWritten(client, id, new Set(groups.map(({ name }) => `${name}@${id}`))));
}

/** Names the projects of a folder that are not as its files say, but for those that were just applied. Returns their codes. */
async function tellNotAsWritten(
  client: Client,
  workspace: string,
  applied: ReadonlySet<string>,
): Promise<number[]> {
  const query = { workspace, limit: MOST, ignored: false };
  const { items, total } = (await client.get(PROJECTS, { query })).json();
  const shown = items.filter(({ id }) => !applied.has(id)).map(({ id, verdict }) => ({
    id,
    ...shownAs(verdict),
  }));
  const named = shown.filter(({ code }) => code !== EXIT.FINE);
  if (named.length > 0) {
    writeError(
      `berth: Not as written: ${named.map(({ id, words }) => `${visible(id)} (${words})`).join(", ")}\n`,
    );
  }
  return [...named.map(({ code }) => code), ...total > items.length ? [EXIT.INCOMPLETE] : []];
}

/** Returns the newest commit, or the listed one that begins so. */
function commitOf({ head, history, error }: Source, wanted: string | undefined): string {
  if (wanted === undefined) {
    if (head === null) throw new StartFailure(`Nothing was fetched yet${error === null ? "" : `: ${error}`}`);
    return head;
  }
  const found = history.filter(({ id }) => id.startsWith(wanted));
  if (found.length === 1) return found[0]!.id;
  throw new StartFailure(
    `${found.length === 0 ? "No" : "More than one"} commit that the branch lists begins with "${wanted}"`,
  );
}
