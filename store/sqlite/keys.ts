/** API keys in SQLite, and the row that says that there was a first admin. */
import { ServiceError } from "../../core/error.ts";
import type { KeyCreator, KeyRecord, KeyStore, NewKey } from "../../core/store.ts";
import { keepingAnAdmin } from "./admins.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";
import { insertPerson } from "./people.ts";
import { keyFrom, type KeyRow } from "../records.ts";

const KEY =
  "SELECT k.id, k.name, k.hash, k.previous_hash AS previousHash, k.previous_until AS previousUntil, " +
  "k.grants, k.created_at AS createdAt, k.created_by AS createdBy, k.creator_kind AS creatorKind, " +
  "k.creator_id AS creatorId, k.person_id AS personId, p.grants AS personGrants, " +
  "p.claims AS personClaims, p.disabled_at AS disabledAt, k.expires_at AS expiresAt, " +
  "k.sources, k.last_used_at AS lastUsedAt, k.last_used_peer AS lastUsedPeer " +
  "FROM keys k LEFT JOIN accounts p ON p.id = k.person_id";

/** A key and all keys that it made, and those made, and so on. */
const FAMILY = "WITH RECURSIVE family (id) AS (SELECT id FROM keys WHERE id = ? UNION " +
  "SELECT k.id FROM keys k JOIN family f ON k.creator_kind = 'apiKey' AND k.creator_id = f.id) ";

export function sqliteKeys(database: SqliteDatabase): KeyStore {
  return {
    list: (createdBy = null) =>
      database.read(() =>
        database.all<KeyRow>(
          `${KEY} WHERE ?1 IS NULL OR k.creator_id = ?1 ORDER BY k.created_at, k.id`,
          createdBy,
        ).map(keyFrom)
      ),
    get: (id) => database.read(() => findKey(database, id)),
    add: (key, most, entry) =>
      database.write(() => {
        const there = database.get<{ n: number }>("SELECT count(*) AS n FROM keys")?.n ?? 0;
        if (there >= most) {
          throw new ServiceError(
            "too_many_keys",
            `Cannot make the key "${key.name}": there are ${most} already; delete those that nobody uses`,
          );
        }
        insertKey(database, key);
        insertEntry(database, entry);
      }),
    remove: (id, entry) =>
      database.write(() =>
        keepingAnAdmin(database, () => {
          if (database.run(`${FAMILY} DELETE FROM keys WHERE id IN (SELECT id FROM family)`, id) === 0) {
            return false;
          }
          insertEntry(database, entry);
          return true;
        })
      ),
    rotate: (id, hash, until, entry) =>
      database.write(() => {
        const rotated = database.run(
          "UPDATE keys SET previous_hash = hash, previous_until = ?, hash = ? WHERE id = ?",
          until,
          hash,
          id,
        );
        if (rotated === 0) return false;
        insertEntry(database, entry);
        return true;
      }),
    adopt: (id, { creator, name, expiresAt }, entry) =>
      database.write(() =>
        keepingAnAdmin(database, () => {
          const person = personBehind(database, creator);
          const adopted = database.run(
            "UPDATE keys SET creator_kind = ?, creator_id = ?, created_by = ?, " +
              "expires_at = min(coalesce(expires_at, ?4), coalesce(?4, expires_at)) WHERE id = ?5",
            creator.kind,
            creator.id,
            name,
            expiresAt,
            id,
          );
          if (adopted === 0) return false;
          database.run(
            `${FAMILY} UPDATE keys SET person_id = ? WHERE id IN (SELECT id FROM family)`,
            id,
            person,
          );
          insertEntry(database, entry);
          return true;
        })
      ),
    used: (uses) =>
      database.write(() => {
        for (const [id, { at, peer }] of uses) {
          database.run("UPDATE keys SET last_used_at = ?, last_used_peer = ? WHERE id = ?", at, peer, id);
        }
      }),
    ending: (now, before, entryOf) =>
      database.write(() => {
        const ids = database.all<{ id: string }>(
          "UPDATE keys SET warned_at = ?1 WHERE warned_at IS NULL AND last_used_at IS NOT NULL " +
            "AND expires_at > ?1 AND expires_at < ?2 RETURNING id",
          now,
          before,
        );
        return ids.flatMap(({ id }) => {
          const key = findKey(database, id);
          if (key === null) return [];
          insertEntry(database, entryOf(key));
          return [key];
        });
      }),
    isSetUp: () => database.read(() => database.get("SELECT 1 FROM setup WHERE id = 1") !== undefined),
    setUp: (first, entry) =>
      database.write(() => {
        const admin = "key" in first ? first.key : first.person;
        const added = database.run(
          "INSERT INTO setup (id, admin_id, at) VALUES (1, ?, ?) ON CONFLICT DO NOTHING",
          admin.id,
          admin.createdAt,
        );
        if (added === 0) {
          throw new ServiceError("setup_done", "Cannot set up berth: it has its first admin already");
        }
        if ("key" in first) insertKey(database, first.key);
        else insertPerson(database, first.person);
        insertEntry(database, entry);
      }),
  };
}

/** Inside a read or a write. */
export function findKey(database: SqliteDatabase, id: string): KeyRecord | null {
  const row = database.get<KeyRow>(`${KEY} WHERE k.id = ?`, id);
  return row === undefined ? null : keyFrom(row);
}

function insertKey(database: SqliteDatabase, key: NewKey): void {
  const person = key.creator === null ? null : personBehind(database, key.creator);
  database.run(
    "INSERT INTO keys (id, name, hash, grants, created_at, created_by, creator_kind, creator_id, person_id, " +
      "expires_at, sources) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
function personBehind(database: SqliteDatabase, { kind, id }: KeyCreator): string | null {
  const row = database.get<{ personId: string | null; disabledAt: number | null }>(
    kind === "user"
      ? "SELECT id AS personId, disabled_at AS disabledAt FROM accounts WHERE id = ?"
      : "SELECT k.person_id AS personId, p.disabled_at AS disabledAt FROM keys k " +
        "LEFT JOIN accounts p ON p.id = k.person_id WHERE k.id = ?",
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
