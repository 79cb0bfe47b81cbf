/** The measurements of one container over the last ten minutes, with rates made of totals. */
import type { LiveSample } from "../../client/berth/live.ts";

export const MEASURES = ["cpu", "memory", "received", "sent", "read", "written"] as const;
export type Measure = (typeof MEASURES)[number];

/** One point in time; null where it cannot be told, as a rate of the first sample. */
export interface Point extends Readonly<Record<Measure, number | null>> {
  readonly time: number;
  readonly limit: number;
}

export const SPAN_MS = 10 * 60_000;
/** Samples further apart than this have something missing in between. */
export const APART_MS = 15_000;

const TOTALS = { received: "rxBytes", sent: "txBytes", read: "readBytes", written: "writeBytes" } as const;

/** Of one container, in the order of time. */
export class Series {
  readonly points: Point[] = [];
  #last: LiveSample | null = null;

  add(sample: LiveSample): void {
    const time = Date.parse(sample.time);
    const before = this.#last;
    if (before !== null && Date.parse(before.time) >= time) return; // told again after a loss
    const seconds = before === null ? Infinity : (time - Date.parse(before.time)) / 1_000;
    const rate = (name: keyof typeof TOTALS) => {
      const grown = before === null ? -1 : sample[TOTALS[name]] - before[TOTALS[name]];
      // A total that is less than before is another container's life.
      return grown < 0 || seconds * 1_000 > APART_MS ? null : grown / seconds;
    };
    this.#last = sample;
    this.points.push({
      time,
      limit: sample.memoryLimitBytes,
      cpu: sample.cpuPercent,
      memory: sample.memoryBytes,
      received: rate("received"),
      sent: rate("sent"),
      read: rate("read"),
      written: rate("written"),
    });
    const old = this.points.findIndex((point) => point.time > time - SPAN_MS);
    if (old > 0) this.points.splice(0, old);
  }

  get latest(): Point | null {
    return this.points.at(-1) ?? null;
  }
}
