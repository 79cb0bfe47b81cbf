/** PostgreSQL keeps every promise of a store, and what only a server can break. */
import { openPostgresStore } from "../store/postgres/store.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "./postgres.ts";
import { storeContract } from "./store_contract.ts";

const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null;

async function databaseOfOurOwn() {
  const names = new Map<string, Promise<Parameters<typeof openPostgresStore>[0]>>();
  const folder = await Deno.makeTempDir({ prefix: "berth-store-" });
  return {
    kind: "postgres",
    folder,
    open: async (name: string) => {
      if (!names.has(name)) names.set(name, server!.database());
      return await openPostgresStore(await names.get(name)!);
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

if (CANNOT_RUN_POSTGRES === null) storeContract("postgres", databaseOfOurOwn);
