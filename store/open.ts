/** Which store the settings ask for. */
import { ServiceError } from "../core/error.ts";
import type { Store } from "../core/store.ts";

export interface StoreSettings {
  /** The data folder; it exists. */
  readonly data: string;
  /** Null: one SQLite file in the data folder. */
  readonly databaseUrl: string | null;
}

/** @throws ServiceError `store_unavailable`. */
export async function openStore({ data, databaseUrl }: StoreSettings): Promise<Store> {
  if (databaseUrl !== null) {
    throw new ServiceError(
      "store_unavailable",
      "Cannot open the store: PostgreSQL is not supported by this version; leave BERTH_DATABASE_URL out",
    );
  }
  const { openSqliteStore } = await import("./sqlite/store.ts");
  return await openSqliteStore(`${data}/berth.db`);
}
