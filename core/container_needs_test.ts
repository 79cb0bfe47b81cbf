/** The table of rights: each value of each field is harmless or needs a right. */
import assert from "node:assert/strict";
import { containerNeeds, joinNeeds } from "./container_needs.ts";
import { buildNeeds, commandNeeds, networkNeeds, volumeNeeds } from "./object_needs.ts";
import type { BuildSpec } from "./engine_acts.ts";
import type { ContainerSpec } from "./runtime.ts";
import type { HostPlace, SpecFacts } from "./spec_rows.ts";

const FACTS: SpecFacts = {
  isOwnContainer: (container) => container === "mine",
  specOf: () => ({}),
  networkOwner: (name) => ["own", "pasta"].includes(name) ? "own" : name === "theirs" ? "other" : "unknown",
  volumeOwner: (name) => /^(?:own|[./].*)$/.test(name) ? "own" : name === "theirs" ? "other" : "unknown",
  isDriversVolume: (name) => name === "bound",
  placeOf: (source) =>
    source.startsWith("/w/own")
      ? "own"
      : source.startsWith("/w/shared")
      ? "shared"
      : source.startsWith("/w")
      ? "workspace"
      : "outside",
  isAboveMount: (source) => source === "/w/own/above",
};

type Spec = Partial<ContainerSpec>;
const bind = (source: string, options: readonly string[] = []): Spec => ({
  mounts: [{ type: "bind", source, target: "/x", readOnly: false, options }],
});
const network = (name: string, more = {}): ContainerSpec["networks"][number] => ({
  name,
  aliases: [],
  ipv4Address: null,
  ipv6Address: null,
  linkLocalAddresses: [],
  macAddress: null,
  links: [],
  driverOptions: {},
  gatewayPriority: 0,
  ...more,
});

const HOST: readonly Spec[] = [
  { privileged: true },
  { capAdd: ["NET_RAW"] },
  { devices: [{ source: "/dev/null", target: "/dev/null", rights: "r" }] },
  { deviceRules: ["c 1:3 r"] },
  { deviceRequests: [{ driver: "", count: -1, ids: [], capabilities: ["gpu"], options: {} }] },
  { runtime: "runc" },
  { annotations: { a: "b" } },
  { cgroupParent: "/x" },
  { storageOptions: { size: "1G" } },
  { isolation: "hyperv" },
  { oomScoreAdjustment: -1 },
  { oomKillDisabled: true },
  { volumesFrom: ["theirs:ro"] },
  { labels: { "ofelia.job-local.x.command": "id" } },
  { labels: { "ofelia.job-run.x.volume": "/:/host" } },
  { labels: { "ofelia.service": "true" } },
  { labels: { "io.containers.autoupdate": "registry" } },
  { sysctls: { "kernel.core_pattern": "|/x" } },
  { sysctls: { "vm.overcommit_memory": "1" } },
  { sysctls: { "kernel.semantics": "1" } },
  ...[
    "seccomp=unconfined",
    "apparmor=unconfined",
    "label=disable",
    "no-new-privileges:false",
    "systempaths=unconfined",
  ]
    .map((one): Spec => ({ securityOptions: [one] })),
  ...[
    "host",
    "container:theirs",
    "ns:/proc/1/ns/net",
    "pod:x",
    "slirp4netns:port_handler=x",
    "pasta:-T,22",
    "pasta",
    "unknown",
  ]
    .map((networkMode): Spec => ({ networkMode })),
  ...["host", "container:theirs", "ns:/proc/1/ns/pid", "pod", "keep-id", "auto", "nomap"].flatMap((
    mode,
  ): Spec[] => [
    { pidMode: mode },
    { ipcMode: mode },
    { utsMode: mode },
    { userMode: mode },
    { cgroupMode: mode },
  ]),
  ...["syslog", "gelf", "fluentd", "awslogs", "splunk", "gcplogs", "k8s-file", "passthrough"]
    .map((driver): Spec => ({ log: { driver, options: {} } })),
  ...["path", "syslog-address", "cache-disabled", "size"]
    .map((one): Spec => ({ log: { driver: "local", options: { [one]: "x" } } })),
  bind("/etc"),
  bind("/w/shared/x"),
  bind("/w/own/above"),
  ...["shared", "rshared", "slave", "rslave", "exec", "O", "U", "idmap", "upperdir=/x"]
    .map((one) => bind("/w/own", [one])),
  { mounts: [{ type: "npipe", source: "x", target: "/x", readOnly: false, options: [] }] },
  { mounts: [{ type: "glob", source: "/e*", target: "/x", readOnly: false, options: [] }] },
  ...["/etc", "../etc", "./etc"].map((source): Spec => ({
    mounts: [{ type: "volume", source, target: "/x", readOnly: false, options: [] }],
  })),
  { networks: [network("host")] },
  { networks: [network("own", { driverOptions: { "com.docker.network.endpoint.sysctls": "x" } })] },
  { networks: [network("own", { links: ["theirs:db"] })] },
];

const HARMLESS: readonly Spec[] = [
  { labels: { "ofelia.enabled": "true", "ofelia.job-exec.x.command": "id" } },
  { networkMode: "none" },
  { networkMode: "bridge" },
  { networkMode: "own" },
  { networkMode: "container:mine" },
  { pidMode: "container:mine", ipcMode: "shareable", utsMode: "private", userMode: "" },
  { volumesFrom: ["mine:ro"] },
  { securityOptions: ["no-new-privileges:true", "no-new-privileges"] },
  { sysctls: { "net.core.somaxconn": "1", "kernel.shmmax": "1", "fs.mqueue.msg_max": "1" } },
  { log: { driver: "json-file", options: { "max-size": "1m", "max-file": "3" } } },
  { oomScoreAdjustment: 500, capDrop: ["ALL"], readOnlyRoot: true, privileged: false, capAdd: [] },
  bind("/w/own/data", ["Z"]),
  { mounts: [{ type: "bind", source: "/w/own/above", target: "/x", readOnly: true, options: [] }] },
  { mounts: [{ type: "volume", source: "", target: "/x", readOnly: false, options: ["nocopy"] }] },
  { mounts: [{ type: "volume", source: "own", target: "/x", readOnly: false, options: [] }] },
  {
    mounts: [{ type: "tmpfs", source: "", target: "/x", readOnly: false, options: ["size=1", "mode=1777"] }],
  },
  {
    networks: [
      network("own", { links: ["mine:db"], driverOptions: { "com.docker.network.endpoint.ifname": "a" } }),
    ],
  },
];

Deno.test("Values that reach the host need its permission, with the field and a reason", () => {
  for (const spec of HOST) {
    const [need] = containerNeeds(spec, FACTS);
    assert.equal(need?.right, "host", JSON.stringify(spec));
    assert.ok(need !== undefined && need.field !== "" && need.why !== "");
  }
});

Deno.test("Values that stay within the project need nothing", () => {
  for (const spec of HARMLESS) assert.deepEqual(containerNeeds(spec, FACTS), [], JSON.stringify(spec));
});

Deno.test("What belongs to others needs the right to it", () => {
  assert.equal(containerNeeds(bind("/w/else"), FACTS)[0]?.right, "workspace");
  assert.equal(containerNeeds({ networkMode: "theirs" }, FACTS)[0]?.right, "network");
  assert.equal(joinNeeds(network("theirs"), FACTS)[0]?.right, "network");
  const mounts = [{ type: "volume", source: "theirs", target: "/x", readOnly: true, options: [] }];
  assert.deepEqual(containerNeeds({ mounts }, FACTS).map(({ right, name }) => [right, name]), [[
    "volume",
    "theirs",
  ]]);
});

Deno.test("A field that the table does not know needs the host", () => {
  assert.equal(containerNeeds({ added: true } as Spec, FACTS)[0]?.right, "host");
});

/** Judges the container `top` of some that are all of the project. */
const neededBy = (specs: Readonly<Record<string, Spec>>) =>
  containerNeeds(specs["top"]!, {
    ...FACTS,
    isOwnContainer: (one) => one in specs,
    specOf: (one) => specs[one] ?? null,
  });

Deno.test("What services take over from each other is judged once, on however many paths and through long chains", () => {
  const outside = bind("/etc");
  const layers: Record<string, Spec> = { top: { volumesFrom: ["a29:ro", "b29"] }, a0: outside, b0: {} };
  for (let n = 1; n < 30; n++) {
    for (const one of ["a", "b"]) layers[`${one}${n}`] = { volumesFrom: [`a${n - 1}:ro`, `b${n - 1}:rw`] };
  }
  const chain: Record<string, Spec> = { top: { pidMode: "container:s19999" }, s0: { networkMode: "host" } };
  for (let n = 1; n < 20_000; n++) chain[`s${n}`] = { networkMode: `container:s${n - 1}` };
  for (const [specs, field] of [[layers, "volumesFrom"], [chain, "pid"]] as const) {
    assert.deepEqual(neededBy(specs).map((one) => [one.right, one.field]), [["host", field]]);
  }
  const circle = {
    top: { pidMode: "container:a" },
    a: { pidMode: "container:b" },
    b: { pidMode: "container:a" },
  };
  assert.deepEqual(neededBy(circle), []);
});

Deno.test("A service in the processes of another one has its devices and its lack of confinement", () => {
  for (
    const one of [
      { devices: [{ source: "/dev/sda", target: "/dev/sda", rights: "r" }] },
      { deviceRules: ["b 8:* r"] },
      { deviceRequests: [{ driver: "", count: -1, ids: [], capabilities: ["gpu"], options: {} }] },
      { securityOptions: ["seccomp=unconfined"] },
    ]
  ) {
    const [need] = neededBy({ top: { pidMode: "container:a" }, a: one });
    assert.deepEqual([need?.right, need?.field], ["host", "pid"], JSON.stringify(one));
    assert.deepEqual(neededBy({ top: { ipcMode: "container:a" }, a: one }), []);
  }
});

Deno.test("Networks, volumes and commands have tables of their own", () => {
  const pool = { subnet: "10.1.0.0/24", range: null, gateway: "10.1.0.1", reserved: {} };
  assert.deepEqual(networkNeeds({ driver: "bridge", internal: true, pools: [pool], labels: { a: "b" } }), []);
  assert.deepEqual(volumeNeeds({ driver: "local", driverOptions: {} }), []);
  assert.deepEqual(commandNeeds({ privileged: false, user: "root" }), []);
  for (
    const needs of [
      networkNeeds({ driver: "macvlan" }),
      networkNeeds({ driverOptions: { parent: "eth0" } }),
      networkNeeds({ ipamDriver: "dhcp" }),
      ...["8.8.8.0/24", "10.0.0.0/7", "0.0.0.0/0", "172.32.0.0/16", "2001:db8::/32"]
        .concat(["192.168.0.0/12", "169.254.169.0/24", "100.64.0.0/10", "fe80::/10", "fd00::/7"])
        .map((subnet) => networkNeeds({ pools: [{ ...pool, subnet }] })),
      volumeNeeds({ driver: "nfs" }),
      volumeNeeds({ driverOptions: { type: "none", o: "bind", device: "/" } }),
      commandNeeds({ privileged: true }),
    ]
  ) assert.equal(needs[0]?.right, "host");
});

const BUILD: BuildSpec = {
  tags: ["shop-web", "registry.lan/team/web:1"],
  dockerfile: "Dockerfile",
  target: "last",
  args: { HTTP_PROXY: "http://proxy.lan" },
  labels: { own: "label" },
  network: "",
  extraHosts: ["host.docker.internal:host-gateway"],
  cacheFrom: ["shop-web:before"],
  platform: "linux/arm64",
  shmBytes: 64 * 1_024 ** 2,
  noCache: true,
  pull: true,
};

/** A build of Docker's builder from the project's own folder, but for what is said. */
interface BuildCase {
  readonly spec?: Partial<BuildSpec>;
  readonly place?: HostPlace;
  readonly engine?: "docker" | "podman";
  /** The rights that it needs, each with the field that wants it. */
  readonly needs: readonly string[];
}

const BUILDS: readonly BuildCase[] = [
  { needs: [] },
  ...["default", "none", "bridge"].map((network): BuildCase => ({ spec: { network }, needs: [] })),
  ...["host", "container:theirs", "shop_default", "ns:/proc/1/ns/net"]
    .map((network): BuildCase => ({ spec: { network }, needs: ["host build.network"] })),
  {
    spec: { labels: { "ofelia.job-local.x.command": "id" } },
    needs: ["host labels.ofelia.job-local.x.command"],
  },
  { place: "workspace", needs: ["workspace build.context"] },
  ...(["shared", "outside"] as const)
    .map((place): BuildCase => ({ place, needs: ["host build.context"] })),
  { engine: "podman", needs: ["host build"] },
  {
    engine: "podman",
    place: "outside",
    spec: { network: "host" },
    needs: ["host build.network", "host build.context", "host build"],
  },
  { spec: { added: true } as Partial<BuildSpec>, needs: ["host added"] },
];

Deno.test("A build needs the host where it reaches further than the project's own folder", () => {
  for (const { spec, place = "own", engine = "docker", needs } of BUILDS) {
    const found = buildNeeds({ ...BUILD, ...spec }, place, engine);
    assert.deepEqual(found.map(({ right, field }) => `${right} ${field}`), needs, JSON.stringify(spec));
    assert.ok(found.every(({ why }) => why !== ""));
  }
});
