import assert from "node:assert/strict";
import { Responder } from "./responder.ts";
import { StartupGate } from "./startup_gate.ts";

const info = { remoteAddr: { transport: "unix", path: "" } } as unknown as Deno.ServeHandlerInfo;

/** An open gate, and a way to ask it; `loads` counts how often the edge was loaded, and the first of them may fail. */
function opened(failures = 0) {
  const gate = new StartupGate({
    hosts: new Set(["b"]),
    responder: new Responder({ tls: false }),
    onAccess: () => {},
  });
  const counts = { loads: 0 };
  gate.open({
    healthEdge: () => Promise.resolve(new Response("health")),
    async loadEdge() {
      await Promise.resolve();
      if (counts.loads++ < failures) throw new Error("no such file");
      return () => Promise.resolve(new Response("whole"));
    },
  });
  const ask = async (path: string) =>
    await (await gate.handle(new Request(`http://b${path}`, { headers: { host: "b" } }), info)).text();
  return { counts, ask };
}

Deno.test("Health loads no route, and the first other request loads all of them once", async () => {
  const { counts, ask } = opened();
  const paths = ["/api/health", "/api/health/live", "/api/health/ready"];
  for (const path of paths) assert.equal(await ask(path), "health");
  assert.equal(counts.loads, 0);
  const others = ["/", "/api/containers", "/api/health?x=1", "/api/healthy"];
  assert.deepEqual(await Promise.all(others.map(ask)), others.map(() => "whole"));
  assert.equal(counts.loads, 1);
  assert.equal(await ask("/api/health"), "whole");
});

Deno.test("Routes that could not be loaded are loaded again by the next request", async () => {
  const { counts, ask } = opened(1);
  await assert.rejects(ask("/"), /no such file/);
  assert.deepEqual([await ask("/"), counts.loads], ["whole", 2]);
});
