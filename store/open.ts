/** Which store the settings ask for. */
import { ServiceError } from "../core/error.ts";
import { placeOf } from "../core/place.ts";
import type { Store } from "../core/store.ts";
import type { PostgresSettings } from "./postgres/connection.ts";

interface StoreSettings {
  /** The data folder; it exists. */
  readonly data: string;
  /** Null: one SQLite file in the data folder. */
  readonly database: PostgresSettings | null;
}

/** @throws ServiceError `store_unavailable`. */
export async function openStore({ data, database }: StoreSettings): Promise<Store> {
  if (database !== null) {
    const { openPostgresStore } = await loadPostgres();
    return await openPostgresStore(database);
  }
  const { openSqliteStore } = await import("./sqlite/store.ts");
  return await openSqliteStore(`${data}/berth.db`);
}

/** The driver's packages are fetched here by a berth that has never needed them. */
async function loadPostgres(): Promise<typeof import("./postgres/store.ts")> {
  try {
    return await (import(placeOf("store/postgres/store.ts").href) as Promise<
      typeof import("./postgres/store.ts")
    >);
  } catch (cause) {
    if (!(cause instanceof TypeError) || !/npm package/.test(cause.message)) throw cause;
    throw new ServiceError(
      "store_unavailable",
      "Cannot use the store: the driver for PostgreSQL is not on this machine and cannot be fetched; with a network, " +
        '"deno cache store/postgres/store.ts" in the folder of berth fetches it',
      { cause, headers: { "retry-after": "10" } }, // the network may come back
    );
  }
}
