/** What an `Authorization` header is worth right now: verified once, remembered briefly, forgotten on revocation. */
import type { Principal } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { ApiKeys } from "./api_keys.ts";
import type { Clock } from "./clock.ts";
import type { Sessions } from "./session.ts";

/** What was verified is asked of the store again after this: another replica may have revoked it. */
const RECHECK_MS = 4_000;
const MAX_REMEMBERED = 10_000;
/** Hashing what was presented costs more than all else here; the few that are used right now are found without. */
const MAX_HOT = 64;

/** A credential that was good a moment ago. */
export interface Credential {
  readonly principal: Principal;
  /** What is revoked: `key:<id>` or `session:<id>`. */
  readonly source: string;
  /** When the token or key itself ends, in milliseconds since 1970; `Infinity` for never. */
  readonly expiresAt: number;
  /** Aborted once the source is revoked, over, or worth less than it was. */
  revoked(): AbortSignal;
}

interface Remembered extends Credential {
  /** Monotonic: the last time the store said yes. */
  checkedAt: number;
}

interface Watch {
  readonly controller: AbortController;
  readonly permissions: string;
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
  readonly #watches = new Map<string, Watch>();
  readonly #sourceOf = new WeakMap<Principal, string>();
  #hash: Hash | null = null;
  /** Rises with every revocation: an answer that was begun before it is not remembered. */
  #epoch = 0;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: { readonly keys: ApiKeys; readonly sessions: Sessions; readonly clock: Clock }) {
    this.#keys = options.keys;
    this.#sessions = options.sessions;
    this.#clock = options.clock;
  }

  /** Throws `unauthenticated`, always with the same words, for whatever is not good. */
  check(presented: string): Credential | Promise<Credential> {
    if (this.#hash === null) return this.#load().then(() => this.check(presented));
    const monotonic = this.#clock.monotonic();
    const known = this.#known(presented, monotonic, this.#hash);
    if (known === undefined) return this.#verify(presented, this.#hash(presented));
    if (known.expiresAt <= this.#clock.now()) {
      this.#forget(known);
      throw unauthenticated();
    }
    if (monotonic - known.checkedAt >= RECHECK_MS) {
      return this.#recheck(presented, this.#hash(presented), known);
    }
    if (known.principal.kind === "apiKey") this.#keys.use(known.principal.id);
    return known;
  }

  /** Where a principal that `check` gave out comes from. */
  sourceOf(principal: Principal): string | null {
    return this.#sourceOf.get(principal) ?? null;
  }

  /** Forgets everything that came from this source, and ends its streams, at once. */
  revoke(source: string): void {
    this.#epoch++;
    this.#hot.clear();
    for (const [hash, one] of this.#remembered) if (one.source === source) this.#remembered.delete(hash);
    this.#watches.get(source)?.controller.abort(ended());
    this.#watches.delete(source);
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** How many are remembered; never more than 10,000. */
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
    const { principal, source, expiresAt } = found;
    const credential = {
      principal,
      source,
      expiresAt,
      checkedAt,
      revoked: () => this.#watch(source, principal),
    };
    if (epoch === this.#epoch) this.#remember(hash, credential);
    if (principal.kind === "apiKey") this.#keys.use(principal.id);
    return credential;
  }

  async #key(presented: string) {
    const verdict = await this.#keys.check(presented);
    if (!verdict.valid) return null;
    const { record } = verdict;
    const principal = this.#keys.principalOf(record);
    return { principal, source: `key:${record.id}`, expiresAt: record.expiresAt ?? Infinity };
  }

  async #token(presented: string) {
    const token = await this.#sessions.check(presented);
    if (token === null) return null;
    const session = await this.#sessions.principal(token.session);
    if (session === null) return null;
    return {
      principal: session.principal,
      source: `session:${token.session}`,
      expiresAt: Math.min(token.expiresAt, session.expiresAt),
    };
  }

  /** The signature and the secret were checked; only whether the source still stands can have changed. */
  async #recheck(presented: string, hash: string, known: Remembered): Promise<Credential> {
    const checkedAt = this.#clock.monotonic();
    const now = await this.#standing(known.source);
    const asBefore = now !== null && rightsOf(now) === rightsOf(known.principal);
    if (!asBefore) this.revoke(known.source);
    // Also when it was revoked while we asked: then it is verified from scratch, and refused.
    if (!asBefore || this.#remembered.get(hash) !== known) return await this.#verify(presented, hash);
    known.checkedAt = checkedAt;
    if (known.principal.kind === "apiKey") this.#keys.use(known.principal.id);
    return known;
  }

  async #standing(source: string): Promise<Principal | null> {
    const id = source.slice(source.indexOf(":") + 1);
    if (source.startsWith("session:")) return (await this.#sessions.principal(id))?.principal ?? null;
    const key = await this.#keys.alive(id);
    return key === null ? null : this.#keys.principalOf(key);
  }

  #remember(hash: string, credential: Remembered): void {
    if (this.#remembered.size >= MAX_REMEMBERED) {
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(hash, credential);
  }

  #watch(source: string, principal: Principal): AbortSignal {
    let watch = this.#watches.get(source);
    if (watch === undefined) {
      watch = { controller: new AbortController(), permissions: rightsOf(principal) };
      this.#watches.set(source, watch);
      if (this.#timer === null) {
        this.#timer = setInterval(() => void this.#lookAtAll(), RECHECK_MS);
        Deno.unrefTimer(this.#timer);
      }
    }
    return watch.controller.signal;
  }

  /** For what open streams cannot notice by themselves: expiry, idleness, and what other processes revoked. */
  async #lookAtAll(): Promise<void> {
    for (const [source, watch] of [...this.#watches]) {
      try {
        const now = await this.#standing(source);
        if (now === null || rightsOf(now) !== watch.permissions) this.revoke(source);
      } catch {
        // The store is away: nobody was revoked by that. It is asked again in four seconds.
      }
    }
  }
}

function rightsOf(principal: Principal): string {
  return principal.permissions.join();
}

function unauthenticated(): ServiceError {
  return new ServiceError(
    "unauthenticated",
    "Cannot go on: the credential is not known here, was revoked, or ran out",
  );
}

function ended(): ServiceError {
  return new ServiceError("unauthenticated", "Cannot go on: the credential was revoked, or ran out");
}
