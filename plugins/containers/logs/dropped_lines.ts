/** The lines of a manager's log that are left out, because their reader was slow, until a gap has told it. */
import type { SourceLines } from "./gathered_lines.ts";

export class DroppedLines {
  readonly #lines: SourceLines;
  #after: string | null = null;
  #latest = "";
  #since = 0;
  /** The lines before the gap are on their way to the reader. */
  #isNext = false;

  constructor(lines: SourceLines) {
    this.#lines = lines;
  }

  /** True while lines are left out of which no gap has told. */
  get isPending(): boolean {
    return this.#after !== null;
  }

  /** The milliseconds since lines are left out; 0 while they are not. */
  get ms(): number {
    return this.#after === null ? 0 : performance.now() - this.#since;
  }

  /** Leaves out a line of this time. */
  drop(time: string): void {
    if (this.#after !== null) return;
    this.#since = performance.now();
    this.#after = this.#latest || time;
    this.#isNext = false;
  }

  /** Tells the gap before a line that is collected. */
  resume(time: string): void {
    this.#latest = time;
    if (this.#after !== null) this.#tell(time);
  }

  /** Tells the gap without a line behind it, where none came since the lines before it were sent. Called before all is sent. */
  sending(): void {
    if (this.#isNext) this.end();
    this.#isNext = this.#after !== null;
  }

  /** Tells the gap: no line comes behind it. */
  end(): void {
    if (this.#after !== null) this.#tell(null);
  }

  #tell(before: string | null): void {
    const after = this.#after ?? "";
    this.#after = null;
    this.#isNext = false;
    this.#lines.gap({ after, before });
  }
}
