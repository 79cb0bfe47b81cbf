/** `berth updates --apply` on a real engine: all projects with a newer image, one after the other, to the first that goes back. */
import assert from "node:assert/strict";
import { runBerth } from "../support/berth_process.ts";
import { startReachableRegistry } from "../support/reachable_registry.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { ApplyScene, project, service } from "./apply_scene.ts";
import { lookedAt, lookFor, pushVersion } from "./update_scene.ts";

const { test } = await sharedEngine("docker");

test("berth updates --apply takes one project after the other, and leaves the rest where one goes back", async (engine) => {
  await using registry = await startReachableRegistry({}, engine);
  // Two projects of one image: the pull of the first changes what the plan of the second looks at.
  const images = { all1: "app:1", all2: "app:1", all3: "broken:1", all4: "late:1" };
  for (const image of new Set(Object.values(images))) await pushVersion(engine, registry, image, "1");
  await using berth = await serveEngines({ docker: engine });
  const run = (...args: string[]) => runBerth(args, { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
  const scenes: ApplyScene[] = [];
  try {
    for (const [name, image] of Object.entries(images)) {
      const text = project(name, [
        service("web").replace("berth-fixture:latest", `${registry.host}/${image}`),
      ]);
      const scene = await ApplyScene.on(engine, berth, name, text);
      scenes.push(scene);
      assert.equal((await scene.apply()).state, "done");
    }
    const versions = async () =>
      await Promise.all(scenes.map(async (scene) => {
        const { labels, state } = (await scene.containers())[`${scene.name}-web-1`]!;
        return `${labels["version"]} ${state}`;
      }));
    const off = await run("updates", "--apply", "--yes");
    assert.equal(off.code, 4, off.stderr);
    assert.match(off.stderr, /berth does not look for newer images/);

    await lookFor(berth, registry);
    await lookedAt(berth, `${registry.host}/app:1`);
    const nothing = await run("updates", "--apply", "--yes");
    assert.deepEqual([nothing.code, nothing.stdout, nothing.stderr], [
      0,
      "",
      "berth: there is no newer image to apply\n",
    ]);
    await pushVersion(engine, registry, "app:1", "2");
    await pushVersion(engine, registry, "broken:1", "2", ['ENTRYPOINT ["/none"]']);
    await pushVersion(engine, registry, "late:1", "2");
    await lookedAt(berth, `${registry.host}/app:1`);
    const unasked = await run("updates", "--apply");
    assert.equal(unasked.code, 64, unasked.stderr);
    assert.match(unasked.stdout, /^all1 on docker: 2 steps/);
    assert.deepEqual(await versions(), Array(4).fill("1 running"), "nobody could be asked");

    const one = await run("updates", "all2", "--apply", "--yes");
    assert.equal(one.code, 0, one.stderr);
    assert.deepEqual(await versions(), ["1 running", "2 running", "1 running", "1 running"]);

    const stopped = await run("updates", "--apply", "--yes");
    assert.equal(stopped.code, 1, stopped.stdout);
    assert.match(stopped.stderr, /the old container serves again/);
    assert.match(stopped.stderr, new RegExp(`not updated because of that: all4@${scenes[3]!.workspace}\n$`));
    assert.deepEqual(await versions(), ["2 running", "2 running", "1 running", "1 running"]);

    const rest = await run("updates", "--apply", "--yes");
    assert.equal(rest.code, 0, rest.stderr);
    assert.deepEqual(await versions(), ["2 running", "2 running", "1 running", "2 running"]);
    const lines = (await run("updates")).stdout;
    assert.match(lines, /newer +\S+broken:1 +all3@\S+ +web +\S+, went back on /);
  } finally {
    for (const scene of scenes) await scene.clear();
  }
});

test("A project that is blocked is no reason to leave the others as they are", async (engine) => {
  await using registry = await startReachableRegistry({}, engine);
  await pushVersion(engine, registry, "app:1", "1");
  await using berth = await serveEngines({ docker: engine });
  const run = (...args: string[]) => runBerth(args, { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
  const scenes: ApplyScene[] = [];
  try {
    const image = `${registry.host}/app:1`;
    for (const name of ["blocked1", "blocked2"]) {
      const scene = await ApplyScene.on(
        engine,
        berth,
        name,
        project(name, [service("web").replace("berth-fixture:latest", image)]),
      );
      scenes.push(scene);
      assert.equal((await scene.apply()).state, "done");
    }
    await lookFor(berth, registry);
    await pushVersion(engine, registry, "app:1", "2");
    await lookedAt(berth, image);
    await scenes[0]!.write(
      project("blocked1", [
        service("web", 'labels:\n  com.docker.compose.service: "other"').replace(
          "berth-fixture:latest",
          image,
        ),
      ]),
    );

    const ended = await run("updates", "--apply", "--yes");

    assert.equal(ended.code, 1, ended.stderr);
    assert.match(ended.stdout, /blocked1 on docker: blocked/);
    assert.match(ended.stdout, /blocked2 on docker: 2 steps/);
    const versionOf = async (scene: ApplyScene) =>
      (await scene.containers())[`${scene.name}-web-1`]!.labels["version"];
    assert.deepEqual(await Promise.all(scenes.map(versionOf)), ["1", "2"]);
  } finally {
    for (const scene of scenes) await scene.clear();
  }
});
