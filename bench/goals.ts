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
  /** The cause of its cost, printed where it is missed. */
  readonly limit?: string;
}

/** The benches, with their parts, that measure all of the goals. */
export const SHORT = [
  "first_start:packages",
  "house:requests:start",
  "memory:idle:50:500:5000",
  "workspaces",
  "streams:fan-out",
  "audit_stores",
  "downloads",
  "page:list",
  "packaging:list",
];

export const GOALS: readonly Goal[] = [
  { result: "first-packages-service", of: "berth", most: 5, isAbsolute: true },
  { result: "first-bytes-service", of: "berth", most: 10, isAbsolute: true },
  { result: "first-packages-page", of: "berth", most: 22, isAbsolute: true },
  { result: "first-bytes-page", of: "berth", most: 30, isAbsolute: true },
  {
    result: "house-start",
    of: "berth",
    most: 2,
    limit:
      "it reads 270 modules of 2 MB, Node's own parts for digests and timers, checks its settings, and opens its store",
  },
  {
    result: "house-requests",
    of: "berth",
    least: 0.45,
    limit:
      "half of its scripts' time makes the headers of an answer, a quarter reads those of the request, a quarter is its log line",
  },
  { result: "memory-idle", of: "berth", most: 1.3, limit: "the number and the text of the modules" },
  {
    result: "memory-50",
    of: "berth",
    most: 100,
    isAbsolute: true,
    limit: "8 MiB are routes that were asked for once",
  },
  {
    result: "memory-500",
    of: "berth",
    most: 110,
    isAbsolute: true,
    limit: "8 MiB are routes that were asked for once",
  },
  { result: "memory-peak", of: "5000 containers until a minute before", most: 1.3 },
  { result: "page-first-list", of: "a list of 500 containers", most: 60_000, isAbsolute: true },
  {
    result: "workspace-validate",
    of: "now",
    most: 0.5,
    limit: "a quarter of it asks the disk, a quarter parses YAML, a fifth is the start of the process",
  },
  {
    result: "workspace-change",
    of: "2000 projects",
    most: 1.3,
    limit:
      "a fifth is the rules, which look at the whole folder anew, then come its graph and joining its files",
  },
  {
    result: "workspace-change-seen",
    of: "2000 projects",
    most: 1_000,
    isAbsolute: true,
    limit: "changes are gathered while they come, and each costs the CPU of the row above",
  },
  { result: "workspace-plans", of: "one request", most: 0.5 },
  {
    result: "workspace-overview",
    of: "100 engines with 50 containers",
    most: 1.3,
    limit: "the engines are followed meanwhile, which counts, and the answer names each of them",
  },
  { result: "workspace-quiet", of: "100 engines with 50 containers", most: 1.5 },
  { result: "streams-fan-out", of: "berth, 100 events/s", most: 2 },
  { result: "audit-stores", of: "PostgreSQL", least: 0.7 },
  {
    result: "downloads",
    of: "lists beside 4 downloads",
    least: 0.9,
    limit:
      "engine, readers and callers take the machine's cores, as the row beside the engine's socket shows",
  },
  {
    result: "list-on-a-terminal-50",
    of: "berth ls",
    most: 1.5,
    limit: "0.6 of its CPU is a process of the runtime that asks once, a seventh the runtime's first timer",
  },
];

/** Returns a line for each goal: its peer, what is aimed at, what was measured with its spread, and whether it is reached. */
export function goalLines(kept: readonly Kept[]): string[] {
  return GOALS.map(({ result, of, most, least, isAbsolute, limit }) => {
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
    return `${result}: ${short(figure)}${range} ${peer}, ${aim}: ${isReached ? "reached" : missedFor(limit)}`;
  });
}

const missedFor = (limit?: string): string => limit === undefined ? "missed" : `missed: ${limit}`;

const short = (figure: number): string =>
  figure >= 100 ? figure.toFixed(0) : String(Number(figure.toPrecision(3)));
