/** Limits the open streams, in all and for one caller: each holds a connection to an engine. */
import type { Principal } from "../../../core/access.ts";
import { engineError } from "../../../engines/calls/errors.ts";

const MOST_PER_CALLER = 1_024;
const MOST = 4_096;
/** Sockets of one caller that show what many people watch at once, as for `/api/live`. */
const MOST_SOCKETS_PER_CALLER = 128;
const SOCKETS: readonly StreamKind[] = ["stats", "terminal"];

const KINDS = ["logs", "exec", "stats", "terminal", "live"] as const;
type StreamKind = (typeof KINDS)[number];

export class StreamLimit {
  readonly #byKind = new Map<StreamKind, number>(KINDS.map((kind) => [kind, 0]));
  readonly #byCaller = new Map<string, number>();
  readonly #byCallerAndKind = new Map<string, number>();
  readonly #mostSockets: number;
  #all = 0;

  /** `mostSockets` bounds the sockets of one caller and kind. */
  constructor(mostSockets = MOST_SOCKETS_PER_CALLER) {
    this.#mostSockets = mostSockets;
  }

  get count(): number {
    return this.#all;
  }

  /** The number of open streams, by kind. */
  get counts(): ReadonlyMap<StreamKind, number> {
    return this.#byKind;
  }

  /** Counts one stream until the result is disposed. Throws `too_many_streams`. */
  enter(principal: Principal, kind: StreamKind): Disposable {
    const caller = `${principal.kind}:${principal.id}`;
    const sockets = `${kind} ${caller}`;
    if (
      this.#all >= MOST || (this.#byCaller.get(caller) ?? 0) >= MOST_PER_CALLER ||
      (this.#byCallerAndKind.get(sockets) ?? 0) >=
        (SOCKETS.includes(kind) ? this.#mostSockets : MOST_PER_CALLER)
    ) {
      throw engineError(
        "too_many_streams",
        "Cannot open another stream: too many are open, close one first",
      );
    }
    const count = (more: number) => {
      add(this.#byCaller, caller, more);
      add(this.#byCallerAndKind, sockets, more);
      this.#count(kind, more);
    };
    count(1);
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        count(-1);
      },
    };
  }

  #count(kind: StreamKind, more: number): void {
    this.#all += more;
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + more);
  }
}

function add(counts: Map<string, number>, key: string, more: number): void {
  const count = (counts.get(key) ?? 0) + more;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
