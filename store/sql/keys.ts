/** API keys, and the row that says that there was a first admin. */
import { ServiceError } from "../../core/error.ts";
import type { KeyCreator, KeyRecord, KeyStore, NewKey } from "../../core/access_store.ts";
import { keepingAnAdmin } from "./admins.ts";
import { insertEntry } from "./audit.ts";
import { insertPerson } from "./people.ts";
import { keyFrom, type KeyRow } from "./records.ts";
import { all, get, lock, RIGHTS, run, runShared, type Sql, type Steps, tell } from "./steps.ts";

const KEY =
  'SELECT k.id, k.name, k.hash, k.previous_hash AS "previousHash", k.previous_until AS "previousUntil", ' +
  'k.grants, k.created_at AS "createdAt", k.created_by AS "createdBy", k.creator_kind AS "creatorKind", ' +
  'k.creator_id AS "creatorId", k.person_id AS "personId", p.grants AS "personGrants", ' +
  'p.claims AS "personClaims", p.disabled_at AS "disabledAt", ' +
  'k.expires_at AS "expiresAt", k.sources, k.last_used_at AS "lastUsedAt", k.last_used_peer AS "lastUsedPeer" ' +
  "FROM keys k LEFT JOIN accounts p ON p.id = k.person_id";

/** A key and all keys that it made, and those made, and so on. */
const FAMILY = "WITH RECURSIVE family (id) AS (SELECT id FROM keys WHERE id = $1 UNION " +
  "SELECT k.id FROM keys k JOIN family f ON k.creator_kind = 'apiKey' AND k.creator_id = f.id) ";

export function sqlKeys(sql: Sql): KeyStore {
  return {
    list: async (createdBy = null) => {
      const rows = await sql.read(() =>
        all<KeyRow>(
          `${KEY} WHERE $1::text IS NULL OR k.creator_id = $1 ORDER BY k.created_at, k.id`,
          createdBy,
        )
      );
      return rows.map(keyFrom);
    },
    get: (id) => sql.read(() => findKey(id)),
    add: (key, most, entry) =>
      sql.write(function* () {
        yield* lock("rights");
        const there = (yield* get<{ n: number }>("SELECT count(*) AS n FROM keys"))?.n ?? 0;
        if (there >= most) {
          throw new ServiceError(
            "too_many_keys",
            `Cannot make the key "${key.name}": there are ${most} already; delete those that nobody uses`,
          );
        }
        yield* insertKey(key);
        yield* insertEntry(entry);
      }),
    remove: (id, entry) =>
      sql.write(() =>
        keepingAnAdmin(function* () {
          if ((yield* run(`${FAMILY} DELETE FROM keys WHERE id IN (SELECT id FROM family)`, id)) === 0) {
            return false;
          }
          yield* insertEntry(entry);
          yield* tell(RIGHTS);
          return true;
        })
      ),
    ...changes(sql),
    ...uses(sql),
    ...setup(sql),
  };
}

function changes(sql: Sql): Pick<KeyStore, "rotate" | "adopt"> {
  return {
    rotate: (id, { hash, until, now, keep }, entry) =>
      sql.write(function* () {
        const before = yield* get<Pick<KeyRow, "previousUntil">>(
          'SELECT previous_until AS "previousUntil" FROM keys WHERE id = $1 FOR UPDATE',
          id,
        );
        if (before === undefined) return false;
        yield* run(
          "UPDATE keys SET previous_hash = hash, previous_until = $1, hash = $2 WHERE id = $3",
          until,
          hash,
          id,
        );
        // The secret of an overlap that still lasts ends now, and some of the sessions may be of that one.
        const end = (before.previousUntil ?? 0) > now ? now : until;
        yield* run(
          "UPDATE sessions SET expires_at = $1, ended_at = CASE WHEN $1::bigint <= $2::bigint THEN $2 ELSE ended_at END " +
            "WHERE key_id = $3 AND ended_at IS NULL AND expires_at > $1 AND id IS DISTINCT FROM $4",
          end,
          now,
          id,
          keep,
        );
        yield* insertEntry(entry);
        yield* tell(RIGHTS);
        return true;
      }),
    adopt: (id, { creator, name, expiresAt }, entry) =>
      sql.write(() =>
        keepingAnAdmin(function* () {
          const person = yield* personBehind(creator);
          const adopted = yield* run(
            "UPDATE keys SET creator_kind = $1, creator_id = $2, created_by = $3 WHERE id = $4",
            creator.kind,
            creator.id,
            name,
            id,
          );
          if (adopted === 0) return false;
          yield* run(
            `${FAMILY} UPDATE keys SET person_id = $2, expires_at = CASE WHEN expires_at < $3::bigint ` +
              "THEN expires_at ELSE coalesce($3::bigint, expires_at) END WHERE id IN (SELECT id FROM family)",
            id,
            person,
            expiresAt,
          );
          yield* insertEntry(entry);
          yield* tell(RIGHTS);
          return true;
        })
      ),
  };
}

function uses(sql: Sql): Pick<KeyStore, "used" | "ending"> {
  return {
    used: (uses) =>
      sql.write(function* () {
        const ids = [...uses.keys()].sort(); // in one order for all replicas
        const last = ids.flatMap((id) => uses.get(id) ?? []);
        yield* run(
          "UPDATE keys SET last_used_at = u.at, last_used_peer = u.peer " +
            "FROM unnest($1::text[], $2::bigint[], $3::text[]) AS u (id, at, peer) " +
            "WHERE keys.id = u.id AND coalesce(keys.last_used_at, 0) <= u.at",
          ids,
          last.map(({ at }) => at),
          last.map(({ peer }) => peer),
        );
      }),
    ending: (now, before, entryOf) =>
      sql.write(function* () {
        const ids = yield* all<{ id: string }>(
          "UPDATE keys SET warned_at = $1 WHERE warned_at IS NULL AND last_used_at IS NOT NULL " +
            "AND expires_at > $1 AND expires_at < $2 RETURNING id",
          now,
          before,
        );
        const ending: KeyRecord[] = [];
        for (const { id } of ids) {
          const key = yield* findKey(id);
          if (key === null) continue;
          yield* insertEntry(entryOf(key));
          ending.push(key);
        }
        return ending;
      }),
  };
}

function setup(sql: Sql): Pick<KeyStore, "isSetUp" | "setUp"> {
  return {
    isSetUp: async () => await sql.read(() => get("SELECT 1 FROM setup WHERE id = 1")) !== undefined,
    setUp: (first, entry) =>
      sql.write(function* () {
        const admin = "key" in first ? first.key : first.person;
        const added = yield* run(
          "INSERT INTO setup (id, admin_id, at) VALUES (1, $1, $2) ON CONFLICT DO NOTHING",
          admin.id,
          admin.createdAt,
        );
        if (added === 0) {
          throw new ServiceError("setup_done", "Cannot set up berth: it has its first admin already");
        }
        yield* runShared("DELETE FROM setup_token");
        if ("key" in first) yield* insertKey(first.key);
        else yield* insertPerson(first.person);
        yield* insertEntry(entry);
      }),
  };
}

/** Inside a read or a write. */
export function* findKey(id: string): Steps<KeyRecord | null> {
  const row = yield* get<KeyRow>(`${KEY} WHERE k.id = $1`, id);
  return row === undefined ? null : keyFrom(row);
}

function* insertKey(key: NewKey): Steps<void> {
  const person = key.creator === null ? null : yield* personBehind(key.creator);
  yield* run(
    "INSERT INTO keys (id, name, hash, grants, created_at, created_by, creator_kind, creator_id, person_id, " +
      "expires_at, sources) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    key.id,
    key.name,
    key.hash,
    JSON.stringify(key.grants),
    key.createdAt,
    key.createdBy,
    key.creator?.kind ?? null,
    key.creator?.id ?? null,
    person,
    key.expiresAt,
    JSON.stringify(key.from),
  );
}

/** A creator that is gone or disabled by now makes nothing any more: its keys would outlive it. */
function* personBehind({ kind, id }: KeyCreator): Steps<string | null> {
  const row = yield* get<{ personId: string | null; disabledAt: number | null }>(
    kind === "user"
      ? 'SELECT id AS "personId", disabled_at AS "disabledAt" FROM accounts WHERE id = $1'
      : 'SELECT k.person_id AS "personId", p.disabled_at AS "disabledAt" FROM keys k ' +
        "LEFT JOIN accounts p ON p.id = k.person_id WHERE k.id = $1",
    id,
  );
  if (row === undefined || row.disabledAt !== null) {
    throw new ServiceError(
      "unauthenticated",
      "Cannot make the key: its creator was just deleted or disabled",
    );
  }
  return row.personId;
}
