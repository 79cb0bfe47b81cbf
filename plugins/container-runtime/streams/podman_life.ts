/**
 * How far Podman's word on a followed log can be believed. A quarter of a second after a container's end Podman tells
 * its reader of the log to stop where the file ends, and on its way there that reader leaves lines out at random, and
 * parts of lines: of 300,000 lines 28,691 came. So nothing counts that may have been sent behind the container's end:
 * whoever follows reads it from the log as it lies there.
 */
import { ServiceError } from "../../../core/error.ts";
import type { FoundContainer } from "./find_container.ts";

/** Podman waits 250 ms. */
const SOUND_MS = 200;

export class PodmanLife {
  readonly #look: () => Promise<FoundContainer>;
  #life: string | null = null;
  #isSure = false;
  #isGone = false;
  #livedAt = 0;

  constructor(look: () => Promise<FoundContainer>) {
    this.#look = look;
  }

  /** Called before the log is opened: whether it can be followed. */
  async begins(): Promise<boolean> {
    const { running, life } = await this.#look();
    this.#life = running ? life : null;
    this.#isSure = false;
    return this.#life !== null;
  }

  /** Whether what had come by then was sent while the container lived, or is all that is left of it. */
  async covers(at: number): Promise<boolean> {
    if (this.#isGone || this.#isSure && at < this.#livedAt + SOUND_MS) return true;
    const now = performance.now();
    try {
      const { running, life } = await this.#look();
      // What is opened while the container stops ends as if it had stopped; what was open before goes on
      if (life !== this.#life || !this.#isSure && !running) return false;
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === "container_not_found")) throw error;
      this.lose();
    }
    this.#isSure = true;
    this.#livedAt = now;
    return true;
  }

  /** The container was removed, and its log with it. */
  lose(): void {
    this.#isGone = true;
  }
}
