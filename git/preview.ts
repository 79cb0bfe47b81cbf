/** A folder as it would be after a sync, read as the folder itself is, and the groups that would be others. */
import type { ArtifactFile, Group, Model } from "../artifacts/artifact.ts";
import { type LaidFile, OverlaidReader } from "../artifacts/files/overlaid_reader.ts";
import { isAtOrBelow } from "../artifacts/files/paths.ts";
import { mainGroups } from "../artifacts/graph/graph.ts";
import { mayCount } from "../artifacts/reading/discover.ts";
import { WorkspaceReader } from "../artifacts/reading/workspace_reader.ts";
import type { WorkspaceFolder } from "../artifacts/registry/registry.ts";
import type { SourceGroup } from "../core/source.ts";
import { contentsOf, type OwnSide } from "../projects/drift/contents.ts";
import { declaredNow } from "../projects/plan/looked.ts";
import type { Change, MountedPaths } from "./changes.ts";
import type { Mirror } from "./mirror.ts";
import { targetInside } from "./tree.ts";

/** Contents that are read at once, in bytes. */
const MOST_AT_ONCE = 64 * 1024 * 1024;
/** Files that are named of one group. */
const MOST_FILES = 50;

export class Preview {
  readonly #reader: OverlaidReader;
  readonly #workspace: WorkspaceReader;
  readonly #mirror: Mirror;
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ root, hidden, allowHardLinks }: WorkspaceFolder, mirror: Mirror) {
    this.#reader = new OverlaidReader(root, undefined, hidden, allowHardLinks);
    this.#workspace = new WorkspaceReader(root, {}, hidden, allowHardLinks, this.#reader);
    this.#mirror = mirror;
  }

  /** Reads the folder with these changes, and keeps them for `hashOf`. One reading at a time. */
  read(changes: readonly Change[], mounted: MountedPaths): Promise<Model> {
    const reading = this.#queue.then(() => this.#read(changes, mounted));
    this.#queue = reading.catch(() => {});
    return reading;
  }

  /** Hex SHA-256 of a file as of the last reading; null where it cannot be read. */
  async hashOf(path: string): Promise<string | null> {
    const hash = await this.#reader.hash(path);
    return typeof hash === "string" ? hash : null;
  }

  async #read(changes: readonly Change[], mounted: MountedPaths): Promise<Model> {
    const loaded = await this.#mirror.objects.blobs(atOnce(changes, this.#reader.fileBytes));
    const files = new Map<string, LaidFile | null>();
    for (const { path, to } of changes) {
      if (to?.kind !== "link") files.set(path, to === null ? null : { id: to.id, size: to.size });
      else {
        const target = targetInside(path, new TextDecoder().decode(loaded.get(to.id)));
        files.set(path, target === null ? null : { id: to.id, size: to.size, target });
      }
    }
    this.#reader.lay({
      files,
      content: async ({ id }) => loaded.get(id) ?? (await this.#mirror.objects.blobs([id])).get(id)!, // or it throws
      stays: (folder) => mounted.has(folder),
    });
    const model = await this.#workspace.refresh();
    loaded.clear(); // what is asked for later is read again
    return model;
  }
}

/** Returns the ids of links, and of what is read by its name. */
function atOnce(changes: readonly Change[], fileBytes: number): string[] {
  const ids: string[] = [];
  let bytes = 0;
  for (const { path, to } of changes) {
    if (to === null) continue;
    const isRead = to.kind === "link" ||
      (to.size <= fileBytes && mayCount(path.slice(path.lastIndexOf("/") + 1)));
    if (!isRead) continue;
    bytes += to.size;
    if (to.kind === "link" || bytes <= MOST_AT_ONCE) ids.push(to.id);
  }
  return ids;
}

/** One side of a comparison. */
interface Side {
  readonly model: Model;
  readonly own: OwnSide;
}

/** Returns the groups that are not the same on both sides, or that mount something that changes; by name. */
export async function affectedGroups(
  before: Side,
  after: Side,
  changes: readonly Change[],
): Promise<SourceGroup[]> {
  const changed = new Set(changes.map(({ path }) => path));
  const old = new Map(mainGroups(before.model).map((group) => [group.id, group]));
  const affected: SourceGroup[] = [];
  for (const group of mainGroups(after.model)) {
    const was = old.get(group.id);
    old.delete(group.id);
    const files = filesOf(group, changed);
    if (was === undefined) affected.push(shown(group, "added", files, null));
    else {
      const all = [...new Set([...files, ...filesOf(was, changed)])].sort();
      if (mounts(group, changed) || await isOther({ ...before, group: was }, { ...after, group })) {
        affected.push(shown(group, "changed", all, was));
      }
    }
  }
  for (const group of old.values()) affected.push(shown(group, "removed", filesOf(group, changed), null));
  return affected.sort((one, other) => one.name < other.name ? -1 : 1);
}

async function isOther(
  before: Side & { readonly group: Group },
  after: Side & { readonly group: Group },
): Promise<boolean> {
  const [one, other] = await Promise.all([before, after].map(async ({ model, group, own }) => {
    const contents = await contentsOf(group, own);
    return JSON.stringify(Object.entries(declaredNow({ model, group, digest: own.digest, contents })).sort());
  }));
  return one !== other;
}

/** Paths that containers of the group mount. */
const bindsOf = (group: Group): string[] =>
  group.units.flatMap(({ paths }) =>
    paths.flatMap(({ kind, path }) => kind === "bind" && path !== null ? [path] : [])
  );

function mounts(group: Group, changed: ReadonlySet<string>): boolean {
  const binds = new Set(bindsOf(group));
  if (binds.size === 0) return false;
  for (const path of changed) if (binds.has("") || isAtOrBelow(path, binds)) return true;
  return false;
}

/** Returns the changed paths that the group is made of, names or mounts. */
function filesOf(group: Group, changed: ReadonlySet<string>): string[] {
  const own = new Set<string>();
  for (const { path } of [...group.sources, ...group.envFiles]) own.add(path);
  for (const { path } of [...group.paths, ...group.units.flatMap((unit) => unit.paths)]) {
    if (path !== null) own.add(path);
  }
  const binds = new Set(bindsOf(group));
  return [...changed].filter((path) => own.has(path) || isAtOrBelow(path, binds)).sort();
}

function shown(
  { name, project, sources, envFiles }: Group,
  change: SourceGroup["change"],
  files: readonly string[],
  was: Group | null,
): SourceGroup {
  const texts = new Map([...sources, ...envFiles].map((file) => [file.path, file]));
  const before = new Map([...was?.sources ?? [], ...was?.envFiles ?? []].map((file) => [file.path, file]));
  const first = change === "removed" ? undefined : files.find((path) => texts.has(path));
  return {
    name,
    project,
    change,
    files: files.slice(0, MOST_FILES),
    file: first ?? null,
    line: first === undefined ? null : firstChangedLine(before.get(first), texts.get(first)!), // it is one of its keys
  };
}

/** Returns the first line of the new text that the old one does not have there, from 1. */
function firstChangedLine(before: ArtifactFile | undefined, after: ArtifactFile): number {
  const old = before?.text.split("\n") ?? [];
  const lines = after.text.split("\n");
  const first = lines.findIndex((line, index) => line !== old[index]);
  return first < 0 ? lines.length : first + 1;
}
