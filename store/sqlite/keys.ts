/** API keys in SQLite, and the row that says that the first admin was born. */
import type { Permission, Role } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import type { KeyRecord, KeyStore, NewAuditEntry } from "../../core/store.ts";
import { insertEntry } from "./audit.ts";
import type { SqliteDatabase } from "./database.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly hash: Uint8Array;
  readonly role: Role | null;
  readonly permissions: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

const COLUMNS = "id, name, hash, role, permissions, created_at AS createdAt, created_by AS createdBy, " +
  "expires_at AS expiresAt, last_used_at AS lastUsedAt";

export function sqliteKeys(database: SqliteDatabase): KeyStore {
  function find(id: string): Row | undefined {
    return database.get<Row>(`SELECT ${COLUMNS} FROM keys WHERE id = ?`, id);
  }

  function insert(key: KeyRecord, entry: NewAuditEntry): void {
    database.run(
      "INSERT INTO keys (id, name, hash, role, permissions, created_at, created_by, expires_at, last_used_at) " +
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      key.id,
      key.name,
      key.hash,
      key.role,
      JSON.stringify(key.permissions),
      key.createdAt,
      key.createdBy,
      key.expiresAt,
      key.lastUsedAt,
    );
    insertEntry(database, entry);
  }

  return {
    list: () =>
      database.read(() =>
        database.all<Row>(`SELECT ${COLUMNS} FROM keys ORDER BY created_at, id`).map(keyFrom)
      ),
    get: (id) =>
      database.read(() => {
        const row = find(id);
        return row === undefined ? null : keyFrom(row);
      }),
    add: (key, entry) => database.write(() => insert(key, entry)),
    remove: (id, now, entry) =>
      database.write(() => {
        const key = find(id);
        if (key === undefined) return false;
        if (key.role === "admin" && isAlive(key, now)) {
          const others = database.get<{ n: number }>(
            "SELECT count(*) AS n FROM keys WHERE role = 'admin' AND id <> ? AND (expires_at IS NULL OR expires_at > ?)",
            id,
            now,
          );
          if (others?.n === 0) {
            throw new ServiceError(
              "last_admin",
              `Cannot delete the key "${key.name}": it is the last admin credential; make another one first`,
            );
          }
        }
        database.run("DELETE FROM keys WHERE id = ?", id);
        insertEntry(database, entry);
        return true;
      }),
    used: (uses) =>
      database.write(() => {
        for (const [id, at] of uses) database.run("UPDATE keys SET last_used_at = ? WHERE id = ?", at, id);
      }),
    isSetUp: () => database.read(() => database.get("SELECT 1 FROM setup WHERE id = 1") !== undefined),
    setUp: (key, entry) =>
      database.write(() => {
        const first = database.run(
          "INSERT INTO setup (id, key_id, at) VALUES (1, ?, ?) ON CONFLICT DO NOTHING",
          key.id,
          key.createdAt,
        );
        if (first === 0) {
          throw new ServiceError("setup_done", "Cannot set up berth: it has its first admin already");
        }
        insert(key, entry);
      }),
  };
}

function isAlive(key: Row, now: number): boolean {
  return key.expiresAt === null || key.expiresAt > now;
}

function keyFrom(row: Row): KeyRecord {
  // Written by `insert` alone, from a checked list.
  return { ...row, permissions: JSON.parse(row.permissions) as Permission[] };
}
