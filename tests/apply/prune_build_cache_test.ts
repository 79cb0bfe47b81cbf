/** Pruning build caches: each by its own id, what was built on something before it, and nothing claimed that stayed. */

import assert from "node:assert/strict";
import { quiet } from "../support/quiet_engine.ts";
import { serveEngines } from "../support/service.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";

const BASE = "base0000000000000000000000";
const LAYER = "layer000000000000000000000";
const BUSY = "busy0000000000000000000000";

function cache(ID: string, CreatedAt: string, more: Record<string, unknown> = {}) {
  return {
    ID,
    CreatedAt,
    Type: "regular",
    Description: ID.slice(0, 5),
    InUse: false,
    Shared: false,
    Size: 10,
    ...more,
  };
}

Deno.test("POST /api/system/prune removes build caches by id, newest first, and says which the engine kept", async () => {
  const asked: string[] = [];
  const caches = [
    cache(BASE, "2026-01-01T00:00:00Z"),
    cache(BUSY, "2026-01-02T00:00:00Z", { InUse: true }),
    cache(LAYER, "2026-01-03T00:00:00Z"),
    cache(".*", "2026-01-04T00:00:00Z"),
  ];
  await using engine = new ScriptedEngine(async (call) => {
    if (call.path === "/system/df") return await call.json({ BuildCache: caches });
    if (!call.path.startsWith("/build/prune")) return await quiet(call);
    const { id } = JSON.parse(new URLSearchParams(call.path.replace(/^.*\?/, "")).get("filters") ?? "{}");
    asked.push(...id);
    await call.json({ CachesDeleted: id[0] === LAYER ? [LAYER] : null, SpaceReclaimed: 10 });
  });
  await using app = await serveEngines({ one: engine });

  const { status, body, text } = await app.call("POST /api/system/prune", { types: ["buildCache"] });

  assert.equal(status, 200, text);
  assert.deepEqual(asked, [LAYER, BASE]);
  assert.deepEqual(
    body.items.map(({ id, result }: Record<string, string>) => [id, result]),
    [[LAYER, "removed"], [BASE, "kept"]],
  );
  assert.deepEqual([body.size, body.reclaimed], [20, 10]);
});
