/** Browsers that signed in before: known by a sealed cookie, so that strangers cannot use up their tries. */
import type { Clock } from "../clock.ts";
import { Seal } from "../sealing/sealing.ts";
import { toBase64Url } from "../secret.ts";

const PLACE = "device";
const VALID_MS = 400 * 86_400_000;
export const DEVICE_MAX_AGE_S = VALID_MS / 1000;
/** Ours are shorter. */
const MAX_CHARACTERS = 500;

export class Devices {
  readonly #seal: Seal;
  readonly #clock: Clock;

  private constructor(seal: Seal, clock: Clock) {
    this.#seal = seal;
    this.#clock = clock;
  }

  /** Knows no device by an earlier sealing key: whoever got hold of that could make as many as they like. */
  static async from(secret: Uint8Array<ArrayBuffer>, clock: Clock): Promise<Devices> {
    return new Devices(await Seal.from(secret, "device cookies"), clock);
  }

  /** Returns the token of a browser that signed in to this account. */
  async make(account: string): Promise<string> {
    const text = JSON.stringify([account, crypto.randomUUID(), this.#clock.now()]);
    return toBase64Url(await this.#seal.seal(text, PLACE));
  }

  /** The device's own id; null unless this account signed in with it before. */
  async idOf(cookie: string | null, account: string): Promise<string | null> {
    if (cookie === null || cookie.length > MAX_CHARACTERS || !/^[\w-]+$/.test(cookie)) return null;
    const text = await this.#seal.open(bytesOf(cookie), PLACE);
    if (text === null) return null;
    const [owner, id, at] = JSON.parse(text) as [string, string, number]; // nobody else can seal one
    return owner === account && this.#clock.now() - at < VALID_MS ? id : null;
  }
}

function bytesOf(text: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(text, { alphabet: "base64url" });
  } catch {
    return new Uint8Array();
  }
}
