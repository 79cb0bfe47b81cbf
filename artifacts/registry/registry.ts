/** The registered workspaces, each read when it is asked for. */

import { ServiceError } from "../../core/error.ts";
import { MASK } from "../../core/secrets.ts";
import type { NewAuditEntry, WorkspaceRecord, WorkspaceStore } from "../../core/store.ts";
import type { NewWorkspace, Workspace, WorkspaceChange, WorkspaceDetail } from "../../core/workspace.ts";
import { within } from "../../core/signal.ts";
import type { ArtifactFile, Model } from "../artifact.ts";
import type { NamedKind } from "../compose/named_files.ts";
import type { NewFile } from "../files/create_files.ts";
import { isInside } from "../files/inside.ts";
import { admit, makePlace, realPaths } from "./place.ts";
import { freeSlug } from "./slug.ts";
import {
  type Created,
  type Edited,
  type Judge,
  type ReadFile,
  type Reading,
  Snapshot,
  unavailable,
} from "./snapshot.ts";
import { Watcher } from "./watch.ts";

interface RegistryOptions {
  readonly store: WorkspaceStore;
  /** Folders under which workspaces may be registered. */
  readonly roots: readonly string[];
  /** Folders that are never read, wherever the roots lie: the service's own data. */
  readonly hidden?: readonly string[];
  /** Counts what the rules find. */
  readonly judge?: Judge;
}

/** A workspace's folder, and how it is read. */
export interface WorkspaceFolder {
  readonly root: string;
  readonly allowHardLinks: boolean;
  /** Real paths that are never read. */
  readonly hidden: readonly string[];
}

export class Registry implements AsyncDisposable {
  readonly #options: RegistryOptions;
  readonly #snapshots = new Map<string, { record: WorkspaceRecord; snapshot: Snapshot }>();
  readonly #watcher = new Watcher();
  #listed: readonly Workspace[] = [];

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /**
   * All of them, by name, as far as they are known: nobody waits for a slow folder. The same array while nothing
   * changed.
   */
  async list(): Promise<readonly Workspace[]> {
    const records = await this.#options.store.list();
    for (const id of this.#snapshots.keys()) {
      if (!records.some((record) => record.id === id)) await this.#forget(id);
    }
    const items = await Promise.all(
      records.map(async (record) => workspaceOf(record, await soon(this.#snapshot(record)))),
    );
    const isSame = items.length === this.#listed.length &&
      items.every((item, index) => isEqual(item, this.#listed[index]!));
    return isSame ? this.#listed : this.#listed = items;
  }

  async get(id: string): Promise<WorkspaceDetail> {
    const record = await this.#record(id);
    const reading = await this.#snapshot(record).current();
    return { ...workspaceOf(record, reading), ...detailsOf(reading.model) };
  }

  /** Makes the folder of a new workspace. Returns false if it is there. Throws `path_refused` or `path_unreadable`. */
  async makeFolder(path: string): Promise<boolean> {
    return await makePlace(path, this.#options.roots, this.#options.hidden ?? []);
  }

  /** Throws `path_refused`, `path_unreadable` or `workspace_exists`. */
  async register(
    { path, name }: Pick<NewWorkspace, "path" | "name">,
    entry: NewAuditEntry,
    /** True if the folder may contain another workspace, or lie inside one. */
    mayNest: boolean,
  ): Promise<Workspace> {
    const real = await admit(path, this.#options.roots, this.#options.hidden ?? []);
    const known = await this.#options.store.list();
    const same = known.find((record) => record.path === real);
    if (same) throw exists(same.name);
    if (!mayNest && known.some((one) => isInside(one.path, real) || isInside(real, one.path))) throw nested();
    const shown = name ?? (real.slice(real.lastIndexOf("/") + 1) || "root");
    const ids = new Set(known.map((record) => record.id));
    const record: WorkspaceRecord = {
      id: freeSlug(shown, (id) => ids.has(id)),
      name: shown,
      path: real,
      createdAt: new Date().toISOString(),
      allowHardLinks: false,
      editable: false,
    };
    await this.#options.store.add(record, {
      ...entry,
      target: `${entry.target}/${record.id}`,
      particulars: { ...entry.particulars, path: real },
    });
    return workspaceOf(record, await this.#snapshot(record).current());
  }

  /**
   * Says how it is read and whether it is written to. Throws `workspace_not_found`, and `not_editable` for a
   * read-only folder.
   */
  async change(
    id: string,
    { allowHardLinks, editable }: WorkspaceChange,
    entry: NewAuditEntry,
  ): Promise<Workspace> {
    if (editable === true) {
      const { mustBeWritable } = await import("../files/replace_file.ts");
      await mustBeWritable((await this.#record(id)).path);
    }
    const rules = {
      ...(allowHardLinks === undefined ? {} : { allowHardLinks }),
      ...(editable === undefined ? {} : { editable }),
    };
    const said = Object.entries(rules).map(([name, value]) => [name, String(value)]);
    const particulars = { ...entry.particulars, ...Object.fromEntries(said) };
    if (!await this.#options.store.change(id, rules, { ...entry, particulars })) throw unknownWorkspace();
    const record = await this.#record(id);
    return workspaceOf(record, await this.#snapshot(record).current());
  }

  /** Removes it from the list; nothing on disk is touched. */
  async unregister(id: string, entry: NewAuditEntry): Promise<void> {
    const removed = await this.#options.store.remove(id, entry);
    await this.#forget(id);
    if (!removed) throw unknownWorkspace();
  }

  /** The workspace as it is now. Throws `workspace_not_found` or `workspace_unavailable`. */
  async model(id: string): Promise<Model> {
    const { model, state } = await this.#snapshot(await this.#record(id)).current();
    if (!model) throw unavailable(state);
    return model;
  }

  /** The same after every file was compared with the disk: what acts on a model does not rely on events alone. */
  async comparedModel(id: string): Promise<Model> {
    const { model, state } = await this.#snapshot(await this.#record(id)).compared();
    if (!model) throw unavailable(state);
    return model;
  }

  /** The models of all workspaces that can be read. */
  async models(): Promise<{ readonly workspace: WorkspaceRecord; readonly model: Model }[]> {
    const models: { workspace: WorkspaceRecord; model: Model }[] = [];
    for (const record of await this.#options.store.list()) {
      const { model } = await this.#snapshot(record).current();
      if (model) models.push({ workspace: record, model });
    }
    return models;
  }

  /** The model with unsaved texts, by path below the folder. Throws `invalid_request` for paths outside. */
  async overlaid(id: string, files: Readonly<Record<string, string>>): Promise<Model> {
    const record = await this.#record(id);
    const { resolve } = await import("../files/paths.ts");
    const texts = new Map<string, string>();
    for (const [path, text] of Object.entries(files)) {
      const below = resolve(record.path, "", path);
      if (!below || path.startsWith("/")) {
        throw new ServiceError(
          "invalid_request",
          "Cannot check the unsaved files: a path is outside the workspace",
          {
            errors: [{ path: "body.files", message: "Paths must be relative and stay below the workspace" }],
          },
        );
      }
      texts.set(below, text);
    }
    return await this.#snapshot(record).overlaid(texts);
  }

  /** A text as a file of that path and kind would be read. */
  async parsed(id: string, path: string, kind: ArtifactFile["kind"], text: string): Promise<ArtifactFile> {
    return await this.#snapshot(await this.#record(id)).parsed(path, kind, text);
  }

  /** Unsaved texts with the secrets behind their masks, where all of a text's masks are in their place. */
  async withSecrets(
    id: string,
    { files: saved }: Model,
    texts: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> {
    const whole: Record<string, string> = { ...texts };
    for (const [path, text] of Object.entries(texts)) {
      const file = saved.find((one) => one.path === path);
      if (file === undefined || !text.includes(MASK)) continue;
      const { putBack } = await import("../report/put_back.ts");
      const back = await putBack({
        file,
        model: null,
        parsed: (text) => this.parsed(id, path, file.kind, text),
      }, text);
      if ("text" in back) whole[path] = back.text;
    }
    return whole;
  }

  /**
   * Puts the text that `edit` makes in place of a file. Throws `not_editable`, `file_not_found` and what
   * `replaceFile` does.
   */
  async edit(id: string, path: string, edit: (read: ReadFile) => Promise<string>): Promise<Edited> {
    return await this.#snapshot(await this.#editable(id)).edit(path, edit);
  }

  /** Reads files that projects name, of those that are text. Throws `workspace_not_found`. */
  async named(id: string, files: ReadonlyMap<string, NamedKind>): Promise<ArtifactFile[]> {
    return await this.#snapshot(await this.#record(id)).named(files);
  }

  /** Makes a file. Throws `not_editable` and what `createFile` does. */
  async create(id: string, path: string, text: string): Promise<ArtifactFile> {
    return await this.#snapshot(await this.#editable(id)).create(path, text);
  }

  /**
   * Makes sets of files, each of them all or none; a file that is there with the very text counts as made. Resolves to
   * the workspace with those that could be made. Throws `not_editable`.
   */
  async createSets(id: string, sets: readonly (readonly NewFile[])[]): Promise<Created> {
    return await this.#snapshot(await this.#editable(id)).createSets(sets);
  }

  /** Throws `workspace_not_found`, and `not_editable` where nothing may be written. */
  async mustBeEditable(id: string): Promise<void> {
    await this.#editable(id);
  }

  /** Returns how the folder is read, for those who read it themselves. Throws `workspace_not_found`. */
  async folder(id: string): Promise<WorkspaceFolder> {
    const { path, allowHardLinks } = await this.#record(id);
    return { root: path, allowHardLinks, hidden: await realPaths(this.#options.hidden ?? []) };
  }

  /** Does work on the files of a workspace while nobody reads them. Throws `workspace_not_found`. */
  async exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
    return await this.#snapshot(await this.#record(id)).exclusively(work);
  }

  /** Hex SHA-256 of a file below the folder, of any kind; null where it cannot be read. */
  async hashOf(id: string, path: string): Promise<string | null> {
    const { root, allowHardLinks, hidden } = await this.folder(id);
    const { SafeReader } = await import("../files/safe_reader.ts");
    const reader = new SafeReader(root, undefined, hidden, allowHardLinks);
    const hash = await reader.hash(path);
    return typeof hash === "string" ? hash : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#snapshots.keys()].map((id) => this.#forget(id)));
    this.#watcher[Symbol.dispose]();
  }

  async #record(id: string): Promise<WorkspaceRecord> {
    const record = await this.#options.store.get(id);
    if (!record) {
      await this.#forget(id);
      throw unknownWorkspace();
    }
    return record;
  }

  async #editable(id: string): Promise<WorkspaceRecord> {
    const record = await this.#record(id);
    if (record.editable) return record;
    throw new ServiceError(
      "not_editable",
      "Cannot save the file: this workspace is not editable; an admin can make it so under its files on the page, or by `PUT /api/workspaces/{id}`",
    );
  }

  #snapshot(record: WorkspaceRecord): Snapshot {
    const known = this.#snapshots.get(record.id);
    const { path, allowHardLinks } = record;
    if (known && known.record.path === path && known.record.allowHardLinks === allowHardLinks) {
      return known.snapshot;
    }
    const judge = this.#options.judge ?? (() => Promise.resolve({ errors: 0, warnings: 0 }));
    const snapshot = new Snapshot(path, this.#watcher, judge, this.#options.hidden ?? [], allowHardLinks);
    this.#snapshots.set(record.id, { record, snapshot });
    if (known) void known.snapshot[Symbol.asyncDispose]();
    return snapshot;
  }

  async #forget(id: string): Promise<void> {
    const known = this.#snapshots.get(id);
    this.#snapshots.delete(id);
    await known?.snapshot[Symbol.asyncDispose]();
  }
}

/** Milliseconds that a list waits for a reading. */
const SOON_MS = 100;

/** The reading as of now, or what is known where that takes longer. */
async function soon(snapshot: Snapshot): Promise<Reading> {
  // A request for the workspace itself gets an error that comes later.
  return await within(snapshot.current(), SOON_MS, null) ?? snapshot.known;
}

function workspaceOf(record: WorkspaceRecord, { state, model, problems, soFar }: Reading): Workspace {
  return {
    id: record.id,
    name: record.name,
    path: record.path,
    createdAt: record.createdAt,
    allowHardLinks: record.allowHardLinks,
    editable: record.editable,
    state,
    counts: {
      groups: model?.groups.filter((group) => group.standing === "main").length ?? soFar?.groups ?? 0,
      units: model?.units.length ?? soFar?.units ?? 0,
      cards: model?.cards.length ?? 0,
    },
    problems: { errors: problems.errors, warnings: problems.warnings },
    revision: model?.revision ?? null,
  };
}

function detailsOf(model: Model | null): Pick<WorkspaceDetail, "complete" | "files" | "projects"> {
  return {
    complete: model?.complete ?? false,
    files: model?.files.map(({ path, kind, hash, stale }) => ({ path, kind, sha256: hash, stale })) ?? [],
    projects: model?.groups.filter((group) => group.files.length > 0).map((group) => ({
      name: group.project,
      group: group.name,
      folder: group.folder,
      files: group.files.map((file) => file.path),
      profiles: [...group.profiles],
      standing: group.standing,
    })) ?? [],
  };
}

/** Compares what can change of a workspace; its revision stands for all that was read. */
function isEqual(one: Workspace, other: Workspace): boolean {
  return one.id === other.id && one.name === other.name && one.path === other.path &&
    one.state === other.state &&
    one.counts.groups === other.counts.groups && one.counts.units === other.counts.units &&
    one.allowHardLinks === other.allowHardLinks && one.editable === other.editable &&
    one.revision === other.revision && one.createdAt === other.createdAt;
}

export function unknownWorkspace(): ServiceError {
  return new ServiceError("workspace_not_found", "No workspace has this id");
}

function exists(name: string): ServiceError {
  return new ServiceError(
    "workspace_exists",
    `Cannot register the folder: it is already registered as "${name}"`,
  );
}

/** A scope on one of the two would reach the other. */
const nested = (): ServiceError =>
  new ServiceError(
    "forbidden",
    "Cannot register the folder: it contains a registered folder or lies inside one, which needs the permission " +
      '"workspaces:manage"',
  );
