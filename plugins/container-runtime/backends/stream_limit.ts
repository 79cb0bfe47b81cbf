/** Limits the open streams, in all and for one caller: each holds a connection to an engine. */
import type { Principal } from "../../../core/access.ts";
import { engineError } from "../engine/errors.ts";

const MOST_PER_CALLER = 1_024;
const MOST = 4_096;

const KINDS = ["logs", "exec", "stats", "terminal", "live"] as const;
export type StreamKind = (typeof KINDS)[number];

export class StreamLimit {
  readonly #byKind = new Map<StreamKind, number>(KINDS.map((kind) => [kind, 0]));
  readonly #byCaller = new Map<string, number>();
  #all = 0;

  get count(): number {
    return this.#all;
  }

  /** How many are open, by what they show. */
  get counts(): ReadonlyMap<StreamKind, number> {
    return this.#byKind;
  }

  /** Counts one stream until the result is disposed. Throws `too_many_streams`. */
  enter(principal: Principal, kind: StreamKind): Disposable {
    const key = `${principal.kind}:${principal.id}`;
    const own = this.#byCaller.get(key) ?? 0;
    if (own >= MOST_PER_CALLER || this.#all >= MOST) {
      throw engineError(
        "too_many_streams",
        "Cannot open another stream: too many are open, close one first",
      );
    }
    this.#byCaller.set(key, own + 1);
    this.#count(kind, 1);
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        this.#count(kind, -1);
        const rest = (this.#byCaller.get(key) ?? 1) - 1;
        if (rest === 0) this.#byCaller.delete(key);
        else this.#byCaller.set(key, rest);
      },
    };
  }

  #count(kind: StreamKind, more: number): void {
    this.#all += more;
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + more);
  }
}
