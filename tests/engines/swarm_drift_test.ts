/** Units beside services that `docker stack deploy` made: as written where the client takes a field over, and told where not. */
import assert from "node:assert/strict";
import { save, workspace } from "../streams/live_scene.ts";
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { SWARM_IMAGE } from "../support/swarm.ts";

const engine = await startEngine("docker").catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: services beside their files, because ${error.message}`);
  return null;
});

/** A file of which the client and berth read each field alike. */
const WRITTEN = `services:
  one:
    image: ${SWARM_IMAGE}
    command: [idle]
    environment: { A: "1" }
    labels: { team: web }
    user: "0"
    working_dir: /tmp
    stop_grace_period: 3s
    healthcheck: { test: ["CMD", "true"], interval: 30s }
    ports: ["\${PORT:-8081}:80", { target: 81, published: 8091, mode: host }]
    hostname: here
    dns: [1.1.1.1]
    extra_hosts: ["far:10.0.0.9"]
    cap_drop: [CHOWN]
    sysctls: { net.core.somaxconn: "128" }
    ulimits: { nofile: { soft: 10, hard: 20 } }
    logging: { driver: json-file, options: { max-size: 1m } }
    volumes:
      - data:/data
      - /etc/hostname:/host:ro
      - { type: tmpfs, target: /ram, tmpfs: { size: 65536 } }
    secrets: [{ source: key, target: other, uid: "5", mode: 0400 }]
    configs: [conf]
    networks: { inside: { aliases: [alias], driver_opts: { a: b } } }
    restart: always
    deploy:
      replicas: 0
      labels: { tier: front }
      endpoint_mode: vip
      resources:
        limits: { cpus: "0.5", memory: 64M, pids: 50 }
        reservations: { cpus: "0.1", memory: 32M }
      restart_policy: { condition: on-failure, delay: 2s, max_attempts: 3, window: 1m }
      placement:
        constraints: ["node.role == manager"]
        preferences: [{ spread: node.labels.zone }]
        max_replicas_per_node: 2
      update_config: { parallelism: 2, delay: 1s, failure_action: rollback, monitor: 9s, max_failure_ratio: 0.3, order: start-first }
      rollback_config: { parallelism: 0, order: stop-first }
networks:
  inside: { driver: overlay }
volumes: { data: {} }
secrets: { key: { external: true, name: given } }
configs: { conf: { external: true, name: given } }
`;

/** Each edit of the file, the field that differs by it, and a text of the line that is told, unless that is the edit's own. */
const EDITS: readonly (readonly [from: string, to: string, fields: string, line?: string])[] = [
  ["command: [idle]", "command: [sleep, '9']", "command"],
  ['A: "1"', 'A: "2"', "environment.A"],
  ['A: "1"', 'A: "1", B: "1"', "environment.B"],
  ["team: web", "team: data", "labels.team"],
  ['user: "0"', 'user: "1"', "user"],
  ["/tmp", "/var", "workingDir"],
  ["3s", "4s", "stopGracePeriod"],
  ["interval: 30s", "interval: 31s", "healthcheck.interval"],
  ["PORT:-8081", "PORT:-8082", "ports"],
  ["published: 8091, mode: host", "published: 8091", "ports"],
  ["hostname: here", "hostname: there", "hostname"],
  ["1.1.1.1", "1.1.1.2", "dns"],
  ["far:10.0.0.9", "far:10.0.0.8", "extraHosts"],
  ["cap_drop: [CHOWN]", "cap_drop: [KILL]", "capDrop"],
  ['somaxconn: "128"', 'somaxconn: "129"', "sysctls.net.core.somaxconn"],
  ["soft: 10", "soft: 11", "ulimits.nofile"],
  ["max-size: 1m", "max-size: 2m", "log.options.max-size"],
  ["data:/data", "data:/data:ro", "mounts./data"],
  ["/etc/hostname:/host", "/etc/hosts:/host", "mounts./host"],
  ["size: 65536", "size: 65537", "mounts./ram"],
  ["target: other", "target: third", "secrets./run/secrets/third secrets./run/secrets/other"],
  ["mode: 0400", "mode: 0440", "secrets./run/secrets/other"],
  [
    "conf: { external: true, name: given }",
    "conf: { external: true, name: taken }",
    "configs./conf",
    "configs: [conf]",
  ],
  ["aliases: [alias]", "aliases: [nick]", "aliases.inside"],
  ["a: b", "a: c", "driverOptions.inside"],
  ["inside: { driver: overlay }", "inside: { external: true, name: other }", "networks", "aliases: [alias]"],
  ["replicas: 0", "replicas: 3", "replicas"],
  ["replicas: 0", "mode: global", "deploy.mode"],
  ["tier: front", "tier: back", "deploy.labels.tier"],
  ["endpoint_mode: vip", "endpoint_mode: dnsrr", "deploy.endpoint_mode"],
  ['cpus: "0.5"', 'cpus: "0.6"', "limits.cpus"],
  ["memory: 64M", "memory: 65M", "limits.memory"],
  ["pids: 50", "pids: 51", "limits.pids"],
  ['cpus: "0.1"', 'cpus: "0.2"', "reservations.cpus"],
  ["memory: 32M", "memory: 33M", "limits.memoryReservation"],
  ["condition: on-failure", "condition: any", "restart"],
  ["delay: 2s", "delay: 3s", "restart.delay"],
  ["max_attempts: 3", "max_attempts: 4", "restart.maxAttempts"],
  ["window: 1m", "window: 2m", "restart.window"],
  ["node.role == manager", "node.role==worker", "placement.constraints"],
  ["node.labels.zone", "node.labels.rack", "placement.preferences"],
  ["max_replicas_per_node: 2", "max_replicas_per_node: 3", "placement.maxReplicasPerNode"],
  ["parallelism: 2", "parallelism: 1", "deploy.update_config.parallelism"],
  ["delay: 1s", "delay: 2s", "deploy.update_config.delay"],
  ["failure_action: rollback", "failure_action: continue", "deploy.update_config.failure_action"],
  ["monitor: 9s", "monitor: 8s", "deploy.update_config.monitor"],
  ["max_failure_ratio: 0.3", "max_failure_ratio: 0.4", "deploy.update_config.max_failure_ratio"],
  ["order: start-first", "order: stop-first", "deploy.update_config.order"],
  ["parallelism: 0", "parallelism: 1", "deploy.rollback_config.parallelism"],
  ["order: stop-first", "order: start-first", "deploy.rollback_config.order"],
  ["fixture:1", "fixture:2", "image"],
  ["    user:", "    privileged: true\n    user:", "privileged"],
  ["    user:", "    tmpfs: /run\n    user:", "mounts./run"],
];

/** Edits after which the unit is as written all the same. */
const SAME: readonly (readonly [from: string, to: string])[] = [
  ["node.role == manager", "node.role==manager"],
  ["restart: always", "container_name: one\n    build: .\n    privileged: false\n    expose: ['9']"],
  ["monitor: 9s", "monitor: 9000ms"],
];

async function deploy(own: TestEngine, folder: string, name: string, text: string): Promise<void> {
  const file = `${await Deno.makeTempDir({ dir: folder })}/stack.yaml`;
  await Deno.writeTextFile(file, text);
  await own.cli("stack", "deploy", "--resolve-image", "never", "--compose-file", file, name);
}

// deno-lint-ignore no-explicit-any -- an answer
const liveOf = async (berth: TestService, id: string, unit: string): Promise<any> =>
  (await berth.call(`GET /api/workspaces/${id}/artifacts/units/${unit}`)).body.live;

/** Returns the unit once it is known as a service. */
async function known(berth: TestService, id: string, unit: string) {
  return await eventually(`${unit} is known`, async () => {
    const live = await liveOf(berth, id, unit);
    return live.service === undefined ? null : live;
  });
}

interface Told {
  readonly field: string;
  readonly declared: string;
  readonly actual: string;
  readonly location: { readonly range: { readonly start: { readonly line: number } } };
}

/** Deployed by the client, a file has no difference; each edit is one, with its line. */
async function drifts(own: TestEngine, berth: TestService): Promise<void> {
  const file = `${berth.folder}/given`;
  await Deno.writeTextFile(file, "content-canary");
  await own.cli("secret", "create", "given", file);
  await own.cli("config", "create", "given", file);
  const { id, path } = await workspace(berth, "fields", WRITTEN);
  await deploy(own, berth.folder, "fields", WRITTEN);
  const seen = await known(berth, id, "one");
  assert.deepEqual([seen.drift, seen.notCompared, seen.verdict], [[], null, "asWritten"]);
  assert.deepEqual(seen.match, { by: "images", confidence: "likely" });
  for (const [from, to, fields, line = null] of EDITS) {
    const at = WRITTEN.indexOf(from);
    assert.notEqual(at, -1, from);
    const text = WRITTEN.replace(from, to);
    await save(berth, id, `${path}/compose.yaml`, text);
    const { verdict, drift } = await liveOf(berth, id, "one");
    assert.deepEqual(
      drift.map(({ field }: Told) => field).sort(),
      fields.split(" ").sort(),
      `${from} -> ${to}`,
    );
    assert.equal(verdict, "differs");
    const lines = (drift as Told[]).map(({ location }) =>
      text.split("\n")[location.range.start.line - 1] ?? ""
    );
    const isThere = lines.every((one) =>
      line === null ? to.split("\n").some((part) => one.includes(part.trim())) : one.includes(line)
    );
    assert.ok(isThere, `${from} -> ${to}: ${lines.join(" | ")}`);
  }
  for (const [from, to] of SAME) {
    await save(berth, id, `${path}/compose.yaml`, WRITTEN.replace(from, to));
    const { drift, notCompared, verdict } = await liveOf(berth, id, "one");
    assert.deepEqual([drift, notCompared, verdict], [[], null, "asWritten"], `${from} -> ${to}`);
  }
  const more = WRITTEN.replace("    user:", "    credential_spec: { file: a }\n    user:");
  await save(berth, id, `${path}/compose.yaml`, more);
  const { verdict, notCompared } = await liveOf(berth, id, "one");
  assert.equal(verdict, "unknown", "a field that is not compared is never as written");
  assert.match(notCompared, /not compared with services: credential_spec$/);
}

/** Contents of secrets are unknown, whatever the file says now. */
async function secrets(own: TestEngine, berth: TestService): Promise<void> {
  const text = `services:
  one:
    image: ${SWARM_IMAGE}
    secrets: [key]
    deploy: { replicas: 0 }
secrets: { key: { file: ./key.txt } }
`;
  const { id, path } = await workspace(berth, "sealed", text);
  await save(berth, id, `${path}/key.txt`, "content-canary");
  await own.cli(
    "stack",
    "deploy",
    "--resolve-image",
    "never",
    "--compose-file",
    `${path}/compose.yaml`,
    "sealed",
  );
  const { verdict, drift, notCompared } = await known(berth, id, "one");
  assert.deepEqual([verdict, drift], ["unknown", []]);
  assert.equal(notCompared, 'A swarm does not tell what these hold: secret "key"');
}

/** Fields that the client reads otherwise than a user expects. */
async function traps(own: TestEngine, berth: TestService): Promise<void> {
  const text = `services:
  never:
    image: ${SWARM_IMAGE}
    restart: "no"
    ports: ["127.0.0.1:5432:5432"]
    environment: { FROM_FILE: "\${VALUE:-none}" }
    entrypoint: [/bin/idle]
    command: [a, b]
    deploy: { replicas: 1, placement: { constraints: ["node.labels.none == 1"] } }
`;
  const { id, path } = await workspace(berth, "traps", text);
  await save(berth, id, `${path}/.env`, "VALUE=some\n");
  await deploy(own, berth.folder, "traps", text);
  const told = async () =>
    (await known(berth, id, "never")).drift.map((one: Told) => [one.field, one.declared, one.actual]);
  const expected = [
    ["environment.FROM_FILE", "${VALUE:-none}", '(another value); "docker stack deploy" reads no .env'],
    ["ports", "127.0.0.1:5432:5432", "0.0.0.0:5432:5432/tcp, on every node"],
    ["restart", "no", "any"],
  ];
  // Namespace labels, the network's id, its alias and the shifted names of the command are no difference.
  assert.deepEqual(await told(), expected);
  const { json: [spec] } = await own.ask(
    `GET /services?filters=${encodeURIComponent('{"name":["traps_never"]}')}`,
  );
  const { ContainerSpec, Networks } = spec.Spec.TaskTemplate;
  assert.deepEqual([ContainerSpec.Command, ContainerSpec.Args], [["/bin/idle"], ["a", "b"]]);
  assert.deepEqual(ContainerSpec.Labels, { "com.docker.stack.namespace": "traps" });
  assert.deepEqual(Networks[0].Aliases, ["never"]);
  // A pinned digest is the same tag; a number that somebody set by hand is drift.
  spec.Spec.TaskTemplate.ContainerSpec.Image = `${SWARM_IMAGE}@sha256:${"a".repeat(64)}`;
  spec.Spec.Mode.Replicated.Replicas = 2;
  const updated = await own.ask(`POST /services/${spec.ID}/update?version=${spec.Version.Index}`, spec.Spec);
  assert.equal(updated.status, 200);
  await eventually("it is scaled", async () => (await known(berth, id, "never")).service.desired === 2);
  assert.deepEqual(await told(), [...expected.slice(0, 2), ["replicas", "1", "2"], expected[2]]);
  const { body } = await berth.call("GET /api/services/traps_never");
  assert.equal(body.digest, `sha256:${"a".repeat(64)}`);
}

/** After a rollback the service is the one of before: the change that failed is drift, and its task says why. */
async function rolledBack(own: TestEngine, berth: TestService): Promise<void> {
  const text = (command: string) =>
    `services:
  web:
    image: ${SWARM_IMAGE}
    command: ${command}
    networks: [inside]
    deploy:
      update_config: { failure_action: rollback, monitor: 3s }
      restart_policy: { condition: none }
networks:
  inside: { external: true, name: host }
`;
  const { id, path } = await workspace(berth, "back", text("[idle]"));
  await deploy(own, berth.folder, "back", text("[idle]"));
  await eventually("it runs", async () => (await known(berth, id, "web")).state === "running");
  assert.equal((await known(berth, id, "web")).service.rolledBack, null);
  const failing = text('[sh, "-c", "exit 3"]');
  await save(berth, id, `${path}/compose.yaml`, failing);
  await deploy(own, berth.folder, "back", failing);
  const live = await eventually("it was rolled back", async () => {
    const { service, ...live } = await known(berth, id, "web");
    return service.rolledBack?.reason.startsWith("task:") ? { service, ...live } : null;
  });
  const { json: [theirs] } = await own.ask(
    `GET /services?filters=${encodeURIComponent('{"name":["back_web"]}')}`,
  );
  assert.match(theirs.UpdateStatus.State, /^rollback_/);
  assert.equal(live.service.rolledBack.reason, "task: non-zero exit (3)");
  assert.deepEqual(live.drift.map(({ field }: Told) => field), ["command"]);
  assert.equal(live.notCompared, null, "the network of the nodes is in no list, and known all the same");
}

Deno.test({
  name: "A unit that runs as a service differs where the service does, and says what cannot be compared",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(context) {
    await using own = engine!;
    await own.cli("swarm", "init", "--advertise-addr", "127.0.0.1");
    await own.cli("tag", FIXTURE, SWARM_IMAGE);
    await using berth = await serveEngines({ one: own });
    await context.step(
      "each field that differs from the file is told with its line",
      () => drifts(own, berth),
    );
    await context.step("what a secret holds is unknown, and no drift", () => secrets(own, berth));
    await context.step("what the client reads otherwise is told", () => traps(own, berth));
    await context.step("a rollback says when and why", () => rolledBack(own, berth));
  },
});
