/** What every log on the screen has: its lines, how it is doing, and that it is told when there is more. */
import { type Signal, signal } from "@preact/signals";
import { isStatusError } from "../../client/mod.ts";
import { Lines } from "./lines.ts";
import { type Problem, problemOf } from "./problem.ts";

export interface Source {
  /** Unique among those of one log. */
  readonly key: string;
  readonly name: string;
  readonly backend: string;
}

const PAUSE_MS = 1_000;
const FINAL = [401, 403, 404];

/** Follows until it is ended; a lost connection is taken up again. */
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

  /** Reads until the connection ends; whether that is the end of the log. */
  protected abstract read(signal: AbortSignal): Promise<boolean>;

  async follow(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      try {
        if (await this.read(ending)) {
          this.state.value = "ended";
          return;
        }
      } catch (error) {
        if (ending.aborted) return;
        if (isStatusError(error) && FINAL.includes(error.response.statusCode)) {
          this.problem.value = problemOf(error);
          this.state.value = "ended";
          return;
        }
      }
      this.state.value = "waiting";
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** A gap that the engine tells of: between these two times. */
  protected gap(gap: Gap, source = 0): void {
    this.lines.add(Date.parse(gap.after ?? ""), "gap", source, JSON.stringify(gap));
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

export interface Gap {
  /** The engine lost them, or we did while there was no connection or we were too slow. */
  readonly by: "engine" | "us";
  readonly after: string | null;
  readonly before: string | null;
}
