/** The store on one SQLite file: what a single berth needs, with no server beside it. */
import type { Store } from "../core/store.ts";
import { sqliteAudit } from "./sqlite_audit.ts";
import { SqliteDatabase } from "./sqlite_database.ts";
import { sqliteKeys } from "./sqlite_keys.ts";
import { sqliteSessions } from "./sqlite_sessions.ts";
import { sqliteSigningKeys } from "./sqlite_signing_keys.ts";
import { sqliteWorkspaces } from "./sqlite_workspaces.ts";

/** Opens the file, makes it if it is not there, and brings its schema up to date. Throws `store_unavailable`. */
export async function openSqliteStore(path: string): Promise<Store> {
  const database = await SqliteDatabase.open(path);
  return {
    workspaces: sqliteWorkspaces(database),
    keys: sqliteKeys(database),
    sessions: sqliteSessions(database),
    signingKeys: sqliteSigningKeys(database),
    audit: sqliteAudit(database),
    check: () => database.read(() => void database.get("SELECT 1 FROM setup")),
    backup: (file) => database.backup(file),
    [Symbol.asyncDispose]: () => Promise.resolve(database.close()),
  };
}
