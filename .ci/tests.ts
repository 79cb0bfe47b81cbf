/**
 * Runs the README's test command and sums up: what failed, what was skipped, which files were slowest. A file that failed
 * is run again by itself, three times: on a busy machine a real engine or browser can miss its time. What fails once
 * more is broken, now and then or always, and red. What passes each time is FLAKY, a defect to be mended, too.
 */

const { deno: version } = JSON.parse(await Deno.readTextFile(new URL("versions.json", import.meta.url)));
/** What that is for the outcome: "told" aloud and green, as for every commit, or "red", as each night. */
const FLAKY_IS = Deno.env.get("BERTH_CI_FLAKY") ?? "told";
/** Of the whole run, and of each try of what failed. */
const LIMIT_MINUTES = 35;
const TRY_LIMIT_MINUTES = 15;
const MOST_TRIED_AGAIN = 8;
const TRIES = 3;
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

async function run(label: string, files: readonly string[]): Promise<Outcome> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  const limit = files.length > 0 ? TRY_LIMIT_MINUTES : LIMIT_MINUTES;
  // Most tests wait for engines, browsers and time, so there are more of them at once than cores.
  const jobs = files.length > 0 ? "1" : Deno.env.get("DENO_JOBS") ?? `${2 * navigator.hardwareConcurrency}`;
  const child = new Deno.Command("npx", {
    args: ["-y", `deno@${version}`, "task", "test", `--junit-path=${report}`, ...files],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
    env: { DENO_JOBS: jobs },
  }).spawn();
  const timer = setTimeout(() => {
    console.error(`${label}: stopped after ${limit} minutes`);
    child.kill("SIGKILL");
  }, limit * 60_000);
  const broken = new Set<string>();
  const seconds = new Map<string, number>();
  for await (const line of lines(child.stdout)) {
    console.log(line);
    const plain = line.replaceAll(COLOUR, "");
    const file = FAILURE.exec(plain)?.[1];
    if (file !== undefined) broken.add(file);
    const test = timedTest(plain);
    if (test !== null) seconds.set(test.file, (seconds.get(test.file) ?? 0) + test.seconds);
  }
  const { code } = await child.status;
  clearTimeout(timer);
  const reported = testFiles(await Deno.readTextFile(report));
  await Deno.remove(report);
  const unsaid = code !== 0 && (broken.size === 0 || sum(reported, "failed") === 0);
  return { files: reported, seconds, broken: unsaid ? null : [...broken] };
}

/** `test_file.ts => name ... FAILED`, and what is said of a file that failed outside its tests. */
const FAILURE = /(?:Uncaught error from )?(\S+\.ts)(?: => .* \.\.\.)? FAILED/;
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

function printFlaky(count: number, files: readonly string[]): void {
  console.error(`
!!!
!!! FLAKY: ${count} tests failed at first and passed by themselves, three times. Each is a defect to be mended. Their files:
${files.map((file) => `!!!   ${file}`).join("\n")}
!!!`);
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
  const first = await run("tests", []);
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
      const again = await run(`try ${nth}`, first.broken);
      failed = Math.max(sum(again.files, "failed"), again.broken === null ? 1 : 0);
    }
    if (failed === 0) flaky = failedAtFirst;
  }
  printSlowest(first.seconds);
  if (flaky > 0) printFlaky(flaky, first.broken ?? []);
  const skipped = sum(first.files, "skipped");
  console.log(
    `\n${
      sum(first.files, "tests") - skipped - failed
    } passed, ${failed} failed, ${skipped} skipped, ${flaky} flaky, in ${
      ((performance.now() - began) / 60_000).toFixed(1)
    } minutes`,
  );
  Deno.exit(failed === 0 && (flaky === 0 || FLAKY_IS === "told") ? 0 : 1);
}
