/** Bounds the memory of request bodies: those in flight share budgets, and one peer gets a part of each. */
import { peerGroup } from "../../auth/rate_limit.ts";
import { ServiceError } from "../../core/error.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const RETRY_AFTER_S = 2;

/**
 * The kinds of callers that share a budget: `known` have shown a good credential, `signIn` send one as their body, and
 * `hook` are strangers until a longer body was read. None can take what another has.
 */
export type BodyPart = "known" | "signIn" | "hook";

type Limits = Readonly<Record<BodyPart, { readonly all: number; readonly peer: number }>>;

const LIMITS: Limits = {
  known: { all: 40 * MIB, peer: 8 * MIB },
  signIn: { all: 8 * MIB, peer: 128 * KIB },
  hook: { all: 16 * MIB, peer: 4 * MIB },
};

export class BodyBudget {
  readonly #limits: Limits;
  readonly #byPeer = new Map<string, number>();
  readonly #all: Record<BodyPart, number> = { known: 0, signIn: 0, hook: 0 };

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Reserves the bytes that a body may take, until the result is disposed of. An IPv6 peer shares with its /64. Throws
   * `too_many_requests`.
   */
  reserve(part: BodyPart, peer: string, bytes: number): Disposable {
    const limits = this.#limits[part];
    const name = `${part} ${peerGroup(peer)}`;
    const own = this.#byPeer.get(name) ?? 0;
    if (own + bytes > limits.peer || this.#all[part] + bytes > limits.all) {
      throw new ServiceError(
        "too_many_requests",
        `Cannot read the body: ${
          own + bytes > limits.peer ? "your address has" : "all callers have"
        } too many bodies on their way; wait ${RETRY_AFTER_S} s`,
        { headers: { "retry-after": String(RETRY_AFTER_S) } },
      );
    }
    this.#add(part, name, bytes);
    return { [Symbol.dispose]: () => this.#add(part, name, -bytes) };
  }

  #add(part: BodyPart, name: string, bytes: number): void {
    this.#all[part] += bytes;
    const own = (this.#byPeer.get(name) ?? 0) + bytes;
    if (own === 0) this.#byPeer.delete(name);
    else this.#byPeer.set(name, own);
  }
}
