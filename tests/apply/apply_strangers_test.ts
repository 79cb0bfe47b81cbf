/** Changes by strangers between two acts of an apply: they are told, and what belongs to them by now is not touched. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import type { CommandOrder } from "../../core/engine_acts.ts";
import { type ApplyScene, project, scene, service } from "./apply_scene.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { watched } from "./watched_acts.ts";

const LABEL = "com.docker.compose.project";

/** The acts of strangers right after an act, once for each of these. */
type Moves = Record<string, () => Promise<unknown>>;

const after = (moves: Moves) =>
  watched(async (act, _given, go) => {
    const done = await go();
    const move = moves[act];
    delete moves[act];
    await move?.();
    return done;
  });

const failed = (applied: { readonly state: string; readonly reason: string | null }, why: RegExp) => {
  assert.equal(applied.state, "failed");
  assert.match(applied.reason ?? "", why);
};

/** Instead of the project's own a volume or network of the same name. */
const replace = async (engine: TestEngine, kind: "volume" | "network", name: string) => {
  await engine.cli(kind, "rm", name);
  await engine.cli(kind, "create", "--label", `${LABEL}=theirs`, name);
};

const owner = (engine: TestEngine, kind: "volume" | "network", name: string) =>
  engine.cli(kind, "inspect", "--format", `{{index .Labels "${LABEL}"}}`, name);

const { test } = await sharedEngine("docker");

test("a container that somebody renames, starts again or replaces is not removed and not started (F106)", async (engine) => {
  const name = "between";
  const web = `${name}-web-1`;
  const moves: Moves = {};
  const text = project(name, [service("web")]);
  await scene(engine, name, text, async (scene) => {
    /** Until a plan begins with this step. */
    const seen = (action: string, first: string) =>
      eventually("it is seen", async () => {
        const [step] = (await scene.plan({ action })).steps;
        return step !== undefined && `${step.kind} ${step.target}` === first;
      });
    assert.equal((await scene.apply()).state, "done");
    moves["stop"] = () => engine.cli("rename", web, `${name}-mine`);
    failed(await scene.apply({ action: "down" }), /"between-web-1" was renamed by somebody else/);
    assert.deepEqual(Object.keys(await scene.containers()), [`${name}-mine`]);

    await engine.cli("rename", `${name}-mine`, web);
    await engine.cli("start", web);
    await seen("down", `container.stop ${web}`);
    moves["stop"] = () => engine.cli("start", web);
    failed(await scene.apply({ action: "down" }), /"between-web-1" was started by somebody else/);
    assert.equal((await scene.containers())[web]?.state, "running");

    await engine.cli("rm", "--force", web);
    await seen("up", `container.create ${web}`);
    let theirs = "";
    moves["copy"] = async () => {
      await engine.cli("rm", web);
      theirs = await engine.cli("create", "--name", web, "--label", `${LABEL}=${name}`, FIXTURE);
    };
    failed(await scene.apply(), /"between-web-1" was replaced by somebody else/);
    const { json } = await engine.ask(`GET /containers/${web}/json`);
    assert.deepEqual([json.Id, json.State.Status], [theirs, "created"]);
    await engine.cli("rm", web);
  }, { mount: after(moves) });
});

test("a volume and a network that are somebody else's by the time they would go stay, with their data (F106)", async (engine) => {
  const name = "theirsnow";
  const [volume, network] = [`${name}_data`, `${name}_back`];
  const moves: Moves = {};
  const text = project(
    name,
    [service("web", "volumes: ['data:/data']\nnetworks: [back]")],
    "networks: { back: {} }\nvolumes: { data: {} }\n",
  );
  await scene(engine, name, text, async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    moves["remove"] = async () => {
      await replace(engine, "volume", volume);
      await replace(engine, "network", network);
    };
    const over = await scene.apply({ action: "down", volumes: [volume] }, { confirm: [volume] });
    failed(over, /Somebody else made the (?:volume|network) "theirsnow_/);
    const why = over.steps.flatMap(({ error }) => error?.title ?? []).sort();
    assert.deepEqual(why.map((one) => one.replace(/:.*/, "")), [
      `Somebody else made the network "${network}"`,
      `Somebody else made the volume "${volume}"`,
    ]);
    assert.equal(await owner(engine, "volume", volume), "theirs");
    assert.equal(await owner(engine, "network", network), "theirs");
    await engine.cli("volume", "rm", volume);
    await engine.cli("network", "rm", network);
  }, { mount: after(moves) });
});

test("a stranger who joins a network that goes is not cut off", async (engine) => {
  const name = "joined";
  const network = `${name}_default`;
  const moves: Moves = {};
  await scene(engine, name, project(name, [service("web")]), async (scene) => {
    assert.equal((await scene.apply()).state, "done");
    moves["stop"] = () =>
      engine.cli("run", "-d", "--name", `${name}-guest`, "--network", network, FIXTURE, "idle");
    try {
      failed(await scene.apply({ action: "down" }), /others are connected to it, "joined-guest"$/);
      const format = "{{json .NetworkSettings.Networks}}";
      assert.match(await engine.cli("inspect", "--format", format, `${name}-guest`), /joined_default/);
    } finally {
      await engine.cli("rm", "--force", `${name}-guest`);
    }
  }, { mount: after(moves) });
});

test("an image whose tag moves after the plan makes it stale, by its name", async (engine) => {
  const name = "tagmoved";
  const tag = "berth-moving:1";
  await engine.cli("tag", FIXTURE, tag);
  try {
    const text = project(name, [service("web").replace(FIXTURE, tag)]);
    await scene(engine, name, text, async (scene) => {
      const plan = await scene.plan();
      const other = await engine.cli("create", FIXTURE, "idle");
      await engine.cli("commit", "--change", "LABEL moved=1", other, tag);
      await engine.cli("rm", other);
      const refused = await eventually("it is seen", async () => {
        const answer = await scene.begin(plan);
        return answer.status === 409 ? answer : null;
      });
      assert.equal(refused.body.code, "plan_stale");
      assert.match(JSON.stringify(refused.body.errors), /image .*berth-moving:1/);
      assert.deepEqual(await scene.containers(), {});
    });
  } finally {
    await engine.cli("rmi", "--force", tag);
  }
});

test("who may not run commands does not run a hook again by resuming, and who may does", async (engine) => {
  const name = "notagain";
  const text = project(name, [service("web", "environment: { C: red }")]);
  const hooked = project(name, [
    service("web", "environment: { C: blue }\npost_start: [{ command: [touch, /ran] }]"),
  ]);
  let runs = 0;
  const mount = watched(async (act, given, go) => {
    if (act !== "run" || ++runs > 1) return await go();
    await (given[1] as CommandOrder).starting();
    throw new ServiceError({ code: "engine_timeout", status: 504 }, "It was not heard of again");
  });
  await scene(engine, name, text, async (scene: ApplyScene) => {
    assert.equal((await scene.apply()).state, "done");
    await scene.write(hooked);
    const { body } = await scene.begin(await scene.plan());
    const unknown = await scene.over(body.id);
    assert.equal(unknown.state, "paused");
    assert.match(unknown.reason ?? "", /^Nobody knows whether the hook "touch \/ran"/);
    const operator = await scene.berth.key("operator");
    const asked = await operator.call(`POST /api/applies/${body.id}/resume`, { hooks: "again" });
    assert.equal(asked.status, 200, asked.text);
    const refused = await scene.over(body.id);
    assert.equal(refused.state, "paused");
    assert.match(refused.reason ?? "", /does not hold "containers:exec"/);
    assert.equal(runs, 1);
    assert.equal(
      (await scene.berth.call(`POST /api/applies/${body.id}/resume`, { hooks: "again" })).status,
      200,
    );
    assert.equal((await scene.over(body.id)).state, "done");
    assert.equal(runs, 2);
    await engine.cli("exec", `${name}-web-1`, "test", "-e", "/ran");
  }, { mount });
});
