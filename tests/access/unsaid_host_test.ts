/** Rights over the host that a plan did not name are used for nobody, also where its applier holds them. */
import assert from "node:assert/strict";
import { project, scene, service } from "../apply/apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { lawEngine } from "../support/shared_engine.ts";

const CANARY = "the host's own word";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  test("a folder that becomes a link to the host behind the plan of an admin is not mounted until a plan says so", async (engine) => {
    const name = "unsaid";
    // The first one makes the second wait while the folder changes.
    const first = service(
      "first",
      "healthcheck: { test: 'test -e /go/now', interval: 1s, retries: 60 }\nvolumes: ['./go:/go']",
    );
    const second = service(
      "web",
      "depends_on: { first: { condition: service_healthy } }\nvolumes: ['./data:/x']",
      "[sh, -c, 'cat /x/whose; exec idle']",
    );
    await scene(engine, name, project(name, [first, second]), async (scene) => {
      const { path } = scene;
      const outside = await Deno.makeTempDir({ prefix: "berth-canary-" });
      await Deno.writeTextFile(`${outside}/whose`, CANARY);
      for (const folder of ["go", "data"]) await Deno.mkdir(`${path}/${folder}`);
      await Deno.writeTextFile(`${path}/data/whose`, "the project's");
      const plan = await scene.plan();
      const begun = await scene.begin(plan);
      assert.equal(begun.status, 202, begun.text);
      // It is made already, and its start waits.
      await eventually("it is made", async () => {
        const state = await engine.cli("inspect", "--format", "{{.State.Status}}", `${name}-web-1`).catch(
          () => "",
        );
        return state.trim() === "created";
      });
      await Deno.rename(`${path}/data`, `${path}/aside`);
      await Deno.symlink(outside, `${path}/data`);
      await Deno.writeTextFile(`${path}/go/now`, "");
      const apply = await scene.over(begun.body.id);
      assert.equal(apply.state, "failed");
      assert.match(JSON.stringify(apply.steps), /which the plan did not say\. Make a new plan/);
      const logs = await engine.cli("logs", `${name}-web-1`).catch(() => "");
      assert.ok(!logs.includes(CANARY), logs);

      const said = await scene.plan();
      assert.ok(
        said.steps.some(({ needs }) => needs.some(({ permission }) => permission === "projects:host")),
      );
      assert.equal((await scene.apply()).state, "done");
      await Deno.remove(outside, { recursive: true });
    });
  });
}
