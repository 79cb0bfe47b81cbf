/** Sealing: what the store keeps but must not be able to read, encrypted under a key that is never in the store. */
import { ServiceError } from "../core/error.ts";
import { makePrivateFile, readPrivateFile } from "./private_file.ts";
import { randomSecret } from "./secret.ts";

const NONCE_BYTES = 12;
/** Rises when the format does; part of what is authenticated. */
const VERSION = 1;

/** One AES-256-GCM key for one purpose. */
export class Seal {
  readonly #key: CryptoKey;
  readonly #purpose: string;

  private constructor(key: CryptoKey, purpose: string) {
    this.#key = key;
    this.#purpose = purpose;
  }

  /** Derives the purpose's key; `secret` must hold at least 128 random bits. */
  static async from(secret: Uint8Array<ArrayBuffer>, purpose: string): Promise<Seal> {
    const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
    const key = await crypto.subtle.deriveKey(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: bytes(`berth ${purpose}`) },
      material,
      { name: "AES-GCM", length: 256 },
      false,
      ["encrypt", "decrypt"],
    );
    return new Seal(key, purpose);
  }

  /** `place` names where the result is kept; sealed text that was moved elsewhere does not open. */
  async seal(text: string, place: string): Promise<Uint8Array> {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const sealed = await crypto.subtle.encrypt(this.#parameters(nonce, place), this.#key, bytes(text));
    const whole = new Uint8Array(NONCE_BYTES + sealed.byteLength);
    whole.set(nonce);
    whole.set(new Uint8Array(sealed), NONCE_BYTES);
    return whole;
  }

  /** Null when this key does not open it: another key's, moved, or damaged. */
  async open(sealed: Uint8Array, place: string): Promise<string | null> {
    const copy = new Uint8Array(sealed);
    const nonce = copy.subarray(0, NONCE_BYTES);
    try {
      const text = await crypto.subtle.decrypt(
        this.#parameters(nonce, place),
        this.#key,
        copy.subarray(NONCE_BYTES),
      );
      return new TextDecoder().decode(text);
    } catch {
      return null; // WebCrypto says no more than that it failed
    }
  }

  #parameters(iv: Uint8Array<ArrayBuffer>, place: string): AesGcmParams {
    return { name: "AES-GCM", iv, additionalData: bytes(`${this.#purpose}|${place}|${VERSION}`) };
  }
}

/**
 * The sealing key in this file. `make`: made on the first start; lost, only what it sealed is lost: sign in again. One that
 * several replicas share is never made here: each would have its own.
 */
export async function readSealingKey(
  path: string,
  ifAbsent: "make" | "refuse" = "make",
): Promise<Uint8Array<ArrayBuffer>> {
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
  let key: Uint8Array<ArrayBuffer> | undefined;
  try {
    key = Uint8Array.fromBase64(text ?? "", { alphabet: "base64url" });
  } catch {
    // Not base64url: reported below, without its content.
  }
  if (key?.byteLength !== 32) {
    throw new ServiceError(
      "store_unavailable",
      `Cannot use the sealing key: "${path}" does not hold 32 bytes as base64url; restore it, or remove it to start with a new one`,
    );
  }
  return key;
}

/** What tells two keys apart and says nothing of either. */
export async function fingerprintOf(secret: Uint8Array<ArrayBuffer>): Promise<string> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const info = bytes("berth fingerprint of the sealing key");
  const bits = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    material,
    128,
  );
  return new Uint8Array(bits).toHex();
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
