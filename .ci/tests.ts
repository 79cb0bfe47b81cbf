/**
 * Runs the README's test command, of all tests or of the files that are named, and sums up: what failed, what was
 * skipped, which files were slowest. A file that failed is run again by itself, three times. One that passes each time is
 * FLAKY, and red like one that fails again, unless the machine was busy for half of the time. A loop beside the tests says how much
 * slower it is than a quiet one, and the bounds of `tests/support/within.ts` are multiplied by that, unless
 * `BERTH_CI_BOUNDS=exact`, as each night.
 */
import { Failures } from "./failures.ts";
import { samplesIn } from "../tests/proof/slowness.ts";

const { deno: version } = JSON.parse(await Deno.readTextFile(new URL("versions.json", import.meta.url)));
const BOUNDS_ARE_EXACT = Deno.env.get("BERTH_CI_BOUNDS") === "exact";
/** Of the whole run, and of each try of what failed. */
const LIMIT_MINUTES = 60;
const TRY_LIMIT_MINUTES = 8;
const MOST_TRIED_AGAIN = 8;
const TRIES = 3;
/** From this factor on the machine was busy: what fails only then is told, and is not red. */
const BUSY = 1.5;
const SLOWEST = 10;

/** What the report says of one file. */
interface TestFile {
  readonly name: string;
  readonly tests: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Outcome {
  readonly files: readonly TestFile[];
  /** Seconds of each file, as its tests printed them: the report puts tests of a shared helper down to the helper. */
  readonly seconds: ReadonlyMap<string, number>;
  /** Files with a failure; null when the run ended without saying which. */
  readonly broken: readonly string[] | null;
}

/** `slowness` is the file in which the loop beside the tests writes; null where bounds hold as they are. */
async function run(
  label: string,
  files: readonly string[],
  slowness: string | null,
  isTry = false,
): Promise<Outcome> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  const limit = isTry ? TRY_LIMIT_MINUTES : LIMIT_MINUTES;
  const child = new Deno.Command("npx", {
    args: ["-y", `deno@${version}`, "task", "test", `--junit-path=${report}`, ...files],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
    detached: true, // a group of its own, which can be ended with everything it started
    env: {
      ...(isTry ? { DENO_JOBS: "1" } : {}),
      ...(slowness === null ? {} : { BERTH_TEST_SLOWNESS: slowness }),
    },
  }).spawn();
  const end = () => Deno.kill(-child.pid, "SIGKILL");
  const timer = setTimeout(() => {
    console.error(`${label}: stopped after ${limit} minutes`);
    end();
  }, limit * 60_000);
  const interrupted = () => {
    end();
    Deno.exit(130);
  };
  Deno.addSignalListener("SIGINT", interrupted); // the terminal tells only its own group
  const failures = new Failures();
  const seconds = new Map<string, number>();
  for await (const line of lines(child.stdout)) {
    console.log(line);
    const plain = line.replaceAll(COLOUR, "");
    failures.read(plain);
    const test = timedTest(plain);
    if (test !== null) seconds.set(test.file, (seconds.get(test.file) ?? 0) + test.seconds);
  }
  const { code } = await child.status;
  clearTimeout(timer);
  Deno.removeSignalListener("SIGINT", interrupted);
  const reported = testFiles(await Deno.readTextFile(report));
  await Deno.remove(report);
  const isUnsaid = failures.isUnsaid || failures.files.size === 0 || sum(reported, "failed") === 0;
  return { files: reported, seconds, broken: code !== 0 && isUnsaid ? null : [...failures.files] };
}

const COLOUR = /\x1b\[[0-9;]*m/g;

/** A test that a line of several jobs tells of, and how long it took; null for steps within tests and other lines. */
export function timedTest(line: string): { file: string; seconds: number } | null {
  const [, file, name = "", time = ""] = /^(\S+\.ts) => (.*) \.\.\. (?:ok|FAILED) \(([^()]*)\)$/.exec(line) ??
    [];
  if (file === undefined || name.includes(" ... ")) return null;
  const parts = [...time.matchAll(/([\d.]+)([a-zµ]+)/g)];
  return {
    file,
    seconds: parts.reduce((all, [, count, unit = ""]) => all + Number(count) * (SECONDS[unit] ?? 0), 0),
  };
}

const SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, "µs": 1e-6 };

/** The files of a JUnit report. */
export function testFiles(xml: string): TestFile[] {
  return [...xml.matchAll(/<testsuite name="([^"]*)"([^>]*)>/g)].map(([, name = "", head = ""]) => {
    const number = (attribute: string) => Number(new RegExp(` ${attribute}="(\\d+)"`).exec(head)?.[1] ?? 0);
    return {
      name,
      tests: number("tests"),
      failed: number("failures") + number("errors"),
      skipped: number("disabled") + number("skipped"),
    };
  });
}

function sum(files: readonly TestFile[], field: "tests" | "failed" | "skipped"): number {
  return files.reduce((all, one) => all + one[field], 0);
}

/** What took longest, without what a file does before its first test, such as starting an engine. */
function printSlowest(seconds: ReadonlyMap<string, number>): void {
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  console.log(`\nthe slowest ${slowest.length} files, in seconds:`);
  for (const [file, time] of slowest) console.log(`${time.toFixed(1).padStart(7)}  ${file}`);
}

function printFlaky(count: number, files: readonly string[], isBusy: boolean): void {
  console.error(`
!!!
!!! ${
    isBusy ? "FLAKY ON A BUSY MACHINE, to be looked at" : "FLAKY, and red"
  }: ${count} tests failed at first and passed by themselves, three times. Their files:
${files.map((file) => `!!!   ${file}`).join("\n")}
!!!`);
}

/** Measures how much slower the machine is than a quiet one, until it is disposed of. */
async function besideTests(): Promise<AsyncDisposable & { readonly file: string }> {
  const file = await Deno.makeTempFile({ prefix: "berth-slowness-" });
  const loop = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      `--allow-write=${file}`,
      new URL("../tests/proof/slowness.ts", import.meta.url).pathname,
      file,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  return {
    file,
    [Symbol.asyncDispose]: async () => {
      loop.kill("SIGKILL");
      await loop.status;
      await Deno.remove(file);
    },
  };
}

/** Returns how much slower the machine was in this share of the samples. */
function slowerAt(file: string, share: number): number {
  const times = samplesIn(file).map((sample) => sample.times).toSorted((a, b) => a - b);
  return times[Math.floor(share * (times.length - 1))] ?? 1;
}

function printSlowness(file: string): void {
  const at = (share: number) => slowerAt(file, share).toFixed(2);
  console.log(
    `\na fixed loop beside the tests ran ${at(0.5)} times as long as on a quiet machine, at most ${at(1)}: ` +
      (BOUNDS_ARE_EXACT ? "bounds of time held as they are" : "bounds of time were multiplied by that"),
  );
}

async function* lines(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") yield rest;
}

if (import.meta.main) {
  const began = performance.now();
  await using beside = await besideTests();
  const slowness = BOUNDS_ARE_EXACT ? null : beside.file;
  const first = await run("tests", Deno.args, slowness);
  let failed = sum(first.files, "failed");
  let flaky = 0;
  if (first.broken === null) {
    console.error("the tests ended without saying what failed");
    failed = Math.max(1, failed);
  } else if (first.broken.length > 0 && first.broken.length <= MOST_TRIED_AGAIN) {
    const failedAtFirst = failed;
    failed = 0;
    for (let nth = 1; nth <= TRIES && failed === 0; nth++) {
      console.error(`\nby themselves, ${nth} of ${TRIES}: ${first.broken.join(" ")}`);
      const again = await run(`try ${nth}`, first.broken, slowness, true);
      failed = Math.max(sum(again.files, "failed"), again.broken === null ? 1 : 0);
    }
    if (failed === 0) flaky = failedAtFirst;
  }
  printSlowest(first.seconds);
  printSlowness(beside.file);
  const isBusy = !BOUNDS_ARE_EXACT && slowerAt(beside.file, 0.5) > BUSY;
  if (flaky > 0) printFlaky(flaky, first.broken ?? [], isBusy);
  const skipped = sum(first.files, "skipped");
  console.log(
    `\n${
      sum(first.files, "tests") - skipped - failed
    } passed, ${failed} failed, ${skipped} skipped, ${flaky} flaky, in ${
      ((performance.now() - began) / 60_000).toFixed(1)
    } minutes`,
  );
  Deno.exitCode = failed === 0 && (flaky === 0 || isBusy) ? 0 : 1;
}
