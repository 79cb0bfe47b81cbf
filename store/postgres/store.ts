/** The store on PostgreSQL: what several replicas share. */
import type { Store } from "../../core/store.ts";
import { postgresApplies } from "./applies.ts";
import { postgresAudit } from "./audit_store.ts";
import { postgresCommands } from "./commands.ts";
import { postgresCopy } from "./copy.ts";
import type { PostgresSettings } from "./connection.ts";
import { PostgresDatabase } from "./database.ts";
import { postgresFileVersions } from "./file_versions.ts";
import { postgresKeys } from "./keys.ts";
import { MIGRATIONS, type Step } from "./migrations.ts";
import { postgresOffers } from "./offers.ts";
import { postgresPeople } from "./people.ts";
import { postgresPlans } from "./plans.ts";
import { postgresReplicas } from "./replicas.ts";
import { postgresSessions } from "./sessions.ts";
import { postgresSigningKeys } from "./signing_keys.ts";
import { postgresWorkspaces } from "./workspaces.ts";

/** Connects, and brings the schema up to date. Throws `store_unavailable`. `steps`: other migrations than ours. */
export async function openPostgresStore(settings: PostgresSettings, steps?: readonly Step[]): Promise<Store> {
  const database = await PostgresDatabase.open(settings, steps);
  return {
    workspaces: postgresWorkspaces(database),
    fileVersions: postgresFileVersions(database),
    keys: postgresKeys(database),
    people: postgresPeople(database),
    sessions: postgresSessions(database),
    signingKeys: postgresSigningKeys(database),
    audit: postgresAudit(database),
    offers: postgresOffers(database),
    commands: postgresCommands(database),
    plans: postgresPlans(database),
    applies: postgresApplies(database),
    replicas: postgresReplicas(database, (steps ?? MIGRATIONS).length),
    retries: () => database.retries,
    upgradedFrom: database.upgradedFrom === null ? null : { kind: "postgres", schema: database.upgradedFrom },
    check: () => database.check(),
    backup: null,
    copy: postgresCopy(database),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
