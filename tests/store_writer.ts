/** A process that writes keys and says which ones were acknowledged, until it is killed or nobody listens. */
import { openSqliteStore } from "../store/sqlite/store.ts";
import { key } from "./store_records.ts";
import { ENTRY } from "./audit_entry.ts";

const [folder, round] = Deno.args;
await using store = await openSqliteStore(`${folder}/store.db`);
for (let n = 0;; n++) {
  const id = `${round}-${n}`;
  await store.keys.add(key(id, {}), 1_000_000, ENTRY);
  Deno.stdout.writeSync(new TextEncoder().encode(`${id}\n`));
}
