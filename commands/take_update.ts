/**
 * `berth updates shop --take 1.4.5` and `--back`: writes a newer version into its file, or the one before after that
 * failed, and applies the project.
 */
import { type ProposedUpdate, type UpdateItem, UPDATES, UPDATES_PROPOSE } from "../client/berth/updates.ts";
import { WORKSPACE_FILE } from "../client/berth/workspaces.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import { StartFailure } from "../app/start_failure.ts";
import { applyTo } from "./apply.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { writeError, writeOut } from "./output.ts";

/** Takes a version; null takes back what failed. Returns the exit code. */
export async function takeUpdate(line: Line, taken: string | null): Promise<number> {
  const [project] = line.args;
  try {
    if (project === undefined) {
      throw new UsageFailure(
        `Cannot take a version: of which project? "${taken === null ? "--back" : "--take"}" needs one`,
      );
    }
    using client = await openClient();
    const { item, candidate } = oneOf(await found(client, project, taken), taken);
    const payload = { project: item.project, reference: item.reference, candidate };
    const proposed = await client.post(UPDATES_PROPOSE, { payload });
    const file = proposed.json();
    writeOut(changesOf(file));
    if (!file.editable) {
      throw new StartFailure(
        `berth may not write ${file.path}: let an admin make the folder "${file.workspace}" editable, or change it by hand`,
      );
    }
    if (!isMeant(`Write ${visible(file.path)}?`, line)) return EXIT.NO;
    await write(client, file, proposed.headers.get("etag") ?? "");
    writeOut(`${visible(file.path)} is written\n`);
    const code = await applyTo(client, { id: item.project, isShort: false }, line);
    if (code !== EXIT.FINE && taken !== null) {
      writeError(
        `berth: ${visible(file.path)} says ${visible(candidate)} now; where that failed, ` +
          `berth updates ${visible(project)} --back writes what it said before\n`,
      );
    }
    return code;
  } catch (error) {
    return failCall(error);
  }
}

interface Taken {
  readonly item: UpdateItem;
  readonly candidate: string;
}

/** Returns the images and versions that are meant by a tag, or by an image as the list names it. */
async function found(client: Client, project: string, taken: string | null): Promise<Taken[]> {
  const { items } = (await client.get(UPDATES, { query: { project } })).json();
  if (taken === null) {
    return items.flatMap((item) => item.back === null ? [] : [{ item, candidate: item.back.reference }]);
  }
  return items.flatMap((item) =>
    item.candidates.filter(({ kind, reference }) =>
      kind === "tag" &&
      (reference === taken || reference.endsWith(`:${taken}`) || reference.endsWith(`/${taken}`))
    ).map(({ reference }) => ({ item, candidate: reference }))
  );
}

function oneOf([first, ...others]: readonly Taken[], taken: string | null): Taken {
  if (first === undefined) {
    throw new StartFailure(
      taken === null
        ? "berth knows of no version there that failed and is still in the file"
        : `berth knows of no newer version "${taken}" there: berth updates lists them`,
    );
  }
  if (others.length === 0 || taken === null) return first;
  const all = [first, ...others].map(({ candidate }) => candidate);
  throw new StartFailure(`"${taken}" may be ${all.join(" or ")}: say which`);
}

function changesOf({ path, changes }: ProposedUpdate): string {
  return changes.map(({ line, before, after }) =>
    `${visible(path)}:${line}\n- ${visible(before.trim())}\n+ ${visible(after.trim())}\n`
  ).join("");
}

async function write(client: Client, { workspace, path, text }: ProposedUpdate, tag: string): Promise<void> {
  await client.put(WORKSPACE_FILE, { params: { id: workspace, path }, payload: { text }, ifMatch: tag });
}
