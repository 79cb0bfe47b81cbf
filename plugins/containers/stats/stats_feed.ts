/** Reads the engine's measurements of a container once for all its viewers. */
import * as z from "../../../core/schema.ts";
import { ServiceError } from "../../../core/error.ts";
import { asServiceError } from "../../../http/declare/problem.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { TextLines } from "../../../engines/calls/text_lines.ts";
import { Cutoff } from "../../../engines/calls/cutoff.ts";
import { at } from "../../../engines/calls/path.ts";
import {
  listOf,
  numberOf,
  objectOf,
  parseJson,
  textOf,
  timeOf,
  type Wire,
} from "../../../engines/calls/wire.ts";
import { pause } from "../../../core/pause.ts";
import { type JsonText, jsonText } from "../../../core/json_text.ts";

/** Keeps an unwatched stream open briefly, for reconnects. */
const LINGER_MS = 2_000;
/** Podman's stream has a measurement every five seconds, so single ones are asked for this often. */
const ASKING_MS = 1_000;
const AWAY: ReadonlySet<string> = new Set(["runtime_unavailable", "engine_timeout"]);
/** Engines send something each second or are asked then, even of a container that is down. */
const QUIET_MS = 6_000;
const RETRIES = 4;
const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 2_000;
export const Sample = z.object({
  time: z.string().describe("When"),
  cpuPercent: z.number().nullable().describe(
    "100 is one processor; null in the first sample, which has nothing to compare with",
  ),
  memoryBytes: z.number().describe("Memory that is in use"),
  memoryLimitBytes: z.number().describe("Memory it may use"),
  rxBytes: z.number().describe("Received so far"),
  txBytes: z.number().describe("Sent so far"),
  readBytes: z.number().describe("Read from disks so far"),
  writeBytes: z.number().describe("Written to disks so far"),
  pids: z.number().describe("Number of processes"),
}).meta({ id: "StatsSample", description: "One measurement" });
export type Sample = Readonly<z.infer<typeof Sample>>;

/** The time for which samples of a container are kept: ten minutes, a sample every two seconds. */
const EARLIER_MS = 10 * 60_000;
const EARLIER_EVERY_MS = 2_000;
/** Containers whose samples are remembered; those that were measured last. */
const MOST_REMEMBERED = 128;

interface Remembered {
  readonly atMs: number;
  readonly text: JsonText;
}

interface StatsViewer {
  sample(text: JsonText): void;
  /** The engine cannot be asked for now; it is tried again. */
  waits?(error: ServiceError): void;
  /** The engine measures again after `waits`. */
  resumes?(): void;
  /** Nothing more will come. */
  end(error: ServiceError): void;
}

export class StatsFeeds implements AsyncDisposable {
  readonly #feeds = new Map<string, StatsFeed>();
  readonly #earlier = new Map<string, Remembered[]>();

  /** The number of open engine streams. */
  get open(): number {
    return this.#feeds.size;
  }

  watch(engine: Engine, id: string, viewer: StatsViewer): Disposable {
    const key = `${engine.name} ${id}`;
    let feed = this.#feeds.get(key);
    if (feed === undefined) {
      const made = new StatsFeed(engine, id, {
        stopped: () => {
          if (this.#feeds.get(key) === made) this.#feeds.delete(key);
        },
        told: (text) => this.#remember(key, text),
      });
      feed = made;
      this.#feeds.set(key, feed);
    }
    return feed.add(viewer);
  }

  /** The samples of the last ten minutes, as far as somebody watched. */
  earlier(engine: Engine, id: string): JsonText[] {
    const since = performance.now() - EARLIER_MS;
    return (this.#earlier.get(`${engine.name} ${id}`) ?? []).filter(({ atMs }) => atMs > since).map((
      { text },
    ) => text);
  }

  #remember(key: string, text: JsonText): void {
    const atMs = performance.now();
    const known = this.#earlier.get(key) ?? [];
    if (atMs - (known.at(-1)?.atMs ?? -Infinity) < EARLIER_EVERY_MS * 0.9) return;
    known.push({ atMs, text });
    while (known[0]!.atMs < atMs - EARLIER_MS) known.shift(); // the last one is new
    this.#earlier.delete(key);
    this.#earlier.set(key, known);
    for (const [other, samples] of this.#earlier) { // those that were measured longest ago first
      const isOld = (samples.at(-1)?.atMs ?? 0) < atMs - EARLIER_MS;
      if (!isOld && this.#earlier.size <= MOST_REMEMBERED) break;
      this.#earlier.delete(other);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#feeds.values()].map((feed) => feed.stop()));
  }
}

class StatsFeed {
  readonly #engine: Engine;
  readonly #id: string;
  readonly #listener: { stopped(): void; told(text: JsonText): void };
  readonly #viewers = new Set<StatsViewer>();
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #latest: JsonText | null = null;
  /** The reason that there are no measurements for now. */
  #waiting: ServiceError | null = null;

  constructor(engine: Engine, id: string, listener: { stopped(): void; told(text: JsonText): void }) {
    this.#engine = engine;
    this.#id = id;
    this.#listener = listener;
    this.#running = this.#run();
  }

  add(viewer: StatsViewer): Disposable {
    clearTimeout(this.#linger);
    this.#viewers.add(viewer);
    if (this.#latest !== null) viewer.sample(this.#latest);
    if (this.#waiting !== null) viewer.waits?.(this.#waiting);
    return {
      [Symbol.dispose]: () => {
        this.#viewers.delete(viewer);
        clearTimeout(this.#linger);
        if (this.#viewers.size === 0) this.#linger = setTimeout(() => this.stop(), LINGER_MS);
      },
    };
  }

  async stop(): Promise<void> {
    clearTimeout(this.#linger);
    this.#listener.stopped();
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    let before: Reading | null = null;
    while (!this.#ending.signal.aborted) {
      using cutoff = new Cutoff([this.#ending.signal]); // a quiet answer is asked for again
      try {
        const isAsked = (await this.#engine.greet()).kind === "podman";
        await using stream = await this.#engine.stream("GET", at`/containers/${this.#id}/stats`, {
          query: { stream: !isAsked },
          doing: "measure a container",
          missing: "container_not_found",
          signal: cutoff.signal,
        });
        this.#resume();
        cutoff.expire(QUIET_MS);
        const lines = new TextLines();
        for await (const chunk of stream.body) {
          cutoff.expire(QUIET_MS);
          for (const line of lines.push(chunk)) {
            const reading = readStats(line);
            if (reading === null) continue;
            failures = 0;
            this.#tell(sampleOf(reading, before));
            before = reading;
          }
        }
        if (isAsked) {
          await pause(ASKING_MS, this.#ending.signal);
          continue;
        }
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        // While a container stops, engines fail in several ways for a moment
        const mayPass = !(error instanceof ServiceError) || AWAY.has(error.code) ||
          error.code !== "container_not_found" && before !== null && failures < RETRIES;
        if (!mayPass) return this.#finish(asServiceError(error));
        if (error instanceof ServiceError && AWAY.has(error.code)) this.#wait(error);
      }
      await pause(
        Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures++, 8)),
        this.#ending.signal,
      );
    }
  }

  #wait(error: ServiceError): void {
    this.#waiting = error;
    for (const viewer of this.#viewers) viewer.waits?.(error);
  }

  #resume(): void {
    if (this.#waiting === null) return;
    this.#waiting = null;
    for (const viewer of this.#viewers) viewer.resumes?.();
  }

  #tell(sample: Sample): void {
    this.#latest = jsonText(sample);
    this.#listener.told(this.#latest);
    for (const viewer of this.#viewers) viewer.sample(this.#latest);
  }

  #finish(error: ServiceError): void {
    this.#listener.stopped();
    clearTimeout(this.#linger);
    for (const viewer of this.#viewers) viewer.end(error);
  }
}

interface Reading {
  readonly atMs: number;
  readonly time: string;
  readonly cpuNanos: number;
  readonly wire: Wire;
}

/** One object of the stream; null for what is none, and for the empty ones of a container that is down. */
function readStats(line: string): Reading | null {
  const wire = objectOf(parseJson(line));
  const time = timeOf(textOf(wire.read));
  if (time === null) return null;
  const cpuNanos = numberOf(objectOf(objectOf(wire.cpu_stats).cpu_usage).total_usage);
  return { atMs: Date.parse(time), time, cpuNanos, wire };
}

function sampleOf({ atMs, time, cpuNanos, wire }: Reading, before: Reading | null): Sample {
  const memory = objectOf(wire.memory_stats);
  const details = objectOf(memory.stats);
  // Without the cache that the kernel can drop, like `docker stats`
  const cache = numberOf(details.inactive_file, numberOf(details.total_inactive_file));
  const usage = numberOf(memory.usage);
  const networks = Object.values(objectOf(wire.networks)).map(objectOf);
  const disk = listOf(objectOf(wire.blkio_stats).io_service_bytes_recursive).map(objectOf);
  const sum = (wires: readonly Wire[], name: string) =>
    wires.reduce((all, one) => all + numberOf(one[name]), 0);
  const moved = (way: string) => sum(disk.filter((one) => textOf(one.op).toLowerCase() === way), "value");
  const wallMs = before === null ? 0 : atMs - before.atMs;
  const spentMs = before === null ? 0 : (cpuNanos - before.cpuNanos) / 1e6;
  return {
    time,
    cpuPercent: wallMs > 0 && spentMs >= 0 ? Math.round(spentMs / wallMs * 10_000) / 100 : null,
    memoryBytes: usage > cache ? usage - cache : usage,
    memoryLimitBytes: numberOf(memory.limit),
    rxBytes: sum(networks, "rx_bytes"),
    txBytes: sum(networks, "tx_bytes"),
    readBytes: moved("read"),
    writeBytes: moved("write"),
    pids: numberOf(objectOf(wire.pids_stats).current),
  };
}
