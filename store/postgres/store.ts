/** The store on PostgreSQL: what several replicas share. */
import type { Store } from "../../core/store.ts";
import { tablesOf } from "../sql/tables.ts";
import { postgresCopy } from "./copy.ts";
import type { PostgresSettings } from "./connection.ts";
import { PostgresDatabase } from "./database.ts";
import { MIGRATIONS, type Step } from "./migrations.ts";
import { postgresReplicas } from "./replicas.ts";
import { postgresSql } from "./sql.ts";

/** Connects, and brings the schema up to date. Throws `store_unavailable`. `steps`: other migrations than ours. */
export async function openPostgresStore(settings: PostgresSettings, steps?: readonly Step[]): Promise<Store> {
  const database = await PostgresDatabase.open(settings, steps);
  return {
    ...tablesOf(postgresSql(database)),
    replicas: postgresReplicas(database, (steps ?? MIGRATIONS).length),
    retries: () => database.retries,
    upgradedFrom: database.upgradedFrom === null ? null : { kind: "postgres", schema: database.upgradedFrom },
    check: () => database.check(),
    backup: null,
    copy: postgresCopy(database),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
