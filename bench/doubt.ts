/** The price of a doubt: 100 followed logs of one engine are cut at once, and each resumes behind its last line. */
import { cpuUsage } from "node:process";
import { Engine } from "../engines/calls/engine.ts";
import { readLive } from "../plugins/containers/backends/live_container.ts";
import { LogPosition } from "../plugins/containers/logs/log_position.ts";
import { LogSource } from "../plugins/containers/logs/log_source.ts";
import { FIXTURE, startEngine, type TestEngine } from "../tests/support/engine.ts";
import { eventually } from "../tests/support/eventually.ts";
import { rounds } from "./rounds.ts";

const STREAMS = 100;
/** The bound that is promised. */
const MOST_MS = 50;

/** Followed logs that are read until they are disposed of. */
class Followers implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #reading: Promise<void>[] = [];
  /** The number of lines that each has told. */
  readonly told: number[] = [];

  constructor(readonly engine: Engine, target: Awaited<ReturnType<typeof readLive>>) {
    const { signal } = this.#ending;
    for (let at = 0; at < STREAMS; at++) {
      this.told[at] = 0;
      const source = new LogSource({
        target,
        query: { follow: true, tail: null, since: null, until: null, stdout: true, stderr: true },
        position: new LogPosition(),
        listener: { line: () => void this.told[at]!++, gap: () => {} },
        signal,
      });
      this.#reading.push(
        (async () => {
          while (await source.read());
        })().catch(() => {}).finally(() => source.close()),
      );
    }
  }

  async all(lines: number): Promise<void> {
    await eventually(
      `${STREAMS} logs have ${lines} lines`,
      () => this.told.every((count) => count === lines),
      {
        everyMs: 100,
      },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#reading);
  }
}

/** Measures on a real Docker berth's own processor time, from the doubt to the next line at every reader. */
async function measure(docker: TestEngine): Promise<void> {
  const id = await docker.cli(
    ...["run", "-d", "--network", "none", FIXTURE],
    ...["sh", "-c", "n=0; while :; do if [ -e /tmp/$n ]; then echo line $n; n=$((n+1)); fi; sleep 0.1; done"],
  );
  using engine = new Engine("docker", { kind: "unix", path: docker.socket });
  const target = await readLive(engine, id, "measure");
  await using followers = new Followers(engine, target);
  let lines = 0;
  const line = async () => {
    await docker.cli("exec", id, "touch", `/tmp/${lines++}`);
    await followers.all(lines);
  };
  const measured = (before: () => void) => async () => {
    const start = cpuUsage();
    before();
    await line();
    const { user, system } = cpuUsage(start);
    return (user + system) / 1_000;
  };
  await line();
  const [plain, cut] = await rounds("doubt", [
    { name: "a line to 100 readers", run: measured(() => {}) },
    { name: "100 streams are cut and resume, and that line", run: measured(() => engine.drop()) },
  ], {
    rounds: 9,
    unit: "ms",
    about:
      `processor time of berth, with the waiting; the difference is promised to be at most ${MOST_MS} ms`,
  });
  const price = (cut?.median ?? 0) - (plain?.median ?? 0);
  console.log(`cutting and resuming ${STREAMS} streams: ${price.toFixed(1)} ms of processor time`);
  if (price > MOST_MS) throw new Error(`It took more than ${MOST_MS} ms`);
}

{
  await using docker = await startEngine("docker");
  await measure(docker);
}
