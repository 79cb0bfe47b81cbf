/** Promise: a clock that is stepped under a running berth stops no timer and ends nobody's session. */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { TestCaller } from "../support/service.ts";

const PRELOAD = new URL("../support/clock_step.ts", import.meta.url).pathname;
const HOUR_MS = 3_600_000;

Deno.test("the clock of a whole berth goes an hour on, an hour back and two minutes back: lists, logs and timers go on (F10)", async () => {
  const clock = await Deno.makeTempFile();
  await Deno.writeTextFile(clock, "0");
  const containers = new Map<string, unknown>();
  await using engine = new ScriptedWorld({ containers });
  await using berth = await startBerthProcess({
    permissions: ["-A", `--preload=${PRELOAD}`],
    env: { BERTH_TEST_CLOCK: clock, BERTH_ENGINES: `docker=unix://${engine.socket}` },
  });
  try {
    const admin = new TestCaller(berth.url, await berth.setUp());
    const tokens = (await admin.call("POST /api/auth/key", { key: admin.credential })).body;
    const made = await admin.call("POST /api/settings/api-keys", { name: "v", role: "viewer" });
    const viewer = new TestCaller(berth.url, made.body.key);
    let step = 0;
    for (const [round, by] of [HOUR_MS, -HOUR_MS, -120_000, 120_000, -HOUR_MS, HOUR_MS].entries()) {
      step += by;
      await Deno.writeTextFile(clock, `${step}`);
      Deno.kill(berth.pid, "SIGUSR2");
      // An engine's events lead to looks, which are timers
      const id = scriptedId(round + 1);
      containers.set(id, inspected(id, `c-${round}`));
      const time = Math.floor(Date.now() / 1000);
      engine.tell({
        Type: "container",
        Action: "start",
        Actor: { ID: id, Attributes: {} },
        time,
        timeNano: Date.now() * 1e6,
      });
      await eventually(`c-${round} is listed after a step of ${by} ms`, async () => {
        const { items } = (await admin.call("GET /api/containers")).body;
        return items.length === round + 1;
      });
      // Refusals reach the store by a timer, too
      await viewer.call(`DELETE /api/settings/api-keys/round-${round}`);
      await eventually("the refusal is told", async () => {
        const { items } = (await admin.call("GET /api/system/audit?result=forbidden")).body;
        return items.length === round + 1;
      });
      assert.equal((await admin.call("GET /api/auth/me")).status, 200, "a key has no time");
    }
    assert.equal(step, 0);
    const next = await admin.call("POST /api/auth/refresh", { refreshToken: tokens.refreshToken });
    assert.equal(next.status, 200, "no step has ended the session");
    assert.equal(berth.hasEnded, false);
    assert.equal((await berth.end("SIGTERM")).code, 0);
    assert.doesNotMatch(berth.stderr, /RangeError|TypeError/);
  } finally {
    await Deno.remove(clock);
  }
});
