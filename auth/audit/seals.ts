/** The seals of the audit log: each is over an entry and the seal before it, under a key that is never in the store. */
import type { Seals } from "../../core/audit_store.ts";
import { concat } from "../../core/bytes.ts";
import type { AuditChain } from "../../core/store.ts";
import type { Place } from "./place.ts";

const BLOCK_BYTES = 64;

/** Up to where something sealed each chain. */
export type Ends = Readonly<Record<AuditChain, Place>>;

/** The seals that an audit log may bear: today's, and those of earlier keys up to where each was replaced. */
export interface AllSeals extends Seals {
  /** The latest first. */
  readonly earlier: readonly { readonly seals: Seals; readonly until: Ends }[];
}

/** `secret` is the sealing key, and `earlier` are those that it replaced, the latest first. */
export async function sealsFrom(
  secret: Uint8Array,
  earlier: readonly { readonly secret: Uint8Array; readonly until: Ends }[] = [],
): Promise<AllSeals> {
  return {
    ...await sealsOf(secret),
    earlier: await Promise.all(
      earlier.map(async ({ secret, until }) => ({ seals: await sealsOf(secret), until })),
    ),
  };
}

async function sealsOf(secret: Uint8Array): Promise<Seals> {
  const { hkdfSync } = await import("node:crypto"); // a start does not wait for it
  const hmac = await hmacWith(
    new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), "berth audit log", 32)),
  );
  const none = new Uint8Array();
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
      hmac(none, JSON.stringify(["ends", chain, seq, mac.toHex(), floorSeq, floorMac.toHex()])),
  };
}

/**
 * HMAC-SHA256 (RFC 2104) over bytes and the text behind them. Two whole digests cost a third of the runtime's own HMAC,
 * and WebCrypto's cannot be had inside a transaction.
 */
export async function hmacWith(
  key: Uint8Array,
): Promise<(bytes: Uint8Array, text: string) => Uint8Array<ArrayBuffer>> {
  const { hash } = await import("node:crypto");
  const padded = (pad: number) => new Uint8Array(BLOCK_BYTES).map((_, at) => (key[at] ?? 0) ^ pad);
  const [inner, outer] = [padded(0x36), padded(0x5c)];
  const digest = (...parts: readonly Uint8Array[]) => new Uint8Array(hash("sha256", concat(parts), "buffer"));
  return (bytes, text) => digest(outer, digest(inner, bytes, new TextEncoder().encode(text)));
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
