/** `berth audit verify`: whether anything in the audit log was changed, removed or put in, service or no service. */
import { readPrivateFile } from "../auth/private_file.ts";
import { sealsFrom } from "../auth/audit/seals.ts";
import { type Checkpoint, verifyAudit } from "../auth/audit/verify.ts";
import { type Config, readConfig } from "../config.ts";
import { AUDIT_CHAINS, type AuditChain } from "../core/store.ts";
import { StartFailure } from "../start_failure.ts";
import { openStore } from "../store/open.ts";
import { tell } from "./failure.ts";

const USAGE = "usage: berth audit verify [--from [changes:|refusals:]<seq>:<mac>]...";
const PLACE = /^(?:(changes|refusals):)?(\d{1,15}):([0-9a-f]{64})$/;

/** Answers the exit code: 0 when both chains are whole, 1 when one is not, 2 when it could not look. */
export async function audit(args: readonly string[]): Promise<number> {
  const checkpoints = parse(args);
  if (checkpoints === null) {
    console.error(`berth: ${USAGE}`);
    return 2;
  }
  try {
    const config = await readConfig();
    const seals = await sealsFrom(await sealingKey(config));
    await using store = await openStore(config);
    const { chains, missed } = await verifyAudit(store.audit, seals, checkpoints);
    for (const { chain, from, to, end, broken } of chains) {
      if (broken === null) {
        console.log(to < from ? `${chain}: empty, ${end}` : `${chain}: ${from} to ${to} are whole, ${end}`);
      } else console.log(`${chain}: BROKEN at ${broken.seq}: ${broken.what}`);
    }
    for (const { chain, seq } of missed) {
      console.log(
        `${chain ?? "either chain"}: BROKEN at ${seq}: what was told to be there is not there (any more)`,
      );
    }
    const waiting = await store.audit.unsealed();
    if (waiting > 0) console.log(`${waiting} entries wait for their seal; a running berth gives it`);
    return missed.length > 0 || chains.some(({ broken }) => broken !== null) ? 1 : 0;
  } catch (error) {
    return tell(error);
  }
}

function parse(args: readonly string[]): Checkpoint[] | null {
  const [verb, ...rest] = args;
  if (verb !== "verify") return null;
  const checkpoints: Checkpoint[] = [];
  for (let at = 0; at < rest.length; at++) {
    const [flag, given] = rest[at]!.split("=", 2);
    const place = PLACE.exec(given ?? rest[++at] ?? "");
    if (flag !== "--from" || place === null) return null;
    const [, chain, seq = "", mac = ""] = place;
    if (chain !== undefined && !AUDIT_CHAINS.includes(chain as AuditChain)) return null;
    checkpoints.push({
      chain: chain === undefined ? null : chain as AuditChain, // as its pattern says
      seq: Number(seq),
      mac: Uint8Array.fromHex(mac),
    });
  }
  return checkpoints;
}

/** Never made here: with another key than the log was sealed with, every entry would look changed. */
async function sealingKey({ data, databaseUrl }: Config): Promise<Uint8Array> {
  const path = `${data}/sealing-key`;
  const text = await readPrivateFile(path);
  if (text === null) {
    throw new StartFailure(
      `Cannot verify the audit log: "${path}", the key it was sealed with, is not there`,
    );
  }
  if (databaseUrl === null) {
    await Deno.stat(`${data}/berth.db`).catch(() => {
      throw new StartFailure(`Cannot verify the audit log: there is no store in the data folder "${data}"`);
    });
  }
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}
