/** `berth audit verify`: whether entries of the audit log were changed, removed or inserted; needs no running service. */
import { readPrivateFile } from "../auth/private_file.ts";
import { sealsFrom } from "../auth/audit/seals.ts";
import { type Checkpoint, verifyAudit } from "../auth/audit/verify.ts";
import { type Config, readConfig } from "../config.ts";
import type { AuditChain } from "../core/store.ts";
import { StartFailure } from "../start_failure.ts";
import { openStore } from "../store/open.ts";
import { mustHaveStore } from "./backup.ts";
import { tell } from "./failure.ts";
import type { Line } from "./table.ts";

const PLACE = /^(?:(changes|refusals):)?(\d{1,15}):([0-9a-f]{64})$/;

/** Answers the exit code: 0 when both chains are whole, 1 when one is not, 2 when it could not look. */
export async function run(line: Line): Promise<number> {
  const checkpoints = line.all("--from").map(checkpointOf);
  const wrong = checkpoints.indexOf(null);
  if (wrong >= 0) {
    console.error(
      `berth audit verify: "${
        line.all("--from")[wrong]
      }" is not a place; one looks like changes:12:<64 hex digits>`,
    );
    return 2;
  }
  try {
    const config = await readConfig();
    const seals = await sealsFrom(await sealingKey("verify the audit log", config));
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
    return tell(error);
  }
}

function checkpointOf(text: string): Checkpoint | null {
  const [place, chain, seq = "", mac = ""] = PLACE.exec(text) ?? [];
  return place === undefined ? null : {
    chain: chain === undefined ? null : chain as AuditChain, // as its pattern says
    seq: Number(seq),
    mac: Uint8Array.fromHex(mac),
  };
}

/** Never made here: with another key than the log was sealed with, every entry would look changed. */
export async function sealingKey(
  what: string,
  { data, sealingKeyFile }: Config,
): Promise<Uint8Array<ArrayBuffer>> {
  const path = sealingKeyFile ?? `${data}/sealing-key`;
  const text = await readPrivateFile(path);
  if (text === null) {
    throw new StartFailure(
      `Cannot ${what}: "${path}", the key that the audit log was sealed with, is not there`,
    );
  }
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}
