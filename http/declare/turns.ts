/** One thing at a time for each caller: the next waits its turn, and who has too many waiting is told when to come back. */
import type { Principal } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import { Latch } from "../../core/signal.ts";

interface Line {
  last: Promise<void>;
  length: number;
}

export class Turns {
  readonly #lines = new Map<string, Line>();

  /** `doing` completes "Cannot ..."; `waiting` is how many may wait behind the one whose turn it is. */
  constructor(private readonly doing: string, private readonly waiting: number) {}

  /** Throws `too_many_requests`. Who left meanwhile loses the turn. */
  async take<T>(principal: Principal, left: AbortSignal, work: () => Promise<T>): Promise<T> {
    const name = `${principal.kind}:${principal.id}`;
    const line = this.#lines.get(name) ?? { last: Promise.resolve(), length: 0 };
    if (line.length > this.waiting) {
      throw new ServiceError(
        "too_many_requests",
        `Cannot ${this.doing}: ${line.length} of yours are not done yet; wait for one of them`,
        { headers: { "retry-after": "5" } },
      );
    }
    this.#lines.set(name, line);
    line.length++;
    const before = line.last;
    const mine = new Latch();
    line.last = mine.opened;
    try {
      await before;
      if (left.aborted) {
        // Nobody reads this; it is no fault of ours.
        throw new ServiceError(
          "too_many_requests",
          `Cannot ${this.doing}: the caller left before their turn`,
        );
      }
      return await work();
    } finally {
      mine.open();
      if (--line.length === 0) this.#lines.delete(name);
    }
  }
}
