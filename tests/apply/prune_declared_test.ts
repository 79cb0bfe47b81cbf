/** A prune leaves what files declare, whether it runs or not, and takes what only old containers use. */
import assert from "node:assert/strict";
import { ApplyScene, project } from "./apply_scene.ts";
import { runBerth } from "../support/berth_process.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { serveEngines } from "../support/service.ts";
import { startReachableRegistry } from "../support/reachable_registry.ts";
import { pushVersion } from "./update_scene.ts";
import { tidy } from "../proof/tidy.ts";

const TYPES = ["containers", "volumes", "networks", "images"];

interface Item {
  readonly name: string;
  readonly type: string;
  readonly why: string;
  readonly size: number;
  readonly result: string;
  readonly reason?: string;
}

/** Names as the engines write them in short. */
const namesOf = (items: readonly Item[]) => items.map(({ name }) => name.replace(/^.*\//, "")).sort();

const declared = (image: string) =>
  project("held", [
    `  web:
    image: ${image}
    command: [idle]
    stop_grace_period: 1s
    volumes: [data:/data]
  job:
    image: held-job:1
    profiles: [never]
`,
  ], "volumes:\n  data:\n");

/** An image of its own with a file of 100 kB, from a container that ended. */
async function makeImage(engine: TestEngine, name: string): Promise<void> {
  await engine.cli(
    "run",
    "--name",
    "maker",
    FIXTURE,
    "sh",
    "-c",
    `dd if=/dev/urandom of=/x bs=1000 count=100`,
  );
  await engine.ask(`POST /commit?container=maker&repo=${name}&tag=1`, {});
  await engine.cli("rm", "maker");
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("A prune leaves the containers, images, volumes and networks that files declare", async (engine) => {
    await tidy(engine);
    await engine.cli("run", "-d", "--name", "holder", FIXTURE); // its image stays
    for (const name of ["held-web", "held-job", "old"]) await makeImage(engine, name);
    await using berth = await serveEngines({ [kind]: engine });
    const scene = await ApplyScene.on(engine, berth, "held", declared("held-web:1"));
    try {
      assert.equal((await scene.apply()).state, "done");
      await engine.cli("stop", "-t", "1", "held-web-1");
      await engine.cli("run", "--name", "before", "-v", "spare:/data", "old:1", "true");
      const prune = async (filters: unknown, body: unknown = { types: TYPES, filters, dryRun: true }) =>
        (await berth.call("POST /api/system/prune", body)).body;

      const plan = await prune({ tagged: true });
      const old = plan.items.find(({ type }: Item) => type === "images");

      assert.deepEqual(namesOf(plan.items), ["before", "old:1", "spare"]);
      assert.equal(old.why, "only containers use it that are removed, too");
      assert.ok(old.size >= 100_000 && old.size < 200_000, `${old.size} are freed`);
      assert.equal(plan.left.unclear, 0);
      assert.ok(plan.left.count >= 2 && plan.left.size >= 100_000, JSON.stringify(plan.left));
      assert.deepEqual(namesOf((await prune({})).items), ["before", "spare"], "a name keeps an image");

      const whole = await prune({ tagged: true, declared: true });
      assert.deepEqual(namesOf(whole.items), [
        ...["before", "held-job:1", "held-web-1", "held-web:1", "held_data"],
        ...["held_default", "old:1", "spare"],
      ]);
      assert.deepEqual(whole.left, { count: 0, size: 0, unclear: 0 });

      await scene.write(declared("old:1"));
      const { items } = await prune({}, { plan: plan.plan });
      const kept = items.find(({ type }: Item) => type === "images");
      assert.deepEqual([kept.result, kept.reason], ["kept", "a file declares it by now"]);
      assert.equal((await engine.ask("GET /images/old:1/json")).status, 200);
      for (const path of ["/volumes/held_data", "/networks/held_default", "/containers/held-web-1/json"]) {
        assert.equal((await engine.ask(`GET ${path}`)).status, 200, path);
      }
      assert.equal((await engine.ask("GET /volumes/spare")).status, 404);

      await scene.write(declared("${NOT_SET}"));
      const unclear = await prune({ tagged: true });
      assert.deepEqual([namesOf(unclear.items), unclear.left.unclear], [[], 1], "any image may be meant");
    } finally {
      await scene.clear();
      await engine.cli("rmi", "-f", "held-web:1", "held-job:1", "old:1");
    }
  });

  test("A prune keeps an image that a file declares by its digest since the plan", async (engine) => {
    await tidy(engine);
    await engine.cli("run", "-d", "--name", "holder", FIXTURE); // its image stays
    await using registry = await startReachableRegistry({}, engine);
    await pushVersion(engine, registry, "app:1", "1");
    const named = `${registry.host}/app`;
    await engine.cli("pull", `${named}:1`);
    const [digest] = JSON.parse(await engine.cli("image", "inspect", `${named}:1`))[0].RepoDigests;
    await engine.cli("rmi", `${named}:1`);
    await engine.cli("pull", digest);
    await using berth = await serveEngines({ [kind]: engine });
    const scene = await ApplyScene.on(engine, berth, "held", declared("held-web:1"));
    try {
      const { body: plan } = await berth.call("POST /api/system/prune", {
        types: ["images"],
        dryRun: true,
        filters: { tagged: true },
      });
      assert.equal(plan.items.length, 1, JSON.stringify(plan.items));
      await scene.write(declared(digest));

      const { body: { items: [kept] } } = await berth.call("POST /api/system/prune", { plan: plan.plan });

      assert.deepEqual([kept.result, kept.reason], ["kept", "a file declares it by now"]);
      assert.equal((await engine.ask(`GET /images/${digest}/json`)).status, 200);
    } finally {
      await scene.clear();
      await engine.cli("rmi", digest).catch(() => {});
    }
  });

  test("berth prune lists what nobody uses, and removes it when that is meant", async (engine) => {
    await tidy(engine);
    await engine.cli("run", "-d", "--name", "holder", FIXTURE); // its image stays
    await makeImage(engine, "old");
    await engine.cli("create", "--name", "before", "old:1");
    await engine.cli("volume", "create", "precious");
    await using berth = await serveEngines({ [kind]: engine });
    const run = (...args: string[]) =>
      runBerth(["prune", ...args], { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });

    const listed = await run("--tagged", "--list");
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /^containers +before .* it never ran$/m);
    assert.match(
      listed.stdout,
      /^images +\S*old:1 .* \d\d\d kB +only containers use it that are removed, too$/m,
    );
    assert.doesNotMatch(listed.stdout, /precious/);
    const unasked = await run("--tagged");
    assert.deepEqual([unasked.code, /say "--yes"/.test(unasked.stderr)], [64, true]);
    assert.equal((await engine.ask("GET /images/old:1/json")).status, 200);

    const done = await run("--tagged", "--yes");
    assert.match(done.stdout, /^2 removed, \d\d\d kB freed$/m);
    assert.equal((await engine.ask("GET /images/old:1/json")).status, 404);
    assert.equal((await engine.ask("GET /volumes/precious")).status, 200);
    assert.equal((await run("everything")).code, 64);
  });
}
