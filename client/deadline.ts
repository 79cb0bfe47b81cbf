/** Joins all that can end a call early (time, its caller, `close()`) into one signal and one rejection. */
import { ClosedError, type RequestLine, TimeoutError } from "./errors.ts";
import type { Running } from "./running.ts";

/** One call's end: what is awaited through {@linkcode Deadline.until} rejects when the deadline is aborted. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #call: RequestLine;
  readonly #running: Running<Deadline>;
  readonly #unhook: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(
    call: RequestLine,
    running: Running<Deadline>,
    outer: AbortSignal | undefined,
  ) {
    this.#call = call;
    this.#running = running;
    running.add(this);
    this.#unhook = outer && onAbort(outer, () => this.abort(outer.reason));
  }

  /** From now on the call takes as long as it takes, or so long and no longer. */
  arm(ms?: number | undefined): void {
    this.#running.exempt(this);
    clearTimeout(this.#timer);
    if (ms) this.#timer = setTimeout(() => this.expire(ms), ms);
  }

  /** Ends the call because its time has run out. */
  expire(ms: number): void {
    this.abort(new TimeoutError(`nothing came within ${ms / 1000} s`, this.#call));
  }

  /** Ends the call with this reason, be it what it may. The first one wins. */
  abort(reason: unknown): void {
    // The rejection comes first, so that it is not beaten by the runtime's own report of the abort.
    this.#reject?.(reason);
    this.#controller.abort(reason);
  }

  /** Ends the call because its client is closed. */
  close(): void {
    this.abort(new ClosedError("the client is closed", this.#call));
  }

  /** The work's outcome, or the abort's reason whether or not the work heeds the signal. One at a time. */
  until<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.signal.throwIfAborted();
      work().then(resolve, reject);
    });
  }

  /** Lets go of timer and signals: a process stays alive while it is listened to. */
  end(): void {
    clearTimeout(this.#timer);
    this.#unhook?.();
    this.#running.delete(this);
  }
}

const hooks = new WeakMap<AbortSignal, { runs: Set<() => void>; fire: () => void }>();

/** One listener a signal however many calls share it: Node warns at the eleventh. */
function onAbort(signal: AbortSignal, run: () => void): (() => void) | undefined {
  if (signal.aborted) return void run();
  let hook = hooks.get(signal);
  if (!hook) {
    const runs = new Set<() => void>();
    hooks.set(signal, hook = { runs, fire: () => runs.forEach((run) => run()) });
    signal.addEventListener("abort", hook.fire);
  }
  const { runs, fire } = hook;
  runs.add(run);
  return () => {
    if (runs.delete(run) && !runs.size) {
      hooks.delete(signal);
      signal.removeEventListener("abort", fire);
    }
  };
}
