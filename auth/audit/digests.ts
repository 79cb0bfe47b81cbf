/** Digests of values that may be secret: who sees one cannot find out by guessing what it is of. */
import { hmacWith } from "./seals.ts";

/** Hex; of equal texts it is the same in this installation, and in no other. */
export type Digest = (text: string) => string;

/** `secret` is the sealing key of the data folder. */
export async function digestsFrom(secret: Uint8Array): Promise<Digest> {
  const { hkdfSync } = await import("node:crypto"); // a start does not wait for it
  const hmac = await hmacWith(
    new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), "berth declared values", 32)),
  );
  const none = new Uint8Array();
  return (text) => hmac(none, text).toHex();
}
