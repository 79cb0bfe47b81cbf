/** Acts on services and nodes of a real swarm of two managers; the engine itself says what became of them. */
import assert from "node:assert/strict";
import { failureOf } from "../../engines/calls/failure.ts";
import { refusalOf } from "../../plugins/swarm/refusals.ts";
import { NoEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { LiveVisitor } from "../streams/live_visitor.ts";
import { startSwarm, SWARM_IMAGE, type TestSwarm } from "../support/swarm.ts";

const swarm = await startSwarm(2).catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: acts on a swarm, because ${error.message}`);
  return null;
});

Deno.test({
  name: "Acts on services and nodes do what the engine then shows, and nothing when they are refused",
  ignore: swarm === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(context) {
    await using own = swarm!;
    await using berth = await serveEngines(own.engines);
    const [first] = own.nodes as [TestEngine];
    const shop = ["--label", "com.docker.stack.namespace=shop"];
    const create = ["service", "create", "--detach", "--no-resolve-image"];
    await first.cli(...create, "--name", "shop_web", "--replicas", "2", ...shop, SWARM_IMAGE, "idle");
    await eventually(
      "its tasks run",
      async () => (await berth.call("GET /api/services/shop_web")).body.running === 2,
    );
    await context.step("every refusal of the table is one of the engine's", () => refusals(first));
    await context.step("roles and scopes hold", () => scoped(berth, first));
    await context.step("scale", () => scaled(berth, first));
    await context.step("restart, at one version only", () => restarted(berth, first));
    await context.step("roll back", () => rolledBack(berth, first));
    await context.step("a removed secret is told before anything moves", () => secretGone(berth, first));
    await context.step("drain, pause, activate", () => drained(berth, first));
    await context.step("remove", () => removed(berth, first));
    await context.step("without quorum nothing is sent", () => withoutQuorum(berth, own));
  },
});

const spec = async (engine: TestEngine, name = "shop_web") => {
  const { json } = await engine.ask(`GET /services/${name}`);
  return json;
};

/** Provokes each refusal on the engine, and reads it by the table. */
async function refusals(engine: TestEngine): Promise<void> {
  const { ID, Version, Spec } = await spec(engine);
  const told = async (route: string, body?: unknown) => {
    const answer = await engine.ask(route, body);
    assert.ok(answer.status >= 400, answer.body);
    const error = refusalOf(failureOf("one", answer.status, answer.body, { doing: "do it" }), "do it");
    return (error as { code: string }).code;
  };
  const update = `POST /services/${ID}/update?version=`;
  assert.equal(await told(`${update}${Version.Index - 1}`, Spec), "changed_meanwhile");
  assert.equal(await told(`${update}${Version.Index}&rollback=previous`, Spec), "nothing_to_roll_back");
  const missing = structuredClone(Spec);
  missing.TaskTemplate.ContainerSpec.Secrets = [
    { File: { Name: "a", UID: "0", GID: "0", Mode: 292 }, SecretID: "a".repeat(25), SecretName: "gone" },
  ];
  assert.equal(await told(`${update}${Version.Index}`, missing), "previous_secret_gone");
  assert.equal(await told("POST /services/create", Spec), "name_taken");
  const { json: secret } = await engine.ask("POST /secrets/create", { Name: "held", Data: btoa("x") });
  missing.Name = "holder";
  missing.TaskTemplate.ContainerSpec.Secrets[0].SecretID = secret.ID;
  missing.TaskTemplate.ContainerSpec.Secrets[0].SecretName = "held";
  missing.Mode = { Replicated: { Replicas: 0 } };
  await engine.ask("POST /services/create", missing);
  assert.equal(await told(`DELETE /secrets/${secret.ID}`), "in_use");
  await engine.cli("service", "rm", "holder");
}

async function scoped(berth: TestService, engine: TestEngine): Promise<void> {
  const key = async (name: string, role: string, on?: string[]) => {
    const grants = [{ role, ...(on && { on }) }];
    const made = await berth.call("POST /api/settings/api-keys", { name, grants });
    return berth.as(made.body.key);
  };
  const before = JSON.stringify(await spec(engine));
  const acts = (id: string): [string, unknown?][] => [
    [`POST /api/services/${id}/scale`, { replicas: 5 }],
    [`POST /api/services/${id}/restart`],
    [`POST /api/services/${id}/rollback`],
    [`DELETE /api/services/${id}`],
  ];
  const nodes = ["drain", "pause", "activate"].map((verb): [string] => [`POST /api/nodes/node2/${verb}`]);
  const { ID } = await spec(engine);
  for (const on of ["project:blog", "engine:node1", "label:team=web"]) {
    const stranger = await key(on, "admin", [on]);
    for (const [route, body] of [...acts("shop_web"), ...acts(ID), ...nodes]) {
      const { status, text } = await stranger.call(route, body);
      assert.equal(status, 404, `${on} ${route}: ${text}`);
    }
  }
  const viewer = await key("viewer", "viewer");
  for (const [route, body] of [...acts("shop_web"), ...nodes]) {
    assert.equal((await viewer.call(route, body)).status, 403, route);
  }
  const operator = await key("operator", "operator");
  for (const [route] of [["DELETE /api/services/shop_web"], ...nodes] as [string][]) {
    assert.equal((await operator.call(route)).status, 403, route);
  }
  assert.equal(JSON.stringify(await spec(engine)), before);
  const owner = await key("shop", "operator", ["project:shop"]);
  const { status, body } = await owner.call("POST /api/services/shop_web/restart?dryRun");
  assert.deepEqual([status, body.changed, body.replaces], [200, false, 2]);
  const whole = await key("both", "admin", ["engine:node1", "engine:node2"]);
  assert.equal((await whole.call("POST /api/nodes/node2/drain?dryRun")).status, 200);
}

async function scaled(berth: TestService, engine: TestEngine): Promise<void> {
  const before = await spec(engine);
  const dry = await berth.call("POST /api/services/shop_web/scale?dryRun", { replicas: 3 });
  assert.deepEqual([dry.body.changed, dry.body.starts, dry.body.waits], [false, 1, []], dry.text);
  assert.deepEqual(dry.body.changes, [{ field: "Mode.Replicated.Replicas", from: "2", to: "3" }]);
  assert.deepEqual(await spec(engine), before, "a dry run sends nothing");
  await using visitor = new LiveVisitor(berth, berth.admin);
  await visitor.subscribe("services", "services");
  const { body } = await berth.call("POST /api/services/shop_web/scale", { replicas: 3 });
  assert.equal(body.changed, true);
  await eventually("the feed tells it", async () => {
    const rows = [...(await visitor.list("services")).rows.values()];
    return rows.some(({ id, desired, running }) => id === body.id && desired === 3 && running === 3);
  });
  const listed = () => engine.cli("service", "ls", "--filter", "name=shop_web", "--format", "{{.Replicas}}");
  await eventually("three run", async () => await listed() === "3/3");
  const { Version } = await spec(engine);
  const again = await berth.call("POST /api/services/shop_web/scale", { replicas: 3 });
  assert.equal(again.body.changed, false);
  assert.equal((await spec(engine)).Version.Index, Version.Index, "what is so already is not posted");
  await engine.cli(
    "service",
    "create",
    "--detach",
    "--no-resolve-image",
    "--name",
    "each",
    "--mode",
    "global",
    SWARM_IMAGE,
    "idle",
  );
  await eventually("berth lists it", async () => (await berth.call("GET /api/services/each")).status === 200);
  const global = await berth.call("POST /api/services/each/scale", { replicas: 3 });
  assert.deepEqual([global.status, global.body.code], [400, "invalid_request"]);
}

/** Of acts at the same time, each that is said to be done was done, and all others were refused. */
async function restarted(berth: TestService, engine: TestEngine): Promise<void> {
  const count = async () => (await spec(engine)).Spec.TaskTemplate.ForceUpdate;
  const before = await count();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => berth.call("POST /api/services/shop_web/restart")),
  );
  const codes = answers.map(({ status, body }) => status === 200 ? "done" : body.code);
  assert.deepEqual([...new Set(codes)].sort(), ["changed_meanwhile", "done"], codes.join());
  assert.equal(await count() - before, codes.filter((one) => one === "done").length);
  await settled(berth);
}

/** Waits until all tasks are those of the newest definition. */
const settled = (berth: TestService, name = "shop_web") =>
  eventually("all tasks are current", async () => {
    const { body } = await berth.call(`GET /api/services/${name}`);
    const desired = body.tasks.filter((one: { desired: boolean }) => one.desired);
    return desired.length === body.desired &&
      desired.every((one: { current: boolean; state: string }) => one.current && one.state === "running");
  });

async function rolledBack(berth: TestService, engine: TestEngine): Promise<void> {
  // Docker's client writes those that are added together in any order
  const env = async () => (await spec(engine)).Spec.TaskTemplate.ContainerSpec.Env.toSorted();
  await engine.cli(
    "service",
    "update",
    "--detach",
    "--env-add",
    "TOKEN=hunter2-old",
    "--env-add",
    "STEP=1",
    "--label-add",
    "step=1",
    "shop_web",
  );
  await engine.cli(
    "service",
    "update",
    "--detach",
    "--env-add",
    "TOKEN=hunter2-new",
    "--env-add",
    "STEP=2",
    "--label-add",
    "step=2",
    "shop_web",
  );
  await settled(berth);
  const dry = await berth.call("POST /api/services/shop_web/rollback?dryRun");
  assert.equal(dry.status, 200, dry.text);
  const field = "TaskTemplate.ContainerSpec.Env";
  assert.deepEqual(dry.body.changes, [
    { field: "Labels.step", from: "2", to: "1" },
    { field: `${field}.STEP`, from: "********", to: "(another value)" },
    { field: `${field}.TOKEN`, from: "********", to: "(another value)" },
  ]);
  assert.equal(dry.body.spec.Labels.step, "1");
  assert.ok(!dry.text.includes("hunter2"), dry.text);
  assert.deepEqual([await env(), dry.body.replaces], [["STEP=2", "TOKEN=hunter2-new"], 3]);
  const done = await berth.call("POST /api/services/shop_web/rollback");
  assert.equal(done.body.changed, true, done.text);
  assert.deepEqual(await env(), ["STEP=1", "TOKEN=hunter2-old"]);
  await settled(berth);
  const { body: { items } } = await berth.call("GET /api/system/audit?limit=1");
  assert.equal(items[0].action, "POST /api/services/{id}/rollback");
  // A definition that reaches the host does not come back by an operator
  await engine.cli(
    "service",
    "update",
    "--detach",
    "--mount-add",
    "type=bind,src=/tmp,dst=/host",
    "shop_web",
  );
  await engine.cli("service", "update", "--detach", "--mount-rm", "/host", "shop_web");
  await settled(berth);
  const operator = await berth.key("operator");
  const refused = await operator.call("POST /api/services/shop_web/rollback");
  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"], refused.text);
  assert.equal((await spec(engine)).Spec.TaskTemplate.ContainerSpec.Mounts, undefined);
}

async function secretGone(berth: TestService, engine: TestEngine): Promise<void> {
  const file = `${berth.folder}/secret`;
  await Deno.writeTextFile(file, "one");
  for (const name of ["first", "second"]) await engine.cli("secret", "create", name, file);
  const create = ["service", "create", "--detach", "--no-resolve-image", "--name", "keeper"];
  await engine.cli(...create, "--secret", "first", SWARM_IMAGE, "idle");
  await engine.cli(
    "service",
    "update",
    "--detach",
    "--secret-rm",
    "first",
    "--secret-add",
    "second",
    "keeper",
  );
  await engine.cli("secret", "rm", "first");
  await eventually(
    "berth lists it",
    async () => (await berth.call("GET /api/services/keeper")).status === 200,
  );
  await settled(berth, "keeper");
  const before = await spec(engine, "keeper");
  for (const dryRun of ["?dryRun", ""]) {
    const { status, body } = await berth.call(`POST /api/services/keeper/rollback${dryRun}`);
    assert.deepEqual([status, body.code], [409, "previous_secret_gone"], body.title);
    assert.match(body.title, /"first"/);
  }
  assert.deepEqual(await spec(engine, "keeper"), before);
  await engine.cli(
    "service",
    "create",
    "--detach",
    "--no-resolve-image",
    "--name",
    "young",
    SWARM_IMAGE,
    "idle",
  );
  await eventually(
    "berth lists it",
    async () => (await berth.call("GET /api/services/young")).status === 200,
  );
  const young = await berth.call("POST /api/services/young/rollback");
  assert.deepEqual([young.status, young.body.code], [409, "nothing_to_roll_back"]);
}

interface Leaving {
  readonly task: string;
  readonly outcome: string;
}

/** The list of a dry run is what the swarm then does. */
async function drained(berth: TestService, engine: TestEngine): Promise<void> {
  const create = ["service", "create", "--detach", "--no-resolve-image"];
  await engine.cli(
    ...create,
    "--name",
    "one_each",
    "--replicas",
    "2",
    "--replicas-max-per-node",
    "1",
    "--label",
    "team=each",
    SWARM_IMAGE,
    "idle",
  );
  await engine.cli(...create, "--name", "bound", "--constraint", "node.hostname==node2", SWARM_IMAGE, "idle");
  for (const name of ["one_each", "bound"]) {
    await eventually(
      "berth lists it",
      async () => (await berth.call(`GET /api/services/${name}`)).status === 200,
    );
    await settled(berth, name);
  }
  const availability = async () => (await engine.ask("GET /nodes/node2")).json.Spec.Availability;
  const dry = await berth.call("POST /api/nodes/node2/drain?dryRun");
  assert.deepEqual([dry.body.changed, await availability()], [false, "active"], dry.text);
  const services: Record<string, Set<string>> = {};
  for (const { task, outcome } of dry.body.tasks as Leaving[]) {
    (services[task.split(".")[0]!] ??= new Set()).add(outcome);
  }
  assert.deepEqual([...services["one_each"]!], ["waits"]);
  assert.deepEqual([...services["bound"]!], ["waits"]);
  assert.deepEqual([...services["each"]!], ["ends"]);
  assert.deepEqual([...services["shop_web"] ?? ["moves"]], ["moves"]);
  assert.match(dry.text, /does not meet \\"node.hostname==node2\\"/);
  const done = await berth.call("POST /api/nodes/node2/drain");
  assert.deepEqual([done.body.changed, await availability()], [true, "drain"]);
  const waiting = async () =>
    (await engine.ask('GET /tasks?filters={"desired-state":["running"]}')).json
      .filter(({ Status }: { Status: { State: string } }) => Status.State === "pending").length;
  await eventually("two wait, as the list said", async () => await waiting() === 2);
  await settled(berth);
  const { body: onNode } = await berth.call("GET /api/services?node=node2&state=running");
  assert.equal(onNode.total, 0, onNode.items?.[0]?.name);
  for (const [verb, now] of [["pause", "pause"], ["activate", "active"], ["activate", "active"]] as const) {
    const { body } = await berth.call(`POST /api/nodes/node2/${verb}`);
    assert.deepEqual([body.availability, body.tasks, await availability()], [now, [], now]);
  }
  const more = await berth.call("POST /api/services/one_each/scale?dryRun", { replicas: 3 });
  assert.deepEqual(more.body.waits.map(({ task }: Leaving) => task), ["one_each.3"], more.text);
  assert.match(more.body.waits[0].reason, /^no node takes it: node\d /);
  const grants = [{ role: "operator", on: ["label:team=each"] }];
  const made = await berth.call("POST /api/settings/api-keys", { name: "each", grants });
  const part = berth.as(made.body.key);
  const { body: less } = await part.call("POST /api/services/one_each/scale?dryRun", { replicas: 3 });
  assert.deepEqual(less.waits, [{ task: "one_each.3", reason: "no node takes it" }], "nodes are not its own");
}

async function removed(berth: TestService, engine: TestEngine): Promise<void> {
  const names = async () => (await engine.cli("service", "ls", "--format", "{{.Name}}")).split("\n");
  const dry = await berth.call("DELETE /api/services/bound?dryRun");
  assert.deepEqual([dry.body.removed, dry.body.stops], [false, 1], dry.text);
  assert.ok((await names()).includes("bound"));
  const done = await berth.call("DELETE /api/services/bound");
  assert.equal(done.body.removed, true);
  assert.ok(!(await names()).includes("bound"));
  assert.equal((await berth.call("DELETE /api/services/bound")).status, 404);
}

/** The other manager is killed; what was asked meanwhile must not have happened when it is back. */
async function withoutQuorum(berth: TestService, { nodes: [first, second] }: TestSwarm): Promise<void> {
  const before = (await spec(first!)).Spec.Mode;
  await second!.kill();
  const refused = await eventually("it is refused", async () => {
    const answer = await berth.call("POST /api/services/shop_web/scale?dryRun", { replicas: 7 });
    return answer.status === 200 ? null : answer;
  });
  assert.deepEqual([refused.status, refused.body.code], [503, "cluster_without_quorum"], refused.text);
  const real = await berth.call("POST /api/services/shop_web/scale", { replicas: 7 });
  assert.deepEqual([real.status, real.body.code], [503, "cluster_without_quorum"], real.text);
  const node = await berth.call("POST /api/nodes/node2/drain");
  assert.deepEqual([node.status, node.body.code], [503, "cluster_without_quorum"], node.text);
  await second!.start();
  await eventually("it has a leader again", async () => (await first!.ask("GET /services")).status === 200);
  assert.deepEqual((await spec(first!)).Spec.Mode, before);
}
