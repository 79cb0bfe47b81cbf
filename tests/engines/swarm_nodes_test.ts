/** A real swarm of three managers, each an engine of berth's. */
import assert from "node:assert/strict";
import { NoEngine } from "../support/engine.ts";
import { runBerth } from "../support/berth_process.ts";
import { workspace } from "../streams/live_scene.ts";
import { serveEngines, type TestCaller, type TestService } from "../support/service.ts";
import { eventually } from "../support/eventually.ts";
import { startSwarm, SWARM_IMAGE, type TestSwarm } from "../support/swarm.ts";

const swarm = await startSwarm().catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: a swarm of three, because ${error.message}`);
  return null;
});

Deno.test({
  name: "A swarm of three managers is shown as one",
  ignore: swarm === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(context) {
    await using own = swarm!;
    const [first] = own.nodes;
    await first!.cli("network", "create", "--driver", "overlay", "--attachable", "wide");
    await own.nodes[1]!.cli("run", "-d", "--name", "guest", "--network", "wide", SWARM_IMAGE, "idle");
    await using berth = await serveEngines(own.engines);

    await context.step(
      "a network of the swarm is listed once, with its containers on all nodes",
      async () => {
        const named = async (path: string) =>
          (await berth.call(`GET ${path}`)).body.items.filter(({ name }: { name: string }) =>
            name === "wide"
          );
        await eventually(
          "each node lists it",
          async () => (await named("/api/networks"))[0]?.backends.length === 3,
        );
        const [wide, ...more] = await named("/api/networks");
        assert.deepEqual(more, []);
        assert.deepEqual(wide.backends, ["node1", "node2", "node3"]);
        assert.deepEqual(
          wide.containers.map(({ name }: { name: string }) => name),
          ["guest"],
        );
        const [there] = await named("/api/networks?backend=node2");
        assert.deepEqual([there.backend, there.backends], ["node2", ["node2"]]);
        assert.equal((await named("/api/networks?unused=true")).length, 0);
        const { body: one } = await berth.call("GET /api/networks/wide");
        assert.deepEqual([one.id, one.containers], [wide.id, wide.containers]);
        const used = await berth.call("DELETE /api/networks/wide");
        assert.deepEqual([used.status, used.body.code], [409, "in_use"]);
        const left = await berth.call("POST /api/networks/wide/disconnect", { container: "guest" });
        assert.deepEqual([left.status, left.body.changed], [200, true], left.text);
        const joined = await berth.call("POST /api/networks/wide/connect", { container: "guest" });
        assert.deepEqual([joined.status, joined.body.changed], [200, true], joined.text);
        // A network of one engine alone is still one a node
        const { body } = await berth.call("GET /api/networks?q=bridge");
        assert.equal(body.items.filter(({ name }: { name: string }) => name === "bridge").length, 3);
        const refused = await berth.call("DELETE /api/networks/bridge");
        assert.equal(refused.body.code, "ambiguous_id");
      },
    );
    await context.step(
      "a stack is shown as a project, with its services, tasks and nodes",
      () => shown(own, berth),
    );
    await context.step("berth swarm shows the same", () => commanded(berth));
    await context.step(
      "scopes hold services by stack and label, and nodes by all engines",
      () => scoped(berth),
    );
    await context.step("neither tokens nor contents are told, logged or stored", () => tells(own, berth));
    await context.step("a declared project that runs as a stack has its tasks", () => declared(own, berth));
  },
});

const STACK = `version: "3.8"
services:
  web:
    image: ${SWARM_IMAGE}
    command: [idle]
    deploy: { replicas: 3, placement: { max_replicas_per_node: 1 } }
    environment: { TOKEN: hunter2-canary, PLAIN: seen }
    networks: [inside]
networks:
  inside: { external: true, name: wide }
`;

async function deploy(
  { nodes: [first] }: TestSwarm,
  folder: string,
  name: string,
  text: string,
): Promise<void> {
  const file = `${await Deno.makeTempDir({ dir: folder })}/stack.yaml`;
  await Deno.writeTextFile(file, text);
  await first!.cli("stack", "deploy", "--resolve-image", "never", "--compose-file", file, name);
}

/** Waits until so many tasks of a service run, and returns the service. */
async function running(berth: TestCaller, name: string, count: number) {
  return await eventually(`${count} tasks of ${name} run`, async () => {
    const { status, body } = await berth.call(`GET /api/services/${name}`);
    const tasks = status === 200
      ? body.tasks.filter(({ state }: { state: string }) => state === "running")
      : [];
    return tasks.length === count && body.running === count ? body : null;
  });
}

async function shown(own: TestSwarm, berth: TestService): Promise<void> {
  const [first] = own.nodes;
  await deploy(own, berth.folder, "shop", STACK);
  const service = await running(berth, "shop_web", 3);
  const { json: [theirs] } = await first!.ask("GET /services?status=true");
  const { json: tasks } = await first!.ask("GET /tasks");
  assert.deepEqual([service.id, service.desired, service.stack, service.mode], [
    theirs.ID,
    3,
    "shop",
    "replicated",
  ]);
  assert.equal(service.image, SWARM_IMAGE);
  // deno-lint-ignore no-explicit-any -- the engine's own words
  const containers = (list: any[], of: (one: any) => string) => list.map(of).sort();
  assert.deepEqual(
    containers(service.tasks, (one) => `${one.id} ${one.container.id} ${one.node.id}`),
    containers(tasks, (one) => `${one.ID} ${one.Status.ContainerStatus.ContainerID} ${one.NodeID}`),
  );
  assert.deepEqual(containers(service.tasks, (one) => one.container.backend), ["node1", "node2", "node3"]);
  assert.ok(service.tasks.every((one: { current: boolean; desired: boolean }) => one.current && one.desired));
  const { body: { items: [cluster] } } = await berth.call("GET /api/clusters");
  assert.deepEqual(
    [cluster.state, cluster.managers, cluster.reachable, cluster.spare, cluster.missing],
    ["up", 3, 3, 1, []],
  );
  const { body: nodes } = await berth.call("GET /api/nodes");
  assert.deepEqual(
    nodes.items.map((one: Record<string, unknown>) => [one.name, one.backend, one.state, one.tasks]),
    ["node1", "node2", "node3"].map((name) => [name, name, "ready", 1]),
  );
  const { body: projects } = await berth.call("GET /api/projects");
  const [row] = projects.items;
  assert.deepEqual(
    [row.id, row.running, row.desired, row.engines, row.verdict],
    [`shop@swarm:${cluster.name}`, 3, 3, ["node1", "node2", "node3"], "undeclared"],
  );
  assert.deepEqual(projects.loose.flatMap(({ containers }: { containers: string[] }) => containers), [
    "guest",
  ]);
  const { body: detail } = await berth.call(`GET /api/projects/${encodeURIComponent(row.id)}`);
  assert.deepEqual(detail.services.map(({ name }: { name: string }) => name), ["shop_web"]);
  assert.equal(detail.containers.length, 3);
}

/** Runs a declared project as a stack: its units are judged by their services. */
async function declared(own: TestSwarm, berth: TestService): Promise<void> {
  const { id } = await workspace(berth, "shop", STACK);
  const live = async () => (await berth.call(`GET /api/workspaces/${id}/artifacts/units/web`)).body.live;
  const seen = await eventually("its tasks are seen", async () => {
    const now = await live();
    return now.state === "running" ? now : null;
  });
  assert.deepEqual([seen.service.name, seen.service.running, seen.desired], ["shop_web", 3, 3]);
  const { body: { items } } = await berth.call("GET /api/projects?q=shop");
  const told = items.map((one: Record<string, unknown>) => [one.id, one.running, one.desired]);
  assert.deepEqual(told, [[`shop@${id}`, 3, 3]]);
  await own.nodes[0]!.cli("service", "scale", "--detach", "shop_web=1");
  await running(berth, "shop_web", 1);
  await own.nodes[0]!.cli("service", "scale", "--detach", "shop_web=3");
  await running(berth, "shop_web", 3);
}

async function scoped(berth: TestService): Promise<void> {
  const holding = async (on: string) => {
    const grants = [{ role: "viewer", on: [on] }];
    const made = await berth.call("POST /api/settings/api-keys", { name: on, grants });
    const caller = berth.as(made.body.key);
    const total = async (path: string) => (await caller.call(`GET /api/${path}`)).body.total;
    return [await total("services"), await total("nodes"), await total("clusters"), await total("secrets")];
  };
  assert.deepEqual(await holding("project:shop"), [1, 0, 0, 0]);
  assert.deepEqual(await holding("engine:node1"), [0, 0, 0, 0], "a service is on no engine alone");
  assert.deepEqual(await holding("label:com.docker.stack.namespace=shop"), [1, 0, 0, 0]);
  const grants = [{ role: "operator", on: ["project:blog"] }];
  const made = await berth.call("POST /api/settings/api-keys", { name: "blog", grants });
  const stranger = berth.as(made.body.key);
  const { id } = (await berth.call("GET /api/services/shop_web")).body;
  const [{ id: node }] = (await berth.call("GET /api/nodes")).body.items;
  for (
    const path of [
      ...["services/shop_web", `services/${id}`, `services/${id}/tasks`, `nodes/${node}`, "nodes/node1"],
      ...["stacks/shop", `projects/${encodeURIComponent("shop@swarm:x")}`, "projects/shop"],
    ]
  ) {
    const { status, text } = await stranger.call(`GET /api/${path}`);
    assert.equal(status, 404, `${path}: ${text}`);
  }
  const lists = ["services", "nodes", "clusters", "stacks", "configs", "secrets", "networks", "projects"];
  for (const path of [...lists, "overview", "system/tool-projects", "containers", "system/backends"]) {
    const { status, text } = await stranger.call(`GET /api/${path}`);
    assert.equal(status, 200, `${path}: ${text}`);
    for (const told of ["shop", "node1", "guest", "wide", id, node]) {
      assert.ok(!text.includes(told), `${path} tells a stranger of ${told}: ${text}`);
    }
  }
  const blind = await berth.key(["system:read"]);
  assert.equal((await blind.call("GET /api/services")).status, 403);
  const other = await berth.key(["services:read"]);
  assert.equal((await other.call("GET /api/services/nobody")).body.code, "service_not_found");
}

/** Looks for the join tokens, and the contents of a secret and a config, in every answer, log and file of berth. */
async function tells(own: TestSwarm, berth: TestService): Promise<void> {
  const canary = "c4nary-of-a-secret";
  const file = `${berth.folder}/canary`;
  await Deno.writeTextFile(file, canary);
  await own.nodes[0]!.cli("secret", "create", "shop_key", file);
  await own.nodes[0]!.cli("config", "create", "shop_conf", file);
  await Deno.remove(file);
  await eventually(
    "both are listed",
    async () =>
      (await berth.call("GET /api/secrets")).body.total === 1 &&
      (await berth.call("GET /api/configs")).body.total === 1,
  );
  const paths = ["clusters", "nodes", "services", "stacks", "configs", "secrets", "projects", "overview"];
  const answers = await Promise.all(paths.map(async (path) => (await berth.call(`GET /api/${path}`)).text));
  const files: string[] = [];
  for await (const entry of Deno.readDir(`${berth.folder}/data`)) {
    if (entry.isFile) files.push(await Deno.readTextFile(`${berth.folder}/data/${entry.name}`));
  }
  assert.ok(files.length > 0);
  for (const told of [...answers, ...berth.logged(), ...files]) {
    for (const secret of [...own.tokens, canary, btoa(canary), "hunter2"]) {
      assert.ok(!told.includes(secret), told);
    }
  }
}

async function commanded(berth: TestService): Promise<void> {
  const { stdout, code } = await runBerth(["swarm"], { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
  assert.equal(code, 0, stdout);
  assert.match(stdout, /3 of 3 managers can be reached, 1 may be lost/);
  assert.match(stdout, /shop_web +3\/3 +shop/);
}
