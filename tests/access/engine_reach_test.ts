/**
 * Two lists that were written apart say what a request to an engine reaches: berth's table of rights, and
 * `engine_reach.ts` from the engines' documentation. Each request that berth can send is judged by both.
 */
import assert from "node:assert/strict";
import { containerNeeds, joinNeeds } from "../../core/container_needs.ts";
import type { NetworkSpec, VolumeSpec } from "../../core/engine_acts.ts";
import { networkNeeds, volumeNeeds } from "../../core/object_needs.ts";
import type { ContainerSpec } from "../../core/runtime.ts";
import type { SpecFacts, SpecNeed } from "../../core/spec_rows.ts";
import { LinkActs } from "../../plugins/containers/acts/engine_acts.ts";
import { attachedTo } from "../proof/unasked.ts";
import {
  CONFIG,
  ENDPOINT,
  type Field,
  HOST_CONFIG,
  MOUNT,
  NETWORK,
  type Reach,
  reachOf,
  VOLUME,
} from "./engine_reach.ts";

// deno-lint-ignore no-explicit-any -- the engine's own words
type Wire = any;

/** Nothing is the project's own: so each name is somebody else's. */
const FOREIGN: SpecFacts = {
  isOwnContainer: () => false,
  specOf: () => null,
  networkOwner: () => "other",
  volumeOwner: () => "other",
  isDriversVolume: () => false,
  placeOf: () => "outside",
  isAboveMount: () => false,
};

const RANK: readonly Reach[] = ["own", "others", "host"];
const isWorse = (one: Reach, other: Reach) => RANK.indexOf(one) > RANK.indexOf(other);
const judged = (needs: readonly SpecNeed[]): Reach =>
  needs.length === 0 ? "own" : needs.some(({ right }) => right === "host") ? "host" : "others";

const mount = (type: string, source: string, options: readonly string[] = []) => ({
  mounts: [{ type, source, target: "/x", readOnly: false, options }],
});
const joined = (more: Partial<ContainerSpec["networks"][number]>) => ({
  networks: [{ ...attachedTo("theirs"), ...more }],
});
const MODES = [
  "",
  "private",
  "shareable",
  "host",
  "container:theirs",
  "ns:/proc/1/ns/x",
  "pod:x",
  "keep-id",
  "auto",
];
const SYSCTLS = ["net.core.somaxconn", "fs.mqueue.msg_max", "kernel.shmmax", "kernel.sem", "kernel.semantics"]
  .concat([
    "kernel.core_pattern",
    "vm.swappiness",
    "fs.file-max",
    "kernel.pid_max",
    "user.max_user_namespaces",
  ]);
const LOGS = ["", "none", "local", "json-file", "journald", "syslog", "gelf", "fluentd", "awslogs", "splunk"];
const LABELS = [
  "a",
  "ofelia.service",
  "ofelia.job-local.x.command",
  "ofelia.job-run.x.volume",
  "ofelia.enabled",
]
  .concat(["io.containers.autoupdate", "io.containers.autoupdate/x"]);

/** Values of each field; a new field does not compile without some. */
const CONTAINERS: { readonly [Key in keyof Required<ContainerSpec>]: readonly Partial<ContainerSpec>[] } = {
  name: [{ name: "x" }],
  image: [{ image: "theirs" }],
  command: [{ command: ["sh"] }],
  entrypoint: [{ entrypoint: ["sh"] }],
  env: [{ env: { A: "b", LD_PRELOAD: "/x", C: null } }],
  labels: LABELS.map((name) => ({ labels: { [name]: "x" } })),
  user: [{ user: "0:0" }],
  workingDir: [{ workingDir: "/proc/self/fd/8" }],
  hostname: [{ hostname: "x" }],
  domainname: [{ domainname: "x" }],
  terminal: [{ terminal: true }],
  stdinOpen: [{ stdinOpen: true }],
  stopSignal: [{ stopSignal: "SIGKILL" }],
  stopTimeoutSeconds: [{ stopTimeoutSeconds: 1 }],
  init: [{ init: true }],
  restart: [{ restart: { name: "always", maximumRetries: 0 } }],
  ports: [{ ports: [{ container: 80, protocol: "tcp", host: 80, address: "0.0.0.0" }] }],
  exposedPorts: [{ exposedPorts: ["80/tcp"] }],
  mounts: [
    mount("bind", "/etc"),
    mount("bind", "/w", ["rshared"]),
    mount("bind", "/w", ["recursive=disabled"]),
    mount("bind", "/a:b"),
    mount("volume", "theirs"),
    mount("volume", "theirs", ["subpath=x"]),
    mount("volume", ""),
    mount("tmpfs", "", ["size=1"]),
    mount("image", "theirs"),
    mount("npipe", "x"),
    mount("cluster", "x"),
  ],
  files: [],
  tmpfs: [{ tmpfs: { "/x": "size=1m,exec,dev,suid" } }],
  volumesFrom: [{ volumesFrom: ["theirs:ro"] }],
  networks: [
    joined({}),
    joined({
      aliases: ["a"],
      ipv4Address: "10.0.0.8",
      ipv6Address: "fd00::8",
      linkLocalAddresses: ["169.254.8.8"],
    }),
    joined({ macAddress: "02:42:ac:11:00:02", gatewayPriority: 1 }),
    joined({ links: ["theirs:db"] }),
    joined({ driverOptions: { "com.docker.network.endpoint.sysctls": "x" } }),
    joined({ driverOptions: { "com.docker.network.endpoint.ifname": "x" } }),
    joined({ name: "host" }),
  ],
  links: [{ links: ["theirs:db"] }],
  networkMode: [
    "",
    "none",
    "bridge",
    "default",
    "host",
    "theirs",
    "container:theirs",
    "ns:/x",
    "pod:x",
    "pasta:-T,22",
  ]
    .concat(["slirp4netns", "slirp4netns:allow_host_loopback=true", "pasta", "private"]).map((
      networkMode,
    ) => ({ networkMode })),
  ipcMode: MODES.map((ipcMode) => ({ ipcMode })),
  pidMode: MODES.map((pidMode) => ({ pidMode })),
  utsMode: MODES.map((utsMode) => ({ utsMode })),
  cgroupMode: MODES.map((cgroupMode) => ({ cgroupMode })),
  userMode: MODES.map((userMode) => ({ userMode })),
  cgroupParent: [{ cgroupParent: "/" }],
  storageOptions: [{ storageOptions: { size: "1G" } }, { storageOptions: {} }],
  isolation: ["", "default", "process", "hyperv"].map((isolation) => ({ isolation })),
  dns: [{ dns: ["127.0.0.1"] }],
  dnsSearch: [{ dnsSearch: ["x"] }],
  dnsOptions: [{ dnsOptions: ["use-vc"] }],
  extraHosts: [{ extraHosts: ["x:host-gateway"] }],
  privileged: [{ privileged: true }, { privileged: false }],
  readOnlyRoot: [{ readOnlyRoot: true }],
  capAdd: [{ capAdd: ["CHOWN"] }, { capAdd: [] }],
  capDrop: [{ capDrop: ["ALL"] }],
  securityOptions: [
    "no-new-privileges",
    "no-new-privileges:true",
    "no-new-privileges=false",
    "seccomp=unconfined",
  ]
    .concat([
      "apparmor=unconfined",
      "label=disable",
      "label=type:x",
      "systempaths=unconfined",
      "unmask=ALL",
      "mask=/x",
    ])
    .map((one) => ({ securityOptions: [one] })),
  groupAdd: [{ groupAdd: ["0", "docker", "keep-groups"] }],
  runtime: [{ runtime: "runc" }, { runtime: "" }],
  sysctls: SYSCTLS.map((name) => ({ sysctls: { [name]: "1" } })),
  ulimits: [{ ulimits: { nofile: { soft: 1, hard: 1 } } }],
  devices: [{ devices: [{ source: "/dev/null", target: "/dev/x", rights: "r" }] }, { devices: [] }],
  deviceRules: [{ deviceRules: ["c 1:3 r"] }, { deviceRules: [] }],
  deviceRequests: [{
    deviceRequests: [{ driver: "", count: -1, ids: [], capabilities: ["gpu"], options: {} }],
  }],
  annotations: [{ annotations: { "run.oci.handler": "krun" } }, { annotations: {} }],
  platform: [{ platform: "linux/arm64" }],
  log: [
    ...LOGS.map((driver) => ({ log: { driver, options: {} } })),
    ...["max-size", "tag", "path", "syslog-address", "compress", "mode", "splunk-capath", "size"]
      .map((name) => ({ log: { driver: "json-file", options: { [name]: "1" } } })),
  ],
  memoryLimitBytes: [{ memoryLimitBytes: 1 }],
  memoryReservationBytes: [{ memoryReservationBytes: 1 }],
  memorySwapBytes: [{ memorySwapBytes: -1 }],
  sharedMemoryBytes: [{ sharedMemoryBytes: 1 }],
  cpus: [{ cpus: 1 }],
  cpuShares: [{ cpuShares: 1 }],
  cpuPeriod: [{ cpuPeriod: 1 }],
  cpuQuota: [{ cpuQuota: 1 }],
  memorySwappiness: [{ memorySwappiness: 1 }],
  blockIo: [
    "weight",
    "weight /dev/sda",
    "readBps /dev/sda",
    "readIops /dev/sda",
    "writeBps /dev/sda",
    "writeIops /dev/sda",
  ]
    .map((name) => ({ blockIo: { [name]: 10 } })),
  cpuset: [{ cpuset: "0" }],
  pidsLimit: [{ pidsLimit: -1 }],
  oomScoreAdjustment: [{ oomScoreAdjustment: -1 }, { oomScoreAdjustment: 1 }],
  oomKillDisabled: [{ oomKillDisabled: true }, { oomKillDisabled: false }],
  healthcheck: [{ healthcheck: ["CMD", "true"] }],
  healthTimes: [{ healthTimes: { interval: 1, timeout: 1, startPeriod: 1, startInterval: 1, retries: 1 } }],
};

const pool = (subnet: string) => ({ subnet, range: null, gateway: null, reserved: {} });
const RANGES = ["10.1.0.0/24", "172.16.0.0/12", "192.168.0.0/16", "fd00::/64"]
  .concat(["8.8.8.0/24", "10.0.0.0/7", "192.168.0.0/12", "172.16.0.0/8", "169.254.169.0/24", "100.64.0.0/10"])
  .concat(["fe80::/10", "2001:db8::/32", "0.0.0.0/0", "::/0"]);

const NETWORKS: { readonly [Key in keyof Required<NetworkSpec>]: readonly Partial<NetworkSpec>[] } = {
  name: [],
  driver: ["", "bridge", "macvlan", "ipvlan", "host", "overlay", "plugin"].map((driver) => ({ driver })),
  driverOptions: [{ driverOptions: {} }, { driverOptions: { parent: "eth0" } }],
  internal: [{ internal: true }],
  attachable: [{ attachable: true }],
  ipv4: [{ ipv4: false }],
  ipv6: [{ ipv6: true }],
  ipamDriver: ["", "default", "dhcp"].map((ipamDriver) => ({ ipamDriver })),
  ipamOptions: [{ ipamOptions: {} }, { ipamOptions: { a: "b" } }],
  pools: [
    ...RANGES.map((subnet) => ({ pools: [pool(subnet)] })),
    { pools: [{ ...pool("10.1.0.0/24"), range: "8.8.8.0/24" }] },
    { pools: [{ ...pool("10.1.0.0/24"), gateway: "8.8.8.8" }] },
    { pools: [{ ...pool("10.1.0.0/24"), reserved: { a: "8.8.8.8" } }] },
  ],
  labels: LABELS.map((name) => ({ labels: { [name]: "x" } })),
};

const VOLUMES: { readonly [Key in keyof Required<VolumeSpec>]: readonly Partial<VolumeSpec>[] } = {
  name: [],
  driver: ["", "local", "nfs", "plugin"].map((driver) => ({ driver })),
  driverOptions: [{ driverOptions: {} }, { driverOptions: { type: "none", o: "bind", device: "/" } }],
  labels: LABELS.map((name) => ({ labels: { [name]: "x" } })),
};

/** Collects the body that is sent in place of an engine. */
async function sent(act: (acts: LinkActs) => Promise<unknown>): Promise<Wire> {
  const bodies: Wire[] = [];
  const touch = () => {};
  const link: Wire = {
    engine: {
      post: (_path: unknown, { body }: Wire) => {
        bodies.push(body);
        return Promise.resolve({ text: '{"Id":"x"}' });
      },
    },
    mirror: { containers: { touch, nameOf: () => "x" }, networks: { touch }, volumes: { touch } },
  };
  // The parts of a link that making things needs; an engine is not asked.
  await act(new LinkActs(link, null as Wire, null as Wire));
  assert.equal(bodies.length, 1);
  return bodies[0];
}

/** Every wire field that a request used, by list. */
const used = new Set<string>();

function reachIn(list: Readonly<Record<string, Field>>, of: string, body: Wire): readonly [string, Reach][] {
  return Object.entries(body ?? {}).map(([key, value]) => {
    used.add(`${of}.${key}`);
    const field = list[key];
    assert.ok(field, `The second list does not know ${of}.${key}`);
    return [`${of}.${key}`, reachOf(field, value)] as const;
  });
}

function containerReach(
  { HostConfig, NetworkingConfig, ...config }: Wire,
): readonly (readonly [string, Reach])[] {
  for (const one of HostConfig?.Mounts ?? []) reachIn(MOUNT, "Mount", one);
  return [
    ...reachIn(CONFIG, "Config", config),
    ...reachIn(HOST_CONFIG, "HostConfig", HostConfig),
    ...Object.entries(NetworkingConfig?.EndpointsConfig ?? {}).flatMap(([name, endpoint]) => [
      [`network ${name}`, name === "host" ? "host" : "others"] as const,
      ...reachIn(ENDPOINT, "Endpoint", endpoint),
    ]),
  ];
}

/** The name of what is made is judged by its owner, where something has it already. */
function withoutName(of: string, { Name: _, ...rest }: Wire): Wire {
  used.add(`${of}.Name`);
  return rest;
}

/** Cases in which the second list is more afraid, and why berth is not. */
const AGREED: readonly (readonly [words: RegExp, why: string])[] = [
  [/"com\.docker\.network\.endpoint\.ifname":"x"/, "names the interface in the container's own namespace"],
  [/^blockIo \{"\w+ \/dev\/sda"/, "limits the container's own share of a device, and opens none"],
];

/** Fields of the second list that berth never sends; one that it begins to send is judged from then on. */
const NEVER_SENT: Readonly<Record<string, string>> = {
  Config: "ArgsEscaped AttachStderr AttachStdin AttachStdout NetworkDisabled OnBuild Shell StdinOnce",
  HostConfig:
    "AutoRemove Cgroup ConsoleSize ContainerIDFile CpuCount CpuPercent CpuRealtimePeriod CpuRealtimeRuntime CpusetMems IOMaximumBandwidth IOMaximumIOps KernelMemory KernelMemoryTCP PublishAllPorts VolumeDriver",
  Endpoint:
    "DNSNames EndpointID Gateway GlobalIPv6Address GlobalIPv6PrefixLen IPAddress IPPrefixLen IPv6Gateway NetworkID",
  Mount: "ClusterOptions Consistency",
  Network: "ConfigFrom ConfigOnly Ingress Scope",
  Volume: "ClusterVolumeSpec",
};

Deno.test("No request that berth can send reaches more by the second list than its table of rights says", async () => {
  const weaker: string[] = [];
  let cases = 0;
  const compare = (name: string, first: Reach, second: readonly (readonly [string, Reach])[]) => {
    cases += 1;
    for (const [field, reach] of second) {
      if (isWorse(reach, first)) weaker.push(`${name}: ${field} reaches ${reach}, berth says ${first}`);
    }
  };
  for (const [key, specs] of Object.entries(CONTAINERS)) {
    for (const spec of specs) {
      const body = await sent((acts) => acts.create("x", spec));
      const value = JSON.stringify(Object.values(spec)[0]);
      compare(`${key} ${value}`, judged(containerNeeds(spec, FOREIGN)), containerReach(body));
      for (const one of spec.networks ?? []) {
        const { EndpointConfig } = await sent((acts) => acts.connect("x", one));
        compare(
          `connect ${JSON.stringify(one)}`,
          judged(joinNeeds(one, FOREIGN)),
          reachIn(ENDPOINT, "Endpoint", EndpointConfig),
        );
      }
    }
  }
  for (const [key, specs] of Object.entries(NETWORKS)) {
    for (const spec of specs) {
      const whole = {
        name: "x",
        driver: null,
        driverOptions: {},
        internal: false,
        attachable: false,
        ipv4: null,
        ipv6: null,
      };
      const body = await sent((acts) =>
        acts.createNetwork({ ...whole, ipamDriver: null, ipamOptions: {}, pools: [], labels: {}, ...spec })
      );
      const rest = withoutName("Network", body);
      compare(
        `network ${key} ${JSON.stringify(spec)}`,
        judged(networkNeeds(spec)),
        reachIn(NETWORK, "Network", rest),
      );
    }
  }
  for (const [key, specs] of Object.entries(VOLUMES)) {
    for (const spec of specs) {
      const body = await sent((acts) =>
        acts.createVolume({ name: "x", driver: null, driverOptions: {}, labels: {}, ...spec })
      );
      const rest = withoutName("Volume", body);
      compare(
        `volume ${key} ${JSON.stringify(spec)}`,
        judged(volumeNeeds(spec)),
        reachIn(VOLUME, "Volume", rest),
      );
    }
  }
  const unexplained = weaker.filter((line) => !AGREED.some(([known]) => known.test(line)));
  console.log(
    `${cases} requests judged by both lists, ${weaker.length} differences of which ${unexplained.length} are unexplained`,
  );
  assert.deepEqual(unexplained, []);
  for (const [known, why] of AGREED) assert.ok(weaker.some((line) => known.test(line)), `no more: ${why}`);
  const lists = {
    Config: CONFIG,
    HostConfig: HOST_CONFIG,
    Endpoint: ENDPOINT,
    Mount: MOUNT,
    Network: NETWORK,
    Volume: VOLUME,
  };
  for (const [of, list] of Object.entries(lists)) {
    const never = Object.keys(list).filter((key) => !used.has(`${of}.${key}`));
    assert.equal(never.join(" "), NEVER_SENT[of], of);
  }
});
