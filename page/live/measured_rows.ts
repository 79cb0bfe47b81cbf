/** Measurements of the rows in view, while they are drawn: each costs its engine one measurement a second. */
import { type Signal, signal } from "@preact/signals";
import { Measuring, MOST } from "./measures.ts";
import type { Series } from "./series.ts";

/** Rows that are scrolled past are not asked for. */
const PAUSE_MS = 250;
/** The most subscriptions for rows that come into view one after another. */
const MOST_AT_ONCE = 8;

/** The number of rows that show each container, by `<engine>/<id>`. */
const shown = new Map<string, number>();
/** By which subscription each is measured. */
const measured = new Map<string, Measuring>();
const series = new Map<string, Series>();
/** Counts up when it is another subscription for some. */
const version: Signal<number> = signal(0);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Measures it until the answer is called, as one of 128 at most. */
export function measureRow(key: string): () => void {
  shown.set(key, (shown.get(key) ?? 0) + 1);
  settleSoon();
  return () => {
    const left = shown.get(key)! - 1; // it was counted
    if (left > 0) shown.set(key, left);
    else shown.delete(key);
    settleSoon();
  };
}

/** Returns the measurements so far; a reader is told of new ones. */
export function measuresOf(key: string): Series | null {
  void version.value;
  void measured.get(key)?.version.value;
  return series.get(key) ?? null;
}

function settleSoon(): void {
  timer ??= setTimeout(settle, PAUSE_MS);
}

/** Subscribes to all rows that came into view together, until none of them is shown. */
function settle(): void {
  timer = undefined;
  const before = new Set(measured.values());
  for (const key of [...measured.keys()]) {
    if (shown.has(key)) continue;
    measured.delete(key);
    series.delete(key);
  }
  if (new Set(measured.values()).size >= MOST_AT_ONCE) {
    const all = new Measuring([...measured.keys()], false, series);
    for (const key of measured.keys()) measured.set(key, all);
  }
  const more = [...shown.keys()].filter((key) => !measured.has(key)).slice(0, MOST - measured.size);
  if (more.length > 0) {
    const added = new Measuring(more, true, series);
    for (const key of more) measured.set(key, added);
  }
  const after = new Set(measured.values());
  for (const one of before) if (!after.has(one)) one.end();
  version.value++;
}
