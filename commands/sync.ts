/** `berth sync`: writes a commit into a folder, and applies what it changes. */
import { type Source, WORKSPACE_SOURCE, WORKSPACE_SOURCE_SYNC } from "../client/berth/workspaces.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import { StartFailure } from "../app/start_failure.ts";
import { applyTo, tellLeft } from "./apply.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { failCall, LONG_S, openClient } from "./connection.ts";
import { EXIT, worstOf } from "./exit_code.ts";
import { writeOut } from "./output.ts";
import { sourceText } from "./source.ts";
import { folderNamed } from "./target.ts";

export async function run(line: Line): Promise<number> {
  try {
    using client = await openClient();
    const id = await folderNamed(client, line.args[0]!);
    const source = (await client.get(WORKSPACE_SOURCE, { params: { id } })).json();
    const commit = commitOf(source, line.option("--commit"));
    if (commit === source.synced && source.state !== "syncing") {
      writeOut("up to date\n");
      return EXIT.FINE;
    }
    writeOut(sourceText(source));
    if (!isMeant(`Write commit ${commit.slice(0, 8)} into the folder?`, line)) return EXIT.NO;
    const payload = { commit, keep: [...line.all("--keep")], overwrite: [...line.all("--overwrite")] };
    await client.post(WORKSPACE_SOURCE_SYNC, { params: { id }, payload, timeoutS: LONG_S });
    writeOut(`${visible(id)} is at ${commit.slice(0, 8)}\n`);
    return await applyAll(client, id, commit === source.head ? source.pending?.groups ?? [] : [], line);
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
  return worstOf(codes);
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
