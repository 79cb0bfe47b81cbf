/** `berth sealing-key rotate`: puts a new sealing key before the one of now, while the service is stopped. */
import { auditEntry, COMMAND_LINE } from "../auth/audit/audit.ts";
import { sealsFrom } from "../auth/audit/seals.ts";
import { isProven } from "../auth/audit/verify.ts";
import { systemClock } from "../auth/clock.ts";
import { readSealingKey, rotateSealingKey, type SealingKey, sealingKeyPath } from "../auth/sealing/key.ts";
import { mustBeStopped, shareKey, usedKey } from "../auth/sealing/shared_key.ts";
import { readConfig } from "../config/config.ts";
import { type AuditStore } from "../core/audit_store.ts";
import { AUDIT_CHAINS } from "../core/store.ts";
import { StartFailure } from "../app/start_failure.ts";
import { openStore } from "../store/open.ts";
import { isAlone } from "../store/sqlite/inspection.ts";
import { EXIT } from "./exit_code.ts";
import { sealingKey } from "./audit.ts";
import { mustHaveStore } from "./backup.ts";
import { tell } from "./failure.ts";

const WHAT = "rotate the sealing key";
const BATCH = 250;

export async function run(): Promise<number> {
  try {
    const config = await readConfig();
    const path = sealingKeyPath(config.data, config.sealingKeyFile);
    await mustHaveStore(WHAT, config);
    const found = await sealingKey(WHAT, config);
    await mustBeOwn(path);
    if (config.database === null) mustBeAlone(`${config.data}/berth.db`);
    await using store = await openStore(config);
    if (store.replicas !== null) await mustBeStopped(store.replicas);
    const key = store.replicas === null ? found : await usedKey(store.replicas, found, path);
    await rotateSealingKey(path, key, await endsOf(store.audit, key));
    if (store.replicas !== null) await shareKey(store.replicas, key, await readSealingKey(path, "refuse"));
    console.log(
      `A new sealing key is in ${path}, before ${
        key.earlier.length === 0 ? "the old one" : "the old ones"
      }, which ` +
        "still open and verify what they sealed.",
    );
    console.log("Back it up, give every replica a copy, and start berth.");
    return EXIT.FINE;
  } catch (error) {
    return tell(error);
  }
}

/** Seals what waits for it with the key of before, its last entry being that it was replaced. */
async function endsOf(audit: AuditStore, { secret, earlier }: SealingKey) {
  const seals = await sealsFrom(secret, earlier);
  const chains = await audit.chains();
  if (!AUDIT_CHAINS.every((chain) => isProven(seals, chain, chains[chain]))) {
    throw new StartFailure(
      `Cannot ${WHAT}: the audit log does not end as this key has sealed it; "berth audit verify" says more`,
    );
  }
  await audit.append([
    auditEntry({ at: systemClock.now(), actor: COMMAND_LINE, action: "sealing_key.rotate", target: null }),
  ]);
  while (await audit.seal(seals, BATCH) === BATCH);
  return await audit.chains();
}

function mustBeAlone(store: string): void {
  if (isAlone(store)) return;
  throw new StartFailure(`Cannot ${WHAT}: berth still runs on this data folder; stop it first`);
}

/** Written anew by somebody else, the service could not read it. */
async function mustBeOwn(path: string): Promise<void> {
  const { uid } = await Deno.stat(path);
  if (uid === null || uid === Deno.uid()) return;
  throw new StartFailure(
    `Cannot ${WHAT}: "${path}" belongs to the user ${uid}, and you are ${Deno.uid()}; run this as the user of the service`,
  );
}
