/** A container that may write to a folder can exchange by a link all that lies in it, also what is mounted already. */
import assert from "node:assert/strict";
import { project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { lawEngine } from "../support/shared_engine.ts";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("A project's second container does not turn a folder of the first one into a folder of the host", async (engine) => {
    const name = "above";
    const reader = service(
      "reader",
      "network_mode: none\nrestart: always\nvolumes: ['./data:/data:ro', './seen:/seen']",
      "[sh, -c, 'cat /data/whose >> /seen/log; sleep 1']",
    );
    await scene(engine, name, project(name, [reader]), async (scene) => {
      const { path } = scene;
      const outside = await Deno.makeTempDir({ prefix: "berth-canary-" });
      await Deno.writeTextFile(`${outside}/whose`, "the host's\n");
      await Deno.mkdir(`${path}/data`);
      await Deno.mkdir(`${path}/seen`);
      await Deno.writeTextFile(`${path}/data/whose`, "the project's\n");
      const operator = await scopedOperator(scene, name);
      const apply = async () => {
        const begun = await scene.begin(await scene.plan({}, operator), {}, operator);
        if (begun.status === 202) await scene.over(begun.body.id);
        return begun;
      };
      assert.equal((await apply()).status, 202);
      const log = () => Deno.readTextFile(`${path}/seen/log`);
      await eventually("the reader has read", async () => (await log()).includes("the project's"));
      const exchange = `mv data kept; ln -s ${outside} data; exec idle`;
      const writer = service(
        "writer",
        "network_mode: none\nvolumes: ['./:/w']\nworking_dir: /w",
        `[sh, -c, '${exchange}']`,
      );
      await scene.write(project(name, [reader, writer]));
      const { status, text } = await apply();
      if (status === 202) {
        // The engine restarts the reader by itself, and follows its links anew.
        await eventually("the reader was restarted", async () => (await log()).includes("the host's"), {
          timeoutMs: 20_000,
        }).catch(() => {});
      }
      assert.doesNotMatch(await log(), /the host's/, "The container of an operator read a file of the host");
      assert.equal(status, 403, text);
      assert.match(text, /mounts\.\/w is a folder below which another container has something mounted/);
      await Deno.remove(outside, { recursive: true });
    });
  });
}
