/** Promise: a replica finishes an apply of a stack that another one left, forwards and back. For the proof: it takes PostgreSQL. */
import assert from "node:assert/strict";
import { makePrivateFile } from "../../auth/sealing/private_file.ts";
import { randomSecret } from "../../auth/secret.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { serveEngines, TestCaller } from "../support/service.ts";
import { SWARM_IMAGE } from "../support/swarm.ts";
import { type Kill, mortal } from "./apply_mortal.ts";
import { ApplyScene } from "./apply_scene.ts";
import { clearSwarm, LEASE, NEVER, startLoneManager, swarmIsFound } from "./stack_mortal.ts";
import { definition, insideOf, stackOf } from "./stack_seen.ts";

const isProof = Deno.env.get("BERTH_PROOF") === "1";
if (isProof && CANNOT_RUN_POSTGRES !== null) {
  console.error(`NOT RUN: applies of stacks by replicas, because ${CANNOT_RUN_POSTGRES}`);
}
const database = isProof && CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null;
const engine = database === null ? null : await startLoneManager("applies of stacks by replicas");

const text = (colour: string) =>
  stackOf({ web: `environment: { C: ${colour} }\nsecrets: [key]\ndepends_on: [db]`, db: "" });
const failing = text("blue").replace("  db:\n", "  db:\n    hostname: other\n").replace(
  `web:\n    image: ${SWARM_IMAGE}\n    command: [idle]`,
  `web:\n    image: ${SWARM_IMAGE}\n    command: [sh, -c, 'exit 3']`,
);

/** One replica begins to apply the change, and dies at the act. Returns what the other one makes of it. */
async function left(
  kill: Kill,
  change: string,
  check: (
    end: { state: string; reason: string },
    before: Record<string, unknown>,
    id: string,
  ) => Promise<void>,
): Promise<void> {
  const own = engine!;
  await using stack = new AsyncDisposableStack();
  const [folder = "", other = ""] = await Promise.all([0, 1].map(async () => {
    const made = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-replicas-" }));
    stack.defer(() => Deno.remove(made, { recursive: true }));
    return made;
  }));
  await makePrivateFile(`${folder}/sealing-key`, randomSecret());
  const shared = {
    database: await database!.database(),
    sealingKeyFile: `${folder}/sealing-key`,
    roots: [`${folder}/workspaces`],
  };
  const sibling = stack.use(
    await serveEngines({ docker: own }, { ...shared, folder, replica: "two", ...LEASE }),
  );
  stack.defer(() => clearSwarm(own));
  const scene = await ApplyScene.on(own, sibling, "shop", text("red"));
  await Deno.writeTextFile(`${scene.path}/key.txt`, "one");
  await swarmIsFound(sibling);
  assert.equal((await scene.apply(NEVER)).state, "done");
  const before = { web: await definition(own, "shop_web"), db: await definition(own, "shop_db") };
  await scene.write(change);
  const { child, url } = await mortal({ folder: other, admin: sibling.admin }, own, kill, {
    ...shared,
    replica: "one",
  });
  const first = new TestCaller(url, sibling.admin);
  await swarmIsFound(first);
  const begun = await scene.begin(await scene.plan(NEVER, first), { onFailure: "rollback" }, first);
  assert.equal(begun.status, 202, begun.text);
  assert.equal((await child.status).signal, "SIGKILL");

  const over = await scene.over(begun.body.id);
  await check({ state: over.state, reason: over.reason ?? "" }, before, over.id);
  assert.ok(sibling.logged().some((line) => line.includes("An apply is taken up")));
  assert.deepEqual(sibling.bugs(), []);
}

Deno.test({
  name:
    "a replica finishes a stack's apply that another one left right after a post, and posts nothing twice (F133)",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    left(["after", "updateService"], text("blue"), async ({ state, reason }, before) => {
      assert.deepEqual([state, reason], ["done", ""]);
      const web = await definition(engine!, "shop_web");
      assert.deepEqual(web.PreviousSpec, (before["web"] as { Spec: unknown }).Spec, "posted once");
      assert.deepEqual(await definition(engine!, "shop_db"), before["db"]);
      assert.match(await insideOf(engine!, "shop_web", "env"), /^C=blue$/m);
    }),
});

Deno.test({
  name: "a replica takes the rest of a stack's apply back that another one had begun to take back (F135)",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    left(["after", "restoreService"], failing, async ({ state, reason }, before, id) => {
      assert.equal(state, "failed");
      assert.match(reason, /"shop_web".*non-zero exit \(3\).*\. What was done was taken back$/s);
      for (const name of ["web", "db"]) {
        const now = await definition(engine!, `shop_${name}`);
        assert.deepEqual(now.Spec, (before[name] as { Spec: unknown }).Spec, name);
        assert.ok(now.PreviousSpec.Labels["dev.berth.apply"].startsWith(`${id}:`), `${name} was posted once`);
      }
      assert.match(await insideOf(engine!, "shop_web", "env"), /^C=red$/m);
    }),
});

Deno.test({
  name: "the engine of the replicas is ended",
  ignore: engine === null,
  fn: async () => await engine![Symbol.asyncDispose](),
  sanitizeOps: false,
  sanitizeResources: false,
});
