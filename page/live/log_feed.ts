/** What every log on the screen has: its lines, how it is doing, and that it is told when there is more. */
import { type Signal, signal } from "@preact/signals";
import { Lines } from "./lines.ts";
import type { Problem } from "./problem.ts";

export interface Source {
  /** Unique among those of one log. */
  readonly key: string;
  readonly name: string;
  readonly backend: string;
}

/** Lines that the engine has lost, between these two times. */
export interface Gap {
  readonly after: string;
  readonly before: string | null;
}

export abstract class LogFeed {
  readonly state: Signal<"reading" | "following" | "waiting" | "ended"> = signal("reading");
  /** Why it ended: `removed`, `not_allowed`, or nothing where a problem says it. */
  readonly reason: Signal<string | null> = signal(null);
  readonly problem: Signal<Problem | null> = signal(null);
  /** Counts up when there are further lines, at most once a frame. */
  readonly version: Signal<number> = signal(0);
  readonly lines: Lines = new Lines(() => this.#tell());
  /** Whose lines they are, by the number that a line has; empty where all are of one. */
  readonly sources: Source[] = [];
  #isTold = false;

  /** Follows until the signal; a lost connection is taken up again. */
  abstract follow(ending: AbortSignal): Promise<void>;

  protected gap(gap: Gap, source = 0): void {
    this.lines.add(Date.parse(gap.after), "gap", source, JSON.stringify(gap));
  }

  #tell(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    requestAnimationFrame(() => {
      this.#isTold = false;
      this.version.value++;
    });
  }
}
