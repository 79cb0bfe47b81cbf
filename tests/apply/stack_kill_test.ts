/** Promise: an apply of a stack whose berth is killed before or after any post is finished by the next one, each post sent once. */
import assert from "node:assert/strict";
import type { TestEngine } from "../support/engine.ts";
import { serveEngines } from "../support/service.ts";
import type { Kill } from "./apply_mortal.ts";
import { ApplyScene } from "./apply_scene.ts";
import {
  clearSwarm,
  killed,
  lastApply,
  LEASE,
  NEVER,
  startLoneManager,
  swarmIsFound,
} from "./stack_mortal.ts";
import { definition, insideOf, stackOf } from "./stack_seen.ts";

/** `BERTH_PROOF=1`: killed before and after every post. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";
const engine = await startLoneManager("kills in applies of stacks");

const text = (colour: string) =>
  stackOf({ web: `environment: { C: ${colour} }\nsecrets: [key]\ndepends_on: [db]`, db: "" });

/** Both ways of one scenario; what it begins with is brought up by the first. */
async function run(own: TestEngine, name: string, kills: readonly Kill[]): Promise<number> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
  const first = await serveEngines({ docker: own }, { ...LEASE, folder });
  const scene = await ApplyScene.on(own, first, "shop", text("red"));
  await Deno.writeTextFile(`${scene.path}/key.txt`, "one");
  try {
    let before = null;
    if (name === "update") {
      await swarmIsFound(first);
      assert.equal((await scene.apply(NEVER)).state, "done");
      before = await definition(own, "shop_web");
      await scene.write(text("blue"));
      await Deno.writeTextFile(`${scene.path}/key.txt`, "two");
    }
    const count = await killed(own, scene, kills);
    await using last = await serveEngines({ docker: own }, { ...LEASE, folder, admin: first.admin ?? "" });
    const over = await lastApply(scene, last);
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
    await clearSwarm(own);
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
      assert.equal(await run(own, name, kills), kills.length);
      if (!isProof) return;
      for (const when of ["before", "after"] as const) {
        let nth = 1;
        while (await run(own, name, [[when, "any", nth]]) === 1) nth++;
        console.log(`${name}: killed ${when} each of ${nth - 1} acts`);
        assert.ok(nth > 2, "all of its acts");
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
