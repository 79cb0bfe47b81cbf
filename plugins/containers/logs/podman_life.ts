/**
 * Decides whether Podman's answer to a followed log is complete. When Podman 4 stops following at the end of the file,
 * it drops lines and parts of lines at random: of 300,000 lines 28,691 came. It does so 250 ms after the container's
 * end, 250 ms after the start of the answer if the container was paused then, and sometimes while the container runs,
 * because it reads old events again when it shortens its event file. So bytes that may come from after the container's
 * end, or came right before the answer's end, do not count: they are read again from the stored log.
 */
import { ServiceError } from "../../../core/error.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import type { EngineConnection } from "../../../engines/frames/connection.ts";

/** Podman stops 250 ms after the end; what comes before this is sound. */
const SOUND_MS = 200;
/** This long after its head, an answer has ended if the container was paused or stopping at the request. */
const SETTLED_MS = 400;
/** Podman looks for new lines four times a second, and sends them, and its end, in one burst. */
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

  /** Called before the log is opened. Returns whether it can be followed. */
  async begins(): Promise<boolean> {
    const { running, paused, life } = await this.#look();
    this.#life = running && !paused ? life : null;
    this.#isSure = false;
    return this.#life !== null;
  }

  /** Returns true if the lines that were read are complete, or are all that is left of the log. */
  async vouchesFor(answer: EngineConnection): Promise<boolean> {
    if (this.#isGone || answer.readAt < answer.askedAt + SOUND_MS) return true;
    const goesOn = await answer.settle(QUIET_MS, answer.headAt + SETTLED_MS);
    if (this.#isSure && answer.readAt < this.#livedAt + SOUND_MS) return goesOn;
    const now = performance.now();
    try {
      const { running, paused, life } = await this.#look();
      // An answer opened while the container stops ends too early; one opened before goes on
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
