/** Floods without a proxy, and through the proxy files of packaging/, to a real berth on the shipped memory limit. */
import assert from "node:assert/strict";
import { sharedEngine } from "../support/shared_engine.ts";
import { within } from "../support/within.ts";
import type { TestEngine } from "../support/engine.ts";
import { behind, CADDY, called, DIRECT, nginx } from "./proxies.ts";
import type { FloodSeen } from "./flood_callers.ts";

const { test } = await sharedEngine("docker");
const SECONDS = Number(Deno.env.get("BERTH_FLOOD_SECONDS") ?? "0");
const MIB = 1024 * 1024;
/** `mem_limit` and `MemoryMax` of the shipped files. */
const LIMIT = 2_048 * MIB;
/** The share of what it held before that berth holds a minute after a flood at most; more is a leak (docs/hardening.md). */
const BACK = 2;
const BACK_MS = 60_000;
/** Others wait no longer than this while it lasts, but for one in a hundred. */
const P99_MS = 1_000;

/** Puts berth under the limit as its own group of processes; says false where the machine lets nobody do so. */
async function limited(engine: TestEngine, name: string): Promise<boolean> {
  const group = `/sys/fs/cgroup/memory/${name}`;
  return await engine.sandbox!.run(
    `mkdir ${group} && echo ${LIMIT} >${group}/memory.limit_in_bytes && echo $berth >${group}/cgroup.procs`,
  ) === 0;
}

/** Returns what berth holds now and what it held at most, in bytes. */
async function memory(
  engine: TestEngine,
  data: string,
): Promise<{ readonly now: number; readonly most: number }> {
  const code = await engine.sandbox!.run(`cat /proc/$berth/status >'${data}/status'`);
  assert.equal(code, 0, "berth lives");
  const status = await Deno.readTextFile(`${data}/status`);
  const [now = 0, most = 0] = ["VmRSS", "VmHWM"].map((name) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  );
  return { now, most };
}

for (const [at, proxy] of [DIRECT, CADDY, nginx(), nginx(undefined, 1)].entries()) {
  const name =
    `behind ${proxy.name} berth lives through floods of bodies and of held requests, and answers others`;
  if (SECONDS === 0) {
    Deno.test.ignore(`${name} (BERTH_FLOOD_SECONDS=60)`, () => {});
    continue;
  }
  test(name, async (engine) => {
    await behind(engine, proxy, 8730 + at, async (key, data) => {
      const isLimited = await limited(engine, `berth-flood-${at}-${Deno.pid}`);
      const before = await memory(engine, data);
      const seen: FloodSeen = await called(engine, "flood_callers.ts", data, key, String(SECONDS));
      const { most } = await memory(engine, data);
      const mib = (bytes: number) => Math.round(bytes / MIB);
      const figures = { isLimited, beforeMiB: mib(before.now), mostMiB: mib(most), ...seen };
      console.log(proxy.name, JSON.stringify(figures));

      assert.ok(most < LIMIT, `berth held ${mib(most)} MiB`);
      for (const { beside, statuses } of [seen.bodies, seen.slow]) {
        assert.deepEqual(beside.failures, []);
        assert.ok(beside.answers > SECONDS, `${beside.answers} answers`);
        assert.ok(beside.p99Ms < P99_MS, `others waited ${beside.p99Ms} ms`);
        assert.ok((statuses["429"] ?? 0) > 0, JSON.stringify(statuses));
      }
      const began = performance.now();
      const after = await within(BACK_MS, "memory comes back", async () => {
        const held = await memory(engine, data);
        return held.now < before.now * BACK ? held : null;
      });
      console.log(`${mib(after.now)} MiB after ${Math.round((performance.now() - began) / 1_000)} s`);
    });
  });
}
