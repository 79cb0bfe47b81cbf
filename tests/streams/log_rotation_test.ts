/** Logs that the engine rotates away while they are followed. */
import assert from "node:assert/strict";
import { findOn, staysSeen } from "../support/one_engine.ts";
import { Engine } from "../../engines/calls/engine.ts";
import { logRoutes } from "../../plugins/containers/logs/routes.ts";
import { StreamLimit } from "../../plugins/containers/backends/stream_limit.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { StreamService } from "../support/stream_service.ts";

const { test } = await sharedEngine("docker");
const LINES = 60_000;

/** Follows 30 MB of numbered lines, of which the engine keeps 3. Returns numbers, and "gap". */
async function following(real: TestEngine, silentMs: number): Promise<(number | "gap")[]> {
  using engine = new Engine("docker", { kind: "unix", path: real.socket });
  await using berth = new StreamService(
    logRoutes({ find: findOn(engine), whileSeen: staysSeen, streamLimit: new StreamLimit() }),
  );
  const program = `BEGIN { for (i = 1; i <= ${LINES}; i++) printf "%d ${"x".repeat(490)}\\n", i }`;
  const id = await real.cli(
    ...["run", "-d", "--log-driver", "json-file", "--log-opt", "max-size=1m", "--log-opt", "max-file=3"],
    ...[FIXTURE, "sh", "-c", `sleep 1; awk '${program}'; exec idle`],
  );
  const response = await berth.get(`/containers/${id}/logs?follow&format=ndjson`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  await using _leaving = { [Symbol.asyncDispose]: () => reader.cancel() };
  await eventually("all is written", async () => {
    return (await real.cli("logs", "--tail", "1", id)).startsWith(`${LINES} `);
  });
  assert.ok(!(await real.cli("logs", id)).startsWith("1 "), "most of it is gone");
  await new Promise((resolve) => setTimeout(resolve, silentMs));

  const told: (number | "gap")[] = [];
  let rest = "";
  while (told.at(-1) !== LINES) {
    const { value, done } = await reader.read();
    assert.equal(done, false, `ended behind ${told.at(-1)}`);
    const records = (rest + value).split("\n");
    rest = records.pop() ?? "";
    for (const record of records) {
      if (record === "") continue; // a heartbeat
      const { line, gap } = JSON.parse(record);
      told.push(gap === undefined ? Number(line.split(" ", 1)[0]) : "gap");
    }
  }
  await real.cli("rm", "-f", id);
  return told;
}

test("a log that is rotated while it is followed repeats no line, although the engine reads files again (F21)", async (real) => {
  const told = (await following(real, 0)).filter((one) => one !== "gap");
  const back = told.findIndex((one, at) => at > 0 && one <= told[at - 1]!);
  assert.equal(back, -1, `${told[back]} behind ${told[back - 1]}`);
});

test("who reads nothing while a log is rotated away is told of the gap, and then every line that is left (F21)", async (real) => {
  const told = await following(real, 1_500);
  const gap = told.lastIndexOf("gap");
  assert.ok(gap > 0, "a gap is told");
  const left = told.slice(gap + 1);
  assert.deepEqual(left, left.map((_, at) => LINES - left.length + 1 + at), "nothing behind it is missing");
});
