/** `berth audit verify`: whether entries of the audit log were changed, removed or inserted; needs no running service. */
import { readPrivateFile } from "../auth/sealing/private_file.ts";
import { placeFrom } from "../auth/audit/place.ts";
import { sealsFrom } from "../auth/audit/seals.ts";
import { verifyAudit } from "../auth/audit/verify.ts";
import { type SealingKey, sealingKeyFrom, sealingKeyPath } from "../auth/sealing/key.ts";
import { type Config, readConfig } from "../config/config.ts";
import { StartFailure } from "../app/start_failure.ts";
import { openStore } from "../store/open.ts";
import { EXIT } from "./exit_code.ts";
import { mustHaveStore } from "./backup.ts";
import { tell } from "./failure.ts";
import type { Line } from "./command.ts";

export async function run(line: Line): Promise<number> {
  const checkpoints = line.all("--from").map(placeFrom);
  const wrong = checkpoints.indexOf(null);
  if (wrong >= 0) {
    console.error(
      `berth audit verify: "${
        line.all("--from")[wrong]
      }" is not a place; one looks like changes:12:<64 hex digits>`,
    );
    return EXIT.USAGE;
  }
  try {
    const config = await readConfig();
    const { secret, earlier } = await sealingKey("verify the audit log", config);
    const seals = await sealsFrom(secret, earlier);
    await mustHaveStore("verify the audit log", config);
    await using store = await openStore(config);
    const { chains, missed } = await verifyAudit(
      store.audit,
      seals,
      checkpoints.filter((one) => one !== null),
    );
    for (const { chain, from, to, end, broken } of chains) {
      if (broken === null) {
        console.log(to < from ? `${chain}: empty, ${end}` : `${chain}: ${from} to ${to} are whole, ${end}`);
      } else console.log(`${chain}: BROKEN at ${broken.seq}: ${broken.what}`);
    }
    for (const { chain, seq } of missed) {
      console.log(
        `${chain ?? "either chain"}: BROKEN at ${seq}: the entry that --from names is not there`,
      );
    }
    const waiting = await store.audit.unsealed();
    if (waiting > 0) console.log(`${waiting} entries are not sealed yet; a running berth seals them`);
    return missed.length > 0 || chains.some(({ broken }) => broken !== null) ? 1 : 0;
  } catch (error) {
    const code = tell(error);
    return code === EXIT.NO ? EXIT.INCOMPLETE : code; // nothing was looked at: the log may be whole
  }
}

/** Never made here: with another key than the log was sealed with, every entry would look changed. */
export async function sealingKey(what: string, { data, sealingKeyFile }: Config): Promise<SealingKey> {
  const path = sealingKeyPath(data, sealingKeyFile);
  const text = await readPrivateFile(path);
  if (text === null) {
    throw new StartFailure(
      `Cannot ${what}: "${path}", the key that the audit log was sealed with, is not there`,
    );
  }
  return sealingKeyFrom(text, path);
}
