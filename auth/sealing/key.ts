/** The sealing key: a file that is never in the store, with the keys before it for what they have sealed. */
import { ServiceError } from "../../core/error.ts";
import { AUDIT_CHAINS } from "../../core/store.ts";
import { placeFrom, placeText } from "../audit/place.ts";
import type { Ends } from "../audit/seals.ts";
import { makePrivateFile, readPrivateFile, writePrivateFile } from "./private_file.ts";
import { randomSecret, toBase64Url } from "../secret.ts";

export interface SealingKey {
  /** The secret that seals everything new: 256 random bits. */
  readonly secret: Uint8Array<ArrayBuffer>;
  /** The keys that it replaced, the latest first. */
  readonly earlier: readonly EarlierKey[];
}

interface EarlierKey {
  readonly secret: Uint8Array<ArrayBuffer>;
  /** The last entries of the audit log that it sealed. */
  readonly until: Ends;
}

/** The file is read whole into a small buffer. */
const MOST_EARLIER = 16;

/** Returns the path of the key: in the data folder, unless the settings name a file. */
export function sealingKeyPath(dataFolder: string, file: string | null): string {
  return file ?? `${dataFolder}/sealing-key`;
}

/**
 * The sealing key in this file. `make`: made on the first start, and where it was lost, with all that it sealed. One that
 * several replicas share is never made here: each would have its own.
 */
export async function readSealingKey(
  path: string,
  ifAbsent: "make" | "refuse" = "make",
): Promise<SealingKey> {
  let text = await readPrivateFile(path);
  if (text === null && ifAbsent === "refuse") {
    throw new ServiceError(
      "store_unavailable",
      `Cannot use the sealing key: there is no file "${path}"; copy it from another replica, or make the first one as ` +
        "docs/operations.md says",
    );
  }
  if (text === null) {
    await makePrivateFile(path, randomSecret());
    text = await readPrivateFile(path);
  }
  return sealingKeyFrom(text ?? "", path);
}

/** `text` is that of the file `path`, without what is around it. */
export function sealingKeyFrom(text: string, path: string): SealingKey {
  const [first = "", ...lines] = text.split("\n").map((line) => line.trim());
  const secret = secretFrom(first);
  if (secret === null) {
    throw new ServiceError(
      "store_unavailable",
      `Cannot use the sealing key: "${path}" does not hold 32 bytes as base64url; restore it, or remove it to start with a new one`,
    );
  }
  return {
    secret,
    earlier: lines.map((line, n) => {
      const earlier = earlierFrom(line);
      if (earlier !== null) return earlier;
      throw new ServiceError(
        "store_unavailable",
        `Cannot use the sealing key: line ${
          n + 2
        } of "${path}" is not an earlier key and the places that it sealed up ` +
          'to, as "berth sealing-key rotate" writes them; restore the file',
      );
    }),
  };
}

/** Makes a new key, and keeps the one before for what it has sealed: the audit log up to `ends`. */
export async function rotateSealingKey(
  path: string,
  { secret, earlier }: SealingKey,
  ends: Ends,
): Promise<void> {
  if (earlier.length >= MOST_EARLIER) {
    throw new ServiceError(
      "store_unavailable",
      `Cannot rotate the sealing key: "${path}" holds ${earlier.length} earlier keys; remove its last line, and with it ` +
        "what that key alone can open and verify",
    );
  }
  const lines = [{ secret, until: ends }, ...earlier].map((key) =>
    [toBase64Url(key.secret), ...AUDIT_CHAINS.map((chain) => placeText(chain, key.until[chain]))].join(" ")
  );
  await writePrivateFile(path, [randomSecret(), ...lines].join("\n"));
}

/** Returns a fingerprint that tells two keys apart and reveals nothing of either. */
export async function fingerprintOf(secret: Uint8Array<ArrayBuffer>): Promise<string> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode("berth fingerprint of the sealing key");
  const bits = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    material,
    128,
  );
  return new Uint8Array(bits).toHex();
}

function earlierFrom(line: string): EarlierKey | null {
  const [first = "", ...rest] = line.split(" ");
  const secret = secretFrom(first);
  const places = rest.map(placeFrom);
  const [changes, refusals] = AUDIT_CHAINS.map((chain) => places.find((place) => place?.chain === chain));
  return secret === null || !changes || !refusals || places.length !== AUDIT_CHAINS.length
    ? null
    : { secret, until: { changes, refusals } };
}

function secretFrom(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const secret = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    return secret.byteLength === 32 ? secret : null;
  } catch {
    return null; // not base64url
  }
}
