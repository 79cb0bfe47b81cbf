/** The history of a project on a real engine: its apply, and the death of what was killed. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { project, scene, service } from "./apply_scene.ts";

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Row = any;

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("A history has an apply and the death of what was killed, as the engine tells it", async (engine) => {
    const name = `history${kind}`;
    await scene(engine, name, project(name, [service("web")]), async (scene) => {
      const applied = await scene.apply();
      await engine.cli("kill", `${name}-web-1`);
      const { items } = await eventually("the death is told", async () => {
        const now = (await scene.berth.call(`GET /api/projects/${name}/history`)).body;
        return now.items.some(({ kind }: Row) => kind === "death") ? now : null;
      });
      assert.deepEqual(items.map(({ kind }: Row) => kind), ["death", "apply"]);
      const [death, apply] = items;
      assert.deepEqual([death.container, death.service, death.exitCode], [`${name}-web-1`, "web", 137]);
      assert.deepEqual([apply.apply.id, apply.apply.state], [applied.id, "done"]);
    });
  });
}
