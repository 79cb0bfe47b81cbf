/** Bounds the memory of request bodies: all that are in flight share a budget, and one peer gets a part of it. */
import { peerGroup } from "../../auth/rate_limit.ts";
import { ServiceError } from "../../core/error.ts";

const MIB = 1024 * 1024;
const LIMITS = { all: 64 * MIB, peer: 8 * MIB };
const RETRY_AFTER_S = 2;

export class BodyBudget {
  readonly #limits: typeof LIMITS;
  readonly #byPeer = new Map<string, number>();
  #all = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Reserves the bytes that a body may take, until the result is disposed of. An IPv6 peer shares with its /64. Throws
   * `too_many_requests`.
   */
  reserve(peer: string, bytes: number): Disposable {
    const group = peerGroup(peer);
    const own = this.#byPeer.get(group) ?? 0;
    if (own + bytes > this.#limits.peer || this.#all + bytes > this.#limits.all) {
      throw new ServiceError(
        "too_many_requests",
        `Cannot read the body: ${
          own + bytes > this.#limits.peer ? "your address has" : "all callers have"
        } too many bodies on their way; wait ${RETRY_AFTER_S} s`,
        { headers: { "retry-after": String(RETRY_AFTER_S) } },
      );
    }
    this.#add(group, bytes);
    return { [Symbol.dispose]: () => this.#add(group, -bytes) };
  }

  #add(group: string, bytes: number): void {
    this.#all += bytes;
    const own = (this.#byPeer.get(group) ?? 0) + bytes;
    if (own === 0) this.#byPeer.delete(group);
    else this.#byPeer.set(group, own);
  }
}
