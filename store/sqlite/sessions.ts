/** Sessions, their accounts and their chains of refresh tokens in SQLite. */
import type {
  AccountRecord,
  NewAccount,
  NewAuditEntry,
  NewSession,
  Rotation,
  RotationResult,
  SessionRecord,
  SessionStore,
} from "../../core/store.ts";
import { accountFrom, type AccountRow } from "../records.ts";
import { ACCOUNT_COLUMNS } from "./accounts.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";
import { findKey } from "./keys.ts";

interface SessionRow extends Omit<SessionRecord, "holder"> {
  readonly accountId: string | null;
  readonly keyId: string | null;
}

interface TokenRow {
  readonly generation: number;
  readonly usedAt: number | null;
  readonly sealed: Uint8Array | null;
  readonly newest: number;
}

const SESSION = "SELECT s.id, s.account_id AS accountId, s.key_id AS keyId, s.created_at AS createdAt, " +
  "s.expires_at AS expiresAt, s.last_used_at AS lastUsedAt, s.proved_at AS provedAt, s.peer, s.device, s.binding " +
  "FROM sessions s";
/** Takes now, and the oldest last use that still counts. */
const ALIVE = "s.ended_at IS NULL AND s.expires_at > ? AND s.last_used_at > ?";

export function sqliteSessions(database: SqliteDatabase): SessionStore {
  return {
    open: (session, account, entryOf) =>
      database.write(() => {
        const remembered = remember(database, account, session.createdAt);
        if (remembered.disabledAt !== null) return remembered;
        insertSession(database, session, { kind: "user", id: remembered.id });
        insertEntry(database, entryOf(remembered));
        return remembered;
      }),
    openFor: (session, holder, entry) =>
      database.write(() => {
        if (!isThere(database, holder)) return null;
        insertSession(database, session, holder);
        insertEntry(database, entry);
        return find(database, session.id, session.createdAt, Infinity);
      }),
    get: (id, now, idleMs) => database.read(() => find(database, id, now, idleMs)),
    list: (holder, now, idleMs) =>
      database.read(() =>
        database.all<SessionRow>(
          `${SESSION} WHERE (s.account_id = ?1 OR s.key_id = ?1) AND s.ended_at IS NULL AND s.expires_at > ?2 ` +
            "AND s.last_used_at > ?3 ORDER BY s.last_used_at DESC, s.id",
          holder,
          now,
          now - idleMs,
        ).flatMap((row) => sessionFrom(database, row) ?? [])
      ),
    prove: (id, at, entry) =>
      database.write(() => {
        if (
          database.run("UPDATE sessions SET proved_at = ? WHERE id = ? AND ended_at IS NULL", at, id) === 0
        ) {
          return false;
        }
        insertEntry(database, entry);
        return true;
      }),
    rotate: (rotation, entry) => database.write(() => rotate(database, rotation, entry)),
    end: (id, now, entry) => database.write(() => end(database, id, now, entry)),
    endAll: (holder, keep, now, entry) =>
      database.write(() => {
        const ended = database.all<{ id: string }>(
          "UPDATE sessions SET ended_at = ?1 WHERE (account_id = ?2 OR key_id = ?2) AND ended_at IS NULL " +
            "AND id IS NOT ?3 RETURNING id",
          now,
          holder,
          keep,
        ).map(({ id }) => id);
        if (ended.length > 0) insertEntry(database, entry);
        return ended;
      }),
    sweep: (now, idleMs) =>
      database.write(() => {
        database.run(
          "DELETE FROM sessions WHERE ended_at IS NOT NULL OR expires_at <= ? OR last_used_at <= ?",
          now,
          now - idleMs,
        );
      }),
  };
}

function find(database: SqliteDatabase, id: string, now: number, idleMs: number): SessionRecord | null {
  const oldest = Number.isFinite(idleMs) ? now - idleMs : -1;
  const row = database.get<SessionRow>(`${SESSION} WHERE s.id = ? AND ${ALIVE}`, id, now, oldest);
  return row === undefined ? null : sessionFrom(database, row);
}

function sessionFrom(
  database: SqliteDatabase,
  { accountId, keyId, ...rest }: SessionRow,
): SessionRecord | null {
  if (keyId !== null) {
    const key = findKey(database, keyId);
    return key === null ? null : { ...rest, holder: { kind: "apiKey", key } };
  }
  const account = database.get<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts a WHERE a.id = ?`,
    accountId,
  );
  return account === undefined ? null : { ...rest, holder: { kind: "user", account: accountFrom(account) } };
}

function isThere(
  database: SqliteDatabase,
  { kind, id }: { readonly kind: "user" | "apiKey"; readonly id: string },
) {
  if (kind === "user") {
    return database.get("SELECT 1 FROM accounts WHERE id = ? AND disabled_at IS NULL", id) !== undefined;
  }
  const key = findKey(database, id);
  return key !== null && !key.disabled;
}

/** The account as it is from now on; a disabled one stays as it was. */
function remember(database: SqliteDatabase, account: NewAccount, now: number): AccountRecord {
  database.run(
    "INSERT INTO accounts (id, issuer, subject, name, email, picture, claims, created_at, last_seen_at) " +
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) " +
      "ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, email = excluded.email, " +
      "picture = excluded.picture, claims = excluded.claims, last_seen_at = excluded.last_seen_at " +
      "WHERE disabled_at IS NULL",
    account.id,
    account.issuer,
    account.subject,
    account.name,
    account.email,
    account.picture,
    account.claims,
    now,
  );
  const row = database.get<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts a WHERE a.issuer = ? AND a.subject = ?`,
    account.issuer,
    account.subject,
  );
  if (row === undefined) throw new Error("an account that was just written is not there");
  return accountFrom(row);
}

function insertSession(
  database: SqliteDatabase,
  session: NewSession,
  holder: { readonly kind: "user" | "apiKey"; readonly id: string },
): void {
  const { id, createdAt, expiresAt, provedAt, peer, device, binding } = session;
  const isPerson = holder.kind === "user";
  database.run(
    "INSERT INTO sessions (id, account_id, key_id, created_at, expires_at, last_used_at, proved_at, peer, device, " +
      "generation, binding) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)",
    id,
    isPerson ? holder.id : null,
    isPerson ? null : holder.id,
    createdAt,
    expiresAt,
    createdAt,
    provedAt,
    peer,
    device,
    binding,
  );
  if (isPerson) database.run("UPDATE accounts SET last_seen_at = ? WHERE id = ?", createdAt, holder.id);
  addToken(database, session.token, id, 1);
}

function addToken(database: SqliteDatabase, hash: Uint8Array, session: string, generation: number): void {
  database.run(
    "INSERT INTO refresh_tokens (hash, session_id, generation) VALUES (?, ?, ?)",
    hash,
    session,
    generation,
  );
}

function rotate(database: SqliteDatabase, rotation: Rotation, entry: NewAuditEntry): RotationResult {
  const { session, presented, now } = rotation;
  const token = database.get<TokenRow>(
    "SELECT t.generation, t.used_at AS usedAt, t.sealed_successor AS sealed, s.generation AS newest " +
      `FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE t.hash = ? AND s.id = ? AND ${ALIVE}`,
    presented,
    session,
    now,
    now - rotation.idleMs,
  );
  if (token === undefined) return { kind: "ended" };
  if (token.usedAt === null) {
    const generation = token.generation + 1;
    // The one before is past its grace now: its successor was used. Nothing may open it any more.
    database.run(
      "UPDATE refresh_tokens SET sealed_successor = NULL WHERE session_id = ? AND sealed_successor IS NOT NULL",
      session,
    );
    database.run(
      "UPDATE refresh_tokens SET used_at = ?, sealed_successor = ? WHERE hash = ?",
      now,
      rotation.sealed,
      presented,
    );
    addToken(database, rotation.successor, session, generation);
    database.run(
      "UPDATE sessions SET generation = ?, last_used_at = ? WHERE id = ?",
      generation,
      now,
      session,
    );
    database.run(
      "UPDATE accounts SET last_seen_at = ? WHERE id = (SELECT account_id FROM sessions WHERE id = ?)",
      now,
      session,
    );
    return { kind: "rotated" };
  }
  const isPredecessor = token.generation === token.newest - 1;
  if (isPredecessor && now - token.usedAt <= rotation.graceMs && token.sealed !== null) {
    return { kind: "repeated", sealed: token.sealed };
  }
  end(database, session, now, entry);
  return { kind: "reused" };
}

function end(database: SqliteDatabase, session: string, now: number, entry: NewAuditEntry): boolean {
  const ended = database.run(
    "UPDATE sessions SET ended_at = ? WHERE id = ? AND ended_at IS NULL",
    now,
    session,
  );
  database.run("UPDATE refresh_tokens SET sealed_successor = NULL WHERE session_id = ?", session);
  if (ended === 0) return false;
  insertEntry(database, entry);
  return true;
}
