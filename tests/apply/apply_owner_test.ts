/** One replica at a time owns an apply, whatever its clock says, and while a reader stalls or its engine is away. */
import assert from "node:assert/strict";
import { makePrivateFile } from "../../auth/sealing/private_file.ts";
import { randomSecret } from "../../auth/secret.ts";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { mortal } from "./apply_mortal.ts";
import { ApplyScene, project, scene, service } from "./apply_scene.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, PostgresServer, sharedPostgres } from "../support/postgres.ts";
import { serveEngines, TestCaller } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { HEALTHY, HELD } from "./health_checks.ts";

const LEASE_MS = 1_000;
/** `BERTH_PROOF=1`: what waits for seconds on purpose, too. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

const two = (name: string) =>
  project(name, [service("a", HELD), service("b", "depends_on: { a: { condition: service_healthy } }")]);

/** Resolves once the step of an apply is in hand. */
const inHand = (caller: TestCaller, id: string, kind: string) =>
  eventually(`${kind} is in hand`, async () => {
    const { steps } = (await caller.call(`GET /api/applies/${id}`)).body;
    return steps.some((one: { kind: string; state: string }) => one.kind === kind && one.state === "running");
  });

/** Resolves when an owner has said several times that it lives. */
const someLeases = () => {
  const until = performance.now() + 2 * LEASE_MS;
  return eventually("some leases have passed", () => performance.now() > until);
};

const { test } = await sharedEngine("docker");
const database = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

test(
  "of two replicas one carries an apply out, the other leaves it alone, and goes on when the first is killed (F85)",
  async (engine) => {
    await using stack = new AsyncDisposableStack();
    const [folder, other] = await Promise.all([0, 1].map(async () => {
      const made = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-replica-" }));
      stack.defer(() => Deno.remove(made, { recursive: true }));
      return made;
    }));
    await makePrivateFile(`${folder}/sealing-key`, randomSecret());
    const shared = {
      database: await database.database(),
      sealingKeyFile: `${folder}/sealing-key`,
      roots: [`${folder}/workspaces`],
    };
    const times = { applyTimes: { leaseMs: LEASE_MS } };
    const sibling = await serveEngines(
      { docker: engine },
      { ...shared, ...times, folder: folder!, replica: "two" },
    );
    stack.use(sibling);
    const scene = await ApplyScene.on(engine, sibling, "shared", two("shared"));
    stack.defer(() => scene.clear());
    const berth = { folder: other!, admin: sibling.admin };
    const { child, url } = await mortal(berth, engine, ["before", "start", 2], {
      ...shared,
      replica: "one",
    });
    const first = new TestCaller(url, sibling.admin);
    await eventually("it is ready", async () => (await first.call("GET /api/health/ready")).status === 200);
    await eventually("its files are read", () => scene.plan({}, first));

    const { body } = await scene.begin(await scene.plan({}, first), {}, first);
    await inHand(sibling, body.id, "wait");
    const refused = await scene.begin(await scene.plan());
    assert.deepEqual([refused.status, refused.body.code], [409, "apply_running"]);
    assert.ok(refused.body.title.includes(body.id), refused.body.title);
    await someLeases();
    const takenUp = () => sibling.logged().filter((line) => line.includes("An apply is taken up")).length;
    assert.equal(takenUp(), 0, "its owner lives");
    const [a] = Object.values(await scene.ids());
    await engine.cli("exec", "shared-a-1", "touch", "/go");
    await child.status;

    const over = await scene.over(body.id);
    assert.deepEqual([over.state, over.reason, takenUp()], ["done", null, 1]);
    const ids = await scene.ids();
    assert.deepEqual([Object.keys(ids), ids["shared-a-1"]], [["shared-a-1", "shared-b-1"], a]);
    assert.deepEqual(sibling.bugs(), []);
  },
  CANNOT_RUN_POSTGRES,
);

test(
  "of two replicas that are asked at once, one begins, and no step is done twice (F85)",
  async (engine) => {
    await using stack = new AsyncDisposableStack();
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-replica-" }));
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    await makePrivateFile(`${folder}/sealing-key`, randomSecret());
    const shared = { database: await database.database(), sealingKeyFile: `${folder}/sealing-key` };
    const one = stack.use(await serveEngines({ docker: engine }, { ...shared, folder, replica: "one" }));
    const scene = await ApplyScene.on(engine, one, "both", two("both"));
    stack.defer(() => scene.clear());
    const options = { ...shared, roots: [`${folder}/workspaces`], replica: "two", admin: one.admin ?? "" };
    const other = stack.use(await serveEngines({ docker: engine }, options));
    const plan = await scene.plan();
    await eventually("the other has read the files", () => scene.plan({}, other));

    const asked = await Promise.all([one, other, one, other].map((caller) => scene.begin(plan, {}, caller)));

    assert.deepEqual(asked.map(({ status }) => status).sort(), [202, 409, 409, 409]);
    for (const { status, body } of asked) if (status === 409) assert.equal(body.code, "apply_running");
    const { id } = asked.find(({ status }) => status === 202)!.body;
    await inHand(one, id, "wait");
    await engine.cli("exec", "both-a-1", "touch", "/go");
    assert.equal((await scene.over(id)).state, "done");
    const begun = (await scene.events(id)).filter(({ kind, state }) =>
      kind === "step" && state === "running"
    );
    assert.equal(begun.length, new Set(begun.map(({ step }) => step)).size, "each was begun once");
  },
  CANNOT_RUN_POSTGRES,
);

test("a reader that stalls holds no apply up, and has every event of it afterwards (F92)", async (engine) => {
  await scene(engine, "stalled", two("stalled"), async (scene) => {
    const { body } = await scene.begin(await scene.plan());
    const answer = await scene.berth.fetch(`GET /api/applies/${body.id}/events`, undefined, {
      headers: { accept: "application/x-ndjson" },
    });
    await inHand(scene.berth, body.id, "wait");
    await engine.cli("exec", "stalled-a-1", "touch", "/go");
    assert.equal((await scene.over(body.id)).state, "done");
    const late = (await answer.text()).trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(late.filter(({ kind }) => kind !== "progress"), await scene.events(body.id));
  });
});

for (const act of isProof ? ["stop", "rename", "start"] : []) {
  test(
    `a swap whose owner was killed after its ${act} is completed by the other one once PostgreSQL, away since, is back`,
    async (engine) => {
      await using stack = new AsyncDisposableStack();
      const server = stack.use(await PostgresServer.start());
      const [folder, other] = await Promise.all([0, 1].map(async () => {
        const made = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-replica-" }));
        stack.defer(() => Deno.remove(made, { recursive: true }));
        return made;
      }));
      await makePrivateFile(`${folder}/sealing-key`, randomSecret());
      const shared = {
        database: await server.database(),
        sealingKeyFile: `${folder}/sealing-key`,
        roots: [`${folder}/workspaces`],
      };
      const own = { ...shared, applyTimes: { leaseMs: LEASE_MS }, folder: folder!, replica: "two" };
      const sibling = stack.use(await serveEngines({ docker: engine }, own));
      const text = (colour: string) =>
        project("pgaway", [service("web", `restart: always\nenvironment: { C: ${colour} }\n${HEALTHY}`)]);
      const scene = await ApplyScene.on(engine, sibling, "pgaway", text("red"));
      stack.defer(() => scene.clear());
      assert.equal((await scene.apply()).state, "done");
      await scene.write(text("blue"));
      const berth = { folder: other!, admin: sibling.admin };
      const { child, url } = await mortal(berth, engine, ["after", act], { ...shared, replica: "one" });
      const first = new TestCaller(url, sibling.admin);
      await eventually("it is ready", async () => (await first.call("GET /api/health/ready")).status === 200);
      const plan = await eventually("its files are read", () => scene.plan({}, first));
      await scene.begin(plan, {}, first).catch(() => null);
      await child.status;
      await server.down();
      await someLeases();
      assert.equal((await sibling.call("GET /api/health")).body.status, "failed");
      await server.up();

      const { id } = await eventually(
        "the store is back",
        async () => (await sibling.call("GET /api/applies")).body.items?.[0],
      );
      const { state, reason } = await scene.over(id, sibling);
      assert.deepEqual([state, reason], ["done", null]);
      const [[name, web] = [], ...others] = Object.entries(await scene.containers());
      assert.deepEqual([name, web?.state, web?.restart, others], ["pgaway-web-1", "running", "always", []]);
      assert.ok(web?.env.includes("C=blue"));
      assert.deepEqual(sibling.bugs(), []);
    },
    CANNOT_RUN_POSTGRES,
  );
}

if (isProof) {
  test("a clock that is set two hours on, or four back, ends no apply and costs nobody a container (F92)", async (engine) => {
    let offset = 0;
    const clock = { now: () => Date.now() + offset, monotonic: () => performance.now() };
    const work = async (scene: ApplyScene) => {
      for (const hours of [2, -4]) {
        const { body } = await scene.begin(await scene.plan());
        await inHand(scene.berth, body.id, "wait");
        offset += hours * 3_600_000;
        await someLeases();
        await engine.cli("exec", "clock-a-1", "touch", "/go");
        const over = await scene.over(body.id);
        assert.deepEqual([over.state, over.reason], ["done", null], `${hours} hours`);
        assert.deepEqual(Object.keys(await scene.containers()), ["clock-a-1", "clock-b-1"]);
        assert.equal((await scene.apply({ action: "down" })).state, "done");
        await eventually(
          "it is down",
          async () => (await scene.plan()).steps.some(({ kind }) => kind === "network.create"),
        );
      }
    };
    await scene(engine, "clock", two("clock"), work, { clock, applyTimes: { leaseMs: LEASE_MS } });
  });

  test("an engine that hangs is waited for, and one that stays away leaves its apply to a person (F82)", async (engine) => {
    const name = "gone";
    const text = project(name, [service("web", `restart: always\nenvironment: { C: red }\n${HEALTHY}`)]);
    await scene(engine, name, text, async (scene) => {
      assert.equal((await scene.apply()).state, "done");
      await scene.write(text.replace("red", "blue").replace(HEALTHY, HELD));
      const { body } = await scene.begin(await scene.plan());
      const aside = async () =>
        Object.entries(await scene.containers()).filter(([name]) => name.includes(".old-"));
      const isNewUp = async () => (await scene.containers())[`${name}-web-1`]?.state === "running";
      await eventually("the new one is judged", async () => (await aside()).length === 1 && await isNewUp());
      await engine.pause();
      await someLeases();
      await engine.resume();
      assert.equal((await scene.berth.call(`GET /api/applies/${body.id}`)).body.state, "running");

      await engine.kill();
      const paused = await scene.over(body.id);
      assert.equal(paused.state, "paused");
      assert.match(paused.reason ?? "", /engine "docker"/);
      await engine.start();
      await eventually("the new one runs", isNewUp);
      assert.deepEqual((await aside()).map(([, { state }]) => state === "running"), [false]);
      await eventually(
        "it is resumed",
        async () => (await scene.berth.call(`POST /api/applies/${body.id}/resume`)).status === 200,
      );
      await scene.touch(`${name}-web-1`, "/go");
      const over = await scene.over(body.id);
      assert.deepEqual([over.state, over.reason], ["done", null]);
      assert.deepEqual(Object.keys(await scene.containers()), [`${name}-web-1`]);
    }, { applyTimes: { awayMs: 3_000 } });
  });

  test("a wait whose engine is killed goes on when it is back, and no dependant starts before (F82)", async (engine) => {
    const name = "waitgone";
    const text = project(name, [
      service("a", `restart: always\n${HELD}`),
      service("b", "depends_on: { a: { condition: service_healthy } }"),
    ]);
    await scene(engine, name, text, async (scene) => {
      const { body } = await scene.begin(await scene.plan());
      await inHand(scene.berth, body.id, "wait");
      await engine.kill();
      await someLeases();
      const away: Apply = (await scene.berth.call(`GET /api/applies/${body.id}`)).body;
      await engine.start();
      assert.deepEqual([away.state, away.steps.find(({ kind }) => kind === "wait")?.state], [
        "running",
        "running",
      ]);
      await eventually(
        "what is waited for runs again",
        async () => (await scene.containers())[`${name}-a-1`]?.state === "running",
      );
      await someLeases();
      assert.equal((await scene.containers())[`${name}-b-1`]?.state, "created");
      await scene.touch(`${name}-a-1`, "/go");
      const over = await scene.over(body.id);
      assert.deepEqual([over.state, over.reason], ["done", null]);
      assert.equal((await scene.containers())[`${name}-b-1`]?.state, "running");
    });
  });
}
