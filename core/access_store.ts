/** Keys, people, sessions and signing keys, as every store remembers them. */
import type { Grant } from "./access.ts";
import type { NewAuditEntry } from "./audit_entry.ts";

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

interface KeyRotation {
  readonly hash: Uint8Array;
  readonly until: number;
  readonly now: number;
  readonly keep: string | null;
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
  /**
   * Gives the key another secret; the one before counts until `until`, and so do the key's sessions but `keep`. They
   * end at once where a secret two rotations ago might have opened them. Returns true if the key was there.
   */
  rotate(id: string, rotation: KeyRotation, entry: NewAuditEntry): Promise<boolean>;
  /** Makes somebody else the creator; the key and all that it made end no later than `expiresAt`. Throws `last_admin`. */
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
  /**
   * Changes the given fields. New grants, and disabling, end the person's link. Returns false if there is no such
   * person. Throws `last_admin`.
   */
  change(
    id: string,
    change: { readonly grants?: readonly Grant[]; readonly disabledAt?: number | null },
    entry: NewAuditEntry,
  ): Promise<boolean>;
  /** Forgets a person with their sessions and all keys that they are behind. Throws `last_admin`. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean>;
  /** Replaces a hash by a costlier one of the same password, unless it was changed meanwhile. */
  rehash(id: string, before: string, after: string): Promise<void>;
  /** Sets a password, ends all sessions but `keep`, and ends the person's link. */
  setPassword(
    id: string,
    password: string,
    keep: string | null,
    now: number,
    entry: NewAuditEntry,
  ): Promise<boolean>;
  /**
   * Makes a one-time link for the password; the one before counts no longer. Throws `forbidden` for a person who holds
   * other grants than `held` by now: whether the caller may make the link was judged by those.
   */
  link(id: string, link: PasswordLink, held: readonly Grant[], entry: NewAuditEntry): Promise<boolean>;
  /** The person that a valid link is for; null while they are disabled, too. */
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
  /**
   * Opens a session for a person or a key that is there already. Null when it is gone or disabled, and for a key's
   * secret, given as its digest, that no longer counts.
   */
  openFor(
    session: NewSession,
    holder:
      | { readonly kind: "user"; readonly id: string }
      | { readonly kind: "apiKey"; readonly id: string; readonly secret: Uint8Array },
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
type SigningKeyState = "pending" | "active" | "retiring";

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
