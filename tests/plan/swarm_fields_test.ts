/** No key of a real Compose file is dropped in silence where its unit runs as a service: it differs, or berth says why not. */
import assert from "node:assert/strict";
import type { Group, Model, Node, Unit } from "../../artifacts/artifact.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import type { KnownService } from "../../core/running_services.ts";
import { notComparedWithService, serviceDifferences } from "../../projects/fields/service_table.ts";
import { corpus } from "../support/corpus.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

const POLICY = {
  parallelism: 9,
  delay: 9,
  failureAction: "odd",
  monitor: 9,
  maxFailureRatio: 0.9,
  order: "odd",
};

/** A service of which no field is what a file asks for. */
const ODD = {
  service: { id: "odd", name: "odd", mode: "odd", desired: 99, ports: [] },
  definition: {
    image: "odd:99",
    command: ["odd"],
    entrypoint: ["odd"],
    env: {},
    labels: {},
    serviceLabels: { odd: "1" },
    user: "odd",
    groupAdd: ["odd"],
    workingDir: "/odd",
    hostname: "odd",
    terminal: null,
    stdinOpen: null,
    init: null,
    stopSignal: "SIGODD",
    stopTimeoutSeconds: 99,
    readOnlyRoot: null,
    isolation: "odd",
    oomScoreAdjustment: 99,
    sysctls: {},
    capAdd: ["ODD"],
    capDrop: ["ODD"],
    ulimits: {},
    dns: ["9.9.9.9"],
    dnsSearch: ["odd"],
    dnsOptions: ["odd"],
    extraHosts: ["odd:9.9.9.9"],
    healthcheck: ["CMD", "odd"],
    healthTimes: { interval: 9, timeout: 9, startPeriod: 9, startInterval: 9, retries: 99 },
    memoryLimitBytes: 99,
    cpus: 99,
    pidsLimit: 99,
    memoryReservationBytes: 99,
    cpusReserved: 99,
    generic: { odd: "9" },
    log: { driver: "odd", options: {} },
    mounts: [],
    secrets: [],
    configs: [],
    restart: { condition: "odd", delay: 9, maxAttempts: 99, window: 9 },
    networks: [{ name: "odd", aliases: [], driverOptions: {} }],
    placement: { constraints: ["odd"], spread: ["odd"], maxPerNode: 99 },
    update: POLICY,
    rollback: POLICY,
    endpointMode: "odd",
  },
} as unknown as KnownService; // some values are none that a swarm has

/** Keys that change nothing in a task, each with the reason. */
const NOTHING: Readonly<Record<string, string>> = {
  attach: "of `docker compose up` alone",
  build: "nodes pull images",
  container_name: "tasks have names of their own, as a rule says",
  depends_on: "an order, as a rule says",
  develop: "of `docker compose watch` alone",
  expose: "services of a network reach every port of each other",
  extends: "read before",
  links: "services of a network reach each other by name",
  profiles: "says whether the service is there",
  pull_policy: "nodes pull what the service is pinned to",
};

/** Returns the keys of a unit that nothing tells of. */
function silent(model: Model, group: Group, unit: Unit): string[] {
  if (unit.service === null || unit.value.kind !== "mapping") return [];
  const of = { model, group, unit, service: unit.service };
  const ofMode = (mode: string) =>
    serviceDifferences(of, { ...ODD, service: { ...ODD.service, mode: mode as "global" } }); // as ODD
  const found = [...ofMode("odd"), ...ofMode("replicated")];
  const told = new Set(notComparedWithService(unit, ODD.definition));
  const isIn = ({ file, start, end }: Node) =>
    found.some(({ at }) => at.file === file && at.start >= start && at.end <= end);
  const keys = [...unit.value.entries].flatMap(([key, { value }]) =>
    key === "deploy" && value.kind === "mapping"
      ? [...value.entries].map(([name, one]) => [`deploy.${name}`, one.value] as const)
      : [[key, value] as const]
  );
  return keys.flatMap(([key, value]) => {
    const isTold = told.has(key) || [...told].some((one) => one.startsWith(`${key}.`)) || isIn(value);
    return isTold || key.startsWith("x-") || key in NOTHING || asksNothing(value, key) ||
        found.some(({ field, at }) => field === key || (key === "env_file" && at.file.kind === "env")) ||
        (key === "env_file" &&
          unit.paths.every(({ kind, file }) => kind !== key || (file?.text ?? "") === ""))
      ? []
      : [`${unit.name}: ${key}`];
  });
}

/** Also a variable that nobody set, in which berth knows nothing to ask for, and a name that takes a value from there. */
function asksNothing(node: Node, key = ""): boolean {
  if (node.kind === "mapping") return [...node.entries.values()].every(({ value }) => asksNothing(value));
  if (node.kind === "list") return node.items.every((item) => asksNothing(item) || isOpen(item, key));
  return node.value === null || node.unknown === true || node.value === false;
}

const isOpen = (item: Node, key: string): boolean =>
  item.kind === "mapping"
    ? [...item.entries.values()].some(({ value }) => value.kind === "scalar" && value.unknown === true)
    : key === "environment" && item.kind === "scalar" && /^[A-Z_]+$/.test(String(item.value));

for (const part of ["awesome-compose", "compose", "compose-go"] as const) {
  Deno.test(`every key of a service in ${part} is compared, ignored by name, or said to be not compared`, async () => {
    const folder = corpus(part);
    if (folder === null) return;
    const model = await new WorkspaceReader(folder).read();
    const units = mainGroups(model).flatMap((group) => group.units.map((unit) => [group, unit] as const));
    assert.ok(units.length > 20);
    assert.deepEqual(units.flatMap(([group, unit]) => silent(model, group, unit)), []);
  });
}

Deno.test("a key that nobody knows is said to be not compared, and an ignored one differs", async () => {
  await using files = await workspaceFolder({
    "compose.yaml":
      "services:\n  web:\n    image: a:1\n    privileged: true\n    credential_spec: { file: a }\n",
  });
  const model = await files.read();
  const [group] = mainGroups(model) as [Group]; // there is one
  const [unit] = group.units as [Unit]; // as above
  assert.deepEqual(notComparedWithService(unit, ODD.definition), ["credential_spec"]);
  const found = serviceDifferences({ model, group, unit, service: unit.service! }, ODD);
  const [privileged] = found.filter(({ field }) => field === "privileged");
  assert.deepEqual([privileged?.declared, privileged?.seen], ["true", "(a swarm ignores it)"]);
});

Deno.test("A difference of a service shows variables as they are written, and no option whose name tells of a secret", async () => {
  await using files = await workspaceFolder({
    "compose.yaml": [
      "services:",
      "  web:",
      "    image: a:1",
      "    hostname: ${WORD}",
      "    networks: { odd: { driver_opts: { vpn.credential: canary1, mode: '${WORD}' } } }",
      "    deploy:",
      "      labels: { kind: '${WORD}' }",
      "      placement: { constraints: ['node.labels.kind==${WORD}'] }",
      "networks: { odd: { name: odd } }",
      "",
    ].join("\n"),
    ".env": "WORD=canary2\n",
  });
  const model = await files.read();
  const [group] = mainGroups(model) as [Group]; // there is one
  const [unit] = group.units as [Unit]; // as above
  const networks = [{ name: "odd", aliases: [], driverOptions: { "vpn.credential": "canary3" } }];
  const found = serviceDifferences({ model, group, unit, service: unit.service! }, {
    ...ODD,
    definition: { ...ODD.definition, networks },
  });
  assert.doesNotMatch(
    JSON.stringify(found.map(({ field, declared, seen }) => [field, declared, seen])),
    /canary/,
  );
  for (const field of ["hostname", "deploy.labels.kind", "placement.constraints", "driverOptions.odd"]) {
    assert.match(found.find((one) => one.field === field)?.declared ?? "", /\$\{WORD\}/, field);
  }
});
