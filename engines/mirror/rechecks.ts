/**
 * Reads an object again, three times unless much happens, after its event: Docker announces die, pause and rename before its own answers
 * show them.
 */

/** Milliseconds after the latest event of an id. */
const LATER: readonly number[] = [50, 250, 1_000];
const MAX_WAITING = 20_000;
/** While more wait than this, each is read once, a second later. */
const MANY = 64;

export class Rechecks implements Disposable {
  readonly #waiting = new Map<string, { readonly since: number; step: number }>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Infinity;

  constructor(private readonly look: (ids: readonly string[]) => void) {}

  /** Checks the id three times within a second; starts over if it is being checked already. */
  schedule(id: string): void {
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(id)) return;
    const step = this.#waiting.size < MANY ? 0 : LATER.length - 1;
    this.#waiting.set(id, { since: performance.now(), step });
    this.#wake(performance.now() + (LATER[step] ?? 0));
  }

  clear(): void {
    this.#waiting.clear();
    clearTimeout(this.#timer);
    this.#due = Infinity;
  }

  [Symbol.dispose](): void {
    this.clear();
  }

  #wake(at: number): void {
    if (at >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = at;
    this.#timer = setTimeout(() => this.#turn(), Math.max(1, at - performance.now()));
  }

  #turn(): void {
    this.#due = Infinity;
    const now = performance.now();
    const ids: string[] = [];
    let next = Infinity;
    for (const [id, waiting] of this.#waiting) {
      if (waiting.since + (LATER[waiting.step] ?? 0) <= now) {
        ids.push(id);
        waiting.step += 1;
      }
      const later = LATER[waiting.step];
      if (later === undefined) this.#waiting.delete(id);
      else next = Math.min(next, waiting.since + later);
    }
    if (next !== Infinity) this.#wake(next);
    if (ids.length > 0) this.look(ids);
  }
}
