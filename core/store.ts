/** The stored data of berth, and the promises of every store. */
import type { KeyCreator, KeyStore, PeopleStore, SessionStore, SigningKeyStore } from "./access_store.ts";
import type { ApplyStore } from "./applies.ts";
import type { AuditActor, NewAuditEntry } from "./audit_entry.ts";
import type { AuditStore } from "./audit_store.ts";
import type { ClaimStore } from "./claims.ts";
import type { IgnoredStore } from "./ignored.ts";
import type { RegistryStore } from "./registries.ts";
import type { SourceStore } from "./source.ts";
import type { EndingStore } from "./endings.ts";
import type { IncidentStore } from "./incidents.ts";
import type { UpdateStore } from "./updates.ts";
import type { MuteStore } from "./mutes.ts";
import type { NoticeStore } from "./notices.ts";

export { AUDIT_CHAINS } from "./audit_entry.ts";
export type { AuditActor, AuditChain, NewAuditEntry } from "./audit_entry.ts";

/**
 * Every promise of a store may be rejected with `store_unavailable` (locked, full, damaged, gone); then nothing was
 * written, except that a failed commit may still have happened: read again.
 * Times inside the store are milliseconds since 1970; `hash` is the SHA-256 of a secret the store never sees.
 *
 * A method that changes what somebody asked for takes the entry of the audit log that records it, last, and commits
 * both or neither: no change without its entry, and no entry where nothing changed. Housekeeping (last uses, forgetting
 * what is over) takes none.
 */
export interface Store extends AsyncDisposable {
  readonly workspaces: WorkspaceStore;
  readonly fileVersions: FileVersionStore;
  readonly keys: KeyStore;
  readonly people: PeopleStore;
  readonly sessions: SessionStore;
  readonly signingKeys: SigningKeyStore;
  readonly audit: AuditStore;
  readonly commands: CommandStore;
  readonly offers: OfferStore;
  readonly plans: PlanStore;
  readonly ignored: IgnoredStore;
  readonly claims: ClaimStore;
  readonly registries: RegistryStore;
  readonly sources: SourceStore;
  readonly incidents: IncidentStore;
  readonly endings: EndingStore;
  readonly updates: UpdateStore;
  readonly notices: NoticeStore;
  readonly mutes: MuteStore;
  readonly applies: ApplyStore;
  /** The store's part for processes that share it; null if one process has it for itself. */
  readonly replicas: ReplicaStore | null;
  /**
   * Returns the number of changes that were repeated because of conflicts; null if there is no other process.
   */
  readonly retries: (() => number) | null;
  /** The schema that this start found and brought up to date; null if the store was new, or up to date. */
  readonly upgradedFrom: { readonly kind: "sqlite" | "postgres"; readonly schema: number } | null;
  /** Resolves while the store can be read, and what is written to it stays. */
  check(): Promise<void>;
  /**
   * Writes a complete copy, while the service runs; the file has its name only once it is whole. Null where the database
   * has tools of its own for that.
   */
  readonly backup: ((file: string) => Promise<void>) | null;
  /** Everything that goes along into another store. */
  readonly copy: StoreCopy;
}

/** Rows as all stores have them: under the same names, with 0 and 1 for no and yes. */
export interface StoreCopy {
  /** The columns of every table that is copied, by name. */
  columns(): Promise<Readonly<Record<string, readonly string[]>>>;
  /** Gives out every row as of one moment, tables that others refer to first; in every store in the same order. */
  read(
    take: (table: string, row: Readonly<Record<string, null | number | string | Uint8Array>>) => void,
  ): Promise<void>;
  /** Fills a store that is not in use, all or nothing; `rows` may be asked more than once. */
  fill(
    rows: () => Iterable<{
      readonly table: string;
      readonly row: Readonly<Record<string, null | number | string | Uint8Array>>;
    }>,
  ): Promise<void>;
}

/** A process that serves from the store, beside others. */
export interface ReplicaRecord {
  /** Another one after each start. */
  readonly id: string;
  readonly name: string;
  readonly startedAt: number;
  /** By the clock of the store. */
  readonly seenAt: number;
  /** The version of berth that it runs. */
  readonly version: string;
}

/** The one-time token with which the first admin is made. */
export interface SetupToken {
  readonly hash: Uint8Array;
  /** The name of the replica that made it, and wrote it where its owner finds it. */
  readonly replica: string;
  readonly expiresAt: number;
}

export interface ReplicaStore {
  /** Remembers that it lives, and forgets those that said nothing for 20 seconds. */
  seen(replica: Omit<ReplicaRecord, "seenAt">): Promise<void>;
  /** Returns the live replicas, the oldest first. */
  list(): Promise<ReplicaRecord[]>;
  /** Forgets one that stops. */
  gone(id: string): Promise<void>;
  /**
   * Takes a lease on work that one replica does at a time. No other replica gets it within `ms`, unless this
   * one dies before.
   */
  turn(what: string, id: string, ms: number): Promise<boolean>;
  /** The fingerprint of the sealing key of all: that of the first who came, until another one takes its place. */
  sealedWith(fingerprint: string): Promise<string>;
  /** Puts one in the place of another, unless that is not the one of all, or a replica lives. Whether it did. */
  sealAnew(before: string, fingerprint: string): Promise<boolean>;
  /**
   * The token that counts: the given one, unless one counts already that another living replica has made. It is forgotten
   * with the setup.
   */
  offerSetup(token: SetupToken, now: number): Promise<SetupToken>;
  setupToken(): Promise<SetupToken | null>;
  /**
   * Calls back soon after a change by which somebody may be allowed less, whoever made it; with null when such a call
   * may have been missed. A call that does not come is no promise that nothing changed.
   */
  listen(heard: (hint: string | null) => void): Disposable;
}

export interface WorkspaceRecord {
  readonly id: string;
  readonly name: string;
  /** The real path, absolute. */
  readonly path: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** True if files with several hard links are read. */
  readonly allowHardLinks: boolean;
  /** True if its files may be written to. */
  readonly editable: boolean;
}

/** An admin's rules for a workspace; fields that are left out stay. */
type WorkspaceRules = Partial<Pick<WorkspaceRecord, "allowHardLinks" | "editable">>;

export interface WorkspaceStore {
  /** In order of their names. */
  list(): Promise<WorkspaceRecord[]>;
  get(id: string): Promise<WorkspaceRecord | null>;
  /** Throws `workspace_exists` if the id or the path is taken. */
  add(record: WorkspaceRecord, entry: NewAuditEntry): Promise<void>;
  /** Changes the rules. Returns false if there is no such workspace. */
  change(id: string, rules: WorkspaceRules, entry: NewAuditEntry): Promise<boolean>;
  /** Removes it. Returns false if there was none. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean>;
}

/** A text that a file of a workspace had before it was written to. */
export interface FileVersion {
  readonly id: number;
  readonly workspace: string;
  /** Below the workspace's folder. */
  readonly path: string;
  /** The kind of project it was read as. */
  readonly kind: string;
  /** When another text took its place, and who saved that. */
  readonly at: number;
  readonly by: Pick<AuditActor, "kind" | "id" | "name">;
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

/** The text is sealed: no store can read it. */
export interface SealedFileVersion extends FileVersion {
  readonly sealed: Uint8Array;
}

/** They go with their workspace. */
export interface FileVersionStore {
  /**
   * Adds one unless the newest of its file has the same text, and forgets the oldest of the file beyond `most` and of
   * the workspace beyond `mostBytes`. Throws `workspace_not_found`.
   */
  add(
    version: Omit<SealedFileVersion, "id">,
    bounds: { readonly most: number; readonly mostBytes: number },
  ): Promise<void>;
  /** Returns the versions of one file, the newest first. */
  list(workspace: string, path: string): Promise<FileVersion[]>;
  /** Returns the newest versions of any of these files, the newest first. */
  newest(workspace: string, paths: readonly string[], limit: number): Promise<FileVersion[]>;
  get(workspace: string, id: number): Promise<SealedFileVersion | null>;
}

/** A command in a container that may still run. */
export interface CommandRecord {
  /** A mark in the environment of each of its processes. */
  readonly mark: string;
  /** The engine's id for it. */
  readonly execId: string;
  readonly backend: string;
  /** The container's id. */
  readonly container: string;
  /** As whom it runs; empty for the container's own user. */
  readonly user: string;
  /** Until when the berth that started it answers for it, unless it says so again. */
  readonly heldUntil: number;
  /** True if it was told to end, and did not. */
  readonly hungUp: boolean;
}

/** A list that was shown to somebody, who may take it up once. */
interface OfferRecord {
  readonly id: string;
  readonly owner: string;
  readonly expiresAt: number;
  /** JSON. */
  readonly body: string;
}

/** Housekeeping: what is done with an offer is in the audit log. */
export interface OfferStore {
  /** Forgets those that have expired by `now`, and those that end first, so that there are `most` at most. */
  add(offer: OfferRecord, now: number, most: number): Promise<void>;
  /** Gives its body to one of all who ask, and forgets it. Null for one that is not theirs, or has expired. */
  take(id: string, owner: string, now: number): Promise<string | null>;
}

/** Commands that may outlive the berth that started them. Housekeeping: their starts are in the audit log already. */
export interface CommandStore {
  /** The clock that `heldUntil` counts by where several replicas share the store: their own may differ. */
  readonly now?: () => Promise<number>;
  /** Returns the commands that no replica holds at `now`, the oldest first. */
  left(now: number): Promise<CommandRecord[]>;
  /** Remembers a command before it starts. */
  add(command: CommandRecord): Promise<void>;
  /** Answers for them until `until`. */
  hold(marks: readonly string[], until: number): Promise<void>;
  /** Nobody answers for it from `at` on. Unknown ones are ignored. */
  leave(mark: string, at: number, hungUp: boolean): Promise<void>;
  /** It has ended. */
  forget(mark: string): Promise<void>;
}

/** A plan as it is remembered, for a while. */
export interface PlanRecord {
  readonly id: string;
  readonly workspaceId: string;
  readonly project: string;
  /** The name of the engine that it is for. */
  readonly backend: string;
  readonly creator: KeyCreator;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The plan itself, what was asked for, and what it was worked out from; JSON. */
  readonly body: string;
}

interface MostPlans {
  readonly ofOne: number;
  readonly all: number;
}

export interface PlanStore {
  /**
   * Adds plans that one creator made at `now`, with one entry. Forgets those that have expired by then, and the oldest,
   * so that there are `most` at most: of the creator, and of all.
   */
  add(plans: readonly PlanRecord[], now: number, most: MostPlans, entry: NewAuditEntry): Promise<void>;
  /** Null for one that has expired, too. */
  get(id: string, now: number): Promise<PlanRecord | null>;
}
