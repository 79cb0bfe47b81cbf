/** One source at work: checks of its branch, and what a sync would do. */
import type { Model } from "../artifacts/artifact.ts";
import type { WorkspaceFolder } from "../artifacts/registry/registry.ts";
import { pause } from "../core/pause.ts";
import type { SourceGroup, SourceRecord } from "../core/source.ts";
import type { OwnSide } from "../projects/drift/contents.ts";
import { type Change, changesBetween, decide, type Decision, type MountedPaths } from "./changes.ts";
import { Coalesced } from "./coalesced.ts";
import { SourceFailure } from "./failure.ts";
import type { Mirror } from "./mirror.ts";
import type { ListedCommit } from "./objects.ts";
import type { Remote } from "./remote.ts";
import { affectedGroups, Preview } from "./preview.ts";
import { mustBeSigned } from "./signatures.ts";
import type { Skipped, Tree } from "./tree.ts";
import { type Uncommitted, UncommittedFiles } from "./uncommitted.ts";

interface FollowedOptions {
  readonly mirror: Mirror;
  readonly folder: WorkspaceFolder;
  /** Opens the sealed credential. */
  readonly remoteOf: (record: SourceRecord) => Promise<Remote>;
  /** The model of the folder as it is. */
  readonly model: () => Promise<Model>;
  /** Makes digests, and hashes files of the folder as it is. */
  readonly own: () => Promise<OwnSide>;
  /** The paths below the folder that containers have mounted. */
  readonly mounted: (models: readonly Model[]) => Promise<MountedPaths>;
}

/** What a sync of one commit would do. */
export interface Outlook {
  readonly commit: string;
  readonly changes: readonly Change[];
  readonly decisions: readonly Decision[];
  readonly skipped: readonly Skipped[];
  /** The folder as it would be. */
  readonly model: Model;
  readonly mounted: MountedPaths;
  readonly groups: readonly SourceGroup[];
}

/** Checks that come closer together are one. */
const APART_MS = 1_000;
/** A decision about files is believed this long. */
const FRESH_MS = 2_000;

export class Followed {
  readonly #options: FollowedOptions;
  readonly #preview: Preview;
  readonly #uncommitted: UncommittedFiles;
  readonly #checks: Coalesced<string>;
  #checkedAt = -Infinity;
  #asked: SourceRecord | null = null;
  /** The commit that was found in the copy last. Work that needs it looks again. */
  #here: string | null = null;
  #outlook: { readonly key: string; readonly at: number; readonly outlook: Outlook } | null = null;
  #looking: Promise<unknown> = Promise.resolve();

  constructor(options: FollowedOptions) {
    this.#options = options;
    this.#preview = new Preview(options.folder, options.mirror);
    this.#uncommitted = new UncommittedFiles(options.folder.root);
    this.#checks = new Coalesced(async () => {
      await pause(Math.max(0, this.#checkedAt + APART_MS - performance.now()));
      this.#checkedAt = performance.now();
      return await this.#check(this.#asked!); // `check` has set it
    });
  }

  get mirror(): Mirror {
    return this.#options.mirror;
  }

  /**
   * Asks the server, and resolves to the branch's commit once it is here and may be written. One check runs and one
   * waits, which all others share. Throws `SourceFailure`.
   */
  check(record: SourceRecord): Promise<string> {
    // A caller may have read the source before it was set anew, and ask with its old signers.
    if (this.#asked === null || record.createdAt >= this.#asked.createdAt) this.#asked = record;
    return this.#checks.run();
  }

  async #check(record: SourceRecord): Promise<string> {
    const head = await this.#fetched(record);
    await mustBeSigned(this.mirror.objects, head, record.signers);
    return head;
  }

  /** Returns the branch's commit, which is here then and may be written. */
  async #fetched(record: SourceRecord): Promise<string> {
    const { mirror } = this.#options;
    const remote = await this.#options.remoteOf(record);
    const head = await mirror.remoteHead(remote);
    if (head === record.head && (head === this.#here || await mirror.objects.has(head))) {
      return this.#here = head;
    }
    try {
      await mirror.fetchHead(remote, head);
      await mirror.objects.tree(head, record.folder);
    } catch (error) {
      // The copy may be damaged: it is only a cache. A connection that was cut, or a server's fault, does not harm it.
      if (!(error instanceof SourceFailure)) throw error;
      const isDamaged = /^(?!remote error).*\bis corrupt\b/i.test(error.message) ||
        !await mirror.objects.isWhole();
      if (!isDamaged) throw error;
      await mirror.remove();
      await mirror.remoteHead(remote);
      await mirror.fetchHead(remote, head);
      await mirror.objects.tree(head, record.folder);
    }
    return this.#here = head;
  }

  /** True if the branch does not contain the synced commit any more. */
  async isRewritten({ synced, head }: SourceRecord): Promise<boolean> {
    const { mirror } = this.#options;
    if (synced === null || head === null || synced === head) return false;
    return !(await mirror.objects.has(synced)) || !(await mirror.objects.contains(synced, head));
  }

  /** Returns the newest commits, the newest first: those that are not synced, or all. */
  async commits(record: SourceRecord, isOfAll: boolean): Promise<ListedCommit[]> {
    if (record.head === null) return [];
    await this.#ensure(record, record.head);
    return await this.#options.mirror.objects.commits(isOfAll ? null : record.synced, record.head);
  }

  /** Pushes a commit of the copy. Throws `SourceFailure`, which says if the branch has moved. */
  async push(record: SourceRecord, commit: string, branch: string, isNew: boolean): Promise<void> {
    const { mirror, remoteOf } = this.#options;
    await mirror.push(await remoteOf(record), commit, branch, isNew);
  }

  /** Returns the files that differ from the synced commit. Throws `SourceFailure` where that is lost. */
  async uncommitted(record: SourceRecord): Promise<Uncommitted[]> {
    const { synced, folder } = record;
    if (synced === null || record.syncing !== null || !await this.mirror.objects.has(synced)) return [];
    const { files } = await this.#options.model();
    return await this.#uncommitted.list(await this.mirror.objects.tree(synced, folder), files);
  }

  /** Works out what a sync of the commit would do. Throws `SourceFailure`. */
  outlook(record: SourceRecord, commit: string): Promise<Outlook> {
    const looking = this.#looking.then(() => this.#look(record, commit));
    this.#looking = looking.catch(() => {});
    return looking;
  }

  /** Does the work with a new outlook, and a way to hash files of the folder as it would be. Throws `SourceFailure`. */
  with<T>(
    record: SourceRecord,
    commit: string,
    work: (outlook: Outlook, hashOf: OwnSide["hashOf"]) => Promise<T>,
  ): Promise<T> {
    const working = this.#looking.then(async () => {
      this.#outlook = null;
      return await work(await this.#look(record, commit), (path) => this.#preview.hashOf(path));
    });
    this.#looking = working.catch(() => {});
    return working;
  }

  async #look(record: SourceRecord, commit: string): Promise<Outlook> {
    const { folder, model: modelOf, mounted: mountedBy, own } = this.#options;
    const base = await modelOf();
    const key = [record.synced, commit, base.revision].join(" ");
    const known = this.#outlook;
    if (known?.key === key && performance.now() - known.at < FRESH_MS) return known.outlook;
    const { from, to } = await this.trees(record, commit);
    const changes = changesBetween(from, to);
    const model = known?.key === key
      ? known.outlook.model
      : await this.#preview.read(changes, await mountedBy([base]));
    const mounted = await mountedBy([base, model]);
    const side = await own();
    const decisions = await decide(folder.root, changes, mounted);
    const outlook: Outlook = {
      commit,
      changes,
      decisions,
      skipped: to.skipped,
      model,
      mounted,
      groups: known?.key === key ? known.outlook.groups : await affectedGroups(
        { model: base, own: side },
        { model, own: { ...side, hashOf: (path) => this.#preview.hashOf(path) } },
        decisions.filter(({ act }) => act !== "nothing"),
      ),
    };
    this.#outlook = { key, at: performance.now(), outlook };
    return outlook;
  }

  /** Fetches the commit again where the copy was lost. Throws `SourceFailure`. */
  async #ensure(record: SourceRecord, commit: string): Promise<void> {
    const { mirror, remoteOf } = this.#options;
    if (!await mirror.objects.has(commit)) await mirror.fetchHead(await remoteOf(record), commit);
  }

  /** Returns the trees of the synced commit, null where it is lost, and of the new one. Throws `SourceFailure`. */
  async trees(record: SourceRecord, commit: string): Promise<{ from: Tree | null; to: Tree }> {
    const { mirror, remoteOf } = this.#options;
    const { synced, folder } = record;
    await this.#ensure(record, commit);
    const isKnown = synced !== null &&
      (await mirror.objects.has(synced) || await mirror.fetchCommit(await remoteOf(record), synced));
    return {
      from: isKnown ? await mirror.objects.tree(synced, folder) : null,
      to: await mirror.objects.tree(commit, folder),
    };
  }
}

/** Returns the paths below the root that models declare as sources of bind mounts. */
export function declaredMounts(models: readonly Model[]): Set<string> {
  const found = new Set<string>();
  for (const { groups } of models) {
    for (const { units } of groups) {
      for (const { kind, path } of units.flatMap(({ paths }) => paths)) {
        if (kind === "bind" && path !== null) found.add(path);
      }
    }
  }
  return found;
}
