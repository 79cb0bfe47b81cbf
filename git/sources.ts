/** All sources: set and removed, checked now and then, and shown. Loaded with the first one. */
import type { ArtifactFile } from "../artifacts/artifact.ts";
import type { AuditActor, NewAuditEntry } from "../core/audit_entry.ts";
import { ServiceError } from "../core/error.ts";
import type { Log } from "../core/log.ts";
import type {
  CommitMade,
  CommitRequest,
  NewSource,
  Source,
  SourceRecord,
  SyncRequest,
} from "../core/source.ts";
import type { OwnSide } from "../projects/drift/contents.ts";
import { Auto, type AutoOptions } from "./auto.ts";
import { commitFiles, type Committer } from "./committing.ts";
import type { Followed, Outlook } from "./followed.ts";
import { type Lease, Leases } from "./lease.ts";
import { reasonOf, SourceFailure } from "./failure.ts";
import { Polling } from "./polling.ts";
import { Git } from "./process.ts";
import { Repositories, type RepositoriesOptions } from "./repositories.ts";
import { mustBeAlone, refusedSource } from "./own_folder.ts";
import { syncFolder, type SyncParts, type SyncWanted } from "./sync.ts";
import { recordFor, toldOf } from "./set_source.ts";
import { shownOf, shownWith } from "./shown.ts";
import { mustBeSigned } from "./signatures.ts";
import { SourceHooks } from "./source_hooks.ts";

export interface SourcesOptions extends RepositoriesOptions, Omit<AutoOptions, "entryOf"> {
  readonly registry: RepositoriesOptions["registry"] & {
    exclusively<T>(id: string, work: () => Promise<T>): Promise<T>;
    parsed(id: string, path: string, kind: ArtifactFile["kind"], text: string): Promise<ArtifactFile>;
  };
  /** Keeps a text that a sync overwrites. */
  readonly keep: SyncParts["keep"];
  readonly entryOf: SyncParts["entryOf"];
  /** As of `Replicas`. */
  readonly turn: (what: string, ms: number) => Promise<boolean>;
  /** What git inherits. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly now: () => number;
  readonly stopping: AbortSignal;
}

type Actor = Pick<AuditActor, "kind" | "id" | "name">;

/** Sources at most. */
const MOST = 100;

export class Sources implements AsyncDisposable {
  readonly #options: SourcesOptions;
  readonly #repositories: Repositories;
  readonly #polling: Polling;
  readonly #leases: Leases;
  readonly #over = new AbortController();
  readonly hooks: SourceHooks;
  readonly #auto: Auto;
  /** What the policy `auto` does behind the answers. */
  readonly #acting = new Set<Promise<void>>();

  constructor(options: SourcesOptions) {
    this.#options = options;
    const { turn, store } = options;
    const signal = AbortSignal.any([this.#over.signal, options.stopping]);
    this.#repositories = new Repositories(options, new Git(options.environment), signal);
    this.#leases = new Leases({ turn, signal: this.#over.signal });
    this.hooks = new SourceHooks({
      ...options,
      check: (workspace) => this.#look(workspace),
      show: (workspace) => this.show(workspace),
      told: (workspace) => this.#act(workspace),
    });
    this.#auto = new Auto({
      ...options,
      record: (workspace) => this.#record(workspace),
      follow: (record) => this.#repositories.follow(record),
      sync: (...asked) => this.#sync(...asked, mustBeAuto),
      model: (workspace) => options.registry.comparedModel(workspace),
      signal,
    });
    this.#polling = new Polling({
      ...options,
      list: () => store.list(),
      check: (workspace) => this.check(workspace),
      resume: (workspace) => this.#resume(workspace),
      act: (workspace) => this.#act(workspace),
    });
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

  /** Sets the source of a workspace, and checks it. Throws `source_refused`, and `source_conflict` as `sync` does. */
  async set(
    workspace: string,
    wanted: NewSource,
    by: Actor,
    entry: NewAuditEntry,
  ): Promise<SourceRecord> {
    await this.#put(workspace, wanted, by, entry);
    return await this.check(workspace);
  }

  /** Waits for a sync that has begun: it writes the commit of the source that was set before. */
  async #put(workspace: string, wanted: NewSource, by: Actor, entry: NewAuditEntry): Promise<void> {
    const { store, now, registry } = this.#options;
    await using _ = await this.#leases.take(workspace);
    const known = await store.get(workspace);
    const { record, isSame, isSecret } = await recordFor(
      { workspace, wanted, known, by, at: now() },
      this.#repositories,
    );
    await mustBeAlone(workspace, await store.list(), (id) => registry.folder(id));
    if (known?.syncing) throw refusedSource("a sync is being done; try again when it is over");
    await store.put(record, MOST, {
      ...entry,
      particulars: { ...entry.particulars, ...toldOf(record, isSecret) },
    });
    if (!isSame) await this.#repositories.forget(workspace);
  }

  /** Forgets the source once no sync is at work; files stay. Throws `source_not_found` and `source_conflict`. */
  async remove(workspace: string, entry: NewAuditEntry): Promise<void> {
    await using _ = await this.#leases.take(workspace);
    const removed = await this.#options.store.remove(workspace, entry);
    this.#polling.forget(workspace);
    await this.#repositories.forget(workspace);
    if (!removed) await this.#record(workspace); // throws
  }

  /** Forgets what is here of the source of a workspace that is no more: its row has gone with that. */
  async forget(workspace: string): Promise<void> {
    this.#polling.forget(workspace);
    await this.#repositories.forget(workspace).catch((error) => {
      this.#options.log.warn("The copy of a repository cannot be deleted", { workspace, error });
    });
  }

  /** Asks the server now, and resolves to what is known then: a failure is noted, not thrown. */
  async check(workspace: string): Promise<SourceRecord> {
    const record = await this.#look(workspace);
    this.#act(workspace);
    return record;
  }

  async #look(workspace: string): Promise<SourceRecord> {
    const { store, now, log } = this.#options;
    const record = await this.#record(workspace);
    try {
      const head = await (await this.#repositories.follow(record)).check(record);
      await store.note(record, { head, checkedAt: now(), error: null, failures: 0 });
      this.#polling.next(workspace, 0);
    } catch (error) {
      if (this.#over.signal.aborted) throw error;
      const why = reasonOf(error);
      const failures = record.failures + 1;
      if (record.error !== why) log.warn("A repository cannot be checked", { workspace, why });
      await store.note(record, { head: record.head, checkedAt: now(), error: why, failures });
      this.#polling.next(workspace, failures);
    }
    // A removal meanwhile may have deleted the copy before git wrote it.
    if (await store.get(workspace) === null) await this.forget(workspace);
    return await this.#record(workspace);
  }

  /** Returns a source as callers see it who see its whole workspace. Throws `source_not_found`. */
  async show(workspace: string): Promise<Source> {
    const record = await this.#record(workspace);
    try {
      return record.head === null
        ? shownOf(record)
        : await shownWith(record, await this.#repositories.follow(record));
    } catch (error) {
      if (!(error instanceof SourceFailure) && !(error instanceof ServiceError)) throw error;
      return { ...shownOf(record), state: "failed", error: record.error ?? reasonOf(error) };
    }
  }

  /**
   * Brings the folder to a listed commit. Throws `source_moved` for another one, `source_conflict` where files are in
   * the way, `git_failed` and `disk_full`.
   */
  async sync(
    workspace: string,
    request: SyncRequest,
    by: Actor,
    entry: NewAuditEntry,
  ): Promise<void> {
    const record = await this.#record(workspace);
    const { head } = record;
    // An earlier commit would be left again at once.
    const isNewest = request.commit === head;
    await this.#sync(workspace, request, by, entry, ({ policy }) => isNewest ? policy : "manual");
    // A person has looked: what the policy waited for, or had left, is in their hands.
    await this.#options.store.setAuto(record, { waiting: null, todo: null });
  }

  async #sync(
    workspace: string,
    { commit, keep, overwrite }: SyncRequest,
    by: Actor,
    entry: NewAuditEntry,
    /** Returns the policy once it is done; it may have been set anew before it is this sync's turn. */
    policyOf: (record: SourceRecord) => SourceRecord["policy"],
  ): Promise<void> {
    await this.#record(workspace);
    await using lease = await this.#leases.take(workspace);
    const record = await this.#record(workspace);
    const policy = policyOf(record);
    const followed = await this.#repositories.follow(record);
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
      await mustBeTaken(followed, record, commit);
    }
    await this.#finish(record, followed, lease, { commit, choices: { keep, overwrite }, policy, by, entry });
  }

  /** Commits files of the folder and pushes them. Throws as `commitFiles`. */
  async commit(
    workspace: string,
    request: CommitRequest,
    by: Committer,
    mustReveal: (what: string) => Promise<void>,
  ): Promise<CommitMade> {
    await this.#record(workspace);
    await using lease = await this.#leases.take(workspace);
    const record = await this.#record(workspace);
    const options = { ...this.#options, isHeld: lease.isHeld, mustReveal };
    return await commitFiles(options, await this.#repositories.follow(record), record, request, by);
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
      return await (await this.#repositories.follow(record)).with(record, record.head, work);
    } catch (error) {
      if (error instanceof SourceFailure) {
        throw new ServiceError("git_failed", `Cannot plan: ${error.message}`);
      }
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#polling[Symbol.asyncDispose]();
    await Promise.all(this.#acting);
  }

  /** Lets the policy `auto` act, and waits for nothing. */
  #act(workspace: string): void {
    const acting: Promise<void> = this.#auto.run(workspace).catch((error) => {
      if (!this.#over.signal.aborted) {
        this.#options.log.warn("The policy auto cannot act", { workspace, error });
      }
    }).finally(() => this.#acting.delete(acting));
    this.#acting.add(acting);
  }

  async #finish(
    record: SourceRecord,
    followed: Followed,
    { mustHold }: Lease,
    wanted: SyncWanted,
  ): Promise<void> {
    const { store, registry, keep, entryOf } = this.#options;
    const { workspace } = record;
    try {
      const folder = await registry.folder(workspace);
      await syncFolder({ store, registry, folder, followed, keep, entryOf, mustHold }, record, wanted);
    } catch (error) {
      mustHold(); // another replica says how it ends
      const { head, checkedAt, failures } = record;
      const isRefused = error instanceof ServiceError && error.code === "source_conflict";
      // A refusal has begun nothing, and the list of files in the way says it. One in the middle of a sync stops that.
      if (!isRefused || record.syncing !== null) {
        await store.note(record, { head, checkedAt, failures, error: reasonOf(error) });
      }
      throw error;
    }
    const { head, checkedAt } = await this.#record(workspace);
    await store.note(record, { head, checkedAt, failures: 0, error: null });
  }

  async #resume(workspace: string): Promise<void> {
    await using lease = await this.#leases.take(workspace);
    const record = await this.#record(workspace);
    if (record.syncing === null) return;
    const { by, policy, head, syncing: { from, to } } = record;
    const entry = this.#options.entryOf({ workspace, by, from, to, result: "resumed", files: 0 });
    const wanted = { commit: to, choices: { keep: [], overwrite: [] }, by, entry };
    await this.#finish(record, await this.#repositories.follow(record), lease, {
      ...wanted,
      policy: to === head ? policy : "manual",
    });
    this.#act(workspace);
  }
}

/** The policy `auto` does nothing once a person has chosen another one. */
function mustBeAuto({ policy }: SourceRecord): SourceRecord["policy"] {
  if (policy !== "auto") throw new SourceFailure("its policy was changed");
  return policy;
}

/** Also an earlier commit needs a signature of today's signers. Throws `git_failed`. */
async function mustBeTaken(followed: Followed, { signers }: SourceRecord, commit: string): Promise<void> {
  try {
    await mustBeSigned(followed.mirror.objects, commit, signers);
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    throw new ServiceError("git_failed", `Cannot sync: ${error.message}`, { cause: error });
  }
}
