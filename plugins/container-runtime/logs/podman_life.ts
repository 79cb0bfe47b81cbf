/**
 * How far Podman's word on a followed log can be believed. When it tells its reader of the log to stop where the file
 * ends, that reader leaves lines out at random on its way there, and parts of lines: of 300,000 lines 28,691 came. It
 * does so a quarter of a second after the container's end, or after the answer's begin if the container was paused
 * then, and sometimes while the container lives: Podman 4 waits for an event, and reads old ones once more when it
 * shortens the file of its events. So nothing counts that may have been sent behind the container's end, or was sent
 * right before the answer's: whoever follows reads it from the log as it lies there.
 */
import { ServiceError } from "../../../core/error.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { EngineConnection } from "../frames/connection.ts";

/** Podman waits 250 ms before it tells its reader to stop. */
const SOUND_MS = 200;
/** So long after the answer's head it has ended if the container was paused, or stopping, when it was asked for. */
const SETTLED_MS = 400;
/** Podman looks for new lines four times a second, and tells them, and its end, in one go. */
const QUIET_MS = 50;

export class PodmanLife {
  readonly #look: () => Promise<LiveContainer>;
  #life: string | null = null;
  #isSure = false;
  #isGone = false;
  #livedAt = 0;

  constructor(look: () => Promise<LiveContainer>) {
    this.#look = look;
  }

  /** Called before the log is opened: whether it can be followed. */
  async begins(): Promise<boolean> {
    const { running, paused, life } = await this.#look();
    this.#life = running && !paused ? life : null;
    this.#isSure = false;
    return this.#life !== null;
  }

  /** Whether what was read, and what came along with it, is whole, or is all that is left of the log. */
  async vouchesFor(answer: EngineConnection): Promise<boolean> {
    if (this.#isGone || answer.readAt < answer.askedAt + SOUND_MS) return true;
    const goesOn = await answer.settle(QUIET_MS, answer.headAt + SETTLED_MS);
    if (this.#isSure && answer.readAt < this.#livedAt + SOUND_MS) return goesOn;
    const now = performance.now();
    try {
      const { running, paused, life } = await this.#look();
      // What is opened while the container stops ends as if it had stopped; what was open before goes on
      if (life !== this.#life || !this.#isSure && (!running || paused)) return false;
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === "container_not_found")) throw error;
      this.lose();
      return true;
    }
    this.#isSure = true;
    this.#livedAt = now;
    return goesOn;
  }

  /** The container was removed, and its log with it. */
  lose(): void {
    this.#isGone = true;
  }
}
