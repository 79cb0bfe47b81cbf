/**
 * Measures how much slower a fixed loop runs beside the tests than on a quiet machine. Bounds of time in tests are
 * multiplied by that, so that a machine that others use does not turn a good build red. `deno run -A tests/proof/slowness.ts
 * FILE` samples until it is ended, and `slowness` reads the file; without one, and in `deno task proof`, bounds hold as
 * they are.
 */

/** The work of one sample takes about so long on a quiet machine: longer than a turn that a busy one gives at once. */
const PIECES = 40;
const PIECE_MS = 1;
const EVERY_MS = 1_500;
/** Samples before the tests begin, for the quickest piece. */
const FIRST_PIECES = 400;
/** No machine is so slow that a bound means nothing. */
const MOST = 8;

/** One sample: when it began, in milliseconds, and how many times slower it was. */
interface Sample {
  readonly atMs: number;
  readonly times: number;
}

/** Returns the factor for a wait that began at `sinceMs` of `Date.now()`: 1 on a quiet machine, 8 at most. */
export function slowness(
  sinceMs: number,
  file = Deno.env.get("BERTH_TEST_SLOWNESS") ?? "",
  isProof = Deno.env.get("BERTH_PROOF") === "1",
): number {
  if (file === "" || isProof) return 1;
  const samples = samplesIn(file);
  const during = samples.filter(({ atMs }) => atMs >= sinceMs - EVERY_MS);
  const counted = during.length > 0 ? during : samples.slice(-1);
  if (counted.length === 0) return 1;
  const mean = counted.reduce((sum, { times }) => sum + times, 0) / counted.length;
  return Math.min(MOST, Math.max(1, mean));
}

/** Returns the samples of a file; none where there is no such file. */
export function samplesIn(file: string): readonly Sample[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch {
    return [];
  }
  const whole = text.slice(0, text.lastIndexOf("\n") + 1); // the last line may be half written
  return [...whole.matchAll(/^(\d+) ([\d.]+)$/gm)].map(([, at, times]) => ({
    atMs: Number(at),
    times: Number(times),
  }));
}

/** Runs a fixed number of steps and returns how long they took. */
function run(steps: number): number {
  const began = performance.now();
  let value = 1;
  for (let step = 0; step < steps; step++) value = Math.imul(value ^ step, 0x01000193) >>> 0;
  if (value === 0.5) console.log(value); // keeps the loop
  return performance.now() - began;
}

/** Returns how many steps take about `PIECE_MS` at the machine's best. */
function calibrated(): number {
  let steps = 1_000;
  while (run(steps) < PIECE_MS) steps *= 2;
  return steps;
}

/** Appends a sample to the file, again and again. */
async function sample(path: string): Promise<never> {
  using file = await Deno.open(path, { append: true, create: true });
  const encoder = new TextEncoder();
  run(10_000_000); // compiled from here on
  const steps = calibrated();
  let quickest = Infinity;
  for (let piece = 0; piece < FIRST_PIECES; piece++) quickest = Math.min(quickest, run(steps));
  while (true) {
    const atMs = Date.now();
    const began = performance.now();
    for (let piece = 0; piece < PIECES; piece++) quickest = Math.min(quickest, run(steps));
    const times = (performance.now() - began) / (PIECES * quickest);
    await file.write(encoder.encode(`${atMs} ${times.toFixed(3)}\n`));
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

if (import.meta.main) await sample(Deno.args[0]!);
