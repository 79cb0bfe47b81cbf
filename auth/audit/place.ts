/** Places in the audit log as people and programs write them down: `changes:12:<seal>`. */
import type { AuditChain } from "../../core/store.ts";

/** An entry by its number and its seal. */
export interface Place {
  readonly seq: number;
  readonly mac: Uint8Array;
}

/** An end of a chain that was told outside: in the log, or to a syslog receiver. */
export interface Checkpoint extends Place {
  /** Null where only the number and the seal were written down. */
  readonly chain: AuditChain | null;
}

const PLACE = /^(?:(changes|refusals):)?(\d{1,15}):([0-9a-f]{64})$/;

/** An end of a chain as it is written into the log and given to `berth audit verify`. */
export function placeText(chain: string, { seq, mac }: Place): string {
  return `${chain}:${seq}:${mac.toHex()}`;
}

/** Null for what is no place. */
export function placeFrom(text: string): Checkpoint | null {
  const [place, chain, seq = "", mac = ""] = PLACE.exec(text) ?? [];
  return place === undefined ? null : {
    chain: chain === undefined ? null : chain as AuditChain, // as its pattern says
    seq: Number(seq),
    mac: Uint8Array.fromHex(mac),
  };
}
