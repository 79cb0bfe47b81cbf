/** Promise: an apply of a stack whose swarm loses its quorum waits, says so, and goes on with it. For the proof: minutes. */
import assert from "node:assert/strict";
import type { Apply } from "../../projects/apply/apply_shape.ts";
import { NoEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { startSwarm, SWARM_IMAGE, type TestSwarm } from "../support/swarm.ts";
import { ApplyScene } from "./apply_scene.ts";
import { NEVER } from "./stack_mortal.ts";
import { definition, stackOf } from "./stack_seen.ts";

const swarm = Deno.env.get("BERTH_PROOF") !== "1" ? null : await startSwarm().catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: applies without a quorum, because ${error.message}`);
  return null;
});

/** Its tasks run on the node that stays. */
const text = (colour: string) =>
  stackOf({ web: `environment: { C: ${colour} }\ndepends_on: [db]`, db: `environment: { C: ${colour} }` })
    .replaceAll("deploy: {", "deploy: { placement: { constraints: [node.hostname == node2] },");

const clusterIs = (berth: TestService, state: string) =>
  eventually(
    `the swarm is ${state}`,
    async () => (await berth.call("GET /api/clusters").catch(() => null))?.body.items?.[0]?.state === state,
    { timeoutMs: 90_000 },
  );

/** Kills all managers but one while the apply waits for its first service. */
async function loseQuorum({ nodes }: TestSwarm, berth: TestService, id: string): Promise<void> {
  await eventually("it waits for the first service", async () => {
    const { body } = await berth.call(`GET /api/applies/${id}`);
    return body.steps.some(({ kind, state }: Apply["steps"][number]) =>
      kind === "service.wait" && state === "running"
    );
  });
  await Promise.all([nodes[0]!.kill(), nodes[2]!.kill()]);
}

async function findQuorum({ nodes }: TestSwarm, berth: TestService): Promise<void> {
  await Promise.all([nodes[0]!.start(), nodes[2]!.start()]);
  await clusterIs(berth, "up");
}

const statesOf = ({ steps }: Apply) => steps.map(({ kind, state }) => `${kind} ${state}`);

/** Applies the colour; `during` is what happens to the swarm. Each service is posted once. */
async function applied(
  own: TestSwarm,
  berth: TestService,
  scene: ApplyScene,
  colour: string,
  during: (id: string) => Promise<void>,
): Promise<void> {
  const manager = own.nodes[1]!;
  const before = [await definition(manager, "shop_db"), await definition(manager, "shop_web")];
  await scene.write(text(colour));
  const begun = await scene.begin(await scene.plan(NEVER));
  assert.equal(begun.status, 202, begun.text);
  await loseQuorum(own, berth, begun.body.id);
  await during(begun.body.id);
  const over = await scene.over(begun.body.id);
  assert.deepEqual([over.state, over.reason], ["done", null]);
  assert.deepEqual(new Set(over.steps.map(({ state }) => state)), new Set(["done"]));
  const now = [await definition(manager, "shop_db"), await definition(manager, "shop_web")];
  assert.deepEqual(
    now.map(({ PreviousSpec }) => PreviousSpec),
    before.map(({ Spec }) => Spec),
    "posted once",
  );
  assert.deepEqual((await scene.plan(NEVER)).steps, []);
}

/** The quorum goes when the apply has failed: the way back waits for it, too, and is gone to its end then. */
async function takenBack(own: TestSwarm, berth: TestService, scene: ApplyScene): Promise<void> {
  const manager = own.nodes[1]!;
  const before = [await definition(manager, "shop_db"), await definition(manager, "shop_web")];
  const image = `web:\n    image: ${SWARM_IMAGE}\n    command: `;
  await scene.write(text("grey").replace(`${image}[idle]`, `${image}[sh, -c, 'exit 3']`));
  const begun = await scene.begin(await scene.plan(NEVER), { onFailure: "rollback" });
  assert.equal(begun.status, 202, begun.text);
  const { id } = begun.body;
  await eventually("a step has failed", async () => {
    const { body } = await berth.call(`GET /api/applies/${id}`);
    return body.steps.some(({ state }: Apply["steps"][number]) => state === "failed");
  });
  await Promise.all([own.nodes[0]!.kill(), own.nodes[2]!.kill()]);
  const paused = await scene.over(id);
  assert.equal(paused.state, "paused", JSON.stringify(paused));
  assert.match(
    paused.reason ?? "",
    /non-zero exit \(3\).*\. It cannot be taken back now: .*(?:quorum|leader)/s,
  );
  await findQuorum(own, berth);
  assert.equal((await berth.call(`POST /api/applies/${id}/resume`)).status, 200);
  const over = await scene.over(id);
  assert.equal(over.state, "failed");
  assert.match(over.reason ?? "", /What was done was taken back$/);
  const now = [await definition(manager, "shop_db"), await definition(manager, "shop_web")];
  assert.deepEqual(now.map(({ Spec }) => Spec), before.map(({ Spec }) => Spec));
  for (const { PreviousSpec } of now) {
    assert.match(PreviousSpec.Labels["dev.berth.apply"], new RegExp(`^${id}:`));
  }
}

Deno.test({
  name: "an apply of a stack without a quorum refuses nothing, waits, and goes on when it is back (F136)",
  ignore: swarm === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (test) => {
    await using own = swarm!;
    await test.step("it waits for a person after a while, in words, and goes on where it was", async () => {
      await using berth = await serveEngines(own.engines, { applyTimes: { awayMs: 5_000 } });
      const scene = await ApplyScene.on(own.nodes[1]!, berth, "shop", text("red"));
      await clusterIs(berth, "up");
      assert.equal((await scene.apply(NEVER)).state, "done");
      await applied(own, berth, scene, "blue", async (id) => {
        const paused = await scene.over(id);
        assert.equal(paused.state, "paused", JSON.stringify(paused));
        assert.match(paused.reason ?? "", /quorum|leader/);
        assert.deepEqual(statesOf(paused), [
          "service.update done",
          "service.wait running",
          "service.update waiting",
          "service.wait waiting",
        ]);
        const refused = await berth.call(`POST /api/applies/${id}/resume`);
        assert.equal(refused.status, 200, refused.text);
        assert.equal((await scene.over(id)).state, "paused", "it waits once more");
        await findQuorum(own, berth);
        const resumed = await berth.call(`POST /api/applies/${id}/resume`);
        assert.equal(resumed.status, 200, resumed.text);
      });
      await takenBack(own, berth, scene);
      await scene.apply({ ...NEVER, action: "down" });
      assert.deepEqual(berth.bugs(), []);
    });
    await test.step("it goes on by itself when the quorum is back in time", async () => {
      await using berth = await serveEngines(own.engines);
      const scene = await ApplyScene.on(own.nodes[1]!, berth, "shop", text("red"));
      await clusterIs(berth, "up");
      assert.equal((await scene.apply(NEVER)).state, "done");
      await applied(own, berth, scene, "green", async (id) => {
        await clusterIs(berth, "noQuorum");
        const { body } = await berth.call(`GET /api/applies/${id}`);
        assert.equal(body.state, "running", body.reason);
        await findQuorum(own, berth);
      });
      assert.deepEqual(berth.bugs(), []);
    });
  },
});
