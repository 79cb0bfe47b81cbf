/** The time that an engine or a swarm may be away while something is tried again. */

import { pause } from "../../core/pause.ts";

const LOOK_MS = 500;
/** An attempt that went on for longer did reach it: no single call waits so long for an answer. */
const REACHED_MS = 30_000;

export class Patience {
  #until: number | null = null;
  #begun: number;

  constructor(
    private readonly awayMs: number,
    private readonly now: () => number = () => performance.now(),
    private readonly lookMs = LOOK_MS,
  ) {
    this.#begun = now();
  }

  /** Called after a failed attempt. Waits for the next one; returns false once it was away for too long. */
  async goesOn(stopping: AbortSignal): Promise<boolean> {
    const now = this.now();
    if (now - this.#begun > REACHED_MS) this.#until = null;
    this.#until ??= now + this.awayMs;
    if (now > this.#until) return false;
    await pause(this.lookMs, stopping);
    this.#begun = this.now();
    return true;
  }
}
