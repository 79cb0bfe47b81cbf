/** A value of each row of the table of fields, and an edit of it: for the laws that hold for every row. */
import type { EngineKind } from "../../projects/fields/field.ts";
import { FIXTURE } from "../support/engine.ts";

export interface Sample {
  /** The row it is about. */
  readonly row: string;
  /** The text of the service, before and after an edit. */
  readonly text: string;
  readonly other: string;
  /** The edit that takes the value out is not seen: what an engine gives where nobody asks is its own matter. */
  readonly isKeptWhenGone?: true;
  /** Other rows that may differ with it. */
  readonly along?: readonly string[];
  readonly only?: EngineKind;
  /** The other engine does not tell it, and the label of what berth made does. */
  readonly isLabelled?: true;
  /** No engine tells it. */
  readonly isUntold?: true;
  /** The refusal of an engine whose files are on the wrong kind of disk. */
  readonly refused?: RegExp;
}

export const SAMPLES: readonly Sample[] = [
  { row: "image", text: "", other: "image: berth-fixture:2", isKeptWhenGone: true },
  { row: "command", text: "command: [idle, now]", other: "command: idle later" },
  {
    row: "entrypoint",
    text: 'entrypoint: ["/bin/busybox"]',
    other: 'entrypoint: ["/bin/sh"]',
    along: ["command"],
  },
  {
    row: "entrypoint",
    text: 'entrypoint: ["/bin/busybox"]',
    other: "entrypoint: []",
    only: "docker",
    along: ["command"],
  },
  {
    row: "healthcheck",
    text: "healthcheck: { test: [CMD, 'true'], interval: 30s, timeout: 5s, retries: 4, start_period: 2s }",
    other: "healthcheck: { test: [CMD, 'true'], interval: 40s, timeout: 5s, retries: 4, start_period: 2s }",
  },
  { row: "healthcheck", text: "healthcheck: { test: 'true' }", other: "healthcheck: { disable: true }" },
  { row: "user", text: 'user: "1000:1000"', other: 'user: "1000"' },
  { row: "workingDir", text: "working_dir: /srv/x/", other: "working_dir: /srv" },
  { row: "terminal", text: "tty: true", other: "tty: false" },
  { row: "stdinOpen", text: "stdin_open: true", other: "stdin_open: false" },
  { row: "init", text: "init: true", other: "init: false", only: "docker" },
  { row: "stopSignal", text: "stop_signal: SIGUSR1", other: "stop_signal: SIGINT" },
  { row: "stopGracePeriod", text: "stop_grace_period: 1m30s", other: "stop_grace_period: 2s" },
  { row: "restart", text: "restart: on-failure:3", other: "restart: on-failure:4" },
  { row: "restart", text: "restart: always", other: "deploy: { restart_policy: { condition: on-failure } }" },
  {
    row: "environment",
    text: "environment: { ONE: one, TWO: '2' }",
    other: "environment: { ONE: other, TWO: '2' }",
  },
  { row: "environment", text: "env_file: one.env", other: "env_file: two.env" },
  { row: "labels", text: "labels: { tier: front }", other: "labels: { tier: back }" },
  {
    row: "mounts",
    text: "volumes: ['./html:/html:ro', 'data:/data', /anonymous, 'more:/more']",
    other: "volumes: ['./html:/html', 'data:/data', /anonymous, 'more:/more']",
  },
  { row: "mounts", text: "tmpfs: [/memory]", other: "tmpfs: [/other]" },
  {
    row: "mounts",
    text: "tmpfs: ['/memory:size=1m,mode=0700']",
    other: "tmpfs: ['/memory:size=2m,mode=0700']",
    only: "docker",
  },
  {
    row: "mounts",
    text: "volumes: [{ type: tmpfs, target: /scratch }]",
    other: "volumes: [{ type: tmpfs, target: /more }]",
  },
  {
    row: "mounts",
    text: "volumes: [{ type: volume, source: data, target: /data, volume: { nocopy: true } }]",
    other: "volumes: [{ type: volume, source: data, target: /data }]",
    only: "docker",
  },
  {
    row: "mounts",
    text: "volumes: [{ type: bind, source: ./html, target: /html, bind: { propagation: rslave } }]",
    other: "volumes: [{ type: bind, source: ./html, target: /html, bind: { propagation: rshared } }]",
  },
  {
    row: "mounts",
    text: "volumes: ['./html:/html:ro,z', 'data:/data:nocopy']",
    other: "volumes: ['./html:/html:ro,Z', 'data:/data:nocopy']",
    only: "docker",
  },
  {
    row: "mounts",
    text: "volumes: [{ type: tmpfs, target: /scratch, tmpfs: { size: 1m, mode: 0o700 } }]",
    other: "volumes: [{ type: tmpfs, target: /scratch, tmpfs: { size: 2m, mode: 0o700 } }]",
    only: "docker",
  },
  { row: "mounts", text: "secrets: [key]", other: "secrets: [{ source: key, target: other }]" },
  {
    row: "mounts",
    text: "configs: [{ source: page, target: /page }]",
    other: "configs: [{ source: page, target: /other }]",
  },
  {
    row: "contents",
    text: "configs: [{ source: inline, uid: '1000', mode: 0o440 }]",
    other: "configs: [{ source: inline, uid: '1000', mode: 0o400 }]",
    isUntold: true,
  },
  {
    row: "ports",
    text: "ports: ['10000-12500:10000-12500/udp', '127.0.0.1:20000-21100:20000-21100']",
    other: "ports: ['10000-12500:10001-12501/udp', '127.0.0.1:20000-21100:20000-21100']",
  },
  {
    row: "ports",
    text: "ports: ['127.0.0.1:18471:80', '18472-18473:90-91/udp']",
    other: "ports: ['127.0.0.1:18479:80', '18472-18473:90-91/udp']",
  },
  { row: "exposed", text: "expose: ['7000']", other: "expose: ['7001']" },
  { row: "networks", text: "networks: [default, back]", other: "networks: [default]" },
  {
    row: "networks",
    text: "networks: { default: { aliases: [front, www] } }",
    other: "networks: { default: { aliases: [front] } }",
  },
  {
    row: "networks",
    text: "networks: { fixed: { ipv4_address: 10.77.0.7 } }",
    other: "networks: { fixed: { ipv4_address: 10.77.0.8 } }",
    only: "docker",
  },
  {
    row: "networks",
    text: "mac_address: 02:42:0a:00:00:07",
    other: "mac_address: 02:42:0a:00:00:08",
    isKeptWhenGone: true,
    only: "docker",
  },
  {
    row: "networks",
    text: "networks: { default: { driver_opts: { one: '1' }, priority: 3 }, back: { priority: 7 } }",
    other: "networks: { default: { driver_opts: { one: '2' }, priority: 3 }, back: { priority: 7 } }",
    only: "docker",
  },
  {
    row: "networks",
    text: "networks: { back: { link_local_ips: [169.254.8.8] } }",
    other: "networks: { back: { link_local_ips: [169.254.8.9] } }",
    only: "docker",
  },
  {
    row: "networks",
    text: "links: ['plain:database']",
    other: "links: ['plain:store']",
    along: ["dependsOn"],
    only: "docker",
  },
  {
    row: "networks",
    text: "external_links: ['laws-plain-1:far']",
    other: "external_links: ['laws-plain-1:near']",
    only: "docker",
  },
  {
    row: "networks",
    text: "network_mode: bridge\nlinks: ['plain:database']",
    other: "network_mode: bridge\nlinks: ['plain:store']",
    along: ["dependsOn"],
    only: "docker",
  },
  { row: "networks", text: "network_mode: none", other: "network_mode: host" },
  {
    row: "networks",
    text: "network_mode: 'service:plain'",
    other: "network_mode: 'service:second'",
    along: ["dependsOn"],
  },
  {
    row: "ipc",
    text: "ipc: shareable",
    other: "ipc: private",
    isKeptWhenGone: true,
    only: "docker",
    isLabelled: true,
  },
  { row: "pid", text: "pid: host", other: "pid: 'service:plain'", along: ["dependsOn"] },
  {
    row: "cgroup",
    text: "cgroup: private",
    other: "cgroup: host",
    isKeptWhenGone: true,
    only: "docker",
    isLabelled: true,
  },
  { row: "uts", text: "uts: host", other: "uts: ''", only: "docker" },
  { row: "userNamespace", text: "userns_mode: host", other: "userns_mode: ''", only: "docker" },
  {
    row: "limits.memory",
    text: "mem_limit: 64m",
    other: "deploy: { resources: { limits: { memory: 65m } } }",
  },
  { row: "limits.memoryReservation", text: "mem_reservation: 32m", other: "mem_reservation: 33m" },
  {
    row: "limits.memorySwap",
    text: "mem_limit: 64m\nmemswap_limit: 96m",
    other: "mem_limit: 64m\nmemswap_limit: 97m",
    isKeptWhenGone: true,
    along: ["limits.memory"],
  },
  { row: "limits.sharedMemory", text: "shm_size: 32m", other: "shm_size: 33m", isKeptWhenGone: true },
  { row: "limits.cpus", text: "cpus: 0.5", other: "cpus: 0.25" },
  { row: "limits.cpuShares", text: "cpu_shares: 512", other: "cpu_shares: 256" },
  {
    row: "limits.cpuPeriod",
    text: "cpu_period: 50000",
    other: "cpu_period: 40000",
    only: "docker",
    isLabelled: true,
  },
  {
    row: "limits.cpuQuota",
    text: "cpu_quota: 50000",
    other: "cpu_quota: 40000",
    only: "docker",
    isLabelled: true,
  },
  {
    row: "limits.memorySwappiness",
    text: "mem_swappiness: 40",
    other: "mem_swappiness: 50",
    isKeptWhenGone: true,
    only: "docker",
  },
  {
    row: "limits.blockIo",
    text: "blkio_config: { device_read_bps: [{ path: /dev/null, rate: 1mb }] }",
    other: "blkio_config: { device_read_bps: [{ path: /dev/null, rate: 2mb }] }",
    only: "docker",
    isLabelled: true,
  },
  {
    row: "limits.blockIoWeight",
    text: "blkio_config: { weight: 300, weight_device: [{ path: /dev/null, weight: 200 }] }",
    other: "blkio_config: { weight: 400, weight_device: [{ path: /dev/null, weight: 200 }] }",
    only: "docker",
    isUntold: true,
  },
  { row: "limits.cpuset", text: "cpuset: '0'", other: "cpuset: '1'" },
  { row: "limits.pids", text: "pids_limit: 50", other: "pids_limit: 51", isKeptWhenGone: true },
  { row: "limits.oomScoreAdjustment", text: "oom_score_adj: 100", other: "oom_score_adj: 200" },
  {
    row: "limits.oomKillDisabled",
    text: "mem_limit: 64m\noom_kill_disable: true",
    other: "mem_limit: 64m\noom_kill_disable: false",
    along: ["limits.memory"],
  },
  {
    row: "ulimits",
    text: "ulimits: { core: 0, nofile: { soft: 512, hard: 1024 } }",
    other: "ulimits: { core: 0, nofile: { soft: 256, hard: 1024 } }",
    isKeptWhenGone: true,
  },
  { row: "name", text: "container_name: own-name", other: "container_name: another", isKeptWhenGone: true },
  { row: "hostname", text: "hostname: front", other: "hostname: back" },
  {
    row: "domainname",
    text: "domainname: example.org",
    other: "domainname: example.net",
    only: "docker",
    isLabelled: true,
  },
  { row: "dns", text: "dns: [10.0.0.1, 10.0.0.2]", other: "dns: [10.0.0.2, 10.0.0.1]" },
  { row: "dnsSearch", text: "dns_search: example.org", other: "dns_search: example.net" },
  { row: "dnsOptions", text: "dns_opt: [use-vc]", other: "dns_opt: [no-tld-query]" },
  {
    row: "extraHosts",
    text: "extra_hosts: ['one=10.1.1.1', 'gate:host-gateway', 'six=::1']",
    other: "extra_hosts: { one: 10.1.1.2, gate: host-gateway, six: '::1' }",
  },
  {
    row: "securityOptions",
    text: "security_opt: ['seccomp:./one.json', no-new-privileges]",
    other: "security_opt: ['seccomp:./two.json', no-new-privileges]",
    only: "docker",
  },
  {
    row: "securityOptions",
    text: "security_opt: [systempaths=unconfined, seccomp=unconfined]",
    other: "security_opt: [seccomp=unconfined]",
    only: "docker",
  },
  {
    row: "securityOptions",
    text: "security_opt: ['no-new-privileges:true']",
    other: "security_opt: ['no-new-privileges:true', 'apparmor=unconfined']",
  },
  {
    row: "securityOptions",
    text: "security_opt: [label=disable]",
    other: "security_opt: ['no-new-privileges:true']",
  },
  { row: "groups", text: "group_add: ['1000', '2000']", other: "group_add: ['1000']" },
  {
    row: "sysctls",
    text: "sysctls: { net.ipv4.ip_forward: 1 }",
    other: "sysctls: ['net.ipv4.ip_forward=0']",
    only: "docker",
    isLabelled: true,
  },
  { row: "devices", text: "devices: ['/dev/null:/dev/one:rw']", other: "devices: ['/dev/zero:/dev/one:rw']" },
  { row: "devices", text: "devices: ['/dev/null::r']", other: "devices: ['/dev/null:/dev/one:r']" },
  {
    row: "deviceRequests",
    text: "devices: ['vendor.com/device=all', 'vendor.com/device=two', '/dev/null:/dev/one:rw']",
    other: "devices: ['vendor.com/device=all', '/dev/null:/dev/one:rw']",
    along: ["devices"],
    only: "docker",
    isLabelled: true,
  },
  {
    row: "deviceRequests",
    text: "gpus: all\ndevices: ['vendor.com/device=all']\n" +
      "deploy: { resources: { reservations: { devices: [{ capabilities: [gpu] }, { capabilities: [tpu], driver: some }] } } }",
    other: "gpus: all",
    only: "docker",
    isLabelled: true,
  },
  {
    row: "deviceRequests",
    text: "gpus: [{ driver: some }, { count: ALL }]",
    other: "gpus: [{ driver: some, count: 1 }]",
    only: "docker",
    isLabelled: true,
  },
  {
    row: "deviceRules",
    text: "device_cgroup_rules: ['c 1:3 rwm']",
    other: "device_cgroup_rules: ['c 1:3 r']",
    only: "docker",
    isLabelled: true,
  },
  {
    row: "deviceRequests",
    text: "gpus: [{ driver: some, count: 2, options: { one: '1' } }]",
    other: "gpus: [{ driver: some, count: 3, options: { one: '1' } }]",
    only: "docker",
    isLabelled: true,
  },
  {
    row: "deviceRequests",
    text:
      "deploy: { resources: { reservations: { devices: [{ capabilities: [gpu], device_ids: ['0'] }] } } }",
    other: "gpus: all",
    only: "docker",
  },
  {
    row: "annotations",
    text: "annotations: { one: '1' }",
    other: "annotations: { one: '2' }",
    isUntold: true,
  },
  { row: "platform", text: "platform: linux/amd64", other: "platform: linux/arm64", isUntold: true },
  { row: "runtime", text: "runtime: runc", other: "runtime: other", isKeptWhenGone: true, only: "docker" },
  {
    row: "cgroupParent",
    text: "cgroup_parent: /berth-test",
    other: "cgroup_parent: /berth-other",
    only: "docker",
    isLabelled: true,
  },
  {
    row: "isolation",
    text: "isolation: default",
    other: "isolation: process",
    isKeptWhenGone: true,
    isLabelled: true,
    only: "docker",
  },
  {
    row: "storageOptions",
    text: "storage_opt: { size: 1G }",
    other: "storage_opt: { size: 2G }",
    refused: /storage.opt/i,
  },
  {
    row: "log.driver",
    text: "logging: { driver: json-file, options: { max-size: 1m } }",
    other: "logging: { driver: local }",
    isKeptWhenGone: true,
    along: ["log.options"],
  },
  {
    row: "log.options",
    text: "logging: { options: { max-size: 1m } }",
    other: "logging: { options: { max-size: 2m } }",
    isKeptWhenGone: true,
    only: "docker",
    isLabelled: true,
  },
  {
    row: "volumesFrom",
    text: "volumes_from: [plain]",
    other: "volumes_from: [second]",
    along: ["dependsOn"],
  },
  { row: "privileged", text: "privileged: true", other: "privileged: false", only: "docker" },
  { row: "readOnly", text: "read_only: true", other: "read_only: false" },
  { row: "capAdd", text: "cap_add: [NET_ADMIN, cap_sys_time]", other: "cap_add: [NET_ADMIN]" },
  { row: "capDrop", text: "cap_drop: [CHOWN]", other: "cap_drop: [KILL]" },
  { row: "capDrop", text: "cap_drop: [CHOWN]", other: "cap_drop: [ALL]", only: "docker" },
  { row: "dependsOn", text: "depends_on: [plain]", other: "depends_on: [second]" },
  {
    row: "postStart",
    text:
      "post_start: [{ command: 'echo \"a <b\" c', user: '1', privileged: true, working_dir: /, environment: [A, B=, C=1] }]",
    other: "post_start: [{ command: echo b }]",
    isUntold: true,
  },
  {
    row: "preStop",
    text: "pre_stop: [{ command: [echo, a], environment: { A: null, B: '', C: 1 } }, { command: [echo] }]",
    other: "pre_stop: [{ command: [echo, a] }]",
    isUntold: true,
  },
];

/** Each sample is a service of its own, beside two that others refer to. */
export function projectOf(samples: readonly Sample[], textOf: (sample: Sample) => string): string {
  const service = (name: string, text: string) => {
    const lines = [...text.includes("image:") ? [] : [`image: ${FIXTURE}`], ...text.split("\n")];
    return `  ${name}:\n${lines.filter((line) => line !== "").map((line) => `    ${line}\n`).join("")}`;
  };
  const services = samples.map((sample, index) => service(`s${index}`, textOf(sample)));
  return `name: laws
services:
${service("plain", "")}${service("second", "")}${services.join("")}networks:
  back: { driver: bridge, driver_opts: { com.docker.network.bridge.name: br-laws }, labels: { tier: "1<2" } }
  fixed: { ipam: { driver: default, config: [{ subnet: 10.77.0.0/24, gateway: 10.77.0.1 }] }, internal: true }
volumes:
  data: {}
  more: { driver_opts: { type: tmpfs, device: tmpfs }, labels: [tier=front], name: laws-more }
secrets: { key: { file: ./key } }
configs: { page: { file: ./key }, inline: { content: some words } }
`;
}

/** The files that the samples name. */
export const FILES = {
  "one.json": '{ "defaultAction": "SCMP_ACT_ALLOW" }\n',
  "two.json": '{ "defaultAction": "SCMP_ACT_ERRNO" }\n',
  "one.env": "ONE=1\n",
  "two.env": "ONE=2\n",
  key: "secret\n",
  "html/": "",
};
