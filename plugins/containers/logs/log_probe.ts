/**
 * Finds out whether a quiet followed log is really quiet: a connection that is half open, or that a router has forgotten,
 * is as quiet as a container that writes nothing. The engine is asked for the log's last line over another connection.
 */
import type { LiveContainer } from "../backends/live_container.ts";
import { at } from "../../../engines/calls/path.ts";
import type { LogPosition } from "./log_position.ts";
import { compareLogTimes, type LogTime, readLogTime } from "./log_time.ts";

const LOOK_MS = 4_000;
/** The waits before the first probe of a quiet time and between later ones; with a look they are below 30 s. */
const FIRST_MS = 4_000;
const LONGEST_MS = 24_000;
/** The longest last line that is read; longer ones prove nothing. */
const MAX_BYTES = 1024 * 1024;
/** The part of an answer that a time is looked for in: a frame's head and the time. */
const HEAD_CHARACTERS = 64;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:\d\d)/;

interface ProbedLog {
  readonly target: LiveContainer;
  readonly query: { readonly stdout: boolean; readonly stderr: boolean };
  readonly position: LogPosition;
  readonly openedAt: LogTime;
  readonly signal: AbortSignal;
  /** Returns since when the log waits for a next line; null while it does not. */
  readonly quietSince: () => number | null;
  /** Reads the log over a new connection. */
  readonly reopen: () => void;
}

export class LogProbe implements Disposable {
  readonly #log: ProbedLog;
  readonly #clock: ReturnType<typeof setInterval>;
  /** The beginning of the quiet time that is probed. */
  #since = 0;
  #probedAt = 0;
  #waitMs = FIRST_MS;
  /** The time for which the log was opened again last: a line of a stream that is not read is no reason twice. */
  #reason = "";

  constructor(log: ProbedLog) {
    this.#log = log;
    this.#clock = setInterval(() => this.#look(), LOOK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#clock);
  }

  async #look(): Promise<void> {
    const since = this.#log.quietSince();
    if (since === null) return;
    if (since !== this.#since) {
      this.#since = this.#probedAt = since;
      this.#waitMs = FIRST_MS;
    }
    const now = performance.now();
    if (now - this.#probedAt < this.#waitMs) return;
    this.#probedAt = now;
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_MS);
    await this.#probe(since);
  }

  async #probe(since: number): Promise<void> {
    const { quietSince, reopen, position, openedAt } = this.#log;
    const said = await this.#lastTime();
    const time = readLogTime(said);
    if (time === null || said === this.#reason || quietSince() !== since) return;
    const known = [position.timeOf(1), position.timeOf(2)].map(readLogTime).filter((one) => one !== null);
    // Podman's times are whole seconds: a line of the latest one may be new, so that one is read once more.
    const isPast = (one: LogTime) =>
      said.includes(".") ? compareLogTimes(time, one) <= 0 : time.seconds < one.seconds;
    if ((known.length === 0 ? [openedAt] : known).some(isPast)) return;
    this.#reason = said;
    reopen();
  }

  /** Returns the time of the engine's last line as it is written; empty where the engine does not say. */
  async #lastTime(): Promise<string> {
    const { target: { engine, id, name }, query: { stdout, stderr }, signal } = this.#log;
    try {
      const text = await engine.text(at`/containers/${id}/logs`, {
        doing: `look for the last line of container "${name}"`,
        query: { stdout, stderr, timestamps: true, tail: 1 },
        maxBytes: MAX_BYTES,
        signal,
      });
      return TIME.exec(text.slice(0, HEAD_CHARACTERS))?.[0] ?? "";
    } catch { // the watchdog and the next probe find out why
      return "";
    }
  }
}
