/** Applies of stacks on a real swarm of three, beside others who change it, and tasks that fail. For the proof: minutes. */
import assert from "node:assert/strict";
import { NoEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { startSwarm, type TestSwarm } from "../support/swarm.ts";
import { deployByClient } from "../plan/stack_file.ts";
import { ApplyScene } from "./apply_scene.ts";
import { definition, stackOf, tasksOf } from "./stack_seen.ts";

const isProof = Deno.env.get("BERTH_PROOF") === "1";
const swarm = !isProof ? null : await startSwarm().catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: applies on a swarm of three, because ${error.message}`);
  return null;
});

const NEVER = { pull: "never" };
const web = (more: string) =>
  stackOf({ web: `depends_on: [db]\nsecrets: [key]\nconfigs: [site]\n${more}`, db: "" });

interface Stack {
  readonly own: TestSwarm;
  readonly berth: TestService;
  readonly scene: ApplyScene;
}

const first = ({ own }: Stack) => own.nodes[0]!; // three were started

/** Berth and Docker's client deploy the same file in turn, and no task starts anew. */
async function bothWays(stack: Stack): Promise<void> {
  const { scene } = stack;
  const over = await scene.apply(NEVER);
  assert.deepEqual([over.state, over.reason], ["done", null]);
  const before = await tasksOf(first(stack), "shop");
  assert.equal(Object.values(before).flat().length, 2);
  await deployByClient(first(stack), `${scene.path}/compose.yaml`, "shop");
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // a task that is to be replaced would be by then
  assert.deepEqual(await tasksOf(first(stack), "shop"), before, "no task is another one");
  assert.deepEqual((await scene.plan(NEVER)).steps, []);
  await scene.write(web("environment: { C: blue }"));
  assert.equal((await scene.apply(NEVER)).state, "done");
  const changed = await tasksOf(first(stack), "shop");
  assert.deepEqual(changed["shop_db"], before["shop_db"]);
  await deployByClient(first(stack), `${scene.path}/compose.yaml`, "shop");
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  assert.deepEqual(await tasksOf(first(stack), "shop"), changed);
}

/** A change that somebody makes in mid-apply stays, and the step says so. */
async function byOthers(stack: Stack): Promise<void> {
  const { scene, berth } = stack;
  await scene.write(web("environment: { C: green }").replace("  db:\n", "  db:\n    hostname: other\n"));
  const begun = await scene.begin(await scene.plan(NEVER));
  assert.equal(begun.status, 202, begun.text);
  await eventually("it waits for the first service", async () => {
    const { body } = await berth.call(`GET /api/applies/${begun.body.id}`);
    return body.steps.some(({ kind, state }: Record<string, string>) =>
      kind === "service.wait" && state === "running"
    );
  });
  await first(stack).cli("service", "update", "--detach", "--env-add", "BY=hand", "shop_web");
  const theirs = await definition(first(stack), "shop_web");
  const over = await scene.over(begun.body.id);
  assert.equal(over.state, "failed");
  assert.match(over.reason ?? "", /"shop_web" was changed by somebody else/);
  const now = await definition(first(stack), "shop_web");
  assert.deepEqual(now.Spec, theirs.Spec, "it is theirs still");
  await first(stack).cli("service", "update", "--detach", "--env-rm", "BY", "shop_web");
  await scene.write(web("environment: { C: violet }"));
  assert.equal((await scene.apply(NEVER)).state, "done");
}

/** A file whose second task fails. */
const failing = (action: string) =>
  web("environment: { C: grey, SLOT: '{{.Task.Slot}}' }")
    .replace("command: [idle]", () =>
      `command: [sh, -c, 'test "$$SLOT" = 1 && exec idle; echo last-word; exit 3']`)
    .replace("deploy: {", "deploy: { replicas: 2,").replace(
      "failure_action: pause",
      `failure_action: ${action}`,
    );

/** An update that fails at its second task is told in the words of the task, whatever the swarm does then. */
async function second(stack: Stack): Promise<void> {
  const { scene } = stack;
  await scene.write(web("environment: { C: violet }").replace("deploy: {", "deploy: { replicas: 2,"));
  assert.equal((await scene.apply(NEVER)).state, "done");
  for (
    const [action, words] of [["rollback", /was rolled back by the swarm/], ["pause", /paused it/]] as const
  ) {
    await scene.write(failing(action));
    const over = await scene.apply(NEVER);
    assert.equal(over.state, "failed", action);
    assert.match(over.reason ?? "", words);
    assert.match(over.reason ?? "", /non-zero exit \(3\)/);
    const log = (await scene.events(over.id)).filter(({ kind }) => kind === "log");
    assert.match(JSON.stringify(log), /last-word/);
  }
  await scene.write(web("environment: { C: violet }").replace("deploy: {", "deploy: { replicas: 2,"));
  assert.equal((await scene.apply(NEVER)).state, "done");
}

/** Nothing is taken back by halves if a secret of before was removed by hand. */
async function gone(stack: Stack): Promise<void> {
  const { scene, berth } = stack;
  // Of the one that Docker's client has deployed, nobody can tell what it holds.
  const fresh = (text: string) =>
    text.replace("secrets: [key]", "secrets: [fresh]").replace("  key: {", "  fresh: {");
  await scene.write(fresh(web("environment: { C: violet }")));
  assert.equal((await scene.apply(NEVER)).state, "done");
  const start = await definition(first(stack), "shop_db");
  const old =
    (await definition(first(stack), "shop_web")).Spec.TaskTemplate.ContainerSpec.Secrets[0].SecretID;
  await scene.write(
    fresh(failing("pause")).replace("  db:\n", "  db:\n    hostname: fresh\n").replace(
      "key.txt",
      "other.txt",
    ),
  );
  await Deno.writeTextFile(`${scene.path}/other.txt`, "other");
  const plan = await scene.plan(NEVER);
  assert.ok(plan.steps.some(({ kind }) => kind === "secret.create"), JSON.stringify(plan.steps));
  const begun = await scene.begin(plan, { onFailure: "rollback" });
  assert.equal(begun.status, 202, begun.text);
  await eventually("the new definition is posted", async () => {
    const now = await definition(first(stack), "shop_web");
    return now.Spec.TaskTemplate.ContainerSpec.Secrets[0].SecretID !== old;
  });
  assert.equal((await first(stack).ask(`DELETE /secrets/${old}`)).status, 204);
  const posted = await definition(first(stack), "shop_db");
  const over = await scene.over(begun.body.id);
  assert.equal(over.state, "failed");
  assert.match(over.reason ?? "", /could be taken back.*secret "shop_fresh".*gone/s);
  assert.notDeepEqual(posted.Spec, start.Spec);
  assert.deepEqual((await definition(first(stack), "shop_db")).Spec, posted.Spec, "nothing moved");
  const rolled = await berth.call("POST /api/services/shop_web/rollback");
  assert.deepEqual([rolled.status, rolled.body.code], [409, "previous_secret_gone"], rolled.text);
}

Deno.test({
  name:
    "applies of a stack beside others, and with tasks that fail, end in words and harm nothing else (F134)",
  ignore: swarm === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (test) => {
    await using own = swarm!;
    await using berth = await serveEngines(own.engines);
    const scene = await ApplyScene.on(own.nodes[0]!, berth, "shop", web(""));
    await Deno.writeTextFile(`${scene.path}/key.txt`, "one");
    await Deno.writeTextFile(`${scene.path}/site.conf`, "one");
    await eventually(
      "the swarm is found",
      async () => (await berth.call("GET /api/clusters")).body.total === 1,
    );
    const stack: Stack = { own, berth, scene };
    await test.step("Docker's client and berth leave each other's tasks alone", () => bothWays(stack));
    await test.step("a change by others in mid-apply stays", () => byOthers(stack));
    await test.step("an update that fails at its second task", () => second(stack));
    await test.step("a secret of before that is gone", () => gone(stack));
    assert.deepEqual(berth.bugs(), []);
  },
});
