/** Engines that do not see the folders of berth: a plan for them is blocked, and nothing runs to find out. */
import assert from "node:assert/strict";
import { ApplyScene, project, service } from "./apply_scene.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const MOUNTING = (name: string) =>
  project(name, [
    service("web", "volumes: ['./one.conf:/etc/one.conf:ro', './conf:/etc/app', '/etc/hosts:/hosts:ro']"),
  ]);

async function sightOf(berth: TestService, workspace: string): Promise<string> {
  const { body } = await berth.call("GET /api/system/backends");
  return body.items[0].sees.find((one: { workspace: string }) => one.workspace === workspace).sight;
}

/** The names of all containers, as the engine itself lists them. */
async function containersOf(engine: TestEngine): Promise<readonly string[]> {
  const { json } = await engine.ask("GET /containers/json?all=1");
  return json.map(({ Names }: { Names: string[] }) => Names.join());
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  test("a plan for an engine that does not see the workspace is blocked", async (engine, context) => {
    await using berth = await serveEngines({ here: engine });

    await context.step("an engine of this machine sees the same folder", async () => {
      const scene = await ApplyScene.on(engine, berth, `same${kind}`, MOUNTING(`same${kind}`));
      await Deno.writeTextFile(`${scene.path}/one.conf`, "words");
      const { blocked, warnings } = await scene.plan();
      assert.deepEqual([blocked, warnings], [[], []]);
      assert.equal(await sightOf(berth, scene.workspace), "same");
      assert.deepEqual([...Deno.readDirSync(scene.path)].map(({ name }) => name).sort(), [
        "compose.yaml",
        "one.conf",
      ]);
      assert.equal((await scene.apply()).state, "done");
      assert.equal(await engine.cli("exec", `same${kind}-web-1`, "cat", "/etc/one.conf"), "words");
      assert.ok(
        (await Deno.stat(`${scene.path}/conf`)).isDirectory,
        "a folder that was missing is made as Compose does",
      );
      const { json } = await engine.ask(`GET /containers/same${kind}-web-1/json`);
      if (kind === "docker") {
        assert.deepEqual(json.HostConfig.Mounts.map(({ Source }: { Source: string }) => Source).sort(), [
          "/etc/hosts",
          `${scene.path}/one.conf`,
        ]);
      }
    });

    for (
      const [sight, more] of [["absent", ""], [
        "different",
        "mkdir -p PATH && echo other >PATH/other && ",
      ]] as const
    ) {
      await context.step(`an engine whose folder is ${sight} is told as such`, async () => {
        const name = `${sight}${kind}`;
        const scene = await ApplyScene.on(engine, berth, name, MOUNTING(name));
        await Deno.writeTextFile(`${scene.path}/one.conf`, "words");
        const command = `mount -t tmpfs none ${berth.folder}/workspaces && ` +
          `${more.replaceAll("PATH", scene.path)}true`;
        assert.equal(await engine.sandbox!.run(command), 0);
        try {
          const before = await containersOf(engine);
          const plan = await scene.plan();
          assert.deepEqual(plan.blocked.map(({ code }) => code), ["project/not-on-engine"]);
          assert.match(plan.blocked[0]!.message, /2 mounts would be empty folders/);
          assert.equal((await scene.begin(plan)).status, 409);
          assert.equal(await sightOf(berth, scene.workspace), sight);
          assert.deepEqual(await containersOf(engine), before, "no container is left");
          const events = await berth.call("GET /api/containers");
          assert.ok(!events.text.includes("berth-probe"), events.text);
          assert.deepEqual(
            (await Array.fromAsync(Deno.readDir(scene.path))).map(({ name }) => name).sort(),
            [
              "compose.yaml",
              "one.conf",
            ],
          );
          assert.equal(
            await engine.sandbox!.run(`test ! -e ${scene.path}/conf && test ! -e ${scene.path}/one.conf`),
            0,
          );
        } finally {
          await engine.sandbox!.run(`umount ${berth.folder}/workspaces`);
        }
      });
    }

    await context.step("after a restart the engine is asked again", async () => {
      const scene = await ApplyScene.on(engine, berth, `again${kind}`, MOUNTING(`again${kind}`));
      assert.equal(await engine.sandbox!.run(`mount -t tmpfs none ${berth.folder}/workspaces`), 0);
      assert.equal((await scene.plan()).blocked.length, 1);
      await engine.sandbox!.run(`umount ${berth.folder}/workspaces`);
      await engine.kill();
      await engine.start();
      await eventually("the engine is up again", async () => {
        const { body } = await berth.call("GET /api/system/backends");
        return body.items[0].state === "up" && await sightOf(berth, scene.workspace) === "same";
      });
      assert.deepEqual((await scene.plan()).blocked, []);
    });

    await context.step("`paths` maps the sources of new containers", async () => {
      const name = `mapped${kind}`;
      const scene = await ApplyScene.on(engine, berth, name, MOUNTING(name));
      await Deno.writeTextFile(`${scene.path}/one.conf`, "words");
      const elsewhere = `${berth.folder}/elsewhere`;
      await Deno.mkdir(elsewhere);
      assert.equal(
        await engine.sandbox!.run(
          `mount --bind ${scene.path} ${elsewhere} && mount -t tmpfs none ${berth.folder}/workspaces`,
        ),
        0,
      );
      await Deno.writeTextFile(
        `${scene.path}/berth.yaml`,
        `paths:\n  - from: ${elsewhere}\n    to: ${scene.path}\n`,
      );
      assert.equal((await scene.apply()).state, "done");
      assert.equal(await engine.cli("exec", `${name}-web-1`, "cat", "/etc/one.conf"), "words");
      assert.deepEqual((await scene.plan()).steps, []);
      await engine.sandbox!.run(`umount ${berth.folder}/workspaces`);
    });
  });
}
