/** The last reading of one workspace, brought up to date when it is asked for. */

import { ServiceError } from "../../core/error.ts";
import type { WorkspaceState } from "../../core/workspace.ts";
import type { ArtifactFile, Model } from "../artifact.ts";
import { namedFiles, type NamedKind } from "../compose/named_files.ts";
import type { WorkspaceReader } from "../reading/workspace_reader.ts";
import type { NewFile } from "../files/create_files.ts";
import { realPaths } from "./place.ts";
import type { FolderWatch, Watcher } from "./watch.ts";

interface Problems {
  readonly errors: number;
  readonly warnings: number;
}

/** Counts what the rules find in a model. */
export type Judge = (model: Model) => Promise<Problems>;

export interface Reading {
  readonly state: WorkspaceState;
  readonly model: Model | null;
  readonly problems: Problems;
  /** The counts so far, while there is no model. */
  readonly soFar?: { readonly groups: number; readonly units: number };
}

/** A file of the workspace, and how a text in its place would be read: alone, and with all others. */
export interface ReadFile {
  readonly file: ArtifactFile;
  readonly model: Model;
  readonly parsed: (text: string) => Promise<ArtifactFile>;
  readonly overlaid: (text: string) => Promise<Model>;
}

export interface Edited {
  /** As it is now. */
  readonly file: ArtifactFile;
  /** The text that was there before. */
  readonly replaced: string;
}

const NOTHING: Problems = { errors: 0, warnings: 0 };
/** The root itself is checked at most this often; events report the rest. */
const LOOK_MS = 250;
/** Without events all files are checked, so less often. */
const LOOK_AT_ALL_MS = 2000;
/** Sets of files that were made. */
export interface Created {
  /** The workspace with them. */
  readonly model: Model;
  /** The reasons why sets could not be made, by their places in the list. */
  readonly failed: ReadonlyMap<number, ServiceError>;
  /** Removes the files of some sets again, where nobody has written into them. */
  readonly takeBack: (places: readonly number[]) => Promise<void>;
}

/** Attempts of one reading to watch its folders while they change. */
const ROUNDS = 2;

export class Snapshot implements AsyncDisposable {
  readonly #path: string;
  readonly #judge: Judge;
  readonly #hidden: readonly string[];
  readonly #allowHardLinks: boolean;
  readonly #watch: FolderWatch;
  #reader: WorkspaceReader | null = null;
  #identity = "";
  #reading: Reading | null = null;
  #looked = -Infinity;
  #walked = -Infinity;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    path: string,
    watcher: Watcher,
    judge: Judge,
    hidden: readonly string[],
    allowHardLinks: boolean,
  ) {
    this.#path = path;
    this.#allowHardLinks = allowHardLinks;
    this.#judge = judge;
    this.#hidden = hidden;
    this.#watch = watcher.folder(path);
  }

  /** The reading as of now; the same object while nothing changed. */
  current(): Promise<Reading> {
    return this.#inTurn(() => this.#current());
  }

  /** Returns the reading after comparing every file with the disk, whatever events have told. */
  compared(): Promise<Reading> {
    return this.#inTurn(() => this.#compared());
  }

  /** The last reading, or how far the first one is. */
  get known(): Reading {
    if (this.#reading !== null) return this.#reading;
    const soFar = this.#reader?.soFar ?? { groups: 0, units: 0 };
    return { state: "reading", model: null, problems: NOTHING, soFar: { ...soFar } };
  }

  /** The model with unsaved texts in place of files. */
  async overlaid(texts: ReadonlyMap<string, string>): Promise<Model> {
    return await this.#inTurn(async () => {
      const { state } = await this.#current();
      if (!this.#reader || state === "missing" || state === "unreadable") throw unavailable(state);
      return await this.#reader.overlaid(texts);
    });
  }

  /** A text as a file of that path and kind would be read. */
  parsed(path: string, kind: ArtifactFile["kind"], text: string): Promise<ArtifactFile> {
    return this.#inTurn(async () => {
      const { state } = await this.#current();
      if (!this.#reader) throw unavailable(state);
      return await this.#reader.parsed(path, kind, text);
    });
  }

  /** Puts the text that `edit` makes in place of a file, and reads it. Nothing else is read or edited meanwhile. */
  edit(path: string, edit: (read: ReadFile) => Promise<string>): Promise<Edited> {
    return this.#inTurn(async () => {
      const read = await this.#file(path);
      const text = await edit(read);
      if (text === read.file.text) return { file: read.file, replaced: text };
      const { replaceFile } = await import("../files/replace_file.ts");
      try {
        const replaced = await replaceFile(this.#path, path, { expected: read.file.hash, text });
        return { replaced, file: (await this.#readAgain(path)).file };
      } catch (error) {
        await this.#readAgain(path).catch(() => {}); // it may be another by now, or gone
        throw error;
      }
    });
  }

  /** Reads files that projects name: those that are text below the root. */
  named(files: ReadonlyMap<string, NamedKind>): Promise<ArtifactFile[]> {
    return this.#inTurn(async () => {
      const { state } = await this.#current();
      const reader = this.#reader;
      if (!reader) throw unavailable(state);
      const found: ArtifactFile[] = [];
      for (const [path, kind] of files) {
        const file = await reader.named(path, kind);
        if (file !== null) found.push(file);
      }
      return found;
    });
  }

  /** Makes a file, and reads what it changes. Resolves to the file as it is read. */
  create(path: string, text: string): Promise<ArtifactFile> {
    return this.#inTurn(async () => {
      const { model, state } = await this.#current();
      if (!model) throw unavailable(state);
      const { createFile } = await import("../files/create_file.ts");
      const made = await createFile(this.#path, path, { text, hidden: await realPaths(this.#hidden) });
      const now = await this.#readChanged(new Set([...made, path]));
      const found = now.model && await this.#found(now.model, path);
      return found ?? await this.#reader!.parsed(path, "other", text); // there is a model
    });
  }

  /** Makes sets of files, each of them all or none. The workspace is read once, with all that could be made. */
  createSets(sets: readonly (readonly NewFile[])[]): Promise<Created> {
    return this.#inTurn(async () => {
      const { model, state } = await this.#current();
      if (!model) throw unavailable(state);
      const { createFiles, removeMade } = await import("../files/create_files.ts");
      const hidden = await realPaths(this.#hidden);
      const made = new Map<number, readonly string[]>();
      const failed = new Map<number, ServiceError>();
      const removeAll = async (places: Iterable<number>) => {
        for (const place of places) {
          await removeMade(this.#path, sets[place] ?? [], made.get(place) ?? [], hidden);
        }
      };
      let read: Model;
      try {
        for (const [place, files] of sets.entries()) {
          try {
            made.set(place, await createFiles(this.#path, files, hidden));
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error;
            failed.set(place, error);
          }
        }
        const now = await this.#readChanged(new Set([...made.values()].flat()));
        if (!now.model) throw unavailable(now.state);
        read = now.model;
      } catch (error) {
        // Nobody learns of them otherwise, and some hold secrets.
        await removeAll(made.keys());
        this.#readAnew();
        throw error;
      }
      const takeBack = (places: readonly number[]) =>
        this.#inTurn(async () => {
          await removeAll(places);
          await this.#readChanged(new Set(places.flatMap((place) => made.get(place) ?? [])));
        });
      return { model: read, failed, takeBack };
    });
  }

  /** Does work on the files while nobody reads them; they are read anew afterwards. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        return await work();
      } finally {
        this.#readAnew();
      }
    });
  }

  /** Reads everything with the next call, as of another folder: events may tell of changes late. */
  #readAnew(): void {
    this.#identity = "";
    this.#looked = -Infinity;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    await this.#queue.catch(() => {});
  }

  async #file(path: string): Promise<ReadFile> {
    const { model, state } = await this.#current();
    const reader = this.#reader;
    if (!model || !reader) throw unavailable(state);
    const file = await this.#found(model, path);
    if (file === null) throw unknownFile();
    return {
      file,
      model,
      parsed: (text) => reader.parsed(path, file.kind, text),
      overlaid: (text) => reader.overlaid(new Map([[path, text]])),
    };
  }

  /** Resolves to the file that was read, or that a project names; null where it is neither. */
  async #found(model: Model, path: string): Promise<ArtifactFile | null> {
    const file = model.files.find((one) => one.path === path);
    if (file !== undefined) return file;
    const kind = namedFiles(model).get(path);
    return kind === undefined ? null : await this.#reader!.named(path, kind); // it made the model
  }

  /** Reads the file again, with or without an event. */
  async #readAgain(path: string): Promise<ReadFile> {
    if (this.#reader) await this.#readChanged(new Set([path]));
    return await this.#file(path);
  }

  /** One reading at a time: the reader keeps state between them. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work, work);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #current(): Promise<Reading> {
    const now = performance.now();
    const changed = this.#watch.take();
    const mustLook = this.#reading === null || changed === null || now - this.#looked >= LOOK_MS;
    if (mustLook) {
      this.#looked = now;
      const identity = await this.#look();
      if (identity === null) return this.#gone("missing");
      // Another folder under the same path: the events are still about the old one.
      if (identity !== this.#identity) {
        this.#identity = identity;
        this.#watch[Symbol.dispose]();
        return await this.#readAll((reader) => reader.read());
      }
    }
    if (this.#reading === null || this.#reading.model === null || changed === null) {
      return await this.#readAll();
    }
    if (changed.size > 0) return await this.#readChanged(changed);
    if (!this.#watch.isWatching && now - this.#walked >= LOOK_AT_ALL_MS) return await this.#readAll();
    return this.#reading;
  }

  async #compared(): Promise<Reading> {
    this.#looked = -Infinity;
    const reading = await this.#current();
    const reader = this.#reader;
    if (reader === null || reading.model === null) return reading;
    try {
      const changed = await reader.outdated();
      if (changed?.size === 0) return reading;
      // Events have not told of it, or not yet: the folders are watched anew.
      this.#watch[Symbol.dispose]();
      return await this.#followed(
        reader,
        changed === null ? await reader.read() : await reader.update(changed),
      );
    } catch (error) {
      return this.#goneBy(error);
    }
  }

  /** The birth time tells a new folder from an old one whose inode number it got, as on ext4. */
  async #look(): Promise<string | null> {
    try {
      const { isDirectory, dev, ino, birthtime } = await Deno.stat(this.#path);
      return isDirectory ? `${dev}:${ino}:${birthtime?.getTime()}` : null;
    } catch {
      return null;
    }
  }

  async #readAll(
    how: (reader: WorkspaceReader) => Promise<Model> = (reader) => reader.refresh(),
  ): Promise<Reading> {
    this.#walked = performance.now();
    try {
      const reader = this.#reader ??= await this.#newReader();
      return await this.#followed(reader, await how(reader));
    } catch (error) {
      return this.#goneBy(error);
    }
  }

  /** Watches what was read, and compares files once more, because no event tells of a change before that. */
  async #followed(reader: WorkspaceReader, first: Model): Promise<Reading> {
    let reading = await this.#keep(first);
    for (let round = 0; round < ROUNDS; round++) {
      if (!await this.#watch.follow(reader.folders) || !this.#watch.isWatching) return reading;
      const changed = await reader.outdated();
      if (changed?.size === 0) return reading;
      // It may have other folders now.
      reading = await this.#keep(changed === null ? await reader.read() : await reader.update(changed));
    }
    // Its folders change all the time: until they are calm, files are compared.
    this.#watch[Symbol.dispose]();
    return reading;
  }

  async #readChanged(changed: ReadonlySet<string>): Promise<Reading> {
    try {
      const reader = this.#reader!;
      return await this.#followed(reader, await reader.update(changed));
    } catch (error) {
      return this.#goneBy(error);
    }
  }

  async #keep(model: Model): Promise<Reading> {
    const before = this.#reading;
    if (before?.model && before.model.revision === model.revision) return before;
    const isEmpty = model.groups.length === 0 && model.units.length === 0 && model.cards.length === 0;
    return this.#reading = { state: isEmpty ? "empty" : "ready", model, problems: await this.#judge(model) };
  }

  /** Throws every error that is not the system's. */
  #goneBy(error: unknown): Reading {
    if (!isOfTheSystem(error)) throw error;
    return this.#gone(error instanceof Deno.errors.NotFound ? "missing" : "unreadable");
  }

  /** Drops the reader, whose texts may be outdated once the folder is back. */
  #gone(state: "missing" | "unreadable"): Reading {
    if (this.#reading?.state === state) return this.#reading;
    this.#watch[Symbol.dispose]();
    this.#reader = null;
    this.#identity = "";
    return this.#reading = { state, model: null, problems: NOTHING };
  }

  /** The YAML parser and all that needs it are loaded with the first workspace that is read. */
  async #newReader(): Promise<WorkspaceReader> {
    const { WorkspaceReader } = await import("../reading/workspace_reader.ts");
    return new WorkspaceReader(this.#path, {}, await realPaths(this.#hidden), this.#allowHardLinks);
  }
}

/** Returns true if an error comes from the system, not from a bug. */
function isOfTheSystem(error: unknown): boolean {
  return Object.values(Deno.errors).some((kind) => error instanceof kind);
}

export function unknownFile(): ServiceError {
  return new ServiceError("file_not_found", "No file of this path was read in this workspace");
}

export function unavailable(state: WorkspaceState): ServiceError {
  return new ServiceError(
    "workspace_unavailable",
    `Cannot read the workspace: its folder is ${state === "missing" ? "gone" : "not readable"}`,
  );
}
