/** `berth import <file>`: fills an empty store with what `berth export` wrote, and checks that all of it arrived. */
import { type AllSeals, sealsFrom } from "../auth/audit/seals.ts";
import { isProven, verifyAudit } from "../auth/audit/verify.ts";
import { Seal } from "../auth/sealing/sealing.ts";
import { placeOf } from "../auth/sessions/signing_keys.ts";
import { readConfig } from "../config/config.ts";
import type { ChainState } from "../core/audit_store.ts";
import { AUDIT_CHAINS } from "../core/store.ts";
import { StartFailure } from "../app/start_failure.ts";
import { type CheckedCopy, readCopy } from "../store/copy_file.ts";
import { openStore } from "../store/open.ts";
import { EXIT } from "./exit_code.ts";
import { sealingKey } from "./audit.ts";
import { mustOwnNewStore } from "./data_owner.ts";
import { shown } from "./export.ts";
import { tell } from "./failure.ts";
import type { Line } from "./command.ts";

/** Answers 1 when everything was filled in, and is not as it was sealed. */
export async function run({ args: [file = ""] }: Line): Promise<number> {
  try {
    const config = await readConfig();
    await mustOwnNewStore("import", config);
    await Deno.mkdir(config.data, { recursive: true, mode: 0o700 });
    const { secret, earlier } = await sealingKey("import", config);
    const seals = await sealsFrom(secret, earlier);
    await using store = await openStore(config);
    const checked = await readCopy(file, store.copy);
    await mustFit(checked, seals, await Seal.from(secret, "signing keys", earlier), file);
    await store.copy.fill(checked.rows);
    const there: Record<string, number> = Object.fromEntries(
      Object.keys(checked.counts).map((table) => [table, 0]),
    );
    await store.copy.read((table) => there[table]!++);
    for (const [table, count] of Object.entries(checked.counts)) {
      if (there[table] !== count) {
        throw new Error(`${count} rows of ${table} were written, and ${there[table]} are there`);
      }
    }
    const { chains } = await verifyAudit(store.audit, seals, []);
    const broken = chains.flatMap(({ chain, broken }) =>
      broken === null ? [] : [`${chain} at ${broken.seq}: ${broken.what}`]
    );
    console.log(`${shown(there)} are in the store, as in ${file}`);
    if (broken.length === 0) return EXIT.FINE;
    console.error(`berth: The audit log was damaged before the export: ${broken.join("; ")}`);
    return EXIT.NO;
  } catch (error) {
    return tell(error);
  }
}

/** Values under the sealing key show that it is the right one, before anything is written. */
async function mustFit({ rows }: CheckedCopy, seals: AllSeals, seal: Seal, file: string): Promise<void> {
  const wrong = () =>
    new StartFailure(
      `Cannot import "${file}": it was sealed with another key; put the sealing key of the exported store in its place first`,
    );
  for (const { table, row } of rows()) {
    const { kid, sealed } = row;
    if (table === "signing_keys" && typeof kid === "string" && sealed instanceof Uint8Array) {
      if (sealed.length > 0 && await seal.open(sealed, placeOf(kid)) === null) throw wrong();
    }
    if (table !== "audit_chains") continue;
    const chain = AUDIT_CHAINS.find((one) => one === row["chain"]);
    // Of the column's kind, as the store that wrote it has checked
    const state = {
      seq: row["seq"],
      mac: row["mac"],
      floorSeq: row["floor_seq"],
      floorMac: row["floor_mac"],
      proof: row["proof"],
    } as ChainState;
    if (chain === undefined || state.seq === 0) continue;
    if (!isProven(seals, chain, state)) throw wrong();
  }
}
