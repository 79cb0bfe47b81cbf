/** `berth updates shop --take 1.4.5`: writes a newer version into its file, and applies the project. */
import { type ProposedUpdate, type UpdateItem, UPDATES, UPDATES_PROPOSE } from "../client/berth/updates.ts";
import { WORKSPACE_FILE } from "../client/berth/workspaces.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import { StartFailure } from "../start_failure.ts";
import { applyTo } from "./apply.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { writeError, writeOut } from "./output.ts";

/** Returns the exit code. */
export async function takeUpdate(line: Line, taken: string): Promise<number> {
  const [project] = line.args;
  try {
    if (project === undefined) {
      throw new UsageFailure('Cannot take a version: of which project? "--take" needs one');
    }
    using client = await openClient();
    const { item, candidate } = await found(client, project, taken);
    const payload = { project: item.project, reference: item.reference, candidate };
    const proposed = await client.post(UPDATES_PROPOSE, { payload });
    const file = proposed.json();
    writeOut(changesOf(file));
    if (!file.editable) {
      throw new StartFailure(
        `berth may not write ${file.path}: make the workspace editable, or change it by hand`,
      );
    }
    if (!isMeant(`Write ${visible(file.path)}?`, line)) return EXIT.NO;
    await write(client, file, proposed.headers.get("etag") ?? "");
    writeOut(`${visible(file.path)} is written\n`);
    const code = await applyTo(client, { id: item.project, isShort: false }, line);
    if (code !== EXIT.FINE) {
      writeError(
        `berth: ${visible(file.path)} says ${visible(candidate)} now; berth keeps its text before\n`,
      );
    }
    return code;
  } catch (error) {
    return failCall(error);
  }
}

/** Returns the one image and version that are meant by a tag, or by an image as the list names it. */
async function found(
  client: Client,
  project: string,
  taken: string,
): Promise<{ readonly item: UpdateItem; readonly candidate: string }> {
  const { items } = (await client.get(UPDATES, { query: { project } })).json();
  const meant = items.flatMap((item) =>
    item.candidates.filter(({ kind, reference }) =>
      kind === "tag" &&
      (reference === taken || reference.endsWith(`:${taken}`) || reference.endsWith(`/${taken}`))
    ).map(({ reference }) => ({ item, candidate: reference }))
  );
  const [first, second] = meant;
  if (first === undefined) {
    throw new StartFailure(`berth knows of no newer version "${taken}" there: berth updates lists them`);
  }
  if (second === undefined) return first;
  throw new StartFailure(
    `"${taken}" may be ${meant.map(({ candidate }) => candidate).join(" or ")}: say which`,
  );
}

function changesOf({ path, changes }: ProposedUpdate): string {
  return changes.map(({ line, before, after }) =>
    `${visible(path)}:${line}\n- ${visible(before.trim())}\n+ ${visible(after.trim())}\n`
  ).join("");
}

async function write(client: Client, { workspace, path, text }: ProposedUpdate, tag: string): Promise<void> {
  await client.put(WORKSPACE_FILE, { params: { id: workspace, path }, payload: { text }, ifMatch: tag });
}
