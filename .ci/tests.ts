/**
 * Runs the README's test command and sums up. A file that failed is run once more, by itself: on a busy machine a
 * real engine or browser can miss its time. What passes only then is printed as FLAKY, which is a defect to be mended.
 */

const { deno: version } = JSON.parse(await Deno.readTextFile(new URL("versions.json", import.meta.url)));
const LIMIT_MS = 35 * 60_000;

interface Outcome {
  tests: number;
  failed: number;
  skipped: number;
  /** Files with a failure; null when the run ended without a report. */
  broken: string[] | null;
}

async function run(label: string, files: readonly string[]): Promise<Outcome> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  const retry = files.length > 0 ? ["--retry=1"] : [];
  const child = new Deno.Command("npx", {
    args: ["-y", `deno@${version}`, "task", "test", `--junit-path=${report}`, ...retry, ...files],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
    ...(files.length > 0 ? { env: { DENO_JOBS: "1" } } : {}),
  }).spawn();
  const timer = setTimeout(() => {
    console.error(`${label}: stopped after ${LIMIT_MS / 60_000} minutes`);
    child.kill("SIGKILL");
  }, LIMIT_MS);
  const broken = new Set<string>();
  for await (const line of lines(child.stdout)) {
    console.log(line);
    const file = FAILURE.exec(line.replaceAll(COLOUR, ""))?.[1];
    if (file !== undefined) broken.add(file);
  }
  const { code } = await child.status;
  clearTimeout(timer);
  const xml = await Deno.readTextFile(report);
  await Deno.remove(report);
  const outcome: Outcome = { tests: 0, failed: 0, skipped: 0, broken: [...broken] };
  for (const [tag] of xml.matchAll(/<testsuite name="([^"]+)"[^>]*>/g)) {
    const number = (attribute: string) => Number(new RegExp(` ${attribute}="(\\d+)"`).exec(tag)?.[1] ?? 0);
    outcome.tests += number("tests");
    outcome.failed += number("failures") + number("errors");
    outcome.skipped += number("disabled") + number("skipped");
  }
  if (code !== 0 && (outcome.failed === 0 || broken.size === 0)) outcome.broken = null;
  return outcome;
}

/** `test_file.ts => name ... FAILED`, and what is said of a file that failed outside its tests. */
const FAILURE = /(?:Uncaught error from )?(\S+\.ts)(?: => .* \.\.\.)? FAILED/;
const COLOUR = /\x1b\[[0-9;]*m/g;

async function* lines(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") yield rest;
}

const first = await run("tests", []);
let failed = first.failed;
if (first.broken === null) {
  console.error("the tests ended without saying what failed");
  failed = Math.max(1, failed);
} else if (first.broken.length > 0 && first.broken.length <= 8) {
  console.error(`\nonce more, by themselves: ${first.broken.join(" ")}`);
  const second = await run("second try", first.broken);
  failed = second.broken === null ? Math.max(1, second.failed) : second.failed;
  if (failed < first.failed) {
    console.error(
      `FLAKY: ${first.failed - failed} tests passed only the second time, in ${first.broken.join(" ")}`,
    );
  }
}
console.log(`${first.tests - first.skipped - failed} passed, ${failed} failed, ${first.skipped} skipped`);
Deno.exit(failed === 0 ? 0 : 1);
