/** A stop while engines are at work for many: what is open ends, and nothing runs on. */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import { browse } from "../support/browse.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { TestCaller } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const { test } = await sharedEngine("docker");
const LOGS = 50;
const SHELLS = 20;
const SILENT_PORT = 5999;

test("SIGTERM with followed logs, shells and a pull open ends all of them, and no shell stays (F7)", async (engine) => {
  await using berth = await startBerthProcess({ env: { BERTH_ENGINES: engine.setting } });
  const caller = new TestCaller(berth.url, await berth.setUp());
  const id = await engine.cli("run", "-d", FIXTURE, "sh", "-c", "while :; do echo line; sleep 0.1; done");
  const processes = async () =>
    Number(await engine.cli("exec", id, "sh", "-c", "for p in /proc/[0-9]*; do echo; done | wc -l"));
  await eventually(
    "it is known",
    async () => (await caller.call(`GET /api/containers/${id}`)).status === 200,
  );
  const before = await processes();
  const logs = await Promise.all(Array.from({ length: LOGS }, async () => {
    const response = await caller.fetch(`GET /api/containers/${id}/logs?follow&format=ndjson`);
    assert.equal(response.status, 200);
    // In a list, or the promise would be waited for here
    return [response.text().then(() => "ended", () => "broken")] as const;
  }));
  const shells = Array.from(
    { length: SHELLS },
    () => browse(berth.url, `/containers/${id}/exec`, caller.credential!),
  );
  for (const { heard } of shells) {
    await eventually("it runs", () => heard.texts.some((text) => text.includes(`"ready"`)));
  }
  // A registry that takes the connection and says nothing, where the engine is
  await engine.sandbox!.run(`sleep 120 | busybox nc -l -p ${SILENT_PORT} >/dev/null 2>&1 &`);
  await eventually("it listens", async () => {
    return await engine.sandbox!.run(`busybox netstat -tln | grep -q ':${SILENT_PORT} '`) === 0;
  });
  const pull = caller.fetch("POST /api/images/pull", { reference: `127.0.0.1:${SILENT_PORT}/never:1` })
    .then(
      (response) => response.text().then(() => "ended", () => "broken"),
      () => "broken",
    );
  await eventually(
    "the engine waits for the registry",
    async () =>
      await engine.sandbox!.run(`busybox netstat -tn | grep -q ':${SILENT_PORT} .*ESTABLISHED'`) === 0,
  );
  const started = performance.now();

  const { code, signal } = await berth.end("SIGTERM");

  assert.deepEqual([code, signal], [0, null]);
  assert.ok(performance.now() - started < 15_000, "ten seconds, and some for a busy machine");
  for (const { closed } of shells) assert.equal(await closed, 1001);
  for (const [ended] of logs) assert.equal(await ended, "ended");
  await pull;
  await eventually("no shell is left", async () => await processes() <= before);
  await engine.cli("rm", "-f", id);
});
