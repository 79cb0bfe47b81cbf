/** `berth export <file>`: everything in the store as one file, for `berth import` into another store. */
import { readConfig } from "../config.ts";
import { openStore } from "../store/open.ts";
import { writeCopy } from "../store/copy_file.ts";
import { mustBeFree, mustHaveStore } from "./backup.ts";
import { tell } from "./failure.ts";
import type { Line } from "./table.ts";

export async function run({ args: [file = ""], option }: Line): Promise<number> {
  try {
    const config = await readConfig();
    await mustHaveStore("export", config);
    if (option("--force") === undefined) await mustBeFree("export", file);
    await using store = await openStore(config);
    const counts = await writeCopy(store.copy, file);
    console.log(`${shown(counts)} were written to ${file}`);
    console.log("Keep it as you keep the store, and take the sealing key along");
    return 0;
  } catch (error) {
    return tell(error);
  }
}

/** `3 keys, 12 audit`: the tables that hold something. */
export function shown(counts: Readonly<Record<string, number>>): string {
  const held = Object.entries(counts).filter(([, count]) => count > 0);
  return held.length === 0
    ? "No rows"
    : `Rows: ${held.map(([table, count]) => `${count} ${table}`).join(", ")};`;
}
