/**
 * A process that writes keys and says which ones were acknowledged: until it is killed or nobody listens, or so many,
 * whatever becomes of each.
 */
import { ServiceError } from "../../core/error.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { key } from "./store_records.ts";
import { ENTRY } from "../access/audit_entry.ts";

const [folder, round, most] = Deno.args;
await using store = await openSqliteStore(`${folder}/store.db`);
for (let n = 0; n < Number(most ?? Infinity); n++) {
  const id = `${round}-${n}`;
  try {
    await store.keys.add(key(id, {}), 1_000_000, ENTRY);
  } catch (error) {
    if (most === undefined || !(error instanceof ServiceError && error.code === "store_unavailable")) {
      throw error;
    }
    continue;
  }
  Deno.stdout.writeSync(new TextEncoder().encode(`${id}\n`));
}
