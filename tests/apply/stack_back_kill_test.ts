/** Promise: a kill of berth while it takes an apply of a stack back leaves the stack as it was, or says what it left. For the proof: minutes. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { SWARM_IMAGE } from "../support/swarm.ts";
import { deployByClient } from "../plan/stack_file.ts";
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
import { definition, insideOf, stackOf, tasksOf } from "./stack_seen.ts";

const engine = Deno.env.get("BERTH_PROOF") === "1"
  ? await startLoneManager("kills while an apply of a stack is taken back")
  : null;

const GOOD = stackOf({ db: "", web: "environment: { C: red }\nsecrets: [key]\ndepends_on: [db]", old: "" });

/** It changes `db`, makes `more` and a secret, and fails at `web`, before it removes `old`. */
const BAD = stackOf({
  db: "hostname: other",
  web: "environment: { C: blue }\nsecrets: [key]\ndepends_on: [db, more]",
  more: "",
})
  .replace(
    `web:\n    image: ${SWARM_IMAGE}\n    command: [idle]`,
    () => `web:\n    image: ${SWARM_IMAGE}\n    command: [sh, -c, 'exit 3']`,
  );

const ASKED = { plan: { ...NEVER, orphans: "remove" }, apply: { onFailure: "rollback" } };
const NAMES = ["shop_db", "shop_old", "shop_web"];

interface Before {
  readonly services: Readonly<Record<string, { readonly ID: string; readonly Spec: unknown }>>;
  readonly objects: unknown;
}

const objects = async (own: TestEngine): Promise<unknown> => {
  const [secrets, configs, networks] = await Promise.all(
    ["secrets", "configs", "networks"].map(async (list) => (await own.ask(`GET /${list}`)).json),
  );
  const ids = (list: readonly { readonly ID: string }[]) => list.map(({ ID }) => ID).sort();
  const named = networks.map(({ Name, Id }: Record<string, string>) => `${Name} ${Id}`)
    .filter((one: string) => one.startsWith("shop_"));
  return [ids(secrets), ids(configs), named.sort()];
};

async function seen(own: TestEngine): Promise<Before> {
  const services = await Promise.all(NAMES.map(async (name) => [name, await definition(own, name)] as const));
  return { services: Object.fromEntries(services), objects: await objects(own) };
}

/** Everything is as it was, and each definition of before was posted once. */
async function isAsBefore(own: TestEngine, before: Before, apply: string): Promise<void> {
  const { json: all } = await own.ask("GET /services");
  assert.deepEqual(all.map(({ Spec }: { Spec: { Name: string } }) => Spec.Name).sort(), NAMES);
  for (const name of NAMES) {
    const now = await definition(own, name);
    assert.deepEqual(now.Spec, before.services[name]!.Spec, name);
    if (name === "shop_old") continue;
    // A second post of the definition of before would have made it the one before.
    assert.ok(now.PreviousSpec.Labels["dev.berth.apply"].startsWith(`${apply}:`), `${name} was posted once`);
  }
  assert.deepEqual(await objects(own), before.objects);
  assert.match(await insideOf(own, "shop_web", "env"), /^C=red$/m);
  assert.equal(await insideOf(own, "shop_web", "cat", "/run/secrets/key"), "one");
}

/** Neither berth nor Docker's client finds anything to change in what the files of before say. */
async function isNothingToDo(own: TestEngine, scene: ApplyScene, last: TestService): Promise<void> {
  await Deno.writeTextFile(`${scene.path}/compose.yaml`, GOOD);
  await Deno.writeTextFile(`${scene.path}/key.txt`, "one");
  await eventually("nothing is planned", async () => {
    const { steps, blocked } = await scene.plan(ASKED.plan, last);
    return steps.length === 0 && blocked.length === 0;
  });
  const tasks = await tasksOf(own, "shop");
  assert.equal(Object.values(tasks).flat().length, 3);
  await deployByClient(own, `${scene.path}/compose.yaml`, "shop");
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // a task that is to be replaced would be by then
  assert.deepEqual(await tasksOf(own, "shop"), tasks, "no task is another one");
}

async function inScene(
  own: TestEngine,
  what: string,
  work: (scene: ApplyScene, before: Before, next: () => Promise<TestService>) => Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-apply-" }));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const first = stack.use(await serveEngines({ docker: own }, { ...LEASE, folder }));
  stack.defer(() => clearSwarm(own));
  const scene = await ApplyScene.on(own, first, "shop", GOOD);
  await Deno.writeTextFile(`${scene.path}/key.txt`, "one");
  await Deno.writeTextFile(`${scene.path}/site.conf`, "one"); // no service has it, but Docker's client reads it
  await swarmIsFound(first);
  assert.equal((await scene.apply(NEVER)).state, "done");
  const before = await seen(own);
  await scene.write(BAD);
  await Deno.writeTextFile(`${scene.path}/key.txt`, "two");
  try {
    await work(
      scene,
      before,
      async () =>
        stack.use(await serveEngines({ docker: own }, { ...LEASE, folder, admin: first.admin ?? "" })),
    );
  } catch (error) {
    throw new Error(what, { cause: error });
  }
}

/** Kills berth in the way back. Returns false if there is no such act. */
async function cut(own: TestEngine, kill: Kill): Promise<boolean> {
  let isCut = false;
  await inScene(own, `killed ${kill.join(" ")}`, async (scene, before, next) => {
    isCut = await killed(own, scene, [kill], ASKED) === 1;
    const last = await next();
    const over = await lastApply(scene, last);
    assert.equal(over.state, "failed");
    assert.match(over.reason ?? "", /"shop_web".*non-zero exit \(3\).*\. What was done was taken back$/s);
    assert.deepEqual(over.steps.filter(({ state }) => state === "running"), []);
    const left = over.steps.filter(({ kind, state }) => /create|update/.test(kind) && state !== "undone");
    assert.deepEqual(left, []);
    await isAsBefore(own, before, over.id);
    await isNothingToDo(own, scene, last);
    assert.deepEqual(last.bugs(), []);
  });
  return isCut;
}

Deno.test({
  name:
    "a stack is as it was after kills of berth before and after each act that takes its apply back (F135)",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    for (const when of ["before", "after"] as const) {
      let nth = 1;
      while (await cut(engine!, [when, "back", nth])) nth++;
      console.log(`killed ${when} each of ${nth - 1} acts`);
      assert.ok(nth > 4, "all of its acts");
    }
  },
});

Deno.test({
  name: "an apply that is abandoned while it is taken back, and killed, says which services it left (F135)",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const own = engine!;
    for (const [when, act, nth] of [["before", "back", 2], ["after", "back", 3]] as const) {
      await inScene(own, `abandoned and killed ${when} ${act} ${nth}`, async (scene, before, next) => {
        assert.equal(await killed(own, scene, [[when, act, nth]], ASKED), 1);
        const raw = new DatabaseSync(`${scene.berth.folder}/data/berth.db`);
        raw.exec("UPDATE applies SET wish = 'abandon' WHERE state = 'running'");
        raw.close();
        const posted = await seen(own);
        const last = await next();
        const over = await lastApply(scene, last);
        assert.equal(over.state, "cancelled");
        const reason = over.reason ?? "";
        assert.match(
          reason,
          /"shop_web".*non-zero exit \(3\).*It was cancelled before all of it was taken back: /s,
        );
        const named = reason.slice(reason.indexOf("taken back: "));
        for (const name of NAMES) {
          const isBack =
            JSON.stringify(posted.services[name]!.Spec) === JSON.stringify(before.services[name]!.Spec);
          if (!isBack) assert.ok(named.includes(`"${name}"`), `${name} is left: ${reason}`);
        }
        const now = await seen(own);
        assert.deepEqual(now.services, posted.services, "nothing moves after that");
        assert.deepEqual(over.steps.filter(({ state }) => state === "running"), []);

        await Deno.writeTextFile(`${scene.path}/compose.yaml`, GOOD);
        await Deno.writeTextFile(`${scene.path}/key.txt`, "one");
        const plan = await eventually("the files of before are planned", async () => {
          const one = await scene.plan(ASKED.plan, last);
          return one.blocked.length === 0 && one.steps.every(({ target }) => target !== "shop_old")
            ? one
            : null;
        });
        const begun = await scene.begin(plan, {}, last);
        assert.equal(begun.status, 202, begun.text);
        assert.equal((await scene.over(begun.body.id, last)).state, "done");
        assert.match(await insideOf(own, "shop_web", "env"), /^C=red$/m);
        assert.deepEqual(last.bugs(), []);
      });
    }
  },
});

Deno.test({
  name: "the engine of the ways back is ended",
  ignore: engine === null,
  fn: async () => await engine![Symbol.asyncDispose](),
  sanitizeOps: false,
  sanitizeResources: false,
});
