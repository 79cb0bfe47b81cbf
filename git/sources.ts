/** All sources: set and removed, checked now and then, and shown. Loaded with the first one. */
import type { Model } from "../artifacts/artifact.ts";
import type { WorkspaceFolder } from "../artifacts/registry/registry.ts";
import { isInside } from "../artifacts/files/inside.ts";
import type { AuditActor, NewAuditEntry } from "../core/audit_entry.ts";
import { ServiceError } from "../core/error.ts";
import type { Log } from "../core/log.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import type { NewSource, Source, SourceRecord, SourceStore, SyncRequest } from "../core/source.ts";
import type { TextSeal } from "../core/text_seal.ts";
import type { OwnSide } from "../projects/drift/contents.ts";
import { checkedAddress, type Credential, isBranch, isFolder } from "./address.ts";
import type { MountedPaths } from "./changes.ts";
import { declaredMounts, Followed, type Outlook } from "./followed.ts";
import { Leases } from "./lease.ts";
import { Mirror, type Remote, SourceFailure } from "./mirror.ts";
import { Git } from "./process.ts";
import { mustBeAlone, refusedSource } from "./own_folder.ts";
import { syncFolder, type SyncParts, type SyncWanted } from "./sync.ts";
import { shownOf } from "./shown.ts";

export interface SourcesOptions {
  readonly store: SourceStore;
  readonly registry: {
    folder(id: string): Promise<WorkspaceFolder>;
    comparedModel(id: string): Promise<Model>;
    exclusively<T>(id: string, work: () => Promise<T>): Promise<T>;
  };
  /** Keeps a text that a sync overwrites. */
  readonly keep: SyncParts["keep"];
  readonly entryOf: SyncParts["entryOf"];
  readonly seal: TextSeal;
  /** As of `Replicas`. */
  readonly turn: (what: string, ms: number) => Promise<boolean>;
  readonly runtime: () => ContainerRuntime | null;
  readonly own: (workspace: string) => Promise<OwnSide>;
  /** What git inherits. */
  readonly environment: Readonly<Record<string, string>>;
  /** berth's data folder. */
  readonly data: string;
  readonly log: Log;
  readonly now: () => number;
  readonly stopping: AbortSignal;
}

/** Sources at most. */
const MOST = 100;
const EVERY_MS = 5 * 60_000;
const LONGEST_MS = 60 * 60_000;
/** Due checks are looked for this often. */
const TICK_MS = 5_000;

export class Sources implements AsyncDisposable {
  readonly #options: SourcesOptions;
  readonly #git: Git;
  readonly #followed = new Map<string, { readonly key: string; readonly followed: Followed }>();
  readonly #due = new Map<string, number>();
  /** Interrupted syncs that could not be finished, and when each is tried again. */
  readonly #unfinished = new Map<string, { readonly failures: number; readonly due: number }>();
  readonly #over = new AbortController();
  readonly #ticking: ReturnType<typeof setInterval>;
  #polling: Promise<void> = Promise.resolve();
  readonly #leases: Leases;

  constructor(options: SourcesOptions) {
    this.#options = options;
    this.#git = new Git(options.environment);
    this.#leases = new Leases({ turn: options.turn, signal: this.#over.signal });
    this.#ticking = setInterval(() => {
      this.#polling = this.#polling.then(() => this.#poll()).catch((error) => {
        if (!this.#over.signal.aborted) options.log.warn("Sources cannot be checked", { error });
      });
    }, TICK_MS);
    Deno.unrefTimer(this.#ticking);
  }

  /** Throws `source_not_found`. */
  async #record(workspace: string): Promise<SourceRecord> {
    const record = await this.#options.store.get(workspace);
    if (record === null) {
      throw new ServiceError(
        "source_not_found",
        "This workspace follows no repository; set one with `PUT /api/workspaces/{id}/source`",
      );
    }
    return record;
  }

  /** Sets the source of a workspace, and checks it. Throws `source_refused`. */
  async set(
    workspace: string,
    wanted: NewSource,
    by: Pick<AuditActor, "kind" | "id" | "name">,
    entry: NewAuditEntry,
  ): Promise<SourceRecord> {
    const { store, now, seal } = this.#options;
    const known = await store.get(workspace);
    const credential = await this.#credentialFor(wanted, known);
    const url = checkedAddress(wanted.url, credential !== null);
    if (!isBranch(wanted.branch)) throw refusedSource(`"${wanted.branch}" is no name of a branch`);
    if (!isFolder(wanted.folder)) throw refusedSource(`"${wanted.folder}" is no folder of a repository`);
    const folder = (id: string) => this.#options.registry.folder(id);
    await mustBeAlone(workspace, await store.list(), folder);
    const isSame = known !== null && known.url === url && known.branch === wanted.branch &&
      known.folder === wanted.folder;
    if (known?.syncing) throw refusedSource("a sync is being done; try again when it is over");
    const sealed = credential === null
      ? null
      : await seal.seal(JSON.stringify(credential), placeOf(workspace));
    const record: SourceRecord = {
      ...newRecord(workspace, { ...wanted, url }, sealed),
      by: { kind: by.kind, id: by.id, name: by.name },
      createdAt: now(),
      // Another folder of the repository, or another repository, has other files.
      ...(isSame && { synced: known.synced, head: known.head }),
    };
    const { host, pathname } = new URL(url);
    await store.put(record, MOST, {
      ...entry,
      particulars: {
        ...entry.particulars,
        repository: `${host}${pathname}`,
        branch: record.branch,
        folder: record.folder,
        policy: record.policy,
        credential: String(credential !== null),
      },
    });
    if (!isSame) await this.#mirrorOf(workspace).remove();
    return await this.check(workspace);
  }

  /** Forgets the source; files stay. Throws `source_not_found`. */
  async remove(workspace: string, entry: NewAuditEntry): Promise<void> {
    const removed = await this.#options.store.remove(workspace, entry);
    this.#followed.delete(workspace);
    this.#due.delete(workspace);
    this.#unfinished.delete(workspace);
    await this.#mirrorOf(workspace).remove();
    if (!removed) await this.#record(workspace); // throws
  }

  /** Asks the server now, and resolves to what is known then: a failure is noted, not thrown. */
  async check(workspace: string): Promise<SourceRecord> {
    const { store, now, log } = this.#options;
    const record = await this.#record(workspace);
    try {
      const head = await (await this.#follow(record)).check(record);
      await store.note(workspace, { head, checkedAt: now(), error: null, failures: 0 });
      this.#next(workspace, 0);
    } catch (error) {
      if (this.#over.signal.aborted) throw error;
      const why = reasonOf(error);
      const failures = record.failures + 1;
      if (record.error !== why) log.warn("A repository cannot be checked", { workspace, why });
      await store.note(workspace, { head: record.head, checkedAt: now(), error: why, failures });
      this.#next(workspace, failures);
    }
    return await this.#record(workspace);
  }

  /** Returns a source as callers see it who see its whole workspace. Throws `source_not_found`. */
  async show(workspace: string): Promise<Source> {
    const record = await this.#record(workspace);
    const bare = shownOf(record);
    if (record.head === null) return bare;
    try {
      const followed = await this.#follow(record);
      const shown = { ...bare, history: await followed.commits(record, true) };
      if (record.head === record.synced && record.syncing === null) return shown;
      const outlook = await followed.outlook(record, record.head);
      const rewritten = await followed.isRewritten(record);
      const conflicts = outlook.decisions.filter(({ act }) => act === "conflict");
      return {
        ...shown,
        state: shown.state === "behind" && conflicts.length > 0 ? "conflict" : shown.state,
        rewritten,
        pending: {
          commits: await followed.commits(record, rewritten),
          groups: [...outlook.groups],
          conflicts: conflicts.slice(0, MOST_TOLD).map(({ path, why = "" }) => ({ path, why })),
          skipped: [...outlook.skipped].slice(0, MOST_TOLD),
          files: outlook.decisions.filter(({ act }) => act === "write" || act === "delete").length,
          isPart: false,
        },
      };
    } catch (error) {
      if (!(error instanceof SourceFailure) && !(error instanceof ServiceError)) throw error;
      return { ...bare, state: "failed", error: bare.error ?? reasonOf(error) };
    }
  }

  /**
   * Brings the folder to a listed commit. Throws `source_moved` for another one, `source_conflict` where files are in
   * the way, `git_failed` and `disk_full`.
   */
  async sync(
    workspace: string,
    { commit, keep, overwrite }: SyncRequest,
    by: Pick<AuditActor, "kind" | "id" | "name">,
    entry: NewAuditEntry,
  ): Promise<void> {
    await this.#record(workspace);
    await using _ = await this.#leases.take(workspace);
    const record = await this.#record(workspace);
    const followed = await this.#follow(record);
    if (record.syncing !== null && record.syncing.to !== commit) {
      throw new ServiceError(
        "source_conflict",
        `Cannot sync: commit ${record.syncing.to.slice(0, 8)} is only half written; sync that one first`,
      );
    }
    if (record.syncing === null) {
      const listed = record.head === null ? [] : await followed.commits(record, true);
      if (!listed.some(({ id }) => id === commit)) {
        throw new ServiceError(
          "source_moved",
          "Cannot sync: the branch does not list this commit; check the source and choose one that it lists",
        );
      }
    }
    await this.#finish(record, followed, { commit, choices: { keep, overwrite }, by, entry });
  }

  /** Returns all sources as the feed tells them: without what would take a look at the repository. */
  async list(): Promise<Source[]> {
    return (await this.#options.store.list()).map(shownOf);
  }

  /** Does the work with the folder as it would be at the head. Throws `source_not_found` and `git_failed`. */
  async atHead<T>(
    workspace: string,
    work: (outlook: Outlook, hashOf: OwnSide["hashOf"]) => Promise<T>,
  ): Promise<T> {
    const record = await this.#record(workspace);
    if (record.head === null) {
      throw new ServiceError(
        "git_failed",
        `Cannot plan: ${record.error ?? "the repository was not checked yet"}`,
      );
    }
    try {
      return await (await this.#follow(record)).with(record, record.head, work);
    } catch (error) {
      if (error instanceof SourceFailure) {
        throw new ServiceError("git_failed", `Cannot plan: ${error.message}`);
      }
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    clearInterval(this.#ticking);
    await this.#polling;
  }

  async #finish(record: SourceRecord, followed: Followed, wanted: SyncWanted): Promise<void> {
    const { store, registry, keep, entryOf } = this.#options;
    const { workspace } = record;
    try {
      const folder = await registry.folder(workspace);
      await syncFolder({ store, registry, folder, followed, keep, entryOf }, record, wanted);
    } catch (error) {
      const { head, checkedAt, failures } = record;
      await store.note(workspace, { head, checkedAt, failures, error: reasonOf(error) });
      throw error;
    }
    const { head, checkedAt } = await this.#record(workspace);
    await store.note(workspace, { head, checkedAt, failures: 0, error: null });
  }

  /** Goes on with a sync that was interrupted. */
  async #resume(workspace: string): Promise<void> {
    try {
      await using _ = await this.#leases.take(workspace);
      const record = await this.#record(workspace);
      if (record.syncing === null) return;
      const { by, syncing: { from, to } } = record;
      const entry = this.#options.entryOf({ workspace, by, from, to, result: "resumed", files: 0 });
      const choices = { keep: [], overwrite: [] };
      await this.#finish(record, await this.#follow(record), { commit: to, choices, by, entry });
      this.#unfinished.delete(workspace);
    } catch (error) {
      if (!(error instanceof ServiceError) && !(error instanceof SourceFailure)) throw error;
      const failures = (this.#unfinished.get(workspace)?.failures ?? 0) + 1;
      const due = this.#options.now() + Math.min(TICK_MS * 2 ** failures, LONGEST_MS);
      this.#unfinished.set(workspace, { failures, due });
      this.#options.log.warn("A sync cannot be finished", { workspace, why: reasonOf(error) });
    }
  }

  async #poll(): Promise<void> {
    const { store, now, turn } = this.#options;
    for (const record of await store.list()) {
      const isDue = (this.#unfinished.get(record.workspace)?.due ?? 0) <= now();
      if (record.syncing !== null && isDue) await this.#resume(record.workspace);
      const due = this.#due.get(record.workspace) ??
        this.#next(record.workspace, record.failures, record.checkedAt);
      if (due > now() || this.#over.signal.aborted) continue;
      this.#next(record.workspace, record.failures);
      // Another replica may have checked meanwhile, or be at it.
      if (!await turn(`git check ${record.workspace}`, EVERY_MS / 2)) continue;
      await this.check(record.workspace).catch((error) => {
        if (!(error instanceof ServiceError)) throw error;
      });
    }
  }

  /** Returns when the next check is due. */
  #next(workspace: string, failures: number, since = this.#options.now() as number | null): number {
    const every = Math.min(EVERY_MS * 2 ** Math.min(failures, 10), LONGEST_MS) * (0.8 + Math.random() * 0.4);
    const due = since === null ? this.#options.now() : since + every;
    this.#due.set(workspace, due);
    return due;
  }

  #mirrorOf(workspace: string): Mirror {
    return new Mirror({
      git: this.#git,
      folder: `${this.#options.data}/git/${workspace}.git`,
      signal: AbortSignal.any([this.#over.signal, this.#options.stopping]),
    });
  }

  async #follow(record: SourceRecord): Promise<Followed> {
    const { registry, own } = this.#options;
    const { workspace } = record;
    const folder = await registry.folder(workspace);
    const key = JSON.stringify([folder, record.url, record.branch, record.folder]);
    const known = this.#followed.get(workspace);
    if (known?.key === key) return known.followed;
    const followed = new Followed({
      mirror: this.#mirrorOf(workspace),
      folder,
      remoteOf: (record) => this.#remoteOf(record),
      model: () => registry.comparedModel(workspace),
      own: () => own(workspace),
      mounted: (models) => this.#mounted(folder.root, models),
    });
    this.#followed.set(workspace, { key, followed });
    return followed;
  }

  /** Returns the paths below the root that containers mount, as engines tell it and as models declare it. */
  async #mounted(root: string, models: readonly Model[]): Promise<MountedPaths> {
    const found = declaredMounts(models);
    const holdings = await this.#options.runtime()?.holdings().catch(() => null) ?? null;
    for (const { path } of holdings?.boundPaths ?? []) {
      if (path === root) found.add("");
      else if (isInside(path, root)) found.add(path.slice(root === "/" ? 1 : root.length + 1));
    }
    return found;
  }

  async #remoteOf({ url, branch, credential, workspace }: SourceRecord): Promise<Remote> {
    if (credential === null) return { url, branch, credential: null };
    const text = await this.#options.seal.open(credential, placeOf(workspace));
    if (text === null) {
      throw new SourceFailure(
        "its credential was sealed with another key than this data folder has; set it again",
      );
    }
    return { url, branch, credential: JSON.parse(text) as Credential }; // as `set` wrote it
  }

  /** A credential that is known is for its server alone. */
  async #credentialFor(wanted: NewSource, known: SourceRecord | null): Promise<Credential | null> {
    if (wanted.credential !== undefined) return wanted.credential;
    const isSameServer = known !== null && URL.parse(wanted.url)?.origin === new URL(known.url).origin;
    return isSameServer ? (await this.#remoteOf(known)).credential : null;
  }
}

/** Returns a source of which nothing is known yet. */
function newRecord(
  workspace: string,
  { url, branch, folder, policy }: NewSource,
  credential: Uint8Array | null,
): Omit<SourceRecord, "by" | "createdAt"> {
  const unknown = { synced: null, syncing: null, head: null, checkedAt: null, error: null, failures: 0 };
  return { workspace, url, branch, folder, policy, credential, ...unknown };
}

/** Conflicts and skipped paths that are told one by one. */
const MOST_TOLD = 200;

const placeOf = (workspace: string) => `source/${workspace}`;

function reasonOf(error: unknown): string {
  if (error instanceof SourceFailure) return error.message;
  if (error instanceof ServiceError) return error.message.replace(/^Cannot [^:]+: /, "");
  throw error;
}
