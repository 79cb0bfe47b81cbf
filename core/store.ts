/** The stored data of berth, and the promises of every store. */
import type { Grant } from "./access.ts";
import type { ApplyStore } from "./applies.ts";
import type { AuditActor, AuditChain, NewAuditEntry } from "./audit_entry.ts";

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
export type WorkspaceRules = Partial<Pick<WorkspaceRecord, "allowHardLinks" | "editable">>;

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
  get(workspace: string, id: number): Promise<SealedFileVersion | null>;
}

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly hash: Uint8Array;
  /** The secret before this one, while it still counts. */
  readonly previous: { readonly hash: Uint8Array; readonly until: number } | null;
  readonly grants: readonly Grant[];
  readonly createdAt: number;
  /** The name of its creator. */
  readonly createdBy: string;
  /** Its creator; null for old keys without one, and for keys of a creator that cannot be deleted. */
  readonly creator: KeyCreator | null;
  /** The person at the beginning of the chain of creators. The key is worth nothing while they are disabled. */
  readonly personId: string | null;
  /** By what that person holds: the key holds no more. Null where there is nobody. */
  readonly limit: Pick<AccountRecord, "grants" | "claims"> | null;
  readonly disabled: boolean;
  readonly expiresAt: number | null;
  /** The addresses and ranges it may come from; empty for everywhere. */
  readonly from: readonly string[];
  readonly lastUsedAt: number | null;
  readonly lastUsedPeer: string | null;
}

export interface KeyCreator {
  readonly kind: "user" | "apiKey";
  readonly id: string;
}

/** A key as it is added; the person behind it is the creator, or the person behind the creator. */
export type NewKey = Omit<
  KeyRecord,
  "previous" | "disabled" | "lastUsedAt" | "lastUsedPeer" | "personId" | "limit"
>;

export interface KeyUse {
  readonly at: number;
  readonly peer: string;
}

/** The first admin: a key, or a person with a password. */
export type FirstAdmin = { readonly key: NewKey } | { readonly person: NewPerson };

export interface KeyStore {
  /** Oldest first; all of them, or those that one creator made. */
  list(createdBy?: string | null): Promise<KeyRecord[]>;
  get(id: string): Promise<KeyRecord | null>;
  /** Throws `too_many_keys` when there are `most` already, and `unauthenticated` when its creator is gone. */
  add(key: NewKey, most: number, entry: NewAuditEntry): Promise<void>;
  /** Forgets a key and all that it made. Whether it was there. Throws `last_admin`. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean>;
  /** Gives the key another secret; the one before counts until `until`. Whether the key was there. */
  rotate(id: string, hash: Uint8Array, until: number, entry: NewAuditEntry): Promise<boolean>;
  /** Makes somebody else the creator, and lets the key end no later than `expiresAt`. Throws `last_admin`. */
  adopt(
    id: string,
    by: { readonly creator: KeyCreator; readonly name: string; readonly expiresAt: number | null },
    entry: NewAuditEntry,
  ): Promise<boolean>;
  /** Remembers when and from where keys were last used; unknown ids are ignored. */
  used(uses: ReadonlyMap<string, KeyUse>): Promise<void>;
  /** Keys that were used and end before `before`; each is given out once, to one of all who ask. */
  ending(now: number, before: number, entryOf: (key: KeyRecord) => NewAuditEntry): Promise<KeyRecord[]>;
  /** Returns true if there ever was a first admin. It stays true, whatever is deleted afterwards. */
  isSetUp(): Promise<boolean>;
  /** Adds the first admin. Throws `setup_done` for everybody but the first caller. */
  setUp(first: FirstAdmin, entry: NewAuditEntry): Promise<void>;
}

/**
 * A person as an identity provider names them: (issuer, subject) is the identity, never the e-mail address.
 */
export interface NewAccount {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  readonly picture: string | null;
  /** The claims that role rules look at, as JSON, from the last sign-in; the role itself is never stored. */
  readonly claims: string;
}

export interface AccountRecord extends NewAccount {
  /** The grants of a local person; null for people of a provider, whose grants come from rules. */
  readonly grants: readonly Grant[] | null;
  /** Null where it was before anybody counted. */
  readonly createdAt: number | null;
  readonly lastSeenAt: number | null;
  /** Since when they may not come in. */
  readonly disabledAt: number | null;
}

export interface PersonRecord extends AccountRecord {
  readonly hasPassword: boolean;
  /** The number of live sessions. */
  readonly sessions: number;
}

/** A local person. */
export interface NewPerson {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly grants: readonly Grant[];
  /** Null until a link sets it. */
  readonly password: string | null;
  readonly createdAt: number;
}

export interface PasswordLink {
  readonly hash: Uint8Array;
  readonly expiresAt: number;
}

export interface PeopleStore {
  /** In order of their names. */
  list(now: number, idleMs: number): Promise<PersonRecord[]>;
  get(id: string, now: number, idleMs: number): Promise<PersonRecord | null>;
  /** The account of this issuer and subject, with its hashed password. */
  named(issuer: string, subject: string): Promise<
    { readonly account: AccountRecord; readonly password: string | null } | null
  >;
  /** Throws `person_exists` if there is one with this issuer and subject. */
  add(person: NewPerson, link: PasswordLink, entry: NewAuditEntry): Promise<void>;
  /** Changes the given fields. Returns false if there is no such person. Throws `last_admin`. */
  change(
    id: string,
    change: { readonly grants?: readonly Grant[]; readonly disabledAt?: number | null },
    entry: NewAuditEntry,
  ): Promise<boolean>;
  /** Forgets a person with their sessions and all keys that they are behind. Throws `last_admin`. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean>;
  /** Replaces a hash by a costlier one of the same password, unless it was changed meanwhile. */
  rehash(id: string, before: string, after: string): Promise<void>;
  /** Sets a password and ends all sessions but `keep`. */
  setPassword(
    id: string,
    password: string,
    keep: string | null,
    now: number,
    entry: NewAuditEntry,
  ): Promise<boolean>;
  /** Makes a one-time link for the password; the one before counts no longer. */
  link(id: string, link: PasswordLink, entry: NewAuditEntry): Promise<boolean>;
  /** The person that a valid link is for. */
  linked(hash: Uint8Array, now: number): Promise<AccountRecord | null>;
  /** Sets the password by a link, which one of many callers can, and ends all sessions. Null for a bad link. */
  useLink(
    hash: Uint8Array,
    password: string,
    now: number,
    entryOf: (account: AccountRecord) => NewAuditEntry,
  ): Promise<AccountRecord | null>;
}

/** The holder of a session: a person, or a key that was exchanged for it. */
export type SessionHolder =
  | { readonly kind: "user"; readonly account: AccountRecord }
  | { readonly kind: "apiKey"; readonly key: KeyRecord };

export interface SessionRecord {
  readonly id: string;
  readonly holder: SessionHolder;
  readonly createdAt: number;
  /** When it ends, however often it is refreshed. */
  readonly expiresAt: number;
  readonly lastUsedAt: number;
  /** When its holder last proved who they are; 0 for never. */
  readonly provedAt: number;
  /** The address it was opened from, and what the browser or program called itself. */
  readonly peer: string | null;
  readonly device: string | null;
  /** The SHA-256 of the value that a cookie session is bound to. */
  readonly binding: Uint8Array | null;
}

export interface NewSession {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly provedAt: number;
  readonly peer: string | null;
  readonly device: string | null;
  readonly binding: Uint8Array | null;
  /** The hash of the first refresh token's id. */
  readonly token: Uint8Array;
}

export interface Rotation {
  readonly session: string;
  /** The hash of the refresh token's id that was presented. */
  readonly presented: Uint8Array;
  /** The hash of the id that takes its place. */
  readonly successor: Uint8Array;
  /** The successor, sealed so that only the holder of the presented token can read it. */
  readonly sealed: Uint8Array;
  readonly now: number;
  readonly graceMs: number;
  readonly idleMs: number;
}

/**
 * `rotated`: the successor of this call counts. `repeated`: a caller before this one won within the grace; its
 * sealed successor is the answer. `reused`: a spent token came back, and the session is ended now. `ended`: no such
 * session, or it is over.
 */
export type RotationResult =
  | { readonly kind: "rotated" }
  | { readonly kind: "repeated"; readonly sealed: Uint8Array }
  | { readonly kind: "reused" }
  | { readonly kind: "ended" };

export interface SessionStore {
  /**
   * Opens a session for the account with this issuer and subject. An account that is known keeps its id and takes
   * over the rest; the answer is the account as it is remembered, which the entry names. No session is opened for
   * a disabled account.
   */
  open(
    session: NewSession,
    account: NewAccount,
    entryOf: (remembered: AccountRecord) => NewAuditEntry,
  ): Promise<AccountRecord>;
  /** Opens a session for a person or a key that is there already. Null when it is gone or disabled. */
  openFor(
    session: NewSession,
    holder: { readonly kind: "user" | "apiKey"; readonly id: string },
    entry: NewAuditEntry,
  ): Promise<SessionRecord | null>;
  /** A session that is alive at `now`: not ended, not past its end, not idle for longer than `idleMs`. */
  get(id: string, now: number, idleMs: number): Promise<SessionRecord | null>;
  /** The living sessions of a person or key, the newest first. */
  list(holder: string, now: number, idleMs: number): Promise<SessionRecord[]>;
  /** Remembers that its holder proved who they are. Whether it was alive. */
  prove(id: string, at: number, entry: NewAuditEntry): Promise<boolean>;
  /** Ends all sessions of a person or key but `keep`, and says which. */
  endAll(holder: string, keep: string | null, now: number, entry: NewAuditEntry): Promise<string[]>;
  /** Exactly one of many parallel callers gets `rotated`; the entry records the end of a session that was `reused`. */
  rotate(rotation: Rotation, entry: NewAuditEntry): Promise<RotationResult>;
  /** Ends a session. Returns true if it was alive. */
  end(id: string, now: number, entry: NewAuditEntry): Promise<boolean>;
  /** Forgets what is over. */
  sweep(now: number, idleMs: number): Promise<void>;
}

/** `pending` keys verify, so that every replica knows a key before the `active` one signs; `retiring` keys verify on. */
export type SigningKeyState = "pending" | "active" | "retiring";

export interface SigningKeyRecord {
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
  readonly algorithm: string;
  /** The public JWK, as JSON. */
  readonly publicKey: string;
  /** The private JWK, sealed; empty once the key is retiring. */
  readonly sealed: Uint8Array;
  readonly state: SigningKeyState;
  readonly createdAt: number;
  /** When it reached its state. */
  readonly since: number;
}

export interface SigningKeyStore {
  list(): Promise<SigningKeyRecord[]>;
  /**
   * Adds a key. Of several callers one wins: there is at most one pending and one active key. Says whether this
   * one was added.
   */
  add(key: SigningKeyRecord, entry: NewAuditEntry): Promise<boolean>;
  /** Makes a pending key the active one and retires the one before it, at once. Whether it was pending. */
  activate(kid: string, now: number, entry: NewAuditEntry): Promise<boolean>;
  /** Forgets keys that have been retiring since before `before`. */
  forget(before: number): Promise<void>;
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
export interface OfferRecord {
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

export interface AuditEntry extends NewAuditEntry {
  readonly id: number;
  /** Its place in its chain; null until it is sealed. */
  readonly seq: number | null;
}

export interface AuditQuery {
  /** Entries older than this one. */
  readonly before: number | null;
  readonly limit: number;
  readonly action: string | null;
  readonly actor: string | null;
  readonly result: string | null;
}

export interface AuditStore {
  /** Appends in one write. */
  append(entries: readonly NewAuditEntry[]): Promise<void>;
  /** Newest first; `total` counts everything that matches, whatever `before` and `limit` say. */
  list(query: AuditQuery): Promise<{ items: AuditEntry[]; total: number }>;

  /**
   * Gives up to `limit` committed entries the next places of their chains and their seals, oldest first, and moves the
   * ends of the chains in the same write. Several processes may do it at once. How many it sealed.
   */
  seal(seals: Seals, limit: number): Promise<number>;
  /** Sealed entries of the chain behind the place `after`, in order. */
  sealed(chain: AuditChain, after: number, limit: number): Promise<SealedEntry[]>;
  chains(): Promise<Readonly<Record<AuditChain, ChainState>>>;
  /** Returns the number of entries that wait for their seal. */
  unsealed(): Promise<number>;
  /**
   * Cuts up to `limit` sealed entries off the old end of the chain: those before `before`, and those behind which
   * `keep` newer ones of known callers stand. How many it cut.
   */
  forget(
    chain: AuditChain,
    bounds: { readonly before: number; readonly keep: number },
    seals: Seals,
    limit: number,
  ): Promise<number>;

  /** Adds to the counters of strangers; an hour has at most `most` of them, and one for all others. */
  countStrangers(counts: readonly StrangerCount[], most: number): Promise<void>;
  /** The counters that are not entries yet, the largest first. */
  strangers(): Promise<StrangerCount[]>;
  /** Makes entries of the counters of hours before `hour`. How many. */
  closeStrangers(hour: number, entryOf: (count: StrangerCount) => NewAuditEntry): Promise<number>;

  /** The place up to which a receiver outside has taken each chain; 0 for one that is not known. */
  delivered(receiver: string): Promise<Readonly<Record<AuditChain, number>>>;
  /** Remembers it. */
  deliver(receiver: string, places: Readonly<Record<AuditChain, number>>): Promise<void>;
}

/** An entry with its place in its chain, and the seal over it and all before it. */
export interface SealedEntry extends AuditEntry {
  readonly seq: number;
  readonly mac: Uint8Array;
}

/** Both ends of a chain, at the entries themselves: the newest, and the last that was forgotten. Zeros for none. */
export interface ChainEnds {
  readonly seq: number;
  readonly mac: Uint8Array;
  readonly floorSeq: number;
  readonly floorMac: Uint8Array;
}

export interface ChainState extends ChainEnds {
  /** Over both ends; empty until something was sealed. */
  readonly proof: Uint8Array;
}

/** Seals that only the holder of the sealing key can make. */
export interface Seals {
  readonly mac: (previous: Uint8Array, entry: Omit<SealedEntry, "mac">) => Uint8Array;
  readonly proof: (chain: AuditChain, ends: ChainEnds) => Uint8Array;
}

/** The number of times that one peer without a valid credential was refused one thing in one hour. */
export interface StrangerCount {
  /** Hours since 1970. */
  readonly hour: number;
  readonly peer: string;
  readonly action: string;
  readonly result: string;
  readonly count: number;
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

export interface PlanStore {
  /** Forgets those that have expired by `createdAt`, and the oldest, so that there are `most` at most. */
  add(plan: PlanRecord, most: number, entry: NewAuditEntry): Promise<void>;
  /** Null for one that has expired, too. */
  get(id: string, now: number): Promise<PlanRecord | null>;
}
