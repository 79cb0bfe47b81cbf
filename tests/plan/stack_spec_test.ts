/** Services of swarms as berth asks for them, beside those that `docker stack deploy` makes of the same file. */
import assert from "node:assert/strict";
import { GROUP_LABEL } from "../../artifacts/live/stacks.ts";
import type { Model, Unit } from "../../artifacts/artifact.ts";
import type { SwarmNow } from "../../core/stacks.ts";
import type { EnginePath } from "../../engines/calls/path.ts";
import { readSwarm } from "../../plugins/swarm/acts/swarm_now.ts";
import { serviceWire } from "../../plugins/swarm/acts/service_wire.ts";
import { serviceSpec, stackNetworkSpec } from "../../projects/specs/service_spec.ts";
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { type WorkspaceFolder, workspaceFolder } from "../support/workspace_folder.ts";
import { deployByClient, makeOutside, STACK, STACK_FILES } from "./stack_file.ts";

const engine = await startEngine("docker").catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: services beside docker stack deploy, because ${error.message}`);
  return null;
});

type Wire = Record<string, unknown>;

/** Every service's spec as the engine keeps it, by its name, with names in place of ids. */
async function kept(own: TestEngine): Promise<Record<string, Wire>> {
  const { json: networks } = await own.ask("GET /networks");
  let text = JSON.stringify((await own.ask("GET /services")).json.map(({ Spec }: { Spec: Wire }) => Spec));
  for (const { Id, Name } of networks) text = text.replaceAll(`"${Id}"`, `"${Name}"`);
  text = text.replaceAll(/"(Secret|Config)ID":"\w+"/g, '"$1ID":""');
  return Object.fromEntries(JSON.parse(text).map((spec: Wire) => [spec.Name, ordered(spec)]));
}

/** Lists that are sets to the engine, in one order. */
function ordered(spec: Wire): Wire {
  const sort = (list: unknown) =>
    Array.isArray(list) ? list.sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1) : undefined;
  const template = spec.TaskTemplate as Wire;
  sort(template.Networks);
  // The client sorts these by name alone: two of one name come in any order.
  const container = template.ContainerSpec as Wire;
  sort(container.Secrets);
  sort(container.Configs);
  sort((spec.EndpointSpec as Wire).Ports);
  return spec;
}

/** The ids of all tasks by the names of their services. */
async function tasksOf(own: TestEngine): Promise<Record<string, string>> {
  const { json: services } = await own.ask("GET /services");
  const names = new Map<string, string>(
    services.map(({ ID, Spec }: { ID: string; Spec: { Name: string } }) => [ID, Spec.Name]),
  );
  const { json: tasks } = await own.ask("GET /tasks");
  const found: Record<string, string[]> = {};
  for (const { ID, ServiceID } of tasks) {
    const name = names.get(ServiceID);
    if (name !== undefined) (found[name] ??= []).push(ID);
  }
  return Object.fromEntries(Object.entries(found).map(([name, ids]) => [name, ids.sort().join(" ")]));
}

const nameOf = ({ name }: { readonly name: string | null }) => name ?? "";

function specsOf(model: Model) {
  const [group] = model.groups;
  return group!.units.map((unit: Unit) =>
    serviceSpec({ model, group: group!, unit, service: unit.service! }, nameOf)
  );
}

const nowOf = (own: TestEngine) =>
  readSwarm(async (path: EnginePath) => (await own.ask(`GET ${path.text}`)).json, () => "1.41");

async function postOwn(own: TestEngine, model: Model, only?: string): Promise<void> {
  const { secrets, configs } = await nowOf(own);
  const idsOf = (list: typeof secrets) => new Map(list.map(({ name, id }) => [name, id] as const));
  for (const one of specsOf(model)) {
    if (only !== undefined && one.name !== only) continue;
    const spec = { ...one, labels: { ...one.labels, [GROUP_LABEL]: "shop" } };
    const wire = serviceWire(spec, { secrets: idsOf(secrets), configs: idsOf(configs) });
    const { status, json } = await own.ask("POST /services/create", wire);
    assert.equal(status, 201, JSON.stringify(json));
  }
}

/** Edits of the file, each with the only field that differs then, and the service of it. */
const EDITS: readonly (readonly [field: string, service: string, from: string, to: string])[] = [
  [
    "image",
    "web",
    'image: 127.0.0.1:1/fixture:1\n    command: ["idle"',
    'image: 127.0.0.1:1/fixture:2\n    command: ["idle"',
  ],
  ["command", "web", '"x y"', '"x z"'],
  ["entrypoint", "web", '"/fixture", "z"', '"/fixture"'],
  ["environment.B", "web", 'B: "2"', 'B: "3"'],
  ["labels.container.label", "web", 'container.label: "1"', 'container.label: "9"'],
  ["deploy.labels.service.label", "web", 'service.label: "2"', 'service.label: "9"'],
  ["user", "web", "1000:1000", "1000:1001"],
  ["workingDir", "web", "working_dir: /tmp", "working_dir: /"],
  ["hostname", "web", "webhost", "otherhost"],
  ["terminal", "web", "tty: true", "tty: false"],
  ["stdinOpen", "web", "stdin_open: true", "stdin_open: false"],
  ["init", "web", "init: true", "init: false"],
  ["stopSignal", "web", "SIGINT", "SIGQUIT"],
  ["stopGracePeriod", "web", "1m30s", "1m31s"],
  ["readOnly", "web", "read_only: true", "read_only: false"],
  ["healthcheck", "web", 'test: "true"', 'test: "false"'],
  ["healthcheck.interval", "web", "interval: 10s", "interval: 11s"],
  ["healthcheck.retries", "web", "retries: 4", "retries: 5"],
  ["ports", "web", '"81"', '"82"'],
  ["ports", "web", "mode: host", "mode: ingress"],
  ["networks.shop_front", "web", "[www, site]", "[www]"],
  ["mounts./named", "web", "named:/named:ro", "named:/named"],
  ["mounts./t", "web", "rslave", "rshared"],
  ["mounts./mem", "web", "1048576", "2097152"],
  ["secrets.other", "web", "mode: 0400", "mode: 0440"],
  ["configs./etc/site.conf", "web", "mode: 0444", "mode: 0400"],
  ["dns", "web", "10.0.0.1]", "10.0.0.2]"],
  ["dnsSearch", "web", "example.org", "example.com"],
  ["extraHosts", "web", "10.1.1.2", "10.1.1.3"],
  ["capAdd", "web", "SYS_TIME", "SYS_NICE"],
  ["capDrop", "web", "cap_drop: [ALL]", "cap_drop: [CHOWN]"],
  ["sysctls.net.core.somaxconn", "web", '"1024"', '"1025"'],
  ["ulimits.nproc", "web", "nproc: 50", "nproc: 51"],
  ["log.driver", "web", "driver: json-file", "driver: local"],
  ["log.options.max-size", "web", "max-size: 1m", "max-size: 2m"],
  ["replicas", "web", "replicas: 2", "replicas: 3"],
  ["deploy.endpoint_mode", "web", "endpoint_mode: vip", "endpoint_mode: dnsrr"],
  ["deploy.update_config.parallelism", "web", "parallelism: 2", "parallelism: 3"],
  ["deploy.update_config.delay", "web", "delay: 5s", "delay: 6s"],
  ["deploy.update_config.failure_action", "web", "failure_action: rollback", "failure_action: continue"],
  ["deploy.update_config.monitor", "web", "monitor: 10s", "monitor: 11s"],
  ["deploy.update_config.max_failure_ratio", "web", "0.25", "0.5"],
  ["deploy.update_config.order", "web", "start-first", "stop-first"],
  ["deploy.rollback_config.parallelism", "web", "parallelism: 0", "parallelism: 1"],
  ["limits.cpus", "web", '"0.5"', '"0.6"'],
  ["limits.memory", "web", "64M", "65M"],
  ["limits.pids", "web", "pids: 50", "pids: 51"],
  ["deploy.resources.reservations.cpus", "web", '"0.1"', '"0.2"'],
  ["deploy.resources.reservations.memory", "web", "16M", "17M"],
  ["deploy.resources.reservations.generic_resources", "web", "value: 2", "value: 3"],
  ["restart", "web", "condition: on-failure", "condition: any"],
  ["deploy.restart_policy.delay", "web", "delay: 1s", "delay: 0s"],
  ["deploy.restart_policy.max_attempts", "web", "max_attempts: 3", "max_attempts: 4"],
  ["deploy.restart_policy.window", "web", "window: 30s", "window: 31s"],
  ["deploy.placement.constraints", "web", "node.role==manager", "node.role==worker"],
  ["deploy.placement.preferences", "web", "node.labels.zone", "node.labels.rack"],
  ["deploy.placement.max_replicas_per_node", "web", "per_node: 4", "per_node: 5"],
  ["deploy.mode", "gjob", "mode: global-job", "mode: global"],
];

/** Compares each service that runs with the file as it is now. */
async function differ({ services }: SwarmNow, folder: WorkspaceFolder): Promise<string[]> {
  return specsOf(await folder.read()).flatMap((spec) => {
    const service = services.find(({ name }) => name === spec.name);
    assert.ok(service, `${spec.name} runs`);
    return service.differences(spec).map(({ field }) => `${spec.name} ${field}`);
  });
}

Deno.test({
  name: "a service that berth asks for is the one that docker stack deploy makes of the same file",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (test) => {
    await using own = engine!;
    await using folder = await workspaceFolder(STACK_FILES);
    const file = `${folder.path}/compose.yaml`;
    await own.cli("swarm", "init", "--advertise-addr", "127.0.0.1");
    await own.cli("tag", FIXTURE, "127.0.0.1:1/fixture:1");
    await makeOutside(own, folder.path);
    await deployByClient(own, file, "shop");
    const theirs = await kept(own);
    const now = await nowOf(own);

    await test.step("what the client deployed differs in its restart policy alone", async () => {
      assert.deepEqual(await differ(now, folder), ["shop_never restart"]);
      const [group] = (await folder.read()).groups;
      for (const resource of group!.resources) {
        if (resource.kind !== "network" || resource.external) continue;
        const spec = stackNetworkSpec(resource, "shop", resource.name!);
        const network = now.networks.find(({ name }) => name === resource.name)!;
        assert.deepEqual(network.differences(spec), [], spec.name);
        assert.deepEqual(network.differences({ ...spec, internal: !spec.internal }), ["internal"]);
      }
    });

    await test.step("each edit of the file differs in its own field alone", async () => {
      for (const [field, service, from, to] of EDITS) {
        assert.equal(STACK.split(from).length, 2, `"${from}" stands in the file once`);
        await folder.write({ "compose.yaml": STACK.replace(from, to) });
        const found = (await differ(now, folder)).filter((one) => one !== "shop_never restart");
        assert.deepEqual(found, [`shop_${service} ${field}`], `${from} -> ${to}`);
      }
      await folder.write({ "compose.yaml": STACK });
    });

    await test.step("the engine keeps the same of berth's own request", async () => {
      const names = Object.keys(theirs);
      await own.cli("service", "rm", ...names);
      await eventually("they are gone", async () => Object.keys(await kept(own)).length === 0);
      await postOwn(own, await folder.read());
      const ours = await kept(own);
      assert.deepEqual(Object.keys(ours).sort(), names.sort());
      for (const name of names) {
        const { [GROUP_LABEL]: group, ...labels } = ours[name]!.Labels as Wire;
        assert.equal(group, "shop");
        ours[name]!.Labels = labels;
        const { RestartPolicy, ...template } = ours[name]!.TaskTemplate as Wire;
        if (name === "shop_never") {
          assert.deepEqual(RestartPolicy, { Condition: "none", MaxAttempts: 0 });
          ours[name]!.TaskTemplate = template;
        }
        assert.deepEqual(ours[name], theirs[name], name);
      }
    });

    await test.step("the client's next deploy of the file starts no task of them anew", async () => {
      const once = STACK.split("\n").filter((line) => !/source: (?:key|site)/.test(line)).join("\n");
      await folder.write({ "compose.yaml": once });
      await own.cli("service", "rm", "shop_web");
      await postOwn(own, await folder.read(), "shop_web");
      const before = await eventually("each service has its tasks", async () => {
        const now = await tasksOf(own);
        return Object.keys(now).length === 7 ? now : null;
      });
      await deployByClient(own, file, "shop");
      // A service that restarts always instead of never is another definition: its tasks tell that the swarm has looked.
      await eventually("the task that is to restart was replaced", async () => {
        const { shop_never } = await tasksOf(own);
        return shop_never !== before.shop_never;
      });
      // Whatever is changed of a job, the swarm runs it once more.
      const { shop_never: _, shop_job: _job, shop_gjob: _all, ...after } = await tasksOf(own);
      for (const [name, tasks] of Object.entries(after)) assert.equal(tasks, before[name], name);
      assert.deepEqual(Object.keys(after).sort(), ["shop_always", "shop_failing", "shop_plain", "shop_web"]);
    });
  },
});
