/** Pings one engine on a connection of its own: tells when it falls silent, and when it is heard again. */
import { ServiceError } from "../../core/error.ts";
import type { Engine } from "../calls/engine.ts";
import { pause } from "../../core/pause.ts";

const EVERY_MS = 2_000;
const ANSWER_MS = 1_500;
/** A ping is believed lost after this, and its connection with it. */
const LOST_MS = 2 * ANSWER_MS;
/** So many pings in a row without an answer: the engine is silent, 5 s at most after its last sign of life. */
const MISSES = 2;
/** A timer that is so much too late says that this process was busy, and nothing about the engine. */
const OWN_DELAY_MS = 250;

/** The engine's own time if it tells, null where it cannot be reached. */
type Answer = number | null | "late";

interface Watched {
  /** It does not answer; `since` is the last time that it did. */
  silent(since: Date): void;
  /** It answered, with its own time if it tells, or it cannot be reached, which ends a silence as well. */
  heard(time: number | null): Promise<void>;
  /** It answers over a new connection, and never answered over an old one: the others may be half open, too. */
  halfOpen(): void;
}

export class Watchdog implements AsyncDisposable {
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(private readonly engine: Engine, private readonly watched: Watched) {
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let misses = 0;
    let lastHeard = new Date();
    let first: Promise<Answer> | null = null;
    while (!this.#stopping.signal.aborted) {
      const began = performance.now();
      const ping = this.#ping();
      const answer = await this.#soon(ping);
      if (this.#stopping.signal.aborted) return;
      if (misses === 0) first = ping;
      if (answer === "late") {
        if (performance.now() - began > ANSWER_MS + OWN_DELAY_MS) continue;
        misses += 1;
        if (misses < MISSES) continue;
        if (misses === MISSES) this.watched.silent(lastHeard);
      } else {
        if (misses > 0 && misses < MISSES && await first === "late" && answer !== null) {
          this.watched.halfOpen();
        }
        misses = 0;
        lastHeard = new Date();
        await this.watched.heard(answer);
      }
      await pause(Math.max(0, EVERY_MS - (performance.now() - began)), this.#stopping.signal);
    }
  }

  /** The answer if it comes in time; a late one may still come. */
  async #soon(ping: Promise<Answer>): Promise<Answer> {
    let answer: Answer = "late";
    await pause(ANSWER_MS, this.#stopping.signal, ping.then((said) => void (answer = said)));
    return answer;
  }

  async #ping(): Promise<Answer> {
    try {
      return await this.engine.probe(LOST_MS);
    } catch (error) {
      return error instanceof ServiceError && error.code === "engine_timeout" ? "late" : null;
    }
  }
}
