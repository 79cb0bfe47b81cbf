/** The goals of `deno task bench --short`, and how far what was measured is from each. */
import type { Standing } from "./rounds.ts";

/** A result of `bench/rounds.ts`, as it is kept. */
export interface Kept {
  readonly name: string;
  readonly unit: string;
  readonly against: string;
  readonly standings: readonly Standing[];
}

interface Goal {
  /** The result's name. */
  readonly result: string;
  /** The competitor that has the goal. */
  readonly of: string;
  readonly most?: number;
  readonly least?: number;
  /** True for a goal in the result's own unit, which has no peer. */
  readonly isAbsolute?: true;
}

/** The benches, with their parts, that measure all of the goals. */
export const SHORT = ["house", "memory:idle:50:500", "workspaces", "streams:fan-out"];

export const GOALS: readonly Goal[] = [
  { result: "house-start", of: "berth", most: 2 },
  { result: "house-requests", of: "berth", least: 0.45 },
  { result: "memory-idle", of: "berth", most: 1.3 },
  { result: "memory-50", of: "berth", most: 100, isAbsolute: true },
  { result: "memory-500", of: "berth", most: 110, isAbsolute: true },
  { result: "workspace-validate", of: "now", most: 0.5 },
  { result: "workspace-change", of: "2000 projects", most: 1.3 },
  { result: "workspace-change-seen", of: "2000 projects", most: 1_000, isAbsolute: true },
  { result: "workspace-plans", of: "one request", most: 0.5 },
  { result: "workspace-overview", of: "100 engines with 50 containers", most: 1.3 },
  { result: "workspace-quiet", of: "100 engines with 50 containers", most: 1.5 },
  { result: "streams-fan-out", of: "berth, 100 events/s", most: 2 },
];

/** Returns a line for each goal: its peer, what is aimed at, what was measured with its spread, and whether it is reached. */
export function goalLines(kept: readonly Kept[]): string[] {
  return GOALS.map(({ result, of, most, least, isAbsolute }) => {
    const found = kept.find(({ name }) => name === result);
    const one = found?.standings.find(({ name }) => name === of);
    const figure = isAbsolute === true ? one?.median : one?.ratio;
    const aim = most === undefined ? `at least ${least}` : `at most ${most}`;
    if (found === undefined || figure === undefined) return `${result}: not measured, ${aim}`;
    const isReached = figure <= (most ?? Infinity) && figure >= (least ?? -Infinity);
    const spread = isAbsolute === true ? one?.figures : one?.spread;
    const range = spread === undefined
      ? ""
      : ` (${short(Math.min(...spread))} to ${short(Math.max(...spread))})`;
    const peer = isAbsolute === true ? found.unit : `of "${found.against}"`;
    return `${result}: ${short(figure)}${range} ${peer}, ${aim}: ${isReached ? "reached" : "missed"}`;
  });
}

const short = (figure: number): string =>
  figure >= 100 ? figure.toFixed(0) : String(Number(figure.toPrecision(3)));
