/** Ends a request to an engine early: its time is over, its caller left, or the service stops. */
import { ServiceError } from "../../core/error.ts";
import { type Subject, unreachable } from "./failure.ts";
import { engineError } from "./errors.ts";

export class Cutoff implements Disposable {
  readonly #controller = new AbortController();
  readonly #parents: readonly AbortSignal[];
  readonly #onParent = () => this.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expired = false;

  constructor(parents: readonly AbortSignal[]) {
    this.#parents = parents;
    for (const parent of parents) {
      if (parent.aborted) this.#controller.abort(parent.reason);
      else parent.addEventListener("abort", this.#onParent, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the request after `ms`; null removes the time limit. */
  expire(ms: number | null): void {
    clearTimeout(this.#timer);
    if (ms === null) return;
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.abort();
    }, ms);
  }

  abort(): void {
    clearTimeout(this.#timer);
    for (const parent of this.#parents) parent.removeEventListener("abort", this.#onParent);
    this.#controller.abort();
  }

  /** The error to throw for a failure of the request: a timeout, the caller's own reason, or unreachable. */
  failure(engine: string, thrown: unknown, subject: Subject): unknown {
    if (thrown instanceof ServiceError) return thrown;
    if (this.#expired) {
      return engineError(
        "engine_timeout",
        `Cannot ${subject.doing}: engine "${engine}" took too long to answer`,
        { cause: thrown },
      );
    }
    const left = this.#parents.find((parent) => parent.aborted);
    return left === undefined ? unreachable(engine, thrown, subject) : left.reason;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const parent of this.#parents) parent.removeEventListener("abort", this.#onParent);
  }
}
