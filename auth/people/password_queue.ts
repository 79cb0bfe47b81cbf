/** Decides whose password is checked next, so that addresses that guess cannot keep others from signing in. */
import { ServiceError } from "../../core/error.ts";

/** The sender of a password. */
export interface Sender {
  /** The address, or the /64 of an IPv6 address. */
  readonly peer: string;
  /** True for a browser that signed in before, and for callers who are signed in. */
  readonly isKnown: boolean;
}

export const SIGNED_IN: Sender = { peer: "", isKnown: true };

/** Each check takes memory and a core. */
const AT_ONCE = 2;
/** Places for known senders, and as many for all others. */
const PLACES = 16;
/** Places that one unknown peer may take. */
const PLACES_PER_PEER = 8;
/** Checks of a peer count against it for this long. */
const REMEMBERED_MS = 60_000;
const MAX_PEERS = 10_000;

interface Waiting extends Sender {
  /** Checks that its peer asked for recently; the fewest come first. */
  readonly recent: number;
  readonly begin: () => void;
  readonly refuse: (error: ServiceError) => void;
}

export class PasswordQueue {
  readonly #known: Waiting[] = [];
  readonly #unknown: Waiting[] = [];
  #recent = new Map<string, number>();
  #recentSince = performance.now();
  #running = 0;
  #wasKnown = false;

  /** Waits until a check may run; it ends when the result is disposed of. Throws `too_many_requests`. */
  async turn(sender: Sender): Promise<Disposable> {
    const recent = this.#count(sender);
    if (this.#running < AT_ONCE) this.#running++;
    else await this.#wait(sender, recent);
    return { [Symbol.dispose]: () => this.#next() };
  }

  #wait(sender: Sender, recent: number): Promise<void> {
    const queue = sender.isKnown ? this.#known : this.#unknown;
    if (!sender.isKnown && queue.filter(({ peer }) => peer === sender.peer).length >= PLACES_PER_PEER) {
      throw tooMany();
    }
    if (queue.length >= PLACES) {
      // They are in order: the last one's peer asked for the most checks.
      if (queue.at(-1)!.recent <= recent) throw tooMany();
      queue.pop()!.refuse(tooMany());
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const at = queue.findIndex((one) => one.recent > recent);
    queue.splice(at === -1 ? queue.length : at, 0, { ...sender, recent, begin: resolve, refuse: reject });
    return promise;
  }

  /** Known and unknown senders take turns; the place goes straight to the next, so that no new call takes it. */
  #next(): void {
    const [first, second] = this.#wasKnown ? [this.#unknown, this.#known] : [this.#known, this.#unknown];
    const next = first.shift() ?? second.shift();
    if (next === undefined) this.#running--;
    else {
      this.#wasKnown = next.isKnown;
      next.begin();
    }
  }

  #count({ peer, isKnown }: Sender): number {
    if (isKnown) return 0;
    const now = performance.now();
    if (now - this.#recentSince > REMEMBERED_MS || this.#recent.size >= MAX_PEERS) {
      this.#recent = new Map();
      this.#recentSince = now;
    }
    const recent = this.#recent.get(peer) ?? 0;
    this.#recent.set(peer, recent + 1);
    return recent;
  }
}

function tooMany(): ServiceError {
  return new ServiceError(
    "too_many_requests",
    "Cannot check the password: too many are being checked; try again in a few seconds",
    { headers: { "retry-after": "5" } },
  );
}
