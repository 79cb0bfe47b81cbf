/** The counters and measurements of the service, in the text format that Prometheus reads. */

interface About {
  /** As Prometheus wants it: `berth_…`, units last, `_total` for what only rises. */
  readonly name: string;
  readonly help: string;
  /** It names engines, which is told to those alone who may know them. */
  readonly namesEngines?: boolean;
}

type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** A value that only rises. */
interface Counter {
  /** Returns what adds one for these labels; kept by those who count often. */
  of(labels: Labels): () => void;
  add(labels: Labels): void;
}

/** Seconds that something took. */
interface Timer {
  took(ms: number): void;
}

/** Seconds that things took, by what they were: how often and how long in all. */
export interface Timers {
  took(labels: Labels, ms: number): void;
}

type Samples = Iterable<Sample & { readonly suffix?: string }>;

interface Family extends About {
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly samples: () => Samples | Promise<Samples>;
}

/** Upper ends in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Labels are declared things, never what a caller sends; still nothing may grow without an end. */
const MOST_SERIES = 5_000;

export class Metrics {
  readonly #families = new Map<string, Family>();

  counter(about: About): Counter {
    const counts = new Map<string, { readonly labels: Labels; value: number }>();
    this.#add({ ...about, type: "counter", samples: () => counts.values() });
    const seriesOf = (labels: Labels) => {
      const key = keyOf(labels);
      const known = counts.get(key) ?? { labels, value: 0 };
      if (counts.size < MOST_SERIES) counts.set(key, known);
      return known;
    };
    return {
      of(labels) {
        const series = seriesOf(labels);
        return () => void (series.value += 1);
      },
      add: (labels) => void (seriesOf(labels).value += 1),
    };
  }

  timer(about: About): Timer {
    const counts = new Array<number>(BUCKETS.length + 1).fill(0);
    let sum = 0;
    function* samples() {
      let count = 0;
      for (const [at, end] of [...BUCKETS, "+Inf"].entries()) {
        count += counts[at]!;
        yield { suffix: "_bucket", labels: { le: String(end) }, value: count };
      }
      yield { suffix: "_sum", value: sum };
      yield { suffix: "_count", value: count };
    }
    this.#add({ ...about, type: "histogram", samples });
    return {
      took(ms) {
        const seconds = ms / 1_000;
        let at = 0;
        while (at < BUCKETS.length && seconds > BUCKETS[at]!) at += 1;
        counts[at]! += 1;
        sum += seconds;
      },
    };
  }

  timers(about: About): Timers {
    const all = new Map<string, { readonly labels: Labels; count: number; sum: number }>();
    function* samples() {
      for (const { labels, count, sum } of all.values()) {
        yield { suffix: "_sum", labels, value: sum };
        yield { suffix: "_count", labels, value: count };
      }
    }
    this.#add({ ...about, type: "summary", samples });
    return {
      took(labels, ms) {
        const key = keyOf(labels);
        let one = all.get(key);
        if (one === undefined) {
          if (all.size >= MOST_SERIES) return;
          all.set(key, one = { labels, count: 0, sum: 0 });
        }
        one.count += 1;
        one.sum += ms / 1_000;
      },
    };
  }

  /** Adds a value that is read when somebody asks; without samples it is absent, which stands for unknown. */
  read(
    type: "counter" | "gauge",
    about: About,
    samples: () => Iterable<Sample> | Promise<Iterable<Sample>>,
  ): void {
    this.#add({ ...about, type, samples });
  }

  /** Returns all of them; `engines` for callers who may see the engines. */
  async text({ engines }: { readonly engines: boolean }): Promise<string> {
    const lines: string[] = [];
    const shown = [...this.#families.values()].filter(({ namesEngines }) => engines || namesEngines !== true);
    const read = await Promise.all(
      shown.map(async (family) => ({ ...family, samples: await family.samples() })),
    );
    for (const { name, help, type, samples } of read) {
      lines.push(`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`);
      lines.push(`# TYPE ${name} ${type}`);
      for (const { suffix = "", labels = {}, value } of samples) {
        const key = keyOf(labels);
        lines.push(`${name}${suffix}${key === "" ? "" : `{${key}}`} ${value}`);
      }
    }
    return `${lines.join("\n")}\n`;
  }

  #add(family: Family): void {
    if (this.#families.has(family.name)) throw new Error(`Two parts measure "${family.name}"`);
    this.#families.set(family.name, family);
  }
}

function keyOf(labels: Labels): string {
  let key = "";
  for (const name in labels) key += `${key === "" ? "" : ","}${name}="${escaped(labels[name]!)}"`;
  return key;
}

function escaped(value: string): string {
  return /["\\\n]/.test(value)
    ? value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
    : value;
}
