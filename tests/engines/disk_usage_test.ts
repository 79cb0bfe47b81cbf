/** Disk usage against real engines: the engine's own figures, measured once for all who ask. */

import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { quiet } from "../support/quiet_engine.ts";
import { serveEngines } from "../support/service.ts";
import { tidy } from "../proof/tidy.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";

interface Wire {
  readonly [field: string]: number & Wire;
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await sharedEngine(kind);

  test("GET /api/system/disk-usage counts, weighs and tells apart what is in use", async (engine) => {
    await tidy(engine);
    await engine.cli("run", "-d", "--name", "busy", "-v", "filled:/data", FIXTURE);
    await engine.cli("exec", "busy", "dd", "if=/dev/zero", "of=/data/x", "bs=1024", "count=100");
    await engine.cli("run", "--name", "done", FIXTURE, "sh", "-c", "dd if=/dev/zero of=/x bs=1024 count=50");
    await engine.cli("volume", "create", "empty");
    await using app = await serveEngines({ one: engine });

    const { status, body, text } = await app.call("GET /api/system/disk-usage");

    const theirs = (await engine.ask("GET /system/df")).json;
    assert.equal(status, 200, text);
    assert.deepEqual([body.images.count, body.images.active], [theirs.Images.length, 1]);
    assert.deepEqual([body.containers.count, body.containers.active], [2, 1]);
    assert.deepEqual([body.volumes.count, body.volumes.active], [2, 1]);
    assert(body.containers.reclaimable >= 50 * 1024, text);
    assert(body.volumes.size >= 100 * 1024, text);
    assert.equal(body.volumes.reclaimable, 0);
    assert.equal(body.images.size, theirs.LayersSize || theirs.Images[0].Size);
    assert.equal(body.images.items, undefined);
    const volumes = (await app.call("GET /api/system/disk-usage?type=volumes")).body;
    assert.equal(volumes.images, undefined);
    const sizes = volumes.volumes.items.map(({ name, size }: { name: string; size: number }) => [name, size]);
    assert.deepEqual(
      sizes.sort(),
      theirs.Volumes.map(({ Name, UsageData }: Wire) => [Name, UsageData?.Size]).sort(),
    );
  });
}

Deno.test("GET /api/system/disk-usage measures once for many callers, and answers the next from what it has", async () => {
  let release = () => {};
  const held = new Promise<void>((done) => release = done);
  await using engine = new ScriptedEngine(async (call) => {
    if (call.path !== "/system/df") return await quiet(call);
    await held;
    await call.json({ LayersSize: 7, Images: [{ Id: "a".repeat(64), Size: 7, Containers: 0 }] });
  });
  await using app = await serveEngines({ one: engine });

  const callers = Array.from({ length: 20 }, () => app.call("GET /api/system/disk-usage"));
  await eventually("the measurement runs", () => engine.calls.includes("GET /system/df"));
  release();
  const answers = await Promise.all(callers);
  const later = await app.call("GET /api/system/disk-usage");

  for (const { body } of [...answers, later]) {
    assert.deepEqual([body.images.size, body.images.reclaimable], [7, 7]);
  }
  assert.equal(engine.calls.filter((call) => call === "GET /system/df").length, 1);
  await app.call("GET /api/system/disk-usage?fresh=true");
  assert.equal(engine.calls.filter((call) => call === "GET /system/df").length, 2);
});

Deno.test("a disk measurement that nobody waits for any more is ended at the engine too", async () => {
  let ended = false;
  await using engine = new ScriptedEngine(async (call) => {
    if (call.path !== "/system/df") return await quiet(call);
    await call.conn.read(new Uint8Array(1)).catch(() => null);
    ended = true;
  });
  await using app = await serveEngines({ one: engine });
  const leaving = new AbortController();
  const call = app.call("GET /api/system/disk-usage", undefined, { signal: leaving.signal });
  const refused = assert.rejects(call);
  await eventually("the measurement runs", () => engine.calls.includes("GET /system/df"));

  leaving.abort();

  await refused;
  await eventually("the engine's connection is closed", () => ended);
});

Deno.test("a hostile disk usage counts as nothing where it is nonsense, and never as less", async () => {
  const nonsense = {
    LayersSize: -5,
    Images: [null, 7, { Id: 1 }, { Id: "x", Size: "big", SharedSize: 1e300 }],
    Volumes: {},
  };
  await using engine = new ScriptedEngine(async (call) =>
    call.path === "/system/df" ? await call.json(nonsense) : await quiet(call)
  );
  await using app = await serveEngines({ one: engine });

  const { status, body } = await app.call("GET /api/system/disk-usage");

  assert.equal(status, 200);
  assert.deepEqual(body.images, { count: 1, active: 0, size: 0, reclaimable: 0 });
  assert.equal(body.volumes.count, 0);
});
