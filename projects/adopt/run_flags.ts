/** The flags of `docker run`, and what each of them makes of a container. */
import { bytesOf, nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import type { Blank } from "./blank.ts";
import { device, gpus } from "./run_devices.ts";

/** Puts the value of a flag into the container; false for one that is no value of this flag. A switch has ON or OFF. */
type Take = (container: Blank, value: string) => boolean | void;

/** What a flag does: takes a value or none, or is one that only concerns the command line. */
interface Flag {
  readonly value: boolean;
  /** Null: no Compose file can say it, or berth does not take it over. */
  readonly take: Take | null;
  /** It changes nothing of the container itself. */
  readonly isQuiet?: true;
}

export const ON = "true";
export const OFF = "false";

const text = (property: Texts): Flag => ({ value: true, take: (one, value) => void (one[property] = value) });
const list = (property: Lists): Flag => ({
  value: true,
  take: (one, value) => void (one[property] = [...one[property], value]),
});
const yes = (property: Flags): Flag => ({
  value: false,
  take: (one, value) => void (one[property] = value === ON),
});
const pair = (property: Pairs): Flag => ({
  value: true,
  take: (one, value) => {
    const [name, rest] = split(value, "=");
    one[property] = { ...one[property], [name]: rest ?? "" };
  },
});
const amount = (property: Amounts, read: (text: string) => number | null): Flag => ({
  value: true,
  take: (one, value) => {
    const found = read(value);
    if (found === null || Number.isNaN(found)) return false;
    one[property] = found;
  },
});
const quiet = (value: boolean): Flag => ({ value, take: null, isQuiet: true });
const lost = (value: boolean): Flag => ({ value, take: null });

type Texts =
  | "user"
  | "workingDir"
  | "hostname"
  | "domainname"
  | "stopSignal"
  | "cgroupParent"
  | "cgroupMode"
  | "ipcMode"
  | "pidMode"
  | "utsMode"
  | "userMode"
  | "runtime"
  | "isolation"
  | "cpuset"
  | "name"
  | "askedMacAddress";
type Lists =
  | "capAdd"
  | "capDrop"
  | "securityOptions"
  | "groupAdd"
  | "dns"
  | "dnsSearch"
  | "dnsOptions"
  | "deviceRules"
  | "volumesFrom"
  | "extraHosts"
  | "links";
type Flags = "terminal" | "stdinOpen" | "privileged" | "readOnlyRoot" | "oomKillDisabled" | "init";
type Pairs = "labels" | "annotations" | "sysctls" | "storageOptions";
type Amounts =
  | "memoryLimitBytes"
  | "memoryReservationBytes"
  | "memorySwapBytes"
  | "sharedMemoryBytes"
  | "cpus"
  | "cpuShares"
  | "cpuPeriod"
  | "cpuQuota"
  | "memorySwappiness"
  | "pidsLimit"
  | "oomScoreAdjustment"
  | "stopTimeoutSeconds";

export function split(text: string, sign: string): readonly [string, string | undefined] {
  const at = text.indexOf(sign);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + sign.length)];
}

/** A number without a unit is one of bytes. */
const bytes = (text: string): number | null => text === "-1" ? -1 : bytesOf(text);

const env: Take = (one, value) => {
  const [name, rest] = split(value, "=");
  if (rest === undefined) return false; // the value of a shell that is not here
  one.env = { ...one.env, [name]: rest };
};

const publish: Take = (one, value) => {
  const match = /^(?:(\[[^\]]+\]|\d+\.[\d.]+):)?(?:(\d*)(?:-(\d+))?:)?(\d+)(?:-(\d+))?(?:\/(tcp|udp|sctp))?$/
    .exec(
      value,
    );
  if (match === null) return false;
  const [, address = null, from = "", to, first, last = first, protocol = "tcp"] = match;
  const [begin, end] = [Number(first), Number(last)];
  if (end < begin || end - begin > 1_000) return false;
  const span = to === undefined ? null : Number(to) - Number(from);
  const ports = Array.from({ length: end - begin + 1 }, (_, n) => ({
    container: begin + n,
    protocol,
    address,
    host: from === "" ? null : span !== null && begin === end ? Number(from) : Number(from) + n,
    ...(from !== "" && span !== null && span > 0 && begin === end && { hostLast: Number(to) }),
  }));
  if (span !== null && begin !== end && span !== end - begin) return false;
  one.ports = [...one.ports, ...ports];
};

const volume: Take = (one, value) => {
  const [source, target, options = ""] = value.split(":");
  // Nothing is expanded, and a variable may hold the sign that parts it from the target.
  if (target !== undefined && !/^[/$`]/.test(target)) return false;
  const words = options.split(",").filter((word) => word !== "" && word !== "rw");
  // No volume has these signs in its name: a shell makes a path of them.
  const isPath = /^[.~]|[/$`]/.test(source ?? "");
  one.mounts = [...one.mounts, {
    type: target !== undefined && isPath ? "bind" : "volume",
    source: target === undefined ? "" : source ?? "",
    target: target ?? source ?? "",
    readOnly: words.includes("ro"),
    options: words.filter((word) => word !== "ro"),
  }];
};

const mount: Take = (one, value) => {
  const parts = new Map(
    value.split(",").map((part) => {
      const [name, rest] = split(part, "=");
      return [name.toLowerCase(), rest ?? "true"] as const;
    }),
  );
  const take = (...names: string[]) => {
    const name = names.find((one) => parts.has(one));
    const found = name === undefined ? undefined : parts.get(name);
    if (name !== undefined) parts.delete(name);
    return found;
  };
  const type = take("type") ?? "volume";
  const source = take("source", "src") ?? "";
  const target = take("target", "dst", "destination");
  const readOnly = ["true", "1"].includes(take("readonly", "ro") ?? "");
  if (target === undefined || parts.size > 0 || !["bind", "volume", "tmpfs"].includes(type)) return false;
  if (type === "tmpfs") one.tmpfs = { ...one.tmpfs, [target]: readOnly ? "ro" : "" };
  else one.mounts = [...one.mounts, { type, source, target, readOnly, options: [] }];
};

const restart: Take = (one, value) => {
  const [name, retries] = split(value, ":");
  if (!["no", "always", "unless-stopped", "on-failure"].includes(name)) return false;
  one.restart = { name, maximumRetries: Number(retries ?? 0) };
};

/** The words after `--network` and its like are of the network that was named last. */
const network: Take = (one, value) => {
  if (/[=,]/.test(value)) return false;
  if (one.networks.length === 0) one.networkMode = value === "default" ? "bridge" : value;
  if (/^(?:bridge|default|host|none|container:.*)$/.test(value)) return;
  const empty = { ipv4Address: null, ipv6Address: null, linkLocalAddresses: [], macAddress: null, links: [] };
  one.networks = [...one.networks, {
    name: value,
    aliases: [],
    ...empty,
    driverOptions: {},
    gatewayPriority: 0,
  }];
};

type Attachment = Blank["networks"][number];
const attached = (of: (value: string, now: Attachment) => Partial<Attachment>): Flag => ({
  value: true,
  take: (one, value) => {
    const last = one.networks.at(-1);
    if (last === undefined) return false;
    one.networks = [...one.networks.slice(0, -1), { ...last, ...of(value, last) }];
  },
});

const health = (of: (ns: number) => Partial<NonNullable<Blank["healthTimes"]>>, isCount = false): Flag => ({
  value: true,
  take: (one, value) => {
    const found = isCount ? Number(value) : nanosecondsOf(value);
    if (found === null || Number.isNaN(found)) return false;
    const none = { interval: 0, timeout: 0, startPeriod: 0, startInterval: 0, retries: 0 };
    one.healthTimes = { ...none, ...one.healthTimes, ...of(found) };
  },
});

const ulimit: Take = (one, value) => {
  const match = /^([a-z]+)=(-?\d+)(?::(-?\d+))?$/.exec(value);
  if (match === null) return false;
  const soft = Number(match[2]);
  one.ulimits = { ...one.ulimits, [match[1]!]: { soft, hard: Number(match[3] ?? soft) } }; // it matched
};

const logOption: Take = (one, value) => {
  const [name, rest] = split(value, "=");
  if (rest === undefined) return false;
  one.log = { ...one.log, options: { ...one.log.options, [name]: rest } };
};

const valued = (take: Take): Flag => ({ value: true, take });

const rate = (name: string): Flag =>
  valued((one, value) => {
    const at = value.lastIndexOf(":");
    const found = bytesOf(value.slice(at + 1));
    if (at < 1 || found === null) return false;
    one.blockIo = { ...one.blockIo, [`${name} ${value.slice(0, at)}`]: found };
  });

/** By the long name, without dashes. */
export const RUN_FLAGS: Readonly<Record<string, Flag>> = {
  "add-host": valued((one, value) => void (one.extraHosts = [...one.extraHosts, value.replace("=", ":")])),
  annotation: pair("annotations"),
  attach: quiet(true),
  "blkio-weight": valued((one, value) => void (one.blockIo = { ...one.blockIo, weight: Number(value) })),
  "blkio-weight-device": rate("weight"),
  "cap-add": list("capAdd"),
  "cap-drop": list("capDrop"),
  "cgroup-parent": text("cgroupParent"),
  cgroupns: text("cgroupMode"),
  cidfile: quiet(true),
  "cpu-count": lost(true),
  "cpu-percent": lost(true),
  "cpu-period": amount("cpuPeriod", Number),
  "cpu-quota": amount("cpuQuota", Number),
  "cpu-rt-period": lost(true),
  "cpu-rt-runtime": lost(true),
  "cpu-shares": amount("cpuShares", Number),
  cpus: amount("cpus", Number),
  "cpuset-cpus": text("cpuset"),
  "cpuset-mems": lost(true),
  detach: quiet(false),
  "detach-keys": quiet(true),
  device: valued(device),
  "device-cgroup-rule": list("deviceRules"),
  "device-read-bps": rate("readBps"),
  "device-read-iops": rate("readIops"),
  "device-write-bps": rate("writeBps"),
  "device-write-iops": rate("writeIops"),
  "disable-content-trust": quiet(false),
  dns: list("dns"),
  "dns-opt": list("dnsOptions"),
  "dns-option": list("dnsOptions"),
  "dns-search": list("dnsSearch"),
  domainname: text("domainname"),
  entrypoint: valued((one, value) => void (one.entrypoint = [value])),
  env: valued(env),
  "env-file": lost(true),
  expose: valued((one, value) =>
    void (one.exposedPorts = [...one.exposedPorts, value.includes("/") ? value : `${value}/tcp`])
  ),
  gpus: valued(gpus),
  "group-add": list("groupAdd"),
  "health-cmd": valued((one, value) => void (one.healthcheck = ["CMD-SHELL", value])),
  "health-interval": health((interval) => ({ interval })),
  "health-retries": health((retries) => ({ retries }), true),
  "health-start-interval": health((startInterval) => ({ startInterval })),
  "health-start-period": health((startPeriod) => ({ startPeriod })),
  "health-timeout": health((timeout) => ({ timeout })),
  hostname: text("hostname"),
  init: yes("init"),
  interactive: yes("stdinOpen"),
  "io-maxbandwidth": lost(true),
  "io-maxiops": lost(true),
  ip: attached((ipv4Address) => ({ ipv4Address })),
  ip6: attached((ipv6Address) => ({ ipv6Address })),
  ipc: text("ipcMode"),
  isolation: text("isolation"),
  "kernel-memory": lost(true),
  label: pair("labels"),
  "label-file": lost(true),
  link: list("links"),
  "link-local-ip": attached((value, { linkLocalAddresses }) => ({
    linkLocalAddresses: [...linkLocalAddresses, value],
  })),
  "log-driver": valued((one, driver) => void (one.log = { ...one.log, driver })),
  "log-opt": valued(logOption),
  "mac-address": text("askedMacAddress"),
  memory: amount("memoryLimitBytes", bytes),
  "memory-reservation": amount("memoryReservationBytes", bytes),
  "memory-swap": amount("memorySwapBytes", bytes),
  "memory-swappiness": amount("memorySwappiness", Number),
  mount: valued(mount),
  name: text("name"),
  net: valued(network),
  "net-alias": attached((value, { aliases }) => ({ aliases: [...aliases, value] })),
  network: valued(network),
  "network-alias": attached((value, { aliases }) => ({ aliases: [...aliases, value] })),
  "no-healthcheck": {
    value: false,
    take: (one, value) => void (one.healthcheck = value === ON ? ["NONE"] : null),
  },
  "oom-kill-disable": yes("oomKillDisabled"),
  "oom-score-adj": amount("oomScoreAdjustment", Number),
  pid: text("pidMode"),
  "pids-limit": amount("pidsLimit", Number),
  platform: lost(true),
  privileged: yes("privileged"),
  publish: valued(publish),
  "publish-all": lost(false),
  pull: quiet(true),
  quiet: quiet(false),
  "read-only": yes("readOnlyRoot"),
  restart: valued(restart),
  rm: lost(false),
  runtime: text("runtime"),
  "security-opt": list("securityOptions"),
  "shm-size": amount("sharedMemoryBytes", bytes),
  "sig-proxy": quiet(false),
  "stop-signal": text("stopSignal"),
  "stop-timeout": amount("stopTimeoutSeconds", Number),
  "storage-opt": pair("storageOptions"),
  sysctl: pair("sysctls"),
  tmpfs: valued((one, value) => {
    const [target, options] = split(value, ":");
    one.tmpfs = { ...one.tmpfs, [target]: options ?? "" };
  }),
  tty: yes("terminal"),
  ulimit: valued(ulimit),
  "use-api-socket": lost(false),
  user: text("user"),
  userns: text("userMode"),
  uts: text("utsMode"),
  volume: valued(volume),
  "volume-driver": lost(true),
  "volumes-from": list("volumesFrom"),
  workdir: text("workingDir"),
};

/** One letter each; those without a value may stand together. */
export const SHORT_FLAGS: Readonly<Record<string, string>> = {
  a: "attach",
  c: "cpu-shares",
  d: "detach",
  e: "env",
  h: "hostname",
  i: "interactive",
  l: "label",
  m: "memory",
  p: "publish",
  P: "publish-all",
  q: "quiet",
  t: "tty",
  u: "user",
  v: "volume",
  w: "workdir",
};
