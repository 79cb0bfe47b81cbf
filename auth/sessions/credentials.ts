/** Checks `Authorization` headers: verified once, remembered briefly, forgotten on revocation. */
import type { Principal } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import { type CredentialRef, credentialText, isSameCredential } from "../../core/credential.ts";
import { type AddressRange, isInRange } from "../../core/address_range.ts";
import { type ApiKeys, rangesOf } from "../keys/api_keys.ts";
import type { Clock } from "../clock.ts";
import type { Sessions } from "./session.ts";

/** After this time the store is asked again: another replica may have revoked the credential. */
const RECHECK_MS = 4_000;
const MAX_REMEMBERED = 10_000;
/** Hashing what was presented costs more than all else here; the few that are used right now are found without. */
const MAX_HOT = 64;

/** A credential that was good a moment ago. */
interface Credential {
  readonly principal: Principal;
  readonly source: CredentialRef;
  /** When the token or key itself ends, in milliseconds since 1970; `Infinity` for never. */
  readonly expiresAt: number;
  /** The addresses it may come from; null for all. */
  readonly from: readonly AddressRange[] | null;
  /** Aborted once the source is revoked, over, or worth less than it was. */
  revoked(): AbortSignal;
}

interface Remembered extends Credential {
  /** Which of a key's secrets was presented, as its digest; empty for a token. */
  readonly secret: string;
  /** Monotonic: the last time the store said yes. */
  checkedAt: number;
}

interface Watch {
  readonly source: CredentialRef;
  readonly secret: string;
  readonly controller: AbortController;
  readonly rights: string;
}

/** A source of credentials as it stands right now. */
interface Standing {
  readonly principal: Principal;
  readonly from: readonly AddressRange[] | null;
}

type Hash = (text: string) => string;

export class Credentials {
  readonly #keys: ApiKeys;
  readonly #sessions: Sessions;
  readonly #clock: Clock;
  /** By the hash of what was presented, so that no credential stays in memory for long. */
  readonly #remembered = new Map<string, Remembered>();
  /** By what was presented; emptied whenever it is full, older than a recheck, or something is revoked. */
  readonly #hot = new Map<string, Remembered>();
  #hotSince = -Infinity;
  /** By source and secret: a secret that was rotated away ends alone. */
  readonly #watches = new Map<string, Watch>();
  readonly #sourceOf = new WeakMap<Principal, CredentialRef>();
  #hash: Hash | null = null;
  /** Rises with every revocation: an answer that was begun before it is not remembered. */
  #epoch = 0;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: { readonly keys: ApiKeys; readonly sessions: Sessions; readonly clock: Clock }) {
    this.#keys = options.keys;
    this.#sessions = options.sessions;
    this.#clock = options.clock;
  }

  /** Throws `unauthenticated`, always with the same words, for whatever is not good or not good from there. */
  check(presented: string, peer: string): Credential | Promise<Credential> {
    if (this.#hash === null) return this.#load().then(() => this.check(presented, peer));
    const monotonic = this.#clock.monotonic();
    const known = this.#known(presented, monotonic, this.#hash);
    if (known === undefined) {
      return this.#verify(presented, this.#hash(presented)).then((one) => this.#used(one, peer));
    }
    if (known.expiresAt <= this.#clock.now()) {
      this.#forget(known);
      throw unauthenticated();
    }
    if (monotonic - known.checkedAt >= RECHECK_MS) {
      return this.#recheck(presented, this.#hash(presented), known).then((one) => this.#used(one, peer));
    }
    return this.#used(known, peer);
  }

  #used(known: Credential, peer: string): Credential {
    if (known.from !== null && !isInRange(peer, known.from)) throw unauthenticated();
    if (known.principal.kind === "apiKey") this.#keys.use(known.principal.id, peer);
    return known;
  }

  /** Returns the credential behind a principal that `check` returned. */
  sourceOf(principal: Principal): CredentialRef | null {
    return this.#sourceOf.get(principal) ?? null;
  }

  /** Forgets everything that came from this source, and ends its streams, at once. */
  revoke(source: CredentialRef): void {
    this.#epoch++;
    this.#hot.clear();
    for (const [hash, one] of this.#remembered) {
      if (isSameCredential(one.source, source)) this.#remembered.delete(hash);
    }
    for (const [name, watch] of this.#watches) {
      if (isSameCredential(watch.source, source)) this.#end(name, watch);
    }
  }

  /** Asks the store again about everybody, for a change that may concern many, and ends what it took away. */
  async reconsider(): Promise<void> {
    this.#epoch++;
    this.#hot.clear();
    this.#remembered.clear();
    await this.#lookAtAll();
  }

  #end(name: string, watch: Watch): void {
    this.#watches.delete(name);
    watch.controller.abort(ended());
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** The number of remembered credentials; never more than 10,000. */
  get size(): number {
    return this.#remembered.size;
  }

  #known(presented: string, monotonic: number, hash: Hash): Remembered | undefined {
    if (monotonic - this.#hotSince >= RECHECK_MS || this.#hot.size >= MAX_HOT) {
      this.#hot.clear();
      this.#hotSince = monotonic;
    }
    const hot = this.#hot.get(presented);
    if (hot !== undefined) return hot;
    const known = this.#remembered.get(hash(presented));
    if (known !== undefined) this.#hot.set(presented, known);
    return known;
  }

  #forget(known: Remembered): void {
    this.#hot.clear();
    for (const [hash, one] of this.#remembered) if (one === known) this.#remembered.delete(hash);
  }

  async #load(): Promise<void> {
    // Costs a start 40 ms, and nothing but a credential needs it. WebCrypto's digest would cost each request more.
    const { hash } = await import("node:crypto");
    this.#hash = (text) => hash("sha256", text, "base64");
  }

  async #verify(presented: string, hash: string): Promise<Credential> {
    const epoch = this.#epoch;
    const checkedAt = this.#clock.monotonic();
    const found = presented.startsWith("berth_") ? await this.#key(presented) : await this.#token(presented);
    if (found === null) throw unauthenticated();
    this.#sourceOf.set(found.principal, found.source);
    const secret = found.source.kind === "key" ? hash : "";
    const credential = {
      ...found,
      secret,
      checkedAt,
      revoked: () => this.#watch(found.source, secret, found),
    };
    if (epoch === this.#epoch) this.#remember(hash, credential);
    return credential;
  }

  async #key(presented: string) {
    const verdict = await this.#keys.check(presented);
    if (!verdict.valid) return null;
    const { record, expiresAt } = verdict;
    return {
      principal: this.#keys.principalOf(record),
      source: { kind: "key", id: record.id } as const,
      expiresAt,
      from: rangesOf(record),
    };
  }

  async #token(presented: string) {
    const token = await this.#sessions.check(presented);
    if (token === null) return null;
    const session = await this.#sessions.principal(token.session);
    if (session === null) return null;
    return {
      principal: session.principal,
      from: session.from,
      source: { kind: "session", id: token.session } as const,
      expiresAt: Math.min(token.expiresAt, session.expiresAt),
    };
  }

  /** The signature and the secret were checked; only whether the source still stands can have changed. */
  async #recheck(presented: string, hash: string, known: Remembered): Promise<Credential> {
    const checkedAt = this.#clock.monotonic();
    const now = await this.#standing(known.source, known.secret);
    const asBefore = now !== null && rightsOf(now) === rightsOf(known);
    if (!asBefore) {
      this.#forget(known);
      for (const [name, watch] of this.#watches) {
        if (isSameCredential(watch.source, known.source) && watch.secret === known.secret) {
          this.#end(name, watch);
        }
      }
    }
    // Also when it was revoked while we asked: then it is verified from scratch, and refused.
    if (!asBefore || this.#remembered.get(hash) !== known) return await this.#verify(presented, hash);
    known.checkedAt = checkedAt;
    return known;
  }

  async #standing({ kind, id }: CredentialRef, secret: string): Promise<Standing | null> {
    if (kind === "session") return await this.#sessions.principal(id);
    const key = await this.#keys.alive(id);
    if (key === null || !this.#keys.takes(key, secret)) return null;
    return { principal: this.#keys.principalOf(key), from: rangesOf(key) };
  }

  #remember(hash: string, credential: Remembered): void {
    if (this.#remembered.size >= MAX_REMEMBERED) {
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(hash, credential);
  }

  #watch(source: CredentialRef, secret: string, standing: Standing): AbortSignal {
    const name = `${credentialText(source)} ${secret}`;
    let watch = this.#watches.get(name);
    if (watch === undefined) {
      watch = { source, secret, controller: new AbortController(), rights: rightsOf(standing) };
      this.#watches.set(name, watch);
      if (this.#timer === null) {
        this.#timer = setInterval(() => void this.#lookAtAll(), RECHECK_MS);
        Deno.unrefTimer(this.#timer);
      }
    }
    return watch.controller.signal;
  }

  /** For what open streams cannot notice by themselves: expiry, idleness, and what other processes revoked. */
  async #lookAtAll(): Promise<void> {
    for (const [name, watch] of [...this.#watches]) {
      try {
        const now = await this.#standing(watch.source, watch.secret);
        if (now !== null && rightsOf(now) === watch.rights) continue;
        this.#end(name, watch);
        this.#epoch++;
        this.#hot.clear();
        for (const [hash, one] of this.#remembered) {
          if (isSameCredential(one.source, watch.source) && one.secret === watch.secret) {
            this.#remembered.delete(hash);
          }
        }
      } catch {
        // The store is away: nobody was revoked by that. It is asked again in four seconds.
      }
    }
  }
}

function rightsOf({ principal, from }: Standing): string {
  return JSON.stringify([principal.grants, from]);
}

function unauthenticated(): ServiceError {
  return new ServiceError(
    "unauthenticated",
    "The credential is not valid: it is unknown, was revoked or has expired; sign in again, or send another key",
  );
}

function ended(): ServiceError {
  return new ServiceError(
    "unauthenticated",
    "The credential was revoked or has expired: sign in again, or send another key",
  );
}
