/**
 * berth under mixed load for hours, with a fault every minute (F69): memory, descriptors, connections to the engine, and how
 * late its slowest answers are. Written to `docs/soak.md`, with a drawing, unless the run is too short to tell anything or
 * others used the machine meanwhile.
 *
 *     BERTH_SOAK_MINUTES=720 deno task soak
 */
import { startBerthProcess } from "../support/berth_process.ts";
import { browse } from "../support/browse.ts";
import { chaosProxy } from "./chaos_proxy.ts";
import { FIXTURE, startEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { TestCaller } from "../support/service.ts";

const MINUTES = Number(Deno.env.get("BERTH_SOAK_MINUTES") ?? "720");
const SAMPLE_MS = Math.min(60_000, Math.max(2_000, MINUTES * 60_000 / 240));
const FAULT_MS = 60_000;
const CONTAINERS = 100;
const FOLLOWERS = 10;
/** Shorter runs show the beginning alone, when memory grows to its working size. */
const LEAST_MINUTES = 10;
/** The growth of a whole run that is allowed in an hour; judged from two hours on. */
const MOST_MIB_PER_HOUR = 1;
/** The memory of the last ten minutes over that of the third ten; judged from 90 minutes on. */
const MOST_OVER_THIRD = 1.1;
const DOCS = new URL("../../docs/", import.meta.url);

interface Sample {
  readonly minute: number;
  readonly residentMiB: number;
  readonly descriptors: number;
  /** Open connections to the engine. */
  readonly connections: number;
  readonly p99Ms: number;
  /** Processes that wanted a core, of whatever runs on the machine. */
  readonly load: number;
}

const samples: Sample[] = [];
const errors = new Map<string, number>();
let latencies: number[] = [];
let requests = 0;
let lines = 0;
let isOver = false;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

await using engine = await startEngine("docker");
await using proxy = chaosProxy(engine.socket);
const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-soak-" }));
await Deno.mkdir(`${root}/shop`);
const compose = `${root}/shop/compose.yaml`;
await Deno.writeTextFile(compose, "services: { web: { image: nginx } }\n");
await using berth = await startBerthProcess({
  // Memory is given back as in what ships
  env: { BERTH_ENGINES: `docker=unix://${proxy.socket}`, BERTH_ROOTS: root, DENO_USR2_MEMORY_TRIM: "1" },
});
const caller = new TestCaller(berth.url, await berth.setUp());
const { body: shop } = await caller.call("POST /api/workspaces", { path: `${root}/shop` });
for (let n = 0; n < CONTAINERS; n++) {
  await engine.cli("create", "--network", "none", "--name", `idle-${n}`, FIXTURE);
}
const talker = await engine.cli(
  ...["run", "-d", "--network", "none", FIXTURE, "sh", "-c"],
  "n=0; while :; do n=$((n+1)); echo line $n; sleep 0.05; done",
);
await eventually("all are listed", async () => {
  return (await caller.call("GET /api/containers?limit=1")).body.total === CONTAINERS + 1;
});

/** `faulty`: what engines that were cut off a moment ago may answer. */
async function ask(route: string, body?: unknown): Promise<void> {
  const began = performance.now();
  let outcome: string | null = null;
  try {
    const { status } = await caller.call(route, body, { signal: AbortSignal.timeout(30_000) });
    if (status >= 400 && status !== 502 && status !== 503) outcome = `${status}`;
  } catch (error) {
    if (isOver) return; // berth is being stopped
    outcome = error instanceof Error ? error.name : "failed";
  }
  latencies.push(performance.now() - began);
  requests++;
  if (outcome !== null) {
    const what = `${route.replace(/[0-9a-f]{64}/, "{id}")}: ${outcome}`;
    errors.set(what, (errors.get(what) ?? 0) + 1);
  }
}

async function requestsOf(number: number): Promise<void> {
  for (let n = number; !isOver; n++) {
    await ask("GET /api/containers");
    await ask(`GET /api/containers/${talker}`);
    await ask("GET /api/images");
    await ask(`GET /api/workspaces/${shop.id}/artifacts`);
    if (n % 20 === 0) {
      await Deno.writeTextFile(compose, `services: { web: { image: "nginx:${n}" } }\n`);
      await ask(`POST /api/workspaces/${shop.id}/artifacts/validate`, {});
    }
    if (n % 10 === 0) await ask(`POST /api/containers/${talker}/restart`);
    await pause(100);
  }
}

async function follow(): Promise<void> {
  while (!isOver) {
    try {
      const response = await caller.fetch(
        `GET /api/containers/${talker}/logs?follow=true&format=ndjson&tail=1`,
      );
      for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
        lines += text.split("\n").length - 1;
        if (isOver) break;
      }
    } catch { // a fault
    }
    await pause(500);
  }
}

async function shells(): Promise<void> {
  while (!isOver) {
    const shell = browse(berth.url, `/containers/${talker}/exec`, caller.credential!);
    await Promise.race([shell.closed, pause(2_000)]);
    if (shell.wire.readyState === WebSocket.OPEN) shell.wire.send(new TextEncoder().encode("echo hello\n"));
    await Promise.race([shell.closed, pause(1_000)]);
    shell.wire.close();
    await Promise.race([shell.closed, pause(5_000)]);
  }
}

async function faults(): Promise<void> {
  for (let n = 0; !isOver; n++) {
    await pause(FAULT_MS);
    if (n % 3 === 0) proxy.reset();
    else if (n % 3 === 1) proxy.freeze();
    else {
      await engine.pause();
      await pause(5_000);
      await engine.resume();
    }
  }
}

async function sample(startedAt: number): Promise<void> {
  const status = await Deno.readTextFile(`/proc/${berth.pid}/status`);
  const open = [...Deno.readDirSync(`/proc/${berth.pid}/fd`)].length;
  const sorted = latencies.sort((a, b) => a - b);
  latencies = [];
  samples.push({
    minute: (performance.now() - startedAt) / 60_000,
    residentMiB: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024,
    descriptors: open,
    connections: proxy.open,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    load: Deno.loadavg()[0] ?? 0,
  });
}

/** Growth an hour, by least squares over the last two thirds. */
function slope(of: (sample: Sample) => number): number {
  const late = samples.slice(Math.floor(samples.length / 3));
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const minutes = mean(late.map(({ minute }) => minute));
  const level = mean(late.map(of));
  const above = late.reduce((sum, one) => sum + (one.minute - minutes) * (of(one) - level), 0);
  const below = late.reduce((sum, one) => sum + (one.minute - minutes) ** 2, 0);
  return below === 0 ? 0 : above / below * 60;
}

/** The mean of ten minutes that end at this one. */
function residentUntil(end: number): number {
  const ten = samples.filter(({ minute }) => minute > end - 10 && minute <= end);
  return ten.reduce((sum, { residentMiB }) => sum + residentMiB, 0) / ten.length;
}

const MEASURES = [
  ["resident memory, MiB", (one: Sample) => one.residentMiB],
  ["descriptors", (one: Sample) => one.descriptors],
  ["connections to the engine", (one: Sample) => one.connections],
  ["99th percentile of answers, ms", (one: Sample) => one.p99Ms],
  ["load of the machine", (one: Sample) => one.load],
] as const;

function table(): string {
  const row = ([name, of]: typeof MEASURES[number]) => {
    const values = samples.map(of);
    const cells = [values[0]!, values.at(-1)!, Math.max(...values), slope(of)].map((value) =>
      value.toFixed(1)
    );
    return `| ${name} | ${cells.join(" | ")} |`;
  };
  return `| | first | last | most | growth an hour |\n|---|---|---|---|---|\n${
    MEASURES.map(row).join("\n")
  }\n`;
}

/** One curve below the other, each from nothing to its most. */
function drawing(): string {
  const [width, height, left] = [720, 90, 12];
  const last = samples.at(-1)!.minute;
  const curves = MEASURES.map(([name, of], index) => {
    const most = Math.max(...samples.map(of), 1);
    const top = 20 + index * (height + 34);
    const points = samples.map((one) =>
      `${(left + one.minute / last * (width - 2 * left)).toFixed(1)},${
        (top + height - of(one) / most * height).toFixed(1)
      }`
    ).join(" ");
    return `<text x="${left}" y="${top - 6}">${name}: at most ${most.toFixed(0)}</text>` +
      `<line x1="${left}" y1="${top + height}" x2="${width - left}" y2="${top + height}" stroke="#999"/>` +
      `<polyline points="${points}" fill="none" stroke="#2563eb" stroke-width="1.5"/>`;
  });
  const all = 20 + MEASURES.length * (height + 34);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${all}" font-family="sans-serif" font-size="12" ` +
    `fill="#555">\n${curves.join("\n")}\n</svg>\n`;
}

const began = performance.now();
await sample(began);
const working = [
  ...Array.from({ length: 4 }, (_, n) => requestsOf(n)),
  ...Array.from({ length: FOLLOWERS }, follow),
  shells(),
  shells(),
];
const breaking = faults();
while (performance.now() - began < MINUTES * 60_000 && !berth.hasEnded) {
  await pause(SAMPLE_MS);
  if (!berth.hasEnded) await sample(began);
}
isOver = true;
const hasEnded = berth.hasEnded;
if (!hasEnded) await berth.end();
await Promise.race([Promise.all([...working, breaking]), pause(5_000)]);
const failed = [...errors].map(([what, count]) => `${count} × ${what}`);
const growth = slope(MEASURES[0][1]);
console.log(table());
console.log(
  `${requests} requests, ${lines} followed lines, ${failed.length === 0 ? "no error" : failed.join("; ")}`,
);
const overThird = residentUntil(samples.at(-1)!.minute) / residentUntil(30);
if (MINUTES > 30) console.log(`memory of the last ten minutes: ${overThird.toFixed(3)} of the third ten`);
if (MINUTES >= 90 && overThird > MOST_OVER_THIRD) Deno.exitCode = 1;
const isWhole = MINUTES >= 120;
const cores = navigator.hardwareConcurrency;
const loads = samples.map(({ load }) => load).toSorted((a, b) => a - b);
const load = loads[Math.floor(loads.length / 2)]!; // there is a first sample
const isQuiet = load <= cores;
if (!isQuiet) console.log(`docs/soak.md is not written: the load of the machine was ${load.toFixed(0)}`);
if (MINUTES >= LEAST_MINUTES && isQuiet) {
  const text = `# Hours under load

<!-- Written by \`deno task soak\`. -->

berth with ${CONTAINERS + 1} containers for ${MINUTES} minutes on ${
    new Date().toISOString().slice(0, 10)
  }: four callers who ask for lists, details and checks of a
folder that changes, ${FOLLOWERS} followed logs, two terminals that come and go, and every minute a fault of the engine's connections.
${requests.toLocaleString("en")} requests and ${lines.toLocaleString("en")} followed lines, ${
    failed.length === 0 ? "without an error" : `with these errors: ${failed.join("; ")}`
  }.

The machine has ${cores} cores, and its load was ${load.toFixed(1)} in the middle.

${table()}
Growth is that of the last two thirds.${
    isWhole
      ? ""
      : " This run is too short to promise anything: `BERTH_SOAK_MINUTES=720 deno task soak` is the whole one."
  }

![Memory, descriptors, connections and latency over the run](soak.svg)
`;
  await Deno.writeTextFile(new URL("soak.md", DOCS), text);
  await Deno.writeTextFile(new URL("soak.svg", DOCS), drawing());
}
if (isWhole && growth > MOST_MIB_PER_HOUR) Deno.exitCode = 1;
if (hasEnded || failed.length > 0) Deno.exitCode = 1;
await Deno.remove(root, { recursive: true });
console.log(Deno.exitCode === 1 ? "BROKEN" : `held for ${MINUTES} minutes`);
Deno.exit();
