/** Sealing: what the store keeps but must not be able to read, encrypted under a key that is never in the store. */
const NONCE_BYTES = 12;
/** Rises when the format does; part of what is authenticated. */
const VERSION = 1;

/** Seals for one purpose, with AES-256-GCM. */
export class Seal {
  readonly #key: CryptoKey;
  /** They open what they sealed, and seal no more. */
  readonly #earlier: readonly CryptoKey[];
  readonly #purpose: string;

  private constructor(key: CryptoKey, earlier: readonly CryptoKey[], purpose: string) {
    this.#key = key;
    this.#earlier = earlier;
    this.#purpose = purpose;
  }

  /** Derives the purpose's keys; every secret must hold at least 128 random bits. */
  static async from(
    secret: Uint8Array<ArrayBuffer>,
    purpose: string,
    earlier: readonly { readonly secret: Uint8Array<ArrayBuffer> }[] = [],
  ): Promise<Seal> {
    const others = await Promise.all(earlier.map(({ secret }) => derived(secret, purpose)));
    return new Seal(await derived(secret, purpose), others, purpose);
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

  /** Null when none of the keys opens it: another key's, moved, or damaged. */
  async open(sealed: Uint8Array, place: string): Promise<string | null> {
    for (const key of [this.#key, ...this.#earlier]) {
      const text = await this.#openWith(key, sealed, place);
      if (text !== null) return text;
    }
    return null;
  }

  /** Returns true if today's key sealed it, and not one that was replaced. */
  async isOfToday(sealed: Uint8Array, place: string): Promise<boolean> {
    return await this.#openWith(this.#key, sealed, place) !== null;
  }

  async #openWith(key: CryptoKey, sealed: Uint8Array, place: string): Promise<string | null> {
    const copy = new Uint8Array(sealed);
    const nonce = copy.subarray(0, NONCE_BYTES);
    try {
      const text = await crypto.subtle.decrypt(
        this.#parameters(nonce, place),
        key,
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

async function derived(secret: Uint8Array<ArrayBuffer>, purpose: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  return await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: bytes(`berth ${purpose}`) },
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
