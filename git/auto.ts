/** The policy `auto`: syncs the newest commit and applies what it changes, with the rights that its owner has by then. */
import type { Model } from "../artifacts/artifact.ts";
import { groupsInOrder } from "../artifacts/graph/group_order.ts";
import { mainGroups } from "../artifacts/graph/graph.ts";
import { type Principal, reachOf } from "../core/access.ts";
import type { NewAuditEntry } from "../core/audit_entry.ts";
import type { SourceRecord, SourceStore, SyncRequest, TodoGroup } from "../core/source.ts";
import { Coalesced } from "./coalesced.ts";
import type { Followed, Outlook } from "./followed.ts";
import { reasonOf } from "./failure.ts";
import { LostLease } from "./lease.ts";

/** A group of a commit that is to be applied. */
export interface AutoApply {
  readonly workspace: string;
  readonly commit: string;
  readonly group: TodoGroup;
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

export interface AutoOptions {
  readonly store: SourceStore;
  /** Returns what somebody may today; null for a person or key that is gone or disabled. */
  readonly holder: (by: SourceRecord["by"]) => Promise<Principal | null>;
  /** True if a container of the project runs. */
  readonly isRunning: (workspace: string, project: string) => Promise<boolean>;
  /** Applies a group and resolves when that has ended: to null, or to the reason why it waits for a person. */
  readonly applyGroup: (asked: AutoApply) => Promise<string | null>;
  readonly entryOf: (
    told: {
      readonly workspace: string;
      readonly by: SourceRecord["by"];
      readonly from: string | null;
      readonly to: string;
      readonly files: number;
      readonly result: string;
    },
  ) => NewAuditEntry;
}

interface AutoParts extends AutoOptions {
  readonly record: (workspace: string) => Promise<SourceRecord>;
  readonly follow: (record: SourceRecord) => Promise<Followed>;
  readonly sync: (
    workspace: string,
    request: SyncRequest,
    by: SourceRecord["by"],
    entry: NewAuditEntry,
  ) => Promise<void>;
  /** As of `Replicas`. */
  readonly turn: (what: string, ms: number) => Promise<boolean>;
  readonly model: (workspace: string) => Promise<Model>;
  readonly signal: AbortSignal;
}

const LEASE_MS = 30_000;

export class Auto {
  readonly #parts: AutoParts;
  readonly #working = new Map<string, Coalesced<void>>();

  constructor(parts: AutoParts) {
    this.#parts = parts;
  }

  /** Does what the policy asks for, if it is this replica's turn. One at a time for each source. */
  run(workspace: string): Promise<void> {
    let working = this.#working.get(workspace);
    if (working === undefined) {
      working = new Coalesced(() => this.#inTurn(workspace));
      this.#working.set(workspace, working);
    }
    return working.run();
  }

  /** Another replica that hears of a push meanwhile leaves it to this one, so that it looks once more at the end. */
  async #inTurn(workspace: string): Promise<void> {
    const { turn, signal, store } = this.#parts;
    const ask = (ms: number) => turn(`git auto ${workspace}`, ms);
    while (!signal.aborted && await ask(LEASE_MS)) {
      const renewing = setInterval(() => void ask(LEASE_MS).catch(() => {}), LEASE_MS / 3);
      let head: string | null;
      try {
        head = await this.#work(workspace);
      } finally {
        clearInterval(renewing);
        await ask(0).catch(() => {}); // it ends by itself
      }
      const now = await store.get(workspace);
      if (now === null || now.head === head) return;
    }
  }

  /** Returns the newest commit that was known when it began. */
  async #work(workspace: string): Promise<string | null> {
    const { store, record: read } = this.#parts;
    const record = await read(workspace);
    if (!isDue(record)) return record.head;
    const found = await this.#waiting(record).catch((error) => {
      if (error instanceof LostLease) throw error;
      return { waiting: reasonOf(error) };
    });
    if (found === null) return record.head;
    const now = await read(workspace);
    // A sync that failed has noted what it was to apply.
    const { waiting, todo } = { todo: now.todo, ...found };
    // Somebody may have chosen another policy, or set the source anew, meanwhile.
    if (now.policy === "auto") await store.setAuto(record, { waiting, todo });
    return record.head;
  }

  /** Returns the reason to wait for a person, or null, and what is left to do; null where others have taken that on. */
  async #waiting(record: SourceRecord): Promise<Left | null> {
    const owner = await this.#owner(record);
    if ("waiting" in owner) return { ...owner, todo: record.todo };
    if (record.head !== record.synced) {
      const why = await this.#sync(record);
      if (why !== null) return { waiting: why, todo: record.todo };
    }
    return await this.#applyAll(await this.#parts.record(record.workspace));
  }

  /** Returns the rights of the user or key that it acts for, or the reason why there are none. */
  async #owner({ workspace, by }: SourceRecord): Promise<Principal | { readonly waiting: string }> {
    const principal = await this.#parts.holder(by);
    const lacks = principal === null
      ? "is gone or disabled"
      : !reachOf(principal, "projects:apply").has({ workspace })
      ? 'no longer has the permission "projects:apply" on the whole folder'
      : null;
    if (principal !== null && lacks === null) return principal;
    return { waiting: `${by.name}, who set the policy "auto", ${lacks}: set it again` };
  }

  /** Syncs the newest commit. Returns the reason why a person has to. */
  async #sync(record: SourceRecord): Promise<string | null> {
    const { follow, store, isRunning, sync, entryOf } = this.#parts;
    const { workspace, head, by, synced } = record;
    if (head === null) return null;
    const followed = await follow(record);
    if (await followed.isRewritten(record)) return "history was rewritten: look at it, and sync it yourself";
    const outlook = await followed.outlook(record, head);
    const inTheWay = outlook.decisions.filter(({ act }) => act === "conflict");
    if (inTheWay.length > 0) return `"${inTheWay[0]!.path}" is in the way: sync it yourself, and choose`;
    for (const { project, name, change } of outlook.groups) {
      if (change === "removed" && await isRunning(workspace, project)) {
        return `the commit removes "${name}", which still runs: bring it down first, or sync it yourself`;
      }
    }
    const known = new Set(mainGroups(outlook.model).map(({ name }) => name));
    const left = record.todo?.groups.filter(({ name }) => known.has(name)) ?? [];
    const groups = merged(left, await this.#todoOf(record, outlook));
    await store.setAuto(record, { waiting: null, todo: { groups, isTried: false } });
    const told = { workspace, by, from: synced, to: head, files: 0, result: "begun" };
    await sync(workspace, { commit: head, keep: [], overwrite: [] }, by, entryOf(told));
    return null;
  }

  /** Returns the groups that the commit changes or adds, each with its new units, dependencies first. */
  async #todoOf({ workspace }: SourceRecord, { groups, model }: Outlook): Promise<TodoGroup[]> {
    const before = new Map(
      mainGroups(await this.#parts.model(workspace)).map((group) => [group.name, group]),
    );
    const after = new Map(mainGroups(model).map((group) => [group.name, group]));
    const wanted = new Map(
      groups.filter(({ change }) => change !== "removed").map(({ name, change }) => [name, change]),
    );
    return groupsInOrder(model).filter((name) => wanted.has(name)).map((name) => {
      const old = new Set(before.get(name)?.units.map(({ id }) => id));
      const added = after.get(name)?.units.map(({ id }) => id).filter((id) => !old.has(id)) ?? [];
      return { name, isNew: wanted.get(name) === "added", added };
    });
  }

  /**
   * Applies one group after the other, and stops at the first that does not end well, and where somebody has changed
   * the source or synced it meanwhile.
   */
  async #applyAll(begun: SourceRecord): Promise<Left | null> {
    const { store, applyGroup, signal } = this.#parts;
    const { workspace, todo, synced } = begun;
    if (todo === null || todo.isTried || synced === null) return { waiting: null, todo };
    for (let left = todo.groups;; left = left.slice(1)) {
      if (!isStill(begun, await store.get(workspace))) return null;
      const [group] = left;
      if (group === undefined) return { waiting: null, todo: null };
      const rest = { groups: left, isTried: false };
      if (left !== todo.groups) await store.setAuto(begun, { waiting: null, todo: rest });
      const owner = await this.#owner(begun);
      if ("waiting" in owner) return { ...owner, todo: rest };
      if (signal.aborted) return { waiting: null, todo: rest };
      const why = await applyGroup({ workspace, commit: synced, group, principal: owner, signal });
      if (signal.aborted) return { waiting: null, todo: rest };
      if (why !== null) {
        if (!isStill(begun, await store.get(workspace))) return null;
        return { waiting: `${group.name}: ${why}`, todo: { groups: left, isTried: true } };
      }
    }
  }
}

/** The groups that are left, and the reason why they wait for a person. */
type Left = Pick<SourceRecord, "waiting" | "todo">;

/** True while nobody has set, removed or synced the source, so that what is left of its commit is still to be applied. */
function isStill({ createdAt, synced }: SourceRecord, now: SourceRecord | null): boolean {
  return now !== null && now.createdAt === createdAt && now.policy === "auto" && now.synced === synced &&
    now.syncing === null && now.todo !== null;
}

/** True if a commit waits to be synced, or groups wait to be applied. */
function isDue({ policy, head, synced, syncing, error, todo, waiting }: SourceRecord): boolean {
  if (policy !== "auto" || head === null || syncing !== null || error !== null) return false;
  return head !== synced || (todo !== null && !todo.isTried) || (waiting !== null && todo === null);
}

/** What an earlier commit left comes along, where the new one has the group still. */
function merged(left: readonly TodoGroup[], next: readonly TodoGroup[]): TodoGroup[] {
  const names = new Set(next.map(({ name }) => name));
  const known = new Map(left.map((group) => [group.name, group]));
  return [
    ...left.filter(({ name }) => !names.has(name)),
    ...next.map((group) => {
      const before = known.get(group.name);
      if (before === undefined) return group;
      return {
        ...group,
        isNew: group.isNew || before.isNew,
        added: [...new Set([...before.added, ...group.added])],
      };
    }),
  ];
}
