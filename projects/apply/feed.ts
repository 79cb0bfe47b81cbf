/** Tells who follows an apply that its journal has more, and passes on what stands in no journal. */

import type { ApplyEvent } from "./apply_shape.ts";

type Progress = Extract<ApplyEvent, { kind: "progress" }>;

interface Follower {
  readonly more: () => void;
  readonly progress: (event: Progress) => void;
}

/** Progress of one step is told this often at most. */
const PROGRESS_MS = 250;

export class ApplyFeed {
  readonly #followers = new Map<string, Set<Follower>>();
  readonly #toldAt = new Map<string, number>();

  follow(apply: string, follower: Follower): Disposable {
    const followers = this.#followers.get(apply) ?? new Set();
    this.#followers.set(apply, followers.add(follower));
    return {
      [Symbol.dispose]: () => {
        followers.delete(follower);
        if (followers.size === 0 && this.#followers.get(apply) === followers) this.#followers.delete(apply);
      },
    };
  }

  written(apply: string): void {
    for (const { more } of this.#followers.get(apply) ?? []) more();
  }

  progress(apply: string, event: Progress): void {
    const followers = this.#followers.get(apply);
    if (followers === undefined) return;
    const key = `${apply}:${event.step}`;
    const now = performance.now();
    if (now - (this.#toldAt.get(key) ?? -Infinity) < PROGRESS_MS) return;
    this.#toldAt.set(key, now);
    for (const { progress } of followers) progress(event);
  }

  /** The apply is not carried out here any more. */
  over(apply: string): void {
    for (const key of this.#toldAt.keys()) if (key.startsWith(`${apply}:`)) this.#toldAt.delete(key);
    this.written(apply);
  }
}
