/** The common ruler of all benches: competitors take turns, and only ratios of medians are published. */

/** One thing to measure. */
export interface Competitor {
  readonly name: string;
  /** Does the work once. Returns the figure (CPU time, bytes per second, ...), or nothing: then wall time in ms is it. */
  run?(): number | void | Promise<number | void>;
  /** The reason that this peer could not be had: printed as absent, never guessed. */
  readonly absent?: string;
}

export interface RoundsOptions {
  /** The number of turns that each competitor takes; at least five. */
  readonly rounds?: number;
  /** Bytes and counts are the same in every turn: one is enough. */
  readonly exact?: boolean;
  /** Turns before the first that counts. */
  readonly warmUps?: number;
  readonly unit?: string;
  /** Which end of the scale is good. */
  readonly better?: "less" | "more";
  /** The competitor whose median the ratios divide by; the first one that is there when absent. */
  readonly against?: string;
  /** The subject of the table, in one sentence. */
  readonly about?: string;
}

/** The result of one competitor. */
export interface Standing {
  readonly name: string;
  readonly absent?: string;
  readonly median?: number;
  /** Its median over the median of `against`. */
  readonly ratio?: number;
  /** The least and the greatest ratio to `against` within one round. */
  readonly spread?: readonly [number, number];
  readonly figures?: readonly number[];
}

/** Lets competitors take turns (A B A B ...), prints one table and keeps it in `bench/results/<name>.json`. */
export async function rounds(
  name: string,
  competitors: readonly Competitor[],
  options: RoundsOptions = {},
): Promise<Standing[]> {
  const { exact = false, warmUps = exact ? 0 : 1, unit = "ms", better = "less", about = "" } = options;
  const turns = exact ? 1 : Math.max(5, options.rounds ?? 5);
  const figures = new Map<string, number[]>();
  for (let turn = -warmUps; turn < turns; turn++) {
    for (const competitor of competitors) {
      if (competitor.absent !== undefined || competitor.run === undefined) continue;
      const start = performance.now();
      const figure = await competitor.run() ?? performance.now() - start;
      if (turn < 0) continue;
      const own = figures.get(competitor.name) ?? [];
      own.push(figure);
      figures.set(competitor.name, own);
    }
  }
  const against = options.against ?? competitors.find((c) => figures.has(c.name))?.name ?? "";
  const standings = competitors.map((c) => standing(c, figures, against));
  print(name, standings, { turns, unit, better, against, about });
  await keep(name, standings, { turns, unit, better, against, about });
  return standings;
}

/** The middle value; of an even count, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

interface Ruler {
  readonly turns: number;
  readonly unit: string;
  readonly better: "less" | "more";
  readonly against: string;
  readonly about: string;
}

function standing(
  competitor: Competitor,
  figures: ReadonlyMap<string, readonly number[]>,
  against: string,
): Standing {
  const { name } = competitor;
  const own = figures.get(name);
  const base = figures.get(against);
  if (own === undefined || base === undefined) return { name, absent: competitor.absent ?? "not run" };
  const each = own.map((figure, round) => figure / (base[round] ?? NaN));
  return {
    name,
    median: median(own),
    ratio: median(own) / median(base),
    spread: [Math.min(...each), Math.max(...each)],
    figures: own,
  };
}

function print(name: string, standings: readonly Standing[], ruler: Ruler): void {
  console.log(`\n${name}${ruler.about && `: ${ruler.about}`}`);
  console.log(
    `${
      ruler.turns === 1 ? "one turn" : `medians of ${ruler.turns} turns`
    }, ${ruler.unit}, ${ruler.better} is better, ratio to "${ruler.against}"`,
  );
  const width = Math.max(...standings.map((s) => s.name.length));
  for (const s of standings) {
    const row = s.median === undefined
      ? `absent: ${s.absent}`
      : `${short(s.median).padStart(12)} ${short(s.ratio).padStart(8)}  (${short(s.spread?.[0])} to ${
        short(s.spread?.[1])
      })`;
    console.log(`  ${s.name.padEnd(width)} ${row}`);
  }
}

async function keep(name: string, standings: readonly Standing[], ruler: Ruler): Promise<void> {
  const folder = new URL("./results/", import.meta.url);
  await Deno.mkdir(folder, { recursive: true });
  const machine = { deno: Deno.version.deno, os: Deno.build.os, arch: Deno.build.arch };
  const kept = { name, ...ruler, machine, cores: navigator.hardwareConcurrency, standings };
  await Deno.writeTextFile(new URL(`${name}.json`, folder), JSON.stringify(kept, null, 2) + "\n");
}

function short(figure: number | undefined): string {
  return figure === undefined ? "-" : figure >= 100 ? figure.toFixed(0) : figure.toPrecision(3);
}
