/** An act that the engine confirmed is answered as done, also where the look at the container afterwards fails. */
import assert from "node:assert/strict";
import { pause } from "../../core/pause.ts";
import { eventually } from "../support/eventually.ts";
import { quiet } from "../support/quiet_engine.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";
import { startService } from "../support/service.ts";

const ID = "a".repeat(64);
const LISTED = {
  Id: ID,
  Names: ["/web"],
  Image: "web",
  ImageID: `sha256:${"b".repeat(64)}`,
  State: "running",
  Status: "Up",
  Labels: {},
  Created: 1,
};

const INSPECTED = {
  Id: ID,
  Name: "/web",
  Image: LISTED.ImageID,
  Created: "2026-01-01T00:00:00Z",
  State: { Status: "running", Running: true, StartedAt: "2026-01-01T00:00:00Z" },
  Config: { Image: "web", Labels: {} },
  HostConfig: {},
  NetworkSettings: { Networks: {} },
};

for (const verb of ["stop", "start", "restart", "pause", "kill"]) {
  Deno.test(`A confirmed ${verb} is answered as done although its container cannot be read`, async () => {
    let isConfirmed = false;
    await using engine = new ScriptedEngine(async (call) => {
      if (call.method === "POST" && call.path.startsWith(`/containers/${ID}/${verb}`)) {
        isConfirmed = true;
        return await call.write("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n");
      }
      if (call.path.startsWith("/containers/json")) return await call.json([LISTED]);
      if (call.path.startsWith(`/containers/${ID}/json`)) {
        return isConfirmed
          ? await call.json({ message: "it cannot be read" }, 500)
          : await call.json(INSPECTED);
      }
      return await quiet(call);
    });
    await using berth = await startService({ engines: [{ name: "one", url: `unix://${engine.socket}` }] });
    await eventually(
      "it is listed",
      async () => (await berth.call("GET /api/containers")).body.items.length === 1,
    );
    const { status, body } = await berth.call(`POST /api/containers/${ID}/${verb}`);
    assert.deepEqual([status, body.changed, body.state], [200, true, "unknown"]);
    const [entry] = (await berth.call(`GET /api/system/audit?limit=1`)).body.items;
    assert.notEqual(entry.result, "engine_failed");
  });
}

/** Makes a wait of 30 s one of 20 ms, and leaves all others as they are. */
function soonerTimeouts(): Disposable {
  const { setTimeout } = globalThis;
  const sooner = (run: () => void, ms = 0) => setTimeout(run, ms === 30_000 ? 20 : ms);
  Object.assign(globalThis, { setTimeout: sooner });
  return { [Symbol.dispose]: () => void Object.assign(globalThis, { setTimeout }) };
}

for (const verb of ["stop", "restart"]) {
  Deno.test(`A ${verb} that takes as long as the container's own timeout of 40 s is waited for`, async () => {
    let isDone = false;
    await using engine = new ScriptedEngine(async (call) => {
      if (call.method === "POST" && call.path === `/containers/${ID}/${verb}`) {
        await pause(300); // in which 30 s pass for berth
        await call.write("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"); // throws where berth has left
        isDone = true;
        return;
      }
      if (call.path.startsWith("/containers/json")) return await call.json([LISTED]);
      if (call.path.startsWith(`/containers/${ID}/json`)) {
        const State = isDone && verb === "stop" ? { Status: "exited", Running: false } : INSPECTED.State;
        return await call.json({ ...INSPECTED, State, Config: { ...INSPECTED.Config, StopTimeout: 40 } });
      }
      return await quiet(call);
    });
    await using berth = await startService({ engines: [{ name: "one", url: `unix://${engine.socket}` }] });
    await eventually(
      "it is listed",
      async () => (await berth.call("GET /api/containers")).body.items.length === 1,
    );

    using _sooner = soonerTimeouts();
    const { status, body } = await berth.call(`POST /api/containers/${ID}/${verb}`);

    assert.deepEqual([status, body.changed], [200, true], JSON.stringify(body));
  });
}
