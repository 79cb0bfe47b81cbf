/** Sessions, their accounts and their chains of refresh tokens; a session's row is the lock of its chain. */
import type {
  AccountRecord,
  NewAccount,
  NewSession,
  Rotation,
  RotationResult,
  SessionRecord,
  SessionStore,
} from "../../core/access_store.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { accountFrom, type AccountRow } from "./records.ts";
import { ACCOUNT_COLUMNS } from "./accounts.ts";
import { insertEntry } from "./audit.ts";
import { findKey } from "./keys.ts";
import { all, get, RIGHTS, run, type Sql, type Steps, tell } from "./steps.ts";

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

type Holder = Parameters<SessionStore["openFor"]>[1];

const SESSION =
  'SELECT s.id, s.account_id AS "accountId", s.key_id AS "keyId", s.created_at AS "createdAt", ' +
  's.expires_at AS "expiresAt", s.last_used_at AS "lastUsedAt", s.proved_at AS "provedAt", s.peer, s.device, s.binding ' +
  "FROM sessions s";

export function sqlSessions(sql: Sql): SessionStore {
  return {
    open: (session, account, entryOf) =>
      sql.write(function* () {
        const remembered = yield* remember(account, session.createdAt);
        if (remembered.disabledAt !== null) return remembered;
        yield* insertSession(session, { kind: "user", id: remembered.id });
        yield* insertEntry(entryOf(remembered));
        return remembered;
      }),
    openFor: (session, holder, entry) =>
      sql.write(function* () {
        if (!(yield* isThere(holder, session.createdAt))) return null;
        yield* insertSession(session, holder);
        yield* insertEntry(entry);
        return yield* find(session.id, session.createdAt, Infinity);
      }),
    get: (id, now, idleMs) => sql.read(() => find(id, now, idleMs)),
    list: (holder, now, idleMs) =>
      sql.read(function* () {
        const rows = yield* all<SessionRow>(
          `${SESSION} WHERE (s.account_id = $1 OR s.key_id = $1) AND s.ended_at IS NULL AND s.expires_at > $2 ` +
            "AND s.last_used_at > $3 ORDER BY s.last_used_at DESC, s.id",
          holder,
          now,
          now - idleMs,
        );
        const sessions: SessionRecord[] = [];
        for (const row of rows) {
          const session = yield* sessionFrom(row);
          if (session !== null) sessions.push(session);
        }
        return sessions;
      }),
    prove: (id, at, entry) =>
      sql.write(function* () {
        if (
          (yield* run("UPDATE sessions SET proved_at = $1 WHERE id = $2 AND ended_at IS NULL", at, id)) === 0
        ) {
          return false;
        }
        yield* insertEntry(entry);
        return true;
      }),
    rotate: (rotation, entry) => sql.write(() => rotate(rotation, entry)),
    end: (id, now, entry) => sql.write(() => end(id, now, entry)),
    endAll: (holder, keep, now, entry) =>
      sql.write(function* () {
        const ended = yield* all<{ id: string }>(
          "UPDATE sessions SET ended_at = $1 WHERE (account_id = $2 OR key_id = $2) AND ended_at IS NULL " +
            "AND id IS DISTINCT FROM $3 RETURNING id",
          now,
          holder,
          keep,
        );
        if (ended.length > 0) {
          yield* insertEntry(entry);
          yield* tell(RIGHTS);
        }
        return ended.map(({ id }) => id);
      }),
    sweep: (now, idleMs) =>
      sql.write(function* () {
        yield* run(
          "DELETE FROM sessions WHERE ended_at IS NOT NULL OR expires_at <= $1 OR last_used_at <= $2",
          now,
          now - idleMs,
        );
      }),
  };
}

function* find(
  id: string,
  now: number,
  idleMs: number,
): Steps<SessionRecord | null> {
  const row = yield* get<SessionRow>(
    `${SESSION} WHERE s.id = $1 AND s.ended_at IS NULL AND s.expires_at > $2 AND s.last_used_at > $3`,
    id,
    now,
    Number.isFinite(idleMs) ? now - idleMs : -1,
  );
  return row === undefined ? null : yield* sessionFrom(row);
}

function* sessionFrom(
  { accountId, keyId, ...rest }: SessionRow,
): Steps<SessionRecord | null> {
  if (keyId !== null) {
    const key = yield* findKey(keyId);
    return key === null ? null : { ...rest, holder: { kind: "apiKey", key } };
  }
  const account = yield* get<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE id = $1`,
    accountId,
  );
  return account === undefined ? null : { ...rest, holder: { kind: "user", account: accountFrom(account) } };
}

/** A row that is found stays until the end of the transaction. */
function* isThere(holder: Holder, now: number): Steps<boolean> {
  const { id } = holder;
  if (holder.kind === "user") {
    const sql = "SELECT 1 FROM accounts WHERE id = $1 AND disabled_at IS NULL FOR SHARE";
    return (yield* get(sql, id)) !== undefined;
  }
  const sql = "SELECT 1 FROM keys WHERE id = $1 " +
    "AND (hash = $2 OR (previous_hash = $2 AND previous_until > $3)) FOR SHARE";
  if ((yield* get(sql, id, holder.secret, now)) === undefined) return false;
  const key = yield* findKey(id);
  return key !== null && !key.disabled;
}

/** The account as it is from now on; a disabled one stays as it was. */
function* remember(account: NewAccount, now: number): Steps<AccountRecord> {
  yield* run(
    "INSERT INTO accounts (id, issuer, subject, name, email, picture, claims, created_at, last_seen_at) " +
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) " +
      "ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, email = excluded.email, " +
      "picture = excluded.picture, claims = excluded.claims, last_seen_at = excluded.last_seen_at " +
      "WHERE accounts.disabled_at IS NULL",
    account.id,
    account.issuer,
    account.subject,
    account.name,
    account.email,
    account.picture,
    account.claims,
    now,
  );
  const row = yield* get<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE issuer = $1 AND subject = $2`,
    account.issuer,
    account.subject,
  );
  if (row === undefined) throw new Error("an account that was just written is not there");
  return accountFrom(row);
}

function* insertSession(session: NewSession, holder: Pick<Holder, "kind" | "id">): Steps<void> {
  const { id, createdAt, expiresAt, provedAt, peer, device, binding } = session;
  const isPerson = holder.kind === "user";
  yield* run(
    "INSERT INTO sessions (id, account_id, key_id, created_at, expires_at, last_used_at, proved_at, peer, device, " +
      "generation, binding) VALUES ($1, $2, $3, $4, $5, $4, $6, $7, $8, 1, $9)",
    id,
    isPerson ? holder.id : null,
    isPerson ? null : holder.id,
    createdAt,
    expiresAt,
    provedAt,
    peer,
    device,
    binding,
  );
  if (isPerson) yield* run("UPDATE accounts SET last_seen_at = $1 WHERE id = $2", createdAt, holder.id);
  yield* addToken(session.token, id, 1);
}

function* addToken(
  hash: Uint8Array,
  session: string,
  generation: number,
): Steps<void> {
  yield* run(
    "INSERT INTO refresh_tokens (hash, session_id, generation) VALUES ($1, $2, $3)",
    hash,
    session,
    generation,
  );
}

function* rotate(rotation: Rotation, entry: NewAuditEntry): Steps<RotationResult> {
  const { session, presented, now } = rotation;
  const alive = yield* get<{ newest: number; accountId: string | null }>(
    'SELECT generation AS newest, account_id AS "accountId" FROM sessions ' +
      "WHERE id = $1 AND ended_at IS NULL AND expires_at > $2 AND last_used_at > $3 FOR UPDATE",
    session,
    now,
    now - rotation.idleMs,
  );
  if (alive === undefined) return { kind: "ended" };
  const token = yield* get<Omit<TokenRow, "newest">>(
    'SELECT generation, used_at AS "usedAt", sealed_successor AS sealed FROM refresh_tokens ' +
      "WHERE hash = $1 AND session_id = $2",
    presented,
    session,
  );
  if (token === undefined) return { kind: "ended" };
  if (token.usedAt === null) {
    const generation = token.generation + 1;
    // The one before is past its grace now: its successor was used. Nothing may open it any more.
    yield* run(
      "UPDATE refresh_tokens SET used_at = CASE WHEN hash = $1 THEN $2 ELSE used_at END, " +
        "sealed_successor = CASE WHEN hash = $1 THEN $3::bytea END " +
        "WHERE session_id = $4 AND (hash = $1 OR sealed_successor IS NOT NULL)",
      presented,
      now,
      rotation.sealed,
      session,
    );
    yield* addToken(rotation.successor, session, generation);
    yield* run(
      "UPDATE sessions SET generation = $1, last_used_at = $2 WHERE id = $3",
      generation,
      now,
      session,
    );
    if (alive.accountId !== null) {
      yield* run("UPDATE accounts SET last_seen_at = $1 WHERE id = $2", now, alive.accountId);
    }
    return { kind: "rotated" };
  }
  const isPredecessor = token.generation === alive.newest - 1;
  if (isPredecessor && now - token.usedAt <= rotation.graceMs && token.sealed !== null) {
    return { kind: "repeated", sealed: token.sealed };
  }
  yield* end(session, now, entry);
  return { kind: "reused" };
}

function* end(session: string, now: number, entry: NewAuditEntry): Steps<boolean> {
  const ended = yield* run(
    "UPDATE sessions SET ended_at = $1 WHERE id = $2 AND ended_at IS NULL",
    now,
    session,
  );
  yield* run("UPDATE refresh_tokens SET sealed_successor = NULL WHERE session_id = $1", session);
  if (ended === 0) return false;
  yield* insertEntry(entry);
  yield* tell(RIGHTS);
  return true;
}
