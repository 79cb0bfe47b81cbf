/** The hold of hosts in a definition: the gate of a rollback finds all that a plan asks `projects:host` for. */
import assert from "node:assert/strict";
import { type ServiceFacts, serviceNeeds } from "../../../core/service_needs.ts";
import type { ServiceSpec } from "../../../core/service_spec.ts";
import { gainedRights, hostRightsOf } from "./host_rights.ts";
import { serviceWire } from "./service_wire.ts";

const MANNER = {
  parallelism: 1,
  delay: 1,
  failureAction: "pause",
  monitor: 1,
  maxFailureRatio: 0,
  order: "",
};
const FILE = { name: "f", target: "/f", uid: "0", gid: "0", mode: 0o444 };
const bare: ServiceSpec = {
  name: "s",
  labels: {},
  mode: "replicated",
  replicas: 1,
  container: { image: "a" },
  volumes: {},
  stopGrace: null,
  secrets: [],
  configs: [],
  ports: [],
  endpointMode: "vip",
  restart: null,
  limits: null,
  reservations: null,
  placement: { constraints: [], spread: [], maxPerNode: 0 },
  update: null,
  rollback: null,
};

const mount = (more: Record<string, unknown>) => ({
  mounts: [{ type: "volume", source: "", target: "/d", readOnly: false, options: [], ...more }],
});
const network = (more: Record<string, unknown>) => ({ networks: [{ name: "bridge", ...more }] });
const anonymous = mount({ source: "data" });

type Samples = {
  readonly [Key in keyof Required<ServiceSpec>]: readonly Partial<ServiceSpec>[];
};
type ContainerSamples = {
  readonly [Key in keyof Required<ServiceSpec["container"]>]: readonly unknown[];
};

/** Values that are risky wherever any is: a new key does not compile without one. */
const CONTAINER: ContainerSamples = {
  image: ["b"],
  command: [["x"]],
  entrypoint: [["x"]],
  env: [{ A: "1" }],
  labels: [{ "io.containers.autoupdate": "registry" }, { plain: "1" }],
  user: ["root"],
  workingDir: ["/"],
  hostname: ["h"],
  terminal: [true],
  stdinOpen: [true],
  stopSignal: ["KILL"],
  init: [true],
  readOnlyRoot: [true],
  dns: [["1.1.1.1"]],
  dnsSearch: [["x"]],
  extraHosts: [["a:1.1.1.1"]],
  capAdd: [["SYS_ADMIN"]],
  capDrop: [["ALL"]],
  sysctls: [{ "kernel.panic": "1" }, { "net.core.somaxconn": "1" }],
  ulimits: [{ nofile: { soft: 1, hard: 2 } }],
  isolation: ["process", "default"],
  healthcheck: [["CMD", "x"]],
  healthTimes: [{ interval: 1, timeout: 1, startPeriod: 1, startInterval: 1, retries: 1 }],
  log: [
    { driver: "syslog", options: {} },
    { driver: "json-file", options: { "syslog-address": "tcp://h:1" } },
    { driver: "json-file", options: { "max-size": "1m" } },
  ],
  mounts: [
    mount({ type: "bind", source: "/etc" }).mounts,
    mount({ type: "bind", source: "/etc", options: ["rshared"] }).mounts,
    mount({ source: "data" }).mounts,
    mount({ type: "npipe", source: "x" }).mounts,
    mount({ type: "tmpfs", options: ["size=1"] }).mounts,
    mount({}).mounts,
  ],
  networks: [
    network({}).networks,
    network({ name: "other" }).networks,
    network({ driverOptions: { a: "b" } }).networks,
  ],
};

const SAMPLES: Samples = {
  name: [{ name: "t" }],
  labels: [{ labels: { "ofelia.job-run.x.command": "y" } }, { labels: { plain: "1" } }],
  mode: [{ mode: "global" }],
  replicas: [{ replicas: 2 }],
  container: Object.entries(CONTAINER).flatMap(([key, values]) =>
    values.map((value) => ({ container: { image: "a", [key]: value } } as Partial<ServiceSpec>))
  ),
  volumes: [{ driver: "other", driverOptions: {} }, { driver: null, driverOptions: { o: "bind" } }].map((
    one,
  ) => ({ container: anonymous, volumes: { "/d": { ...one, labels: {} } } }) as Partial<ServiceSpec>),
  stopGrace: [{ stopGrace: 1 }],
  secrets: [{ secrets: [FILE] }],
  configs: [{ configs: [FILE] }],
  ports: [{ ports: [{ container: 1, host: 2, protocol: "tcp", mode: "host" }] }],
  endpointMode: [{ endpointMode: "dnsrr" }],
  restart: [{ restart: { condition: "any", delay: 1, maxAttempts: 1, window: 1 } }],
  limits: [{ limits: { cpus: 1, memoryBytes: 1, pids: 1 } }],
  reservations: [{ reservations: { cpus: 1, memoryBytes: 1, generic: [{ kind: "gpu", value: 1 }] } }],
  placement: [{ placement: { constraints: ["node.role==manager"], spread: [], maxPerNode: 1 } }],
  update: [{ update: MANNER }],
  rollback: [{ rollback: MANNER }],
};

const NOBODYS: ServiceFacts = {
  networkOwner: () => "unknown",
  volumeOwner: () => "unknown",
  fileOwner: () => "unknown",
};
const IDS = { secrets: new Map([["f", "id1"]]), configs: new Map([["f", "id2"]]) };
const OWN_FILES = (kind: string) => kind === "secret" || kind === "config";
const rightsOf = (spec: ServiceSpec) => hostRightsOf(serviceWire(spec, IDS), () => false);

Deno.test("a rollback's gate finds each part that a plan asks the host for, and no other", () => {
  assert.deepEqual(rightsOf(bare), []);
  let risky = 0;
  for (const [key, samples] of Object.entries(SAMPLES)) {
    for (const sample of samples) {
      const spec = { ...bare, ...sample };
      const needs = serviceNeeds(spec, NOBODYS).length > 0;
      if (needs) risky += 1;
      assert.equal(rightsOf(spec).length > 0, needs, `${key} ${JSON.stringify(sample)}`);
    }
  }
  assert.equal(risky, 17);
});

const running = (container: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  ...more,
  TaskTemplate: { ContainerSpec: container },
});

Deno.test("a rollback's gate finds what no plan can ask for", () => {
  const found = [
    running({ OomScoreAdj: -500 }),
    running({ Privileges: { Seccomp: { Mode: "unconfined" } } }),
    running({ NeverHeardOf: { A: 1 } }),
    running({ Mounts: [{ Type: "tmpfs", Target: "/t", TmpfsOptions: { Options: [["exec"]] } }] }),
    { TaskTemplate: { Runtime: "plugin", PluginSpec: { Remote: "x" } } },
    running({}, { Labels: { "com.docker.stack.namespace": "other" } }),
    running({}, { Labels: { "dev.berth.workspace": "other" } }),
  ];
  for (const one of found) assert.notDeepEqual(hostRightsOf(one, OWN_FILES), [], JSON.stringify(one));
  const none = running({ OomScoreAdj: 5, Privileges: { CredentialSpec: null, NoNewPrivileges: true } });
  assert.deepEqual(hostRightsOf(none, OWN_FILES), []);
});

Deno.test("a secret of the service's own stack takes no right, and another source is another right", () => {
  const spec = running({
    Secrets: [{ SecretID: "mine", SecretName: "a" }, { SecretID: "other", SecretName: "b" }],
  });
  assert.deepEqual(hostRightsOf(spec, (_kind, id) => id === "mine"), ["secret other"]);
  const bind = (Source: string) =>
    hostRightsOf(running({ Mounts: [{ Type: "bind", Source, Target: "/t" }] }), OWN_FILES).join();
  assert.notEqual(bind("/etc"), bind("/srv"));
});

Deno.test("A removed service gains what it had of hosts, and neither its owner nor what is its stack's own", () => {
  const before = {
    ...running({ Mounts: [{ Type: "bind", Source: "/etc", Target: "/host" }] }),
    Networks: [{ Target: "own" }],
    Labels: { "com.docker.stack.namespace": "shop" },
  };
  const isOwn = (_kind: string, id: string) => id === "own";

  assert.match(gainedRights(before, null, isOwn).join(), /^mount [^\n]*"\/etc"[^\n]*$/);
  assert.deepEqual(gainedRights({ ...before, ...running({}) }, null, isOwn), []);
  assert.match(gainedRights({ ...before, ...running({}) }, null, () => false).join(), /^network own/);
  assert.deepEqual(gainedRights(before, before, isOwn), []);
});
