/** Rate limits: counters that nobody can reset by filling their table. */
import { ServiceError } from "../core/error.ts";
import { textHash } from "../core/text_hash.ts";
import type { Clock } from "./clock.ts";

interface Limit {
  /** Tries that are free at once; they come back evenly over `perMs`. */
  readonly tries: number;
  readonly perMs: number;
}

interface Bucket {
  left: number;
  at: number;
}

const MAX_BUCKETS = 10_000;
/** All who come while the table is full share these, by a hash they cannot foresee. */
const SHARED_BUCKETS = 256;

/** One kind of try, counted per name. */
export class RateLimit {
  readonly #what: string;
  readonly #limit: Limit;
  readonly #clock: Clock;
  readonly #among: () => number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #shared: Bucket[];
  readonly #salt = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  #sweptAt = -Infinity;

  /** `what` completes "Cannot ..."; `among` says how many replicas share the limit: each allows its part. */
  constructor(what: string, limit: Limit, clock: Clock, among: () => number = () => 1) {
    this.#what = what;
    this.#limit = limit;
    this.#clock = clock;
    this.#among = among;
    this.#shared = Array.from(
      { length: SHARED_BUCKETS },
      () => ({ left: limit.tries, at: clock.monotonic() }),
    );
  }

  /** Takes one try. Throws `too_many_requests` when none is left. */
  spend(name: string): void {
    const bucket = this.#bucket(name);
    this.#refill(bucket);
    if (bucket.left < 1) {
      const seconds = Math.ceil((1 - bucket.left) * this.#limit.perMs / this.#tries() / 1000);
      throw new ServiceError("too_many_requests", `Cannot ${this.#what}: too many tries; wait ${seconds} s`, {
        headers: { "retry-after": String(seconds) },
      });
    }
    bucket.left -= 1;
  }

  /** Gives back a try that succeeded. */
  refund(name: string): void {
    const bucket = this.#bucket(name);
    bucket.left = Math.min(this.#tries(), bucket.left + 1);
  }

  #tries(): number {
    return Math.max(1, Math.floor(this.#limit.tries / this.#among()));
  }

  /** For tests: how much is remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  #bucket(name: string): Bucket {
    const known = this.#buckets.get(name);
    if (known !== undefined) return known;
    if (this.#buckets.size >= MAX_BUCKETS) this.#sweep();
    if (this.#buckets.size >= MAX_BUCKETS) {
      // Nobody is evicted: a full table must not be a way to forget one's own count.
      return this.#shared[textHash(name, this.#salt)[0] % SHARED_BUCKETS] ?? { left: 0, at: 0 };
    }
    const made = { left: this.#tries(), at: this.#clock.monotonic() };
    this.#buckets.set(name, made);
    return made;
  }

  #refill(bucket: Bucket): void {
    const now = this.#clock.monotonic();
    const tries = this.#tries();
    const back = (now - bucket.at) * tries / this.#limit.perMs;
    bucket.left = Math.min(tries, bucket.left + back);
    bucket.at = now;
  }

  /** Forgets whose tries are all back: exactly those a new bucket would treat the same. At most once a second. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    if (now - this.#sweptAt < 1_000) return;
    this.#sweptAt = now;
    for (const [name, bucket] of this.#buckets) {
      this.#refill(bucket);
      if (bucket.left >= this.#tries()) this.#buckets.delete(name);
    }
  }
}

/** Counts a try and gives it back when it was good, so that only failures add up. */
export async function honestly<T>(limit: RateLimit, name: string, work: () => Promise<T>): Promise<T> {
  limit.spend(name);
  const value = await work();
  limit.refund(name);
  return value;
}

/** One counter for a whole IPv6 /64, which is what one subscriber gets. */
export function peerGroup(peer: string): string {
  if (!peer.includes(":") || peer.startsWith("::ffff:")) return peer;
  const [head = "", tail] = peer.split("%", 1)[0]?.split("::") ?? [];
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array(zeros).fill("0"), ...last].slice(0, 4).join(":") + "::/64";
}
