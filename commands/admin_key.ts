/** `berth admin-key <name>`: another admin key for whoever owns the data folder and lost every key. */
import { makeAdminKey } from "../auth/access.ts";
import { readConfig } from "../config.ts";
import { openStore } from "../store/open.ts";
import { tell } from "./failure.ts";

export async function adminKey(name: string): Promise<number> {
  try {
    const config = await readConfig();
    await using store = await openStore(config);
    const { key } = await makeAdminKey(store, name);
    console.log(key);
    return 0;
  } catch (error) {
    return tell(error);
  }
}
