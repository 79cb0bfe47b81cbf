/** `berth export <file>`: everything in the store as one file, for `berth import` into another store. */
import { type Config, readConfig } from "../config/config.ts";
import { openStore } from "../store/open.ts";
import { writeCopy } from "../store/copy_file.ts";
import { isAlone } from "../store/sqlite/inspection.ts";
import { EXIT } from "./exit_code.ts";
import { askOnce } from "./ask.ts";
import { mustBeFree, mustBeSpare, mustHaveStore } from "./backup.ts";
import { tell } from "./failure.ts";
import { ownAddress } from "./own_address.ts";
import type { Line } from "./command.ts";

export async function run({ args: [file = ""], option }: Line): Promise<number> {
  try {
    const config = await readConfig();
    await mustHaveStore("export", config);
    await mustBeSpare("export", file, config);
    if (option("--force") === undefined) await mustBeFree("export", file);
    const isServing = await isServed(config);
    await using store = await openStore(config);
    const counts = await writeCopy(store.copy, file);
    console.log(`${shown(counts)} were written to ${file}`);
    console.log("Keep it as you keep the store, and take the sealing key along");
    if (isServing) {
      console.error(
        "berth: A berth runs on this store. What it writes from now on is not in the file: to move the store, stop it " +
          "and export again with --force",
      );
    }
    return EXIT.FINE;
  } catch (error) {
    return tell(error);
  }
}

/** Returns true if a berth has the store open; one with PostgreSQL is asked at its own address. */
async function isServed(config: Config): Promise<boolean> {
  if (config.database === null) return !isAlone(`${config.data}/berth.db`);
  return (await askOnce(`${ownAddress(config)}/api/health/live`))?.status === 200;
}

/** `3 keys, 12 audit`: the tables that hold something. */
export function shown(counts: Readonly<Record<string, number>>): string {
  const held = Object.entries(counts).filter(([, count]) => count > 0);
  return held.length === 0
    ? "No rows"
    : `Rows: ${held.map(([table, count]) => `${count} ${table}`).join(", ")};`;
}
