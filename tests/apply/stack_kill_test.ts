/** Promise: an apply of a stack whose berth is killed before or after any post is finished by the next one, each post sent once. */
import assert from "node:assert/strict";
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, TestCaller } from "../support/service.ts";
import { SWARM_IMAGE } from "../support/swarm.ts";
import { type Kill, mortal } from "./apply_mortal.ts";
import { ApplyScene } from "./apply_scene.ts";
import { definition, insideOf, stackOf } from "./stack_seen.ts";

/** `BERTH_PROOF=1`: killed before and after every post. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";
const LEASE = { applyTimes: { leaseMs: 1_000 } };
const NEVER = { pull: "never" };

const engine = await startEngine("docker").catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: kills in applies of stacks, because ${error.message}`);
  return null;
});

const text = (colour: string) =>
  stackOf({ web: `environment: { C: ${colour} }\nsecrets: [key]\ndepends_on: [db]`, db: "" });

/** Applies what is written at berths that are killed one after the other. Returns how many were. */
async function killed(own: TestEngine, scene: ApplyScene, kills: readonly Kill[]): Promise<number> {
  const { berth: { folder, admin, berth } } = scene;
  await berth.stop();
  let count = 0;
  let id = "";
  for (const kill of kills) {
    const { child, url } = await mortal({ folder, admin }, own, kill);
    const caller = new TestCaller(url, admin);
    if (id === "") {
      await eventually(
        "the swarm is found",
        async () => (await caller.call("GET /api/clusters").catch(() => null))?.body.total === 1,
      );
      const begun = await scene.begin(await scene.plan(NEVER, caller), {}, caller).catch(() => null);
      id = begun?.body.id ?? "";
    }
    let isDead = false;
    const status = child.status.then(() => isDead = true);
    await eventually("it is killed, or through", async () => {
      if (isDead || id === "") return isDead;
      const answer = await caller.call(`GET /api/applies/${id}`).catch(() => null);
      return answer?.status === 200 && answer.body.state !== "running";
    }, { timeoutMs: 60_000 });
    if (isDead) count += 1;
    else child.kill("SIGKILL");
    await status;
  }
  return count;
}

/** Both ways of one scenario; what it begins with is brought up by the first. */
async function run(own: TestEngine, name: string, kills: readonly Kill[]): Promise<number> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
  const first = await serveEngines({ docker: own }, { ...LEASE, folder });
  const scene = await ApplyScene.on(own, first, "shop", text("red"));
  await Deno.writeTextFile(`${scene.path}/key.txt`, "one");
  try {
    let before = null;
    if (name === "update") {
      await eventually(
        "the swarm is found",
        async () => (await first.call("GET /api/clusters")).body.total === 1,
      );
      assert.equal((await scene.apply(NEVER)).state, "done");
      before = await definition(own, "shop_web");
      await scene.write(text("blue"));
      await Deno.writeTextFile(`${scene.path}/key.txt`, "two");
    }
    const count = await killed(own, scene, kills);
    await using last = await serveEngines({ docker: own }, { ...LEASE, folder, admin: first.admin ?? "" });
    const { items: [{ id }] } = (await last.call("GET /api/applies")).body;
    const over = await scene.over(id, last);
    assert.deepEqual([over.state, over.reason], ["done", null], JSON.stringify(kills));
    const web = await definition(own, "shop_web");
    // Another post of the same definition would have made it the one before.
    assert.deepEqual(web.PreviousSpec, before?.Spec, "posted once");
    const { json: secrets } = await own.ask("GET /secrets");
    assert.equal(secrets.length, before === null ? 1 : 2);
    assert.equal(await insideOf(own, "shop_web", "cat", "/run/secrets/key"), before === null ? "one" : "two");
    assert.deepEqual((await scene.plan(NEVER, last)).steps, []);
    assert.deepEqual(last.bugs(), []);
    const { items } = (await last.call("GET /api/applies")).body;
    assert.equal(items.filter(({ state }: { state: string }) => state !== "done").length, 0);
    return count;
  } catch (error) {
    throw new Error(`${name}, killed ${kills.map((kill) => kill.join(" ")).join(", ")}`, { cause: error });
  } finally {
    for (const list of ["services", "secrets", "configs"]) {
      for (const { ID } of (await own.ask(`GET /${list}`)).json) await own.ask(`DELETE /${list}/${ID}`);
    }
    await eventually("its networks are gone", async () => {
      const { json } = await own.ask("GET /networks");
      const mine = json.filter(({ Name }: { Name: string }) => Name.startsWith("shop_"));
      for (const { Id } of mine) await own.ask(`DELETE /networks/${Id}`);
      return mine.length === 0;
    });
    await first[Symbol.asyncDispose]().catch(() => {});
    await Deno.remove(folder, { recursive: true });
  }
}

/** One of each kind; in the proof before and after every act. */
const SCENARIOS: Readonly<Record<string, readonly Kill[]>> = {
  up: [["after", "createFile"], ["before", "createService"], ["after", "createService"]],
  update: [["before", "updateService"], ["after", "updateService"]],
};

for (const [name, kills] of Object.entries(SCENARIOS)) {
  Deno.test({
    name: `${name} of a stack survives kills of berth around its posts, and each is sent once (F133)`,
    ignore: engine === null,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const own = engine!;
      const { json: info } = await own.ask("GET /info");
      if (info.Swarm.LocalNodeState !== "active") {
        await own.cli("tag", FIXTURE, SWARM_IMAGE);
        await own.cli("swarm", "init", "--advertise-addr", "127.0.0.1");
      }
      assert.equal(await run(own, name, kills), kills.length);
      if (!isProof) return;
      for (const when of ["before", "after"] as const) {
        for (let nth = 1; await run(own, name, [[when, "any", nth]]) === 1; nth++);
      }
    },
  });
}

Deno.test({
  name: "the engine of the kills is ended",
  ignore: engine === null,
  fn: async () => await engine![Symbol.asyncDispose](),
  sanitizeOps: false,
  sanitizeResources: false,
});
