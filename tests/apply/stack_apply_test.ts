/** Applies of stacks on a real swarm: what the engine, a process in a container and Docker's client say of them. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { keyOn } from "../support/scoped_world.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { SWARM_IMAGE } from "../support/swarm.ts";
import { ApplyScene } from "./apply_scene.ts";
import { definition, insideOf, stackOf, tasksOf } from "./stack_seen.ts";

const engine = await startEngine("docker").catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: applies of stacks, because ${error.message}`);
  return null;
});

const UP = stackOf({
  web: "environment: { C: red }\nsecrets: [key]\nconfigs: [site]\ndepends_on: [db]",
  db: "",
});
const kinds = (steps: readonly { readonly kind: string; readonly target: string }[]): string[] =>
  steps.map(({ kind, target }) => `${kind} ${target}`);

interface Stack {
  readonly own: TestEngine;
  readonly berth: TestService;
  readonly scene: ApplyScene;
}

const NEVER = { pull: "never" };
/** `BERTH_PROOF=1`: with the steps that wait for tasks to fail and to go. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";

/** All that the file says runs, with berth's labels on the service alone. */
async function broughtUp({ own, scene }: Stack): Promise<void> {
  const over = await scene.apply(NEVER);
  assert.deepEqual([over.state, over.reason], ["done", null]);
  assert.deepEqual(kinds(over.steps), [
    "network.create shop_default",
    "secret.create shop_key",
    "config.create shop_site",
    "service.create shop_db",
    "service.wait shop_db",
    "service.create shop_web",
    "service.wait shop_web",
  ]);
  assert.equal(await insideOf(own, "shop_web", "cat", "/run/secrets/key"), "canary-one");
  assert.equal(await insideOf(own, "shop_web", "cat", "/site"), "site-one");
  const web = await definition(own, "shop_web");
  assert.equal(web.Spec.Labels["dev.berth.group"], "shop");
  assert.equal(web.Spec.Labels["dev.berth.workspace"], scene.workspace);
  assert.equal(web.Spec.Labels["dev.berth.apply"], `${over.id}:6`);
  assert.deepEqual(web.Spec.TaskTemplate.ContainerSpec.Labels, { "com.docker.stack.namespace": "shop" });
  const plan = await scene.plan(NEVER);
  assert.deepEqual([plan.steps, plan.blocked, plan.unchanged], [[], [], 2]);
}

/** Services that differ are posted once, and no others. */
async function updated({ own, scene }: Stack): Promise<void> {
  const [web, db] = [await definition(own, "shop_web"), await definition(own, "shop_db")];
  await scene.write(UP.replace("red", "blue"));
  const over = await scene.apply(NEVER);
  assert.deepEqual([over.state, over.reason, kinds(over.steps)], ["done", null, [
    "service.update shop_web",
    "service.wait shop_web",
  ]]);
  assert.match(await insideOf(own, "shop_web", "env"), /^C=blue$/m);
  const now = await definition(own, "shop_web");
  assert.deepEqual(now.PreviousSpec, web.Spec, "one post: the definition before is the one that ran");
  assert.deepEqual(await definition(own, "shop_db"), db, "what did not change is not posted");
  const { items } = (await scene.berth.call("GET /api/system/audit?limit=40")).body;
  const acts = items.filter(({ action }: { action: string }) => action === "apply service.update");
  assert.deepEqual(acts.map(({ result }: { result: string }) => result), ["done", "begun"]);
}

/** Another content of a secret is another object, and the one before stays for the way back. */
async function rotated({ own, scene }: Stack): Promise<void> {
  await Deno.writeTextFile(`${scene.path}/key.txt`, "canary-two");
  const over = await scene.apply(NEVER);
  assert.equal(over.state, "done", over.reason ?? "");
  assert.match(over.steps[0]?.target ?? "", /^shop_key-[0-9a-f]{8}$/);
  assert.equal(await insideOf(own, "shop_web", "cat", "/run/secrets/key"), "canary-two");
  const rolled = await scene.berth.call("POST /api/services/shop_web/rollback");
  assert.equal(rolled.status, 200, rolled.text);
  await eventually(
    "the secret of before is back",
    async () => await insideOf(own, "shop_web", "cat", "/run/secrets/key").catch(() => "") === "canary-one",
  );
  const again = await scene.apply(NEVER);
  assert.equal(again.state, "done", again.reason ?? "");
  assert.equal(await insideOf(own, "shop_web", "cat", "/run/secrets/key"), "canary-two");
}

/** The first failure stops the plan, in the words of the task; with `rollback` the services are what they were. */
async function failed({ own, scene }: Stack): Promise<void> {
  const good = UP.replace("red", "green");
  await scene.write(good);
  assert.equal((await scene.apply(NEVER)).state, "done");
  const [web, db] = [await definition(own, "shop_web"), await definition(own, "shop_db")];
  const bad = good.replace("green", "grey").replace("  db:\n", "  db:\n    hostname: other\n")
    .replace("configs:\n", "configs:\n  more: { file: ./site.conf }\n").replace("[site]", "[site, more]")
    .replace(
      "web:\n    image: 127.0.0.1:1/fixture:1\n    command: [idle]",
      "web:\n    image: 127.0.0.1:1/fixture:1\n    command: [sh, -c, 'echo canary-word; exit 3']",
    );
  assert.notEqual(bad.includes("exit 3"), false);
  await scene.write(bad);
  const over = await scene.apply(NEVER, { onFailure: "rollback" });
  assert.equal(over.state, "failed");
  assert.match(over.reason ?? "", /shop_web.* paused it.*non-zero exit \(3\).*was taken back/s);
  assert.deepEqual(over.steps.map(({ kind, state }) => `${kind} ${state}`), [
    "config.create undone",
    "service.update undone",
    "service.wait done",
    "service.update undone",
    "service.wait failed",
    "secret.remove skipped",
  ]);
  const log = (await scene.events(over.id)).filter(({ kind }) => kind === "log");
  assert.ok(
    log.some(({ lines }) => lines.some((line: string) => line.includes("canary-word"))),
    JSON.stringify(log),
  );
  assert.deepEqual((await definition(own, "shop_web")).Spec, web.Spec);
  assert.deepEqual((await definition(own, "shop_db")).Spec, db.Spec);
  const { json: configs } = await own.ask("GET /configs");
  assert.ok(configs.every(({ Spec }: { Spec: { Name: string } }) => Spec.Name !== "shop_more"));
  assert.match(await insideOf(own, "shop_web", "env"), /^C=green$/m);
  await scene.write(good);
  const left = await scene.apply(NEVER);
  assert.deepEqual(
    [left.state, kinds(left.steps)],
    ["done", ["secret.remove shop_key"]],
    "of no use to any rollback",
  );
  const { json: secrets } = await own.ask("GET /secrets");
  assert.equal(secrets.length, 1);
  const journal = await scene.events(over.id);
  assert.doesNotMatch(JSON.stringify(journal), /canary-(?:one|two)/);
}

/** A key without the right to hosts binds no folder of one, also where the right goes after the plan. */
async function judged({ own, scene, berth }: Stack): Promise<void> {
  const key = await keyOn(berth, "project:shop", "operator");
  const bound = stackOf({ web: "volumes: [/etc:/host]", db: "" });
  await scene.write(bound);
  const plan = await scene.plan(NEVER, key);
  const refused = await scene.begin(plan, {}, key);
  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"], refused.text);
  // Also where the plan itself does not say what it needs: what is sent is judged by what it is.
  const raw = new DatabaseSync(`${berth.folder}/data/berth.db`);
  const { body } = raw.prepare("SELECT body FROM plans WHERE id = ?").get(plan.id) as { body: string };
  const made = JSON.parse(body);
  for (const step of made.plan.steps) step.needs = [];
  raw.prepare("UPDATE plans SET body = ? WHERE id = ?").run(JSON.stringify(made), plan.id);
  raw.close();
  const begun = await scene.begin(plan, {}, key);
  assert.equal(begun.status, 202, begun.text);
  const over = await scene.over(begun.body.id);
  assert.equal(over.state, "failed");
  assert.match(over.reason ?? "", /"projects:host"/);
  assert.doesNotMatch(JSON.stringify((await definition(own, "shop_web")).Spec), /"\/etc"/);
}

/** The plan is refused where anybody changed a service since. */
async function stale({ own, scene }: Stack): Promise<void> {
  await scene.write(UP.replace("red", "violet"));
  const plan = await scene.plan(NEVER);
  await own.cli("service", "update", "--detach", "--label-add", "by=hand", "shop_db");
  const before = await definition(own, "shop_web");
  const refused = await scene.begin(plan);
  assert.deepEqual([refused.status, refused.body.code], [409, "plan_stale"], refused.text);
  assert.deepEqual(await definition(own, "shop_web"), before);
}

async function down({ own, scene }: Stack): Promise<void> {
  const over = await scene.apply({ ...NEVER, action: "down" });
  assert.deepEqual([over.state, over.reason], ["done", null]);
  for (const list of ["services", "secrets", "configs"]) {
    assert.deepEqual((await own.ask(`GET /${list}`)).json, [], list);
  }
  const { json: networks } = await own.ask("GET /networks");
  assert.ok(networks.every(({ Name }: { Name: string }) => !Name.startsWith("shop_")));
  assert.deepEqual(await tasksOf(own, "shop"), {});
}

Deno.test({
  name: "a stack is brought up, changed, taken back and taken down as the plan showed it",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (test) => {
    await using own = engine!;
    await own.cli("tag", FIXTURE, SWARM_IMAGE);
    await own.cli("swarm", "init", "--advertise-addr", "127.0.0.1");
    await using berth = await serveEngines({ one: own });
    const scene = await ApplyScene.on(own, berth, "shop", UP);
    await Deno.writeTextFile(`${scene.path}/key.txt`, "canary-one");
    await Deno.writeTextFile(`${scene.path}/site.conf`, "site-one");
    await eventually(
      "the swarm is found",
      async () => (await berth.call("GET /api/clusters")).body.total === 1,
    );
    const stack: Stack = { own, berth, scene };
    await test.step("up", () => broughtUp(stack));
    await test.step("what differs is posted once", () => updated(stack));
    if (isProof) {
      await test.step("another content is another secret", () => rotated(stack));
      await test.step("a failure takes back what was done", () => failed(stack));
    }
    await test.step("no right, no hold of a host", () => judged(stack));
    await test.step("a change by others makes the plan stale", () => stale(stack));
    await test.step("down", () => down(stack));
    assert.deepEqual(berth.bugs(), []);
  },
});
