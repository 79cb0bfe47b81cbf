/** `berth admin-key <name>`: makes another admin key, for the owner of the data folder who lost every key. */
import { makeAdminKey } from "../auth/keys/admin_key.ts";
import { readConfig } from "../config/config.ts";
import { KeyName } from "../core/access.ts";
import { openStore } from "../store/open.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { mustOwnNewStore } from "./data_owner.ts";
import { tell } from "./failure.ts";
import type { Line } from "./command.ts";

export async function run({ args: [name = ""] }: Line): Promise<number> {
  const named = KeyName.safeParse(name);
  if (!named.success) {
    return tell(new UsageFailure("Cannot make the key: its name must have 1 to 100 visible characters"));
  }
  try {
    const config = await readConfig();
    const hasStore = await Deno.stat(`${config.data}/berth.db`).then(() => true, () => false);
    if (!hasStore) await mustOwnNewStore("make the key", config); // one that is there keeps its owner
    await using store = await openStore(config);
    const { key } = await makeAdminKey(store, named.data);
    console.log(key);
    return EXIT.FINE;
  } catch (error) {
    return tell(error);
  }
}
