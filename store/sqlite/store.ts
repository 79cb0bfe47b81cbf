/** The store on one SQLite file: what a single berth needs, with no server beside it. */
import type { Store } from "../../core/store.ts";
import { tablesOf } from "../sql/tables.ts";
import { sqliteCopy } from "./copy.ts";
import { SqliteDatabase } from "./database.ts";
import { sqliteSql } from "./sql.ts";

/** Opens the file, makes it if it is not there, and brings its schema up to date. Throws `store_unavailable`. */
export async function openSqliteStore(path: string): Promise<Store> {
  const database = await SqliteDatabase.open(path);
  return {
    ...tablesOf(sqliteSql(database)),
    replicas: null,
    retries: null,
    upgradedFrom: database.upgradedFrom === null ? null : { kind: "sqlite", schema: database.upgradedFrom },
    check: () =>
      database.read(() => {
        database.get("SELECT 1 FROM setup");
        database.check();
      }),
    backup: (file) => database.backup(file),
    copy: sqliteCopy(database),
    [Symbol.asyncDispose]: () => Promise.resolve(database.close()),
  };
}
