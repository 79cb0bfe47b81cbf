/** The keys that tokens are signed with, and their rotation, in which no valid token is refused. */
import { ServiceError } from "../../core/error.ts";
import type { SigningKeyRecord, SigningKeyStore } from "../../core/access_store.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { auditEntry, BERTH } from "../audit/audit.ts";
import type { Clock } from "../clock.ts";
import type { Seal } from "../sealing/sealing.ts";

export const ALGORITHM = "EdDSA";
const CURVE = "Ed25519";

/** The time for which a key signs. */
const ACTIVE_MS = 30 * 86_400_000;
/** Every replica reloads at least this often while it is used, so each knows a key before it signs. */
const RELOAD_MS = 15_000;
const PENDING_MS = 2 * RELOAD_MS;
/** A token that names a key nobody knows may ask for one reload in this time, and no more. */
const UNKNOWN_MS = 10_000;

interface SigningKey {
  readonly kid: string;
  readonly key: CryptoKey;
}

interface SigningKeyOptions {
  readonly store: SigningKeyStore;
  readonly seal: Seal;
  readonly clock: Clock;
  /** The longest life of anything signed, with room for clocks that differ. */
  readonly retiringMs: number;
  readonly activeMs?: number;
}

export class SigningKeys {
  readonly #options: SigningKeyOptions;
  readonly #activeMs: number;
  #signer: SigningKey | null = null;
  readonly #verifiers = new Map<string, CryptoKey>();
  #loadedAt = -Infinity;
  #unknownAt = -Infinity;
  /** Looks for a key that nobody knows; all who ask for one meanwhile wait for it. */
  #looking: Promise<void> | null = null;
  #loading: Promise<void> | null = null;

  constructor(options: SigningKeyOptions) {
    this.#options = options;
    this.#activeMs = options.activeMs ?? ACTIVE_MS;
  }

  /** The key to sign with now. */
  async signer(): Promise<SigningKey> {
    await this.#fresh();
    // A pending key may be sealed under a lost key as well; the round after that makes one that is not.
    for (let round = 0; this.#signer === null && round < 3; round++) await this.#reload();
    if (this.#signer === null) {
      throw new ServiceError("store_unavailable", "Cannot sign: there is no key for it");
    }
    return this.#signer;
  }

  /** The key of this id, if it may still verify. The id is only ever looked up: it leads nowhere else. */
  async verifier(kid: string): Promise<CryptoKey | null> {
    await this.#fresh();
    const known = this.#verifiers.get(kid);
    if (known !== undefined) return known;
    const now = this.#options.clock.monotonic();
    if (now - this.#unknownAt >= UNKNOWN_MS) {
      this.#unknownAt = now;
      this.#looking = this.#lookAgain().finally(() => this.#looking = null);
    }
    await this.#looking;
    return this.#verifiers.get(kid) ?? null;
  }

  /** Reads the store anew: what is being read already may be older than the key. */
  async #lookAgain(): Promise<void> {
    await this.#loading?.catch(() => {});
    await this.#reload();
  }

  async #fresh(): Promise<void> {
    if (this.#options.clock.monotonic() - this.#loadedAt >= RELOAD_MS) await this.#reload();
  }

  #reload(): Promise<void> {
    this.#loading ??= this.#turnOver().finally(() => this.#loading = null);
    return this.#loading;
  }

  /** Brings memory in line with the store, and the store in line with the time. */
  async #turnOver(): Promise<void> {
    const { store, clock, retiringMs } = this.#options;
    const started = clock.monotonic();
    const keys = await store.list();
    await this.#learn(keys);
    const now = clock.now();
    const active = keys.find((key) => key.state === "active");
    const pending = keys.find((key) => key.state === "pending");
    if (this.#signer === null) {
      // The first start, or a lost sealing key: no replica can sign, so there is nobody to wait for.
      if (pending === undefined) await this.#add(now);
      const added = await store.list();
      await this.#learn(added);
      const next = added.find((key) => key.state === "pending");
      // Another replica may have been first, and signs already: its key is not replaced.
      if (this.#signer === null && next !== undefined) {
        await this.#activate(next.kid, now);
        await this.#learn(await store.list());
      }
    } else if (
      active !== undefined && (now - active.since >= this.#activeMs || !await this.#isOfToday(active))
    ) {
      if (pending === undefined) await this.#add(now);
      else if (now - pending.since >= PENDING_MS) await this.#activate(pending.kid, now);
      await this.#learn(await store.list());
    }
    if (keys.some((key) => key.state === "retiring" && key.since < now - retiringMs)) {
      await store.forget(now - retiringMs);
      await this.#learn(await store.list());
    }
    this.#loadedAt = started;
  }

  async #learn(keys: readonly SigningKeyRecord[]): Promise<void> {
    const kids = new Set(keys.map((key) => key.kid));
    for (const kid of this.#verifiers.keys()) if (!kids.has(kid)) this.#verifiers.delete(kid);
    for (const record of keys) {
      if (record.algorithm !== ALGORITHM) continue;
      if (!this.#verifiers.has(record.kid)) {
        this.#verifiers.set(record.kid, await importKey(record.publicKey, "verify"));
      }
      if (record.state !== "active" || this.#signer?.kid === record.kid) continue;
      const opened = await this.#options.seal.open(record.sealed, placeOf(record.kid));
      this.#signer = opened === null ? null : { kid: record.kid, key: await importKey(opened, "sign") };
    }
  }

  /** A key that an earlier sealing key can open signs only until every replica knows its successor. */
  #isOfToday({ sealed, kid }: SigningKeyRecord): Promise<boolean> {
    return this.#options.seal.isOfToday(sealed, placeOf(kid));
  }

  async #add(now: number): Promise<void> {
    const key = await this.#make(now);
    await this.#options.store.add(key, entryOf("signing_keys.add", key.kid, now));
  }

  async #activate(kid: string, now: number): Promise<void> {
    await this.#options.store.activate(kid, now, entryOf("signing_keys.activate", kid, now));
  }

  async #make(now: number): Promise<SigningKeyRecord> {
    const pair = await crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]) as CryptoKeyPair;
    const publicKey = await crypto.subtle.exportKey("jwk", pair.publicKey);
    const privateKey = await crypto.subtle.exportKey("jwk", pair.privateKey);
    const { calculateJwkThumbprint } = await import("jose");
    const kid = await calculateJwkThumbprint({ kty: "OKP", crv: CURVE, x: publicKey.x ?? "" });
    const sealed = await this.#options.seal.seal(JSON.stringify(privateKey), placeOf(kid));
    return {
      kid,
      algorithm: ALGORITHM,
      publicKey: JSON.stringify(publicKey),
      sealed,
      state: "pending",
      createdAt: now,
      since: now,
    };
  }
}

function entryOf(action: string, kid: string, at: number): NewAuditEntry {
  return auditEntry({ at, actor: BERTH, action, target: kid });
}

/** Returns the place of the key's private half, as its seal names it. */
export function placeOf(kid: string): string {
  return `signing_keys|sealed|${kid}`;
}

function importKey(jwk: string, use: "sign" | "verify"): Promise<CryptoKey> {
  const parsed: JsonWebKey = JSON.parse(jwk);
  return crypto.subtle.importKey("jwk", parsed, CURVE, false, [use]);
}
