/** `berth restore <file>`: checks a backup, and puts it in the place of the store while the service is stopped. */
import { readConfig } from "../config/config.ts";
import { StartFailure } from "../app/start_failure.ts";
import { restoreStoreFile } from "../store/sqlite/inspection.ts";
import { EXIT } from "./exit_code.ts";
import { mustOwnNewStore } from "./data_owner.ts";
import { tell } from "./failure.ts";
import type { Line } from "./command.ts";

export async function run({ args: [file = ""] }: Line): Promise<number> {
  try {
    const { data, database } = await readConfig();
    if (database !== null) {
      throw new StartFailure(
        "Cannot restore: the store is in PostgreSQL; pg_restore brings back what pg_dump has written",
      );
    }
    await mustOwnNewStore("restore", { data, database });
    await Deno.mkdir(data, { recursive: true, mode: 0o700 });
    const store = `${data}/berth.db`;
    const kept = await restoreStoreFile(file, store, `${store}.before-restore`);
    console.log(
      `The store is as in ${file}; ${kept === null ? "there was none before" : `the one before is ${kept}`}`,
    );
    return EXIT.FINE;
  } catch (error) {
    return tell(error);
  }
}
