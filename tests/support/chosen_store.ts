/**
 * Which store the services of tests use: SQLite, or with `BERTH_TEST_STORE=postgres` a database for each data folder, so
 * that services on the same folder are replicas. With `BERTH_TEST_STORE=replicas` every service is two of them behind
 * Caddy. `BERTH_TEST_POSTGRES=/folder/of/socket` lends a running server.
 */
import type { Config } from "../../config/config.ts";
import { makePrivateFile } from "../../auth/sealing/private_file.ts";
import { randomSecret } from "../../auth/secret.ts";
import { PostgresServer, sharedPostgres } from "./postgres.ts";

const lent = Deno.env.get("BERTH_TEST_POSTGRES");
const kind = Deno.env.get("BERTH_TEST_STORE") ?? "sqlite";
const server = kind === "sqlite"
  ? null
  : lent === undefined
  ? await sharedPostgres()
  : PostgresServer.lent(lent);
const databases = new Map<string, Promise<NonNullable<Config["database"]>>>();

/** For tests of what only a file can do. */
export const ON_SQLITE = server === null;

/** True if a service is two replicas, which share the store alone, behind Caddy. */
export const AS_REPLICAS = kind === "replicas";

/** The settings that choose the store, for a service on this data folder. */
export async function storeSettings(
  data: string,
): Promise<Pick<Config, "database" | "sealingKeyFile" | "replica">> {
  if (server === null) return { database: null, sealingKeyFile: null, replica: null };
  let database = databases.get(data);
  if (database === undefined) {
    database = server.database(`t${crypto.randomUUID().replaceAll("-", "")}`);
    databases.set(data, database);
  }
  await Deno.mkdir(data, { recursive: true, mode: 0o700 });
  await makePrivateFile(`${data}/sealing-key`, randomSecret());
  const replica = `test-${crypto.randomUUID().slice(0, 8)}`; // on the same folder there may be several
  return { database: await database, sealingKeyFile: `${data}/sealing-key`, replica };
}

/** Drops the databases of data folders at or below this folder, which is removed. */
export async function dropStores(folder: string): Promise<void> {
  for (const [data, database] of databases) {
    if (data !== folder && !data.startsWith(`${folder}/`)) continue;
    databases.delete(data);
    await server?.sql(`DROP DATABASE ${(await database).name} WITH (FORCE)`);
  }
}

/** Tells every replica on this database something that concerns nobody: who has heard it has heard all that was told before. */
export async function tellReplicas(database: string, word: string): Promise<void> {
  await server?.sql(`SELECT pg_notify('berth', '${word}')`, database);
}
