/** Sessions, their accounts and their chains of refresh tokens in SQLite. */
import type {
  AccountRecord,
  NewAuditEntry,
  NewSession,
  Rotation,
  RotationResult,
  SessionStore,
} from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";

interface SessionRow {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number;
  readonly binding: Uint8Array | null;
  readonly accountId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  readonly picture: string | null;
  readonly claims: string;
}

interface TokenRow {
  readonly generation: number;
  readonly usedAt: number | null;
  readonly sealed: Uint8Array | null;
  readonly newest: number;
}

const SESSION =
  "SELECT s.id, s.created_at AS createdAt, s.expires_at AS expiresAt, s.last_used_at AS lastUsedAt, " +
  "s.binding, a.id AS accountId, a.issuer, a.subject, a.name, a.email, a.picture, a.claims " +
  "FROM sessions s JOIN accounts a ON a.id = s.account_id";
/** Takes id, now, and the oldest last use that still counts. */
const ALIVE = "s.id = ? AND s.ended_at IS NULL AND s.expires_at > ? AND s.last_used_at > ?";

export function sqliteSessions(database: SqliteDatabase): SessionStore {
  return {
    open: (session, account, entryOf) =>
      database.write(() => {
        const remembered = open(database, session, account);
        insertEntry(database, entryOf(remembered));
        return remembered;
      }),
    get: (id, now, idleMs) =>
      database.read(() => {
        const row = database.get<SessionRow>(`${SESSION} WHERE ${ALIVE}`, id, now, now - idleMs);
        if (row === undefined) return null;
        const { createdAt, expiresAt, lastUsedAt, binding, accountId, ...rest } = row;
        const { issuer, subject, name, email, picture, claims } = rest;
        const account = { id: accountId, issuer, subject, name, email, picture, claims };
        return { id: row.id, account, createdAt, expiresAt, lastUsedAt, binding };
      }),
    rotate: (rotation, entry) => database.write(() => rotate(database, rotation, entry)),
    end: (id, now, entry) => database.write(() => end(database, id, now, entry)),
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

function open(database: SqliteDatabase, session: NewSession, account: AccountRecord): AccountRecord {
  database.run(
    "INSERT INTO accounts (id, issuer, subject, name, email, picture, claims) VALUES (?, ?, ?, ?, ?, ?, ?) " +
      "ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, email = excluded.email, " +
      "picture = excluded.picture, claims = excluded.claims",
    account.id,
    account.issuer,
    account.subject,
    account.name,
    account.email,
    account.picture,
    account.claims,
  );
  const known = database.get<{ id: string }>(
    "SELECT id FROM accounts WHERE issuer = ? AND subject = ?",
    account.issuer,
    account.subject,
  );
  const id = known?.id ?? account.id;
  database.run(
    "INSERT INTO sessions (id, account_id, created_at, expires_at, last_used_at, generation, binding) " +
      "VALUES (?, ?, ?, ?, ?, 1, ?)",
    session.id,
    id,
    session.createdAt,
    session.expiresAt,
    session.createdAt,
    session.binding,
  );
  addToken(database, session.token, session.id, 1);
  return { ...account, id };
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
      `FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE t.hash = ? AND ${ALIVE}`,
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
