/** What berth remembers between two starts, and what each memory promises, whoever keeps it. */
import type { Permission, Role } from "./access.ts";

/**
 * Every promise of a store may be rejected with `store_unavailable` (locked, full, damaged, gone); then nothing was
 * written, except that a failed commit may still have happened: read again.
 * Times inside the store are milliseconds since 1970; `hash` is the SHA-256 of a secret the store never sees.
 *
 * A method that changes what somebody asked for takes the entry of the audit log that tells of it, last, and commits
 * both or neither: no change without its entry, and no entry where nothing changed. Housekeeping (last uses, forgetting
 * what is over) takes none.
 */
export interface Store extends AsyncDisposable {
  readonly workspaces: WorkspaceStore;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly signingKeys: SigningKeyStore;
  readonly audit: AuditStore;
  /** Resolves while the store can be read. */
  check(): Promise<void>;
  /** Writes a complete copy, while the service runs; the file has its name only once it is whole. */
  backup(file: string): Promise<void>;
}

export interface WorkspaceRecord {
  readonly id: string;
  readonly name: string;
  /** The real path, absolute. */
  readonly path: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Whether files with several hard links are read. */
  readonly allowHardLinks: boolean;
}

export interface WorkspaceStore {
  /** In order of their names. */
  list(): Promise<WorkspaceRecord[]>;
  get(id: string): Promise<WorkspaceRecord | null>;
  /** Throws `workspace_exists` if the id or the path is taken. */
  add(record: WorkspaceRecord, entry: NewAuditEntry): Promise<void>;
  /** Whether it is there. */
  setHardLinks(id: string, allowed: boolean, entry: NewAuditEntry): Promise<boolean>;
  /** Whether it was there. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean>;
}

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly hash: Uint8Array;
  /** Null for a key that lists its permissions itself. */
  readonly role: Role | null;
  /** What the key lists; empty for a key with a role. */
  readonly permissions: readonly Permission[];
  readonly createdAt: number;
  /** The name of whoever made it. */
  readonly createdBy: string;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface KeyStore {
  list(): Promise<KeyRecord[]>;
  get(id: string): Promise<KeyRecord | null>;
  add(key: KeyRecord, entry: NewAuditEntry): Promise<void>;
  /** Forgets a key, and says whether it was there. Throws `last_admin` if no other living admin key would be left. */
  remove(id: string, now: number, entry: NewAuditEntry): Promise<boolean>;
  /** Remembers when keys were last used; unknown ids are ignored. */
  used(uses: ReadonlyMap<string, number>): Promise<void>;
  /** Whether the first admin was born. Once true, true for ever, whatever is deleted afterwards. */
  isSetUp(): Promise<boolean>;
  /** Adds the first admin's key. Throws `setup_done` for everybody but the first caller. */
  setUp(key: KeyRecord, entry: NewAuditEntry): Promise<void>;
}

/** A person, as their identity provider knows them: (issuer, subject), never the e-mail address. */
export interface AccountRecord {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  readonly picture: string | null;
  /** The claims that role rules look at, as JSON, from the last sign-in; the role itself is never stored. */
  readonly claims: string;
}

export interface SessionRecord {
  readonly id: string;
  readonly account: AccountRecord;
  readonly createdAt: number;
  /** When it ends, however often it is refreshed. */
  readonly expiresAt: number;
  readonly lastUsedAt: number;
  /** The SHA-256 of the value that a cookie session is bound to. */
  readonly binding: Uint8Array | null;
}

export interface NewSession {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
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
   * over the rest; the answer is the account as it is remembered, which the entry tells of.
   */
  open(
    session: NewSession,
    account: AccountRecord,
    entryOf: (remembered: AccountRecord) => NewAuditEntry,
  ): Promise<AccountRecord>;
  /** A session that is alive at `now`: not ended, not past its end, not idle for longer than `idleMs`. */
  get(id: string, now: number, idleMs: number): Promise<SessionRecord | null>;
  /** Exactly one of many parallel callers is told `rotated`; the entry tells of the end that `reused` brings. */
  rotate(rotation: Rotation, entry: NewAuditEntry): Promise<RotationResult>;
  /** Whether it was alive. */
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

/** `changes`: what was begun or done. `refusals`: what was refused before it began. Each is kept in its own time. */
export const AUDIT_CHAINS = ["changes", "refusals"] as const;
export type AuditChain = typeof AUDIT_CHAINS[number];

export interface AuditActor {
  readonly kind: "user" | "apiKey" | "anonymous" | "system";
  readonly id: string;
  readonly name: string;
}

export interface NewAuditEntry {
  readonly chain: AuditChain;
  readonly at: number;
  readonly actor: AuditActor;
  /** What was shown to come in: `key:<id>` or `session:<id>`; null where nobody had to show anything. */
  readonly credential: string | null;
  /** What was tried: `session.reuse`, or the method and path template of a route. */
  readonly action: string;
  readonly target: string | null;
  /** What else is worth knowing, as a command and its user; nothing secret. */
  readonly particulars: Readonly<Record<string, string>>;
  /** `begun` before an act on an engine, then `done`; or the code of the refusal or failure. */
  readonly result: string;
  readonly requestId: string | null;
  readonly peer: string | null;
  /** How many times; only what strangers were refused is counted. */
  readonly count: number;
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
  /** How many entries wait for their seal. */
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

/** What only the holder of the sealing key can make. */
export interface Seals {
  readonly mac: (previous: Uint8Array, entry: Omit<SealedEntry, "mac">) => Uint8Array;
  readonly proof: (chain: AuditChain, ends: ChainEnds) => Uint8Array;
}

/** How often one peer without a good credential was refused one thing in one hour. */
export interface StrangerCount {
  /** Hours since 1970. */
  readonly hour: number;
  readonly peer: string;
  readonly action: string;
  readonly result: string;
  readonly count: number;
}
