/** The seals of the audit log: each is over an entry and the seal before it, under a key that is never in the store. */
import type { Seals } from "../../core/store.ts";

/** `secret` is the sealing key of the data folder. */
export async function sealsFrom(secret: Uint8Array): Promise<Seals> {
  // A start does not wait for it; WebCrypto's HMAC cannot be had inside a transaction.
  const { createHmac, hkdfSync } = await import("node:crypto");
  const key = new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), "berth audit log", 32));
  const hmac = (...parts: readonly (string | Uint8Array)[]): Uint8Array => {
    const made = createHmac("sha256", key);
    for (const part of parts) made.update(part);
    return new Uint8Array(made.digest());
  };
  return {
    mac: (previous, { chain, seq, id, at, actor, credential, action, target, ...rest }) => {
      const particulars = Object.entries(rest.particulars).sort(([one], [other]) => one < other ? -1 : 1);
      return hmac(
        previous,
        JSON.stringify([
          [chain, seq, id, at],
          [actor.kind, actor.id, actor.name, credential],
          [action, target, particulars, rest.result],
          [rest.requestId, rest.peer, rest.count],
        ]),
      );
    },
    proof: (chain, { seq, mac, floorSeq, floorMac }) =>
      hmac(JSON.stringify(["ends", chain, seq, mac.toHex(), floorSeq, floorMac.toHex()])),
  };
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** An end of a chain as it is written into the log and given to `berth audit verify`. */
export function placeText(chain: string, seq: number, mac: Uint8Array): string {
  return `${chain}:${seq}:${mac.toHex()}`;
}
