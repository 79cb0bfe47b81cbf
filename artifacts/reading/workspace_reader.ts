/** Reads a folder into a model; after a change, only the groups that the change concerns are read again. */

import type { ArtifactFile, Model } from "../artifact.ts";
import { buildGroup, type Built } from "../compose/group.ts";
import type { NamedKind } from "../compose/named_files.ts";
import { loadProject, type Project } from "../compose/project.ts";
import { BUDGETS, type Budgets } from "../files/budgets.ts";
import { FileStore, isRefusal } from "../files/file_store.ts";
import { IgnoreRules, isNeverEntered } from "../files/ignore.ts";
import { baseName, folderOf, isAtOrBelow } from "../files/paths.ts";
import { SafeReader } from "../files/safe_reader.ts";
import { readNatives } from "../native/documents.ts";
import { type ReadSettings, readSettings } from "../native/settings.ts";
import { assemble } from "./assemble.ts";
import { discover, IGNORE_FILE, type Listing, mayCount, SETTINGS_FILE } from "./discover.ts";
import { eachOf } from "./each_of.ts";
import { gather, missingFiles, refusalFinding } from "./gather.ts";
import { type Identified, identify } from "./identity.ts";
import { namedFolders } from "./named_folders.ts";
import { plan, type PlannedProject } from "./plan.ts";

interface CachedGroup {
  readonly project: Project;
  readonly identity: string;
  readonly built: Built;
}

/** The state that one reading leaves for the next. */
interface State {
  listing: Listing | null;
  readonly projects: Map<string, Project>;
  readonly groups: Map<string, CachedGroup>;
}

export class WorkspaceReader {
  readonly #reader: SafeReader;
  readonly #store: FileStore;
  readonly #state: State;
  readonly #budgets: Budgets;
  #named: ReadonlySet<string> = new Set();
  #soFar = { groups: 0, units: 0 };

  /** `root` and `hidden` are real paths; hidden folders are never read. */
  constructor(
    readonly root: string,
    budgets: Partial<Budgets> = {},
    hidden: readonly string[] = [],
    allowHardLinks = false,
    /** Reads something else than the folder as it is. */
    reader?: SafeReader,
  ) {
    this.#budgets = { ...BUDGETS, ...budgets };
    this.#reader = reader ?? new SafeReader(root, this.#budgets.fileBytes, hidden, allowHardLinks);
    this.#store = new FileStore(this.#reader);
    this.#state = { listing: null, projects: new Map(), groups: new Map() };
  }

  /** The folders to watch, below the root: those that were walked, and those that hold files a project names. */
  get folders(): readonly string[] {
    return [...this.#state.listing?.folders.keys() ?? [""], ...this.#named];
  }

  /** The groups and units that the current reading has assembled. */
  get soFar(): { readonly groups: number; readonly units: number } {
    return this.#soFar;
  }

  /** Reads everything; unchanged texts are not parsed again. */
  async read(): Promise<Model> {
    this.#store.forget(null);
    const before = this.#state.listing;
    this.#state.listing = null;
    this.#state.projects.clear();
    try {
      return await this.#readOwn();
    } catch (error) {
      this.#state.listing = before;
      throw error;
    }
  }

  /** Reads again what changes at these paths, below the root, concern. */
  async update(changed: ReadonlySet<string>): Promise<Model> {
    if (changed.has("") || !this.#state.listing) return await this.read();
    this.#store.forget(changed);
    forgetProjects(this.#state, changed);
    this.#state.listing = await this.#relist(this.#state.listing, changed);
    return await this.#readOwn();
  }

  /** Reads again what has changed since the last reading, by comparing everything with what is there. */
  async refresh(): Promise<Model> {
    const changed = await this.outdated();
    // These two say which folders are listed.
    if (changed === null || changed.has(SETTINGS_FILE) || changed.has(IGNORE_FILE)) return await this.read();
    this.#store.forget(changed);
    forgetProjects(this.#state, changed);
    return await this.#readOwn();
  }

  /** The paths that changed since they were read; null where files or folders were added or removed. */
  async outdated(): Promise<ReadonlySet<string> | null> {
    const before = this.#state.listing;
    if (!before) return null;
    const settingsFile = await this.#store.get(SETTINGS_FILE, "settings");
    const read = readSettings(isRefusal(settingsFile) ? null : settingsFile, this.#budgets);
    const now = await discover(this.#reader, await this.#ignore(this.#store, read), read.budgets);
    const told = ({ folders, findings }: Listing) => JSON.stringify([[...folders], findings]);
    return told(before) === told(now) ? await this.#store.outdated() : null;
  }

  /** The model with unsaved texts, by path below the root, in place of the files. Nothing of it is stored. */
  async overlaid(texts: ReadonlyMap<string, string>): Promise<Model> {
    if (!this.#state.listing) await this.read();
    const state: State = {
      listing: overlaidListing(this.#state.listing!, texts),
      projects: new Map(this.#state.projects),
      groups: new Map(this.#state.groups),
    };
    forgetProjects(state, new Set(texts.keys()));
    const saved = new Set([...this.#state.groups.values()].map(({ built }) => built.group.project));
    return await this.#read(this.#store.over(texts), state, saved);
  }

  /** A text as a file of that path and kind would be read. Nothing of it is stored. */
  async parsed(path: string, kind: ArtifactFile["kind"], text: string): Promise<ArtifactFile> {
    // An unsaved text is never refused.
    return await this.#store.over(new Map([[path, text]])).get(path, kind) as ArtifactFile;
  }

  /** Reads a file that a project names; null where it is no text below the root. */
  async named(path: string, kind: NamedKind): Promise<ArtifactFile | null> {
    const file = await this.#store.get(path, kind);
    return isRefusal(file) ? null : file;
  }

  async #readOwn(): Promise<Model> {
    const model = await this.#read(this.#store, this.#state);
    const needed = [...this.#state.groups.values()].map(({ built }) => built.needed);
    this.#named = await namedFolders(this.#store, this.#state.listing?.folders ?? new Map(), needed);
    return model;
  }

  async #read(store: FileStore, state: State, saved?: ReadonlySet<string>): Promise<Model> {
    const begun = performance.now();
    const settingsFile = await store.get(SETTINGS_FILE, "settings");
    const read = readSettings(isRefusal(settingsFile) ? null : settingsFile, this.#budgets);
    const isListed = state.listing !== null;
    state.listing ??= await discover(this.#reader, await this.#ignore(store, read), read.budgets);
    store.isJustListed = !isListed;
    const listing = state.listing;
    const gathered = await gather(store, listing);
    const natives = gathered.natives.map(readNatives);
    const planned = plan(
      this.root,
      listing.folders,
      gathered.envs,
      natives.flatMap((native) => native.groups),
    );
    const projects = await this.#projects(store, state, planned.projects);
    const identified = identify(
      this.root,
      planned.projects,
      projects,
      natives.flatMap((native) => native.units),
      saved,
    );
    const built = await this.#groups(store, state, identified);
    store.isJustListed = false;
    return await assemble({
      root: this.root,
      store,
      settings: isRefusal(settingsFile) ? null : settingsFile,
      read,
      gathered,
      natives,
      built: built.map((one) => one.group),
      findings: [
        ...(isRefusal(settingsFile) ? refusalFinding(SETTINGS_FILE, settingsFile, "error") : []),
        ...listing.findings,
        ...gathered.findings,
        ...planned.findings,
        ...await missingFiles(store, planned.projects),
      ],
      begun,
    });
  }

  async #ignore(store: FileStore, { settings }: ReadSettings): Promise<IgnoreRules> {
    const file = await store.get(IGNORE_FILE, "readme");
    const lines = isRefusal(file) ? [] : file.text.split(/\r?\n/);
    return new IgnoreRules([...lines, ...settings.ignore]);
  }

  async #projects(
    store: FileStore,
    state: State,
    planned: readonly PlannedProject[],
  ): Promise<Map<PlannedProject, Project>> {
    const projects = new Map<PlannedProject, Project>();
    const alive = new Set<string>();
    await eachOf(planned, async (one) => {
      alive.add(one.key);
      let project = state.projects.get(one.key);
      if (!project) state.projects.set(one.key, project = await loadProject(store, one.spec));
      projects.set(one, project);
    });
    for (const key of state.projects.keys()) if (!alive.has(key)) state.projects.delete(key);
    for (const key of state.groups.keys()) if (!alive.has(key)) state.groups.delete(key);
    return projects;
  }

  async #groups(store: FileStore, state: State, identified: readonly Identified[]): Promise<Built[]> {
    const built = new Map<Identified, Built>();
    this.#soFar = { groups: 0, units: 0 };
    await eachOf(identified, async (one) => {
      const kept = state.groups.get(one.key);
      if (kept && kept.project === one.project && kept.identity === one.identityKey) {
        built.set(one, kept.built);
        return;
      }
      const group = await buildGroup(store, one.project, one.identity);
      if (one.identity.standing === "main") {
        this.#soFar.groups++;
        this.#soFar.units += group.group.units.length;
      }
      state.groups.set(one.key, { project: one.project, identity: one.identityKey, built: group });
      built.set(one, group);
    });
    return identified.map((one) => built.get(one)!);
  }

  /** The listing after changes; null where only a new walk can tell. */
  async #relist(listing: Listing, changed: ReadonlySet<string>): Promise<Listing | null> {
    const folders = new Map(listing.folders);
    for (const path of changed) {
      if (path === IGNORE_FILE || path === SETTINGS_FILE || folders.has(path)) return null;
      const folder = folderOf(path);
      const name = baseName(path);
      const names = folders.get(folder);
      let stat: Deno.FileInfo | null = null;
      try {
        stat = await Deno.lstat(`${this.root}/${path}`);
      } catch {
        // Removed or forbidden: treated alike.
      }
      if (stat?.isDirectory) {
        if (names && !isNeverEntered(name)) return null;
        continue;
      }
      if (!mayCount(name) || !names) continue;
      const isListed = names.includes(name);
      // A new file may be ignored or exceed a limit: only the walk can tell.
      if (stat && !isListed) return null;
      if (!stat && isListed) folders.set(folder, names.filter((other) => other !== name));
    }
    return { ...listing, folders };
  }
}

function forgetProjects(state: State, changed: ReadonlySet<string>): void {
  for (const [key, project] of state.projects) {
    const needed = state.groups.get(key)?.built.needed ?? project.needed;
    if ([...needed].some((path) => isAtOrBelow(path, changed))) {
      state.projects.delete(key);
      state.groups.delete(key);
    }
  }
}

function overlaidListing(listing: Listing, texts: ReadonlyMap<string, string>): Listing {
  const folders = new Map(listing.folders);
  for (const path of texts.keys()) {
    const folder = folderOf(path);
    const name = baseName(path);
    if (!mayCount(name) || folder.split("/").some((part) => part !== "" && isNeverEntered(part))) continue;
    const names = folders.get(folder) ?? [];
    if (!names.includes(name)) folders.set(folder, [...names, name].sort());
  }
  return { ...listing, folders };
}
