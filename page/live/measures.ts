/** Measurements of containers, taken while a view shows them. */
import { type Signal, signal } from "@preact/signals";
import { follow } from "./live.ts";
import type { Problem } from "./problem.ts";
import { Series } from "./series.ts";

/** The service takes no more in one subscription. */
export const MOST = 128;

/** Measures as long as it is not ended, with what was measured before. */
export class Measuring {
  /** Counts up with every message. */
  readonly version: Signal<number> = signal(0);
  readonly problem: Signal<Problem | null> = signal(null);
  /** By `<engine>/<id>`. */
  readonly series: Map<string, Series>;
  readonly end: () => void;

  /** Each `<engine>/<id>`. What is measured goes into `series`, which may hold more. */
  constructor(containers: readonly string[], earlier: boolean, series: Map<string, Series> = new Map()) {
    this.series = series;
    this.end = follow("stats", { containers: containers.slice(0, MOST), earlier }, {
      message: (message) => {
        if (message.type !== "samples") return;
        for (const sample of message.items) {
          const series = this.series.get(sample.source) ?? new Series();
          this.series.set(sample.source, series);
          series.add(sample);
        }
        this.problem.value = null;
        this.version.value++;
      },
      ended: (problem) => this.problem.value = { ...problem, requestId: null, errors: [] },
      failed: (problem) => this.problem.value = { ...problem, requestId: null, errors: [] },
    });
  }
}
