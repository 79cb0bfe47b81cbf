/** A process that writes keys and says which ones were acknowledged, until it is killed. */
import { openSqliteStore } from "../store/sqlite.ts";
import { key } from "./store_contract.ts";

const [folder, round] = Deno.args;
await using store = await openSqliteStore(`${folder}/store.db`);
for (let n = 0;; n++) {
  const id = `${round}-${n}`;
  await store.keys.add(key(id, {}));
  Deno.stdout.writeSync(new TextEncoder().encode(`${id}\n`));
}
