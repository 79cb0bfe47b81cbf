/** Jobs, services on each node, and images of a real registry in applies of stacks. For the proof: minutes. */
import assert from "node:assert/strict";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { onPath } from "../support/on_path.ts";
import { startRegistry } from "../support/registry.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { SWARM_IMAGE } from "../support/swarm.ts";
import { deployByClient } from "../plan/stack_file.ts";
import { ApplyScene } from "./apply_scene.ts";
import { clearSwarm, NEVER, startLoneManager, swarmIsFound } from "./stack_mortal.ts";
import { definition, insideOf } from "./stack_seen.ts";

const engine = Deno.env.get("BERTH_PROOF") === "1"
  ? await startLoneManager("jobs and images of a registry in applies of stacks")
  : null;

const service = (name: string, deploy: string, lines = "", command = "[idle]", image = SWARM_IMAGE) =>
  `  ${name}:\n    image: ${image}\n    command: ${command}\n    stop_grace_period: 1s\n    deploy: { ${deploy} }\n` +
  lines.split("\n").filter((line) => line !== "").map((line) => `    ${line}\n`).join("");
const stack = (...services: string[]) =>
  `version: "3.13"\nx-berth: { target: swarm }\nservices:\n${services.join("")}`;

const NONE = "restart_policy: { condition: none }";
const MODES = (run: string, end = "exit 0") =>
  stack(
    service(
      "migrate",
      `mode: replicated-job, ${NONE}`,
      `environment: { RUN: "${run}" }`,
      `[sh, -c, '${end}']`,
    ),
    service("once", `mode: global-job, ${NONE}`, "", "[sh, -c, 'exit 0']"),
    service("agent", "mode: global, update_config: { monitor: 1s }", "depends_on: [once]"),
    service("web", "update_config: { monitor: 1s }", "depends_on: [migrate]"),
  );

interface Scene {
  readonly own: TestEngine;
  readonly berth: TestService;
  readonly scene: ApplyScene;
}

/** All tasks as the manager has them: service, state and the state that is wanted. */
async function tasks({ own }: Scene): Promise<string[]> {
  const { json: services } = await own.ask("GET /services");
  const names = new Map(
    services.map(({ ID, Spec }: { ID: string; Spec: { Name: string } }) => [ID, Spec.Name]),
  );
  const { json } = await own.ask("GET /tasks");
  return json.map(({ ID, ServiceID, Status }: { ID: string; ServiceID: string; Status: { State: string } }) =>
    `${names.get(ServiceID)} ${Status.State} ${ID}`
  ).sort();
}

const counted = (all: readonly string[]) =>
  [...new Set(all.map((one) => one.split(" ").slice(0, 2).join(" ")))].map((kind) =>
    `${kind} ${all.filter((one) => one.startsWith(`${kind} `)).length}`
  );

/** A job has ended well before the service begins that depends on it. */
async function broughtUp(of: Scene): Promise<void> {
  const { own, scene } = of;
  const over = await scene.apply(NEVER);
  assert.deepEqual([over.state, over.reason], ["done", null]);
  assert.deepEqual(counted(await tasks(of)), [
    "shop_agent running 1",
    "shop_migrate complete 1",
    "shop_once complete 1",
    "shop_web running 1",
  ]);
  const at = (text: string) => Date.parse(text);
  const { json } = await own.ask("GET /tasks");
  const migrate = await definition(own, "shop_migrate");
  const ended = json.find(({ ServiceID }: { ServiceID: string }) => ServiceID === migrate.ID);
  assert.ok(
    at(ended.Status.Timestamp) <= at((await definition(own, "shop_web")).CreatedAt),
    "web came after it",
  );
  assert.deepEqual((await scene.plan(NEVER)).steps, []);
}

/** Another definition runs the job once more; nothing else is touched, and Docker's client runs it no third time. */
async function again(of: Scene): Promise<void> {
  const { own, scene } = of;
  const web = await definition(own, "shop_web");
  await scene.write(MODES("two"));
  const over = await scene.apply(NEVER);
  assert.deepEqual([over.state, over.reason], ["done", null]);
  assert.deepEqual(over.steps.map(({ kind, target }) => `${kind} ${target}`), [
    "service.update shop_migrate",
    "service.wait shop_migrate",
  ]);
  assert.deepEqual(await definition(own, "shop_web"), web);
  const before = await tasks(of);
  assert.deepEqual(counted(before).filter((one) => one.startsWith("shop_migrate")), [
    "shop_migrate complete 2",
  ]);
  // Docker's client runs every job once more, whatever is in the file: it is no peer for what is left alone.
  const ofServices = (all: readonly string[]) => all.filter((one) => / running /.test(one));
  await deployByClient(own, `${scene.path}/compose.yaml`, "shop");
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // a task that is to be made would be by then
  assert.deepEqual(ofServices(await tasks(of)), ofServices(before));
  const plan = await scene.plan(NEVER);
  assert.deepEqual([plan.steps, plan.blocked], [[], []]);
}

/** A job that fails ends the apply in the words of its task; the service that waits for it is not touched. */
async function failed(of: Scene): Promise<void> {
  const { own, scene } = of;
  const web = await definition(own, "shop_web");
  await scene.write(
    MODES("three", "echo canary-word; exit 3").replace(
      "depends_on: [migrate]",
      "depends_on: [migrate]\n    hostname: other",
    ),
  );
  const over = await scene.apply(NEVER);
  assert.equal(over.state, "failed");
  assert.match(over.reason ?? "", /"shop_migrate".*non-zero exit \(3\)/);
  assert.match(JSON.stringify(await scene.events(over.id)), /canary-word/);
  assert.deepEqual(await definition(own, "shop_web"), web);
  await scene.write(MODES("four"));
  assert.equal((await scene.apply(NEVER)).state, "done");
}

/** A service that is new, or gets another tag, runs what the plan found at the registry; others keep the image they have. */
async function pinned({ own, scene }: Scene): Promise<void> {
  await using registry = await startRegistry(own);
  const push = async (text: string, tag: string) => {
    const made = (await own.cli("create", FIXTURE)).trim();
    const image = (await own.cli("commit", "--change", `ENV FROM=${text}`, made)).trim();
    await own.cli("rm", made);
    const reference = await registry.push(image, `shop/web:${tag}`);
    return `${reference}@${await registry.digest("shop/web", tag)}`;
  };
  const file = (tag: string, more: string) =>
    stack(
      service("web", "update_config: { monitor: 1s }", more, "[idle]", `${registry.host}/shop/web:${tag}`),
    );
  const runs = async (image: string, text: string) => {
    const { Spec } = await definition(own, "shop_web");
    assert.equal(Spec.TaskTemplate.ContainerSpec.Image, image);
    assert.match(await insideOf(own, "shop_web", "env"), new RegExp(`^FROM=${text}$`, "m"));
  };
  const first = await push("first", "1");
  await scene.write(file("1", ""));
  const up = await scene.apply();
  assert.deepEqual([up.state, up.reason], ["done", null]);
  await runs(first, "first");

  assert.notEqual(await push("moved", "1"), first);
  assert.deepEqual((await scene.plan()).steps, [], "a tag that means another image is no difference");
  await scene.write(file("1", "environment: { C: blue }"));
  assert.equal((await scene.apply()).state, "done");
  await runs(first, "first");

  const second = await push("second", "2");
  await scene.write(file("2", ""));
  const plan = await scene.plan();
  assert.deepEqual(plan.blocked, []);
  assert.notEqual(await push("third", "2"), second, "between the plan and its apply");
  const begun = await scene.begin(plan);
  assert.equal(begun.status, 202, begun.text);
  const over = await scene.over(begun.body.id);
  assert.deepEqual([over.state, over.reason], ["done", null]);
  await runs(second, "second");
}

Deno.test({
  name: "jobs, services on each node and images of a registry are applied as the plan of a stack showed them",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (test) => {
    await using own = engine!;
    await using berth = await serveEngines({ one: own });
    const scene = await ApplyScene.on(own, berth, "shop", MODES("one"));
    await swarmIsFound(berth);
    const of: Scene = { own, berth, scene };
    await test.step("a job ends before its service begins", () => broughtUp(of));
    await test.step("another definition runs the job once more", () => again(of));
    await test.step("a job that fails", () => failed(of));
    await scene.apply({ ...NEVER, action: "down" });
    await eventually("nothing is left", async () => (await own.ask("GET /services")).json.length === 0);
    if (await onPath("docker-registry")) await test.step("a tag of a real registry", () => pinned(of));
    else console.error("NOT RUN: pinning at a registry, because docker-registry is not installed");
    assert.deepEqual(berth.bugs(), []);
    await clearSwarm(own);
  },
});
