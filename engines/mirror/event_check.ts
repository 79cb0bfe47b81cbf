/** Checks that an open event stream still delivers: a half-open one is as quiet as an idle engine. */
import type { Engine } from "../calls/engine.ts";
import type { Greeting } from "../calls/greeting.ts";
import { at } from "../calls/path.ts";
import { pause } from "../../core/pause.ts";
import type { RawEvent } from "./event_feed.ts";
import { parseEvent } from "./events.ts";

const LOOK_MS = 1_500;
/** Milliseconds that the stream may take to deliver an event. */
const GRACE_MS = 300;
/** A clock that shows a time at most so much older than ours counts as ours. */
const SAME_CLOCK_MS = 1_500;
const MAX_BYTES = 4 * 1024 * 1024;

export class EventCheck {
  /** From this time of the engine's clock on, in milliseconds, the stream should have told everything. */
  #from: number | null;
  /** When the latest event that was told happened, in the engine's nanoseconds; at first when it was opened. */
  #told = 0;
  #toldBefore = 0;
  readonly #podman: boolean;

  /** Made when the stream is open; its time is that of shortly before, if the engine tells one. */
  constructor(private readonly engine: Engine, { kind, time: greeted }: Greeting) {
    this.#podman = kind === "podman";
    this.#from = greeted === null ? null : exact(greeted);
    this.#told = this.#toldBefore = (this.#from ?? 0) * 1e6;
  }

  /** The stream told this. */
  told({ timeNano }: RawEvent): void {
    this.#told = Math.max(this.#told, timeNano);
  }

  /** Returns true if the engine had an event, up to its own time `now`, that the stream did not deliver. */
  async missed(now: number, signal: AbortSignal): Promise<boolean> {
    const told = this.#told;
    const isQuiet = told === this.#toldBefore;
    this.#toldBefore = told;
    if (this.#from === null || !isQuiet) return false;
    const from = Math.max(this.#from, Math.floor(told / 1e9) * 1_000);
    if (now <= from) return false;
    const latest = await this.#latest(from, now, signal);
    if (latest === null) return false;
    if (latest > this.#told) await pause(GRACE_MS, signal);
    if (latest > this.#told) return true;
    this.#from = Math.max(this.#from, now);
    return false;
  }

  /** When the latest event between the two times happened; null if the engine does not say. */
  async #latest(from: number, until: number, signal: AbortSignal): Promise<number | null> {
    try {
      const text = await this.engine.text(at`/events`, {
        doing: `check the events of engine "${this.engine.name}"`,
        query: {
          since: Math.floor(from / 1_000),
          // Podman 4.3 stops reading before it comes to the end where a past `until` is given.
          ...(this.#podman ? { stream: false } : { until: Math.floor(until / 1_000) }),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]),
        maxBytes: MAX_BYTES,
      });
      return text.split("\n").reduce((latest, line) => Math.max(latest, parseEvent(line)?.timeNano ?? 0), 0);
    } catch {
      return null; // the next look may succeed, and the slow clock compares anyway
    }
  }
}

/** The engine tells whole seconds. Most often its clock is ours, else the next second is taken. */
function exact(seconds: number): number {
  const now = Date.now();
  return now >= seconds && now < seconds + SAME_CLOCK_MS ? now : seconds + 1_000;
}
