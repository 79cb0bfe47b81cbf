/** The time that an engine or a swarm may be away while something is tried again. */

import { CutShort } from "../../core/cut_short.ts";
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";

const LOOK_MS = 500;
/** An attempt that went on for longer did reach it, or waited for a slow act. */
const REACHED_MS = 30_000;

/** Long attempts in a row whose answer may break off, or not come: it is so of each, for all that anybody knows. */
const MOST_CUT = 3;

export class Patience {
  #until: number | null = null;
  #cut = 0;
  #begun: number;

  constructor(
    private readonly awayMs: number,
    private readonly now: () => number = () => performance.now(),
    private readonly lookMs = LOOK_MS,
  ) {
    this.#begun = now();
  }

  /**
   * Called after a failed attempt. Waits for the next one; returns false once it was away for too long, and where its
   * answers keep breaking off or do not come.
   */
  async goesOn(stopping: AbortSignal, error: Error): Promise<boolean> {
    const now = this.now();
    if (now - this.#begun > REACHED_MS) {
      this.#until = null;
      this.#cut = isWithoutEnd(error) ? this.#cut + 1 : 0;
      if (this.#cut === MOST_CUT) return false;
    }
    this.#until ??= now + this.awayMs;
    if (now > this.#until) return false;
    await pause(this.lookMs, stopping);
    this.#begun = this.now();
    return true;
  }
}

interface Patiently {
  readonly patience: Patience;
  /** Ends the waiting: somebody gives the apply up, or the service stops. */
  readonly ending: AbortSignal;
  /** Returns true if what the work needs is away, so that the same may go better later. */
  readonly isAway: (error: ServiceError) => boolean;
}

/** Does the work, again while what it needs is away. Returns why that stays away, or was waited for no longer; null once it is done. */
export async function patiently(
  work: () => unknown,
  { patience, ending, isAway }: Patiently,
): Promise<ServiceError | null> {
  for (;;) {
    try {
      await work();
      return null;
    } catch (error) {
      if (!(error instanceof ServiceError) || !isAway(error)) throw error;
      if (ending.aborted || !await patience.goesOn(ending, error) || ending.aborted) return error;
    }
  }
}

const isWithoutEnd = (error: Error): boolean =>
  error.cause instanceof CutShort || error instanceof ServiceError && error.code === "engine_timeout";
