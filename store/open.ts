/** Which store the settings ask for. */
import type { Store } from "../core/store.ts";
import type { PostgresSettings } from "./postgres/connection.ts";

interface StoreSettings {
  /** The data folder; it exists. */
  readonly data: string;
  /** Null: one SQLite file in the data folder. */
  readonly database: PostgresSettings | null;
}

/** Only what is asked for is loaded, and not already before the first line runs. */
const POSTGRES = "./postgres/store.ts";

/** @throws ServiceError `store_unavailable`. */
export async function openStore({ data, database }: StoreSettings): Promise<Store> {
  if (database !== null) {
    const { openPostgresStore } = await (import(POSTGRES) as Promise<typeof import("./postgres/store.ts")>);
    return await openPostgresStore(database);
  }
  const { openSqliteStore } = await import("./sqlite/store.ts");
  return await openSqliteStore(`${data}/berth.db`);
}
