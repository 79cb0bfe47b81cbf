/** Finds the projects that a command means: those of a folder, or one by its id or its name. */
import { type Workspace, WORKSPACE_ARTIFACTS, WORKSPACES } from "../client/berth/workspaces.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import { StartFailure } from "../app/start_failure.ts";
import { UsageFailure } from "./exit_code.ts";

/** Folders that a sentence names at most. */
const MOST_NAMED = 10;

/** A project, and one of its services where only that is meant. */
export interface Target {
  /** `<group>@<workspace>`, or a name, which may mean another project tomorrow. */
  readonly id: string;
  readonly isShort: boolean;
  readonly service?: string;
}

/**
 * Reads a word of the command line: a folder that berth knows by its path, id or name, `<project>`, or
 * `<project>/<service>`. Throws `StartFailure` for a folder without the group, and `UsageFailure` for a group of a
 * project.
 */
export async function targetsAt(client: Client, word: string, group?: string): Promise<Target[]> {
  const meant = await meantBy(client, word, group);
  if (!("folder" in meant)) return [meant];
  const groups = await groupsOf(client, meant.folder);
  tellOfFolder(word, meant.folder, groups);
  return groups.map((name) => ({ id: `${name}@${meant.folder}`, isShort: false }));
}

/** Returns one project, or the id of a folder of which all are meant. Throws as `targetsAt` does. */
export async function meantBy(
  client: Client,
  word: string,
  group?: string,
): Promise<Target | { readonly folder: string }> {
  const folder = await folderAt(client, word);
  if (folder !== null) return group === undefined ? { folder } : { id: `${group}@${folder}`, isShort: false };
  if (group === undefined) return projectOf(word);
  throw new UsageFailure(`"${word}" is no folder that berth knows: --group is for the projects of a folder`);
}

/** Tells which project alone has the name of a folder with several. */
export function tellOfFolder(word: string, folder: string, groups: readonly string[]): void {
  if (groups.length < 2 || !groups.includes(word)) return;
  console.error(
    `berth: "${visible(word)}" is a folder with ${groups.length} projects; ${
      visible(`${word}@${folder}`)
    } is the one alone`,
  );
}

/** Reads `shop`, `shop@home`, `shop/web` or `shop@home/web`. */
export function projectOf(word: string): Target {
  const at = word.lastIndexOf("@");
  const slash = word.indexOf("/", at + 1);
  if (slash < 0) return { id: word, isShort: at < 0 };
  return { id: word.slice(0, slash), isShort: at < 0, service: word.slice(slash + 1) };
}

type Folder = Pick<Workspace, "id" | "name" | "path">;

const foldersOf = async (client: Client): Promise<readonly Folder[]> =>
  (await client.get(WORKSPACES)).json().items;

const folderAt = async (client: Client, named: string): Promise<string | null> =>
  folderIn(await foldersOf(client), named);

async function folderIn(folders: readonly Folder[], named: string): Promise<string | null> {
  const path = await Deno.realPath(named).catch(() => null);
  const found = folders.filter((one) => one.id === named || one.name === named || one.path === path);
  if (found.length < 2) return found[0]?.id ?? null;
  throw new StartFailure(
    `Several folders are called "${named}": give an id, one of ${found.map(({ id }) => id).join(", ")}`,
  );
}

/** Returns the id of a folder by its path, id or name. Throws `StartFailure` for one that berth does not know. */
export async function folderNamed(client: Client, word: string): Promise<string> {
  const folders = await foldersOf(client);
  const folder = await folderIn(folders, word);
  if (folder === null) throw new StartFailure(`berth knows no folder "${word}": ${knownText(folders)}`);
  return folder;
}

/** Says which folders there are. */
function knownText(folders: readonly Folder[]): string {
  if (folders.length === 0) return "none is registered that you may see";
  const more = folders.length - MOST_NAMED;
  const named = folders.slice(0, MOST_NAMED).map(({ id }) => id).join(", ");
  return `there ${folders.length === 1 ? "is" : "are"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns the names of the groups that can be planned. */
async function groupsOf(client: Client, id: string): Promise<string[]> {
  const { items } = (await client.get(WORKSPACE_ARTIFACTS, { params: { id }, query: { kind: "group" } }))
    .json();
  return items.filter(({ type }) => type === "main").map(({ name }) => name);
}
