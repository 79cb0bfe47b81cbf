/** The store on one SQLite file: what a single berth needs, with no server beside it. */
import type { Store } from "../../core/store.ts";
import { sqliteApplies } from "./applies.ts";
import { sqliteAudit } from "./audit_store.ts";
import { sqliteCommands } from "./commands.ts";
import { sqliteCopy } from "./copy.ts";
import { SqliteDatabase } from "./database.ts";
import { sqliteFileVersions } from "./file_versions.ts";
import { sqliteKeys } from "./keys.ts";
import { sqliteOffers } from "./offers.ts";
import { sqlitePeople } from "./people.ts";
import { sqlitePlans } from "./plans.ts";
import { sqliteSessions } from "./sessions.ts";
import { sqliteSigningKeys } from "./signing_keys.ts";
import { sqliteWorkspaces } from "./workspaces.ts";

/** Opens the file, makes it if it is not there, and brings its schema up to date. Throws `store_unavailable`. */
export async function openSqliteStore(path: string): Promise<Store> {
  const database = await SqliteDatabase.open(path);
  return {
    workspaces: sqliteWorkspaces(database),
    fileVersions: sqliteFileVersions(database),
    keys: sqliteKeys(database),
    people: sqlitePeople(database),
    sessions: sqliteSessions(database),
    signingKeys: sqliteSigningKeys(database),
    audit: sqliteAudit(database),
    offers: sqliteOffers(database),
    commands: sqliteCommands(database),
    plans: sqlitePlans(database),
    applies: sqliteApplies(database),
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
