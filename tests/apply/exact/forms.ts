/** Keys of a service in the forms that Compose takes: each makes a container of its own. */

export interface Form {
  /** The lines of the service, beside its image. */
  readonly lines: string;
}

const forms = (key: string, ...values: readonly string[]): Form[] =>
  values.map((value) => ({ lines: `${key}: ${value}` }));

/** Files that the forms name, by path below the project's folder. */
export const FILES: Readonly<Record<string, string>> = {
  "plain.env": "A=1\nB=two words\nC=\n",
  "odd.env": [
    "DOLLAR=a$b",
    "BRACED=x${A}y",
    "DEFAULT=${NOPE:-fallback}",
    "ESCAPED=a\\nb",
    'QUOTED="a\\nb $A"',
    "SINGLE='a\\nb $A'",
    "HASH=a #comment",
    "NOHASH=a#b",
    "BARE",
    "KNOWN",
    "SPACED = around ",
    "export EXPORTED=yes",
    "COLON: value",
    'MULTI="one\ntwo"',
    "EMPTY=",
    "DOUBLE=$$A",
    "BACK=\\$A",
    "",
  ].join("\n"),
  "crlf.env": "A=1\r\nB=\"x\"\r\nC='y'\r\n",
  "bom.env": "\ufeffA=1\nB=2\n",
  "raw.env": 'A=$B\nC="kept"\n# remark\nD\nE=a #b\n',
  "a.labels": "one=1\ntwo=a$b\nthree\n",
  "secret.txt": "s3cret",
  "profile.json":
    '{\n  "defaultAction": "SCMP_ACT_ALLOW",\n  "syscalls": [\n\t{ "names": ["mkdir"], "action": "SCMP_ACT_ERRNO", ' +
    '"comment": "a \\"b\\"  <c>" }\n  ]\n}\n',
  ".env": "KNOWN=from-dotenv\nSIZE=64m\nNUMBER=010\nWORD=a b\n",
};

export const MORE = `
networks:
  inner: {}
  other: { driver: bridge, internal: true }
  placed: { enable_ipv6: true, ipam: { config: [{ subnet: 10.231.77.0/24 }, { subnet: 'fd77:231::/64' }] } }
volumes: { data: {}, named: { labels: { a: b } } }
secrets: { file: { file: ./secret.txt }, word: { environment: KNOWN } }
configs:
  inline: { content: "a $\${b} \${KNOWN}" }
  file: { file: ./secret.txt }
`;

/** Modes as YAML writes them. */
const MODES = ["0400", "0440", "0o440", "292", "0b100100100", "0x124", "'0400'", '"0440"', "0777", "0"];
const SIZES = [
  "64m",
  "67108864",
  "'64m'",
  "64M",
  "64mb",
  "64MiB",
  "0.0625g",
  "0100000000",
  "0x4000000",
  "67_108_864",
]
  .concat(["1e8", "${SIZE}", "65536k", "6.4e7"]);
const COUNTS = ["1", "010", "0o10", "0x10", "'10'", "${NUMBER}", "1_0", "-1"];

export const FORMS: readonly Form[] = [
  // Environment
  ...forms(
    "environment",
    "{ A: 1 }",
    "[A=1, 'B=two words', C=]",
    "{ A: true, B: 1.50, C: 010, D: 1e3, E: ~, F: '' }",
    "{ A: 0x1F, B: 0o17, C: 1_000, D: .inf, E: -.inf, F: yes, G: no, H: 1e400 }",
    "[KNOWN, UNKNOWN]",
    "{ KNOWN: , UNKNOWN: }",
    "{ A: '${KNOWN}', B: 'x${NOPE:-y}z', C: '$$HOME', D: '${NOPE-}' }",
    "{ A: \"a\\nb\", B: 'tab\tbed' }",
    "[\"A=${KNOWN}=x\", 'B==', 'C=#no']",
    "{ A: 12345678901234567890, B: 0.1, C: 1.0, D: 100000000, E: -0, F: +5 }",
  ),
  ...forms(
    "env_file",
    "plain.env",
    "[plain.env]",
    "odd.env",
    "[plain.env, odd.env]",
    "[odd.env, plain.env]",
    "crlf.env",
    "bom.env",
    "[{ path: plain.env, required: true }]",
    "[{ path: gone.env, required: false }, plain.env]",
    "[{ path: raw.env, format: raw }]",
    "raw.env",
  ),
  { lines: "env_file: odd.env\nenvironment: { DOLLAR: mine, Z: '${KNOWN}' }" },
  { lines: "env_file: plain.env\nenvironment: [A, B=own]" },
  ...forms("label_file", "a.labels", "[a.labels]"),
  ...forms("labels", "{ a: b, c: 1 }", "[a=b, c]", "{ a: true, b: 1.50, c: ~ }", "['a=${KNOWN}']"),
  ...forms("annotations", "{ a: b }", "[a=b]"),
  // Process
  ...forms(
    "command",
    "[idle]",
    "idle",
    "'idle one \"two three\"'",
    "[]",
    "''",
    "[idle, '$$A', '${KNOWN}']",
    "~",
  ),
  ...forms("entrypoint", "[/bin/x, y]", "/bin/x y", "[]", "''", "~"),
  ...forms("user", "'1000'", "1000:1000", "nobody", "'0'"),
  ...forms("working_dir", "/x", "/x/../y/"),
  ...forms("hostname", "box", "box.lan"),
  ...forms("domainname", "lan"),
  ...forms("tty", "true", "false", "'true'"),
  ...forms("stdin_open", "true", "'yes'"),
  ...forms("init", "true", "false"),
  ...forms("stop_signal", "SIGINT", "TERM", "'9'", "SIGRTMIN+3"),
  ...forms("stop_grace_period", "1s", "1m30s", "500ms", "0s"),
  ...forms("restart", "'no'", "always", "unless-stopped", "on-failure", "on-failure:3"),
  ...forms(
    "deploy",
    "{ restart_policy: { condition: on-failure, max_attempts: 2 } }",
    "{ mode: replicated }",
  ),
  ...forms("deploy", "{ labels: { a: b } }", "{ update_config: { order: start-first } }"),
  ...forms(
    "deploy",
    "{ rollback_config: { parallelism: 2 } }",
    "{ placement: { constraints: [node.role==manager] } }",
  ),
  ...forms("read_only", "true", "false", "'on'"),
  ...forms("privileged", "true", "false"),
  ...forms("platform", "linux/amd64", "linux"),
  ...forms("pull_policy", "never", "missing"),
  // Health
  ...forms(
    "healthcheck",
    "{ test: [CMD, 'true'] }",
    "{ test: 'exit 0', interval: 1m30s, timeout: 5s, retries: 3 }",
    "{ test: [CMD-SHELL, 'exit 0'], start_period: 10s }",
    "{ disable: true }",
    "{ test: [NONE] }",
    "{ interval: 10s }",
    "{ test: [CMD, 'true'], retries: 010 }",
    "{ test: [CMD, 'true'], start_interval: 2s, start_period: 4s }",
  ),
  // Ports
  ...forms(
    "ports",
    "['80']",
    "[80]",
    "['127.0.0.1::80']",
    "['18080:80']",
    "['127.0.0.1:18081:80/udp']",
    "['18090-18091:90-91']",
    "['18100-18109:80']",
    "['10000-20000:10000-20000/udp']",
    "[{ target: 80, published: '18082', protocol: tcp, mode: host }]",
    "[{ target: 80 }]",
    "[{ target: 80, published: 18083, host_ip: 127.0.0.1 }]",
    "['[::1]:18084:80']",
    "[22:22]",
    "[{ target: 80, name: web, app_protocol: http }]",
  ),
  ...forms("expose", "['80']", "[80, '90/udp']", "['80-82']", "[]"),
  { lines: "expose: [80]\nports: ['80']" },
  // Variables that default to nothing
  ...forms("environment", "['N2=${NOPE:-}', 'N3=${NOPE-}', 'N4=${NOPE:+x}']", "{ N2: '${NOPE:-}' }"),
  ...forms("hostname", "${NOPE:-}"),
  ...forms("labels", "['a=${NOPE:-}']"),
  ...forms("command", "[idle, '${NOPE:-}']"),
  // Networks
  ...forms(
    "networks",
    "[inner]",
    "[inner, other]",
    "{ inner: { aliases: [x, y] } }",
    "{ inner: { priority: 1 }, other: { priority: 2 } }",
    "{ inner: {}, other: { aliases: [z] } }",
    "{ placed: { ipv4_address: 10.231.77.9, ipv6_address: 'fd77:231::9' } }",
    "{ inner: { mac_address: '02:42:ac:11:00:98' } }",
    "{ inner: { link_local_ips: [169.254.8.8] } }",
    "{ inner: { driver_opts: { a: b, c: 1 } } }",
    "{ inner: { gw_priority: 1 }, other: {} }",
    "{ inner: { interface_name: net0 } }",
  ),
  ...forms("network_mode", "none", "bridge", "host", "service:s0"),
  ...forms("mac_address", "02:42:ac:11:00:99"),
  ...forms("links", "[s0]", "['s0:db']"),
  ...forms("dns", "127.0.0.1", "[127.0.0.1, 127.0.0.2]"),
  ...forms("dns_search", "lan", "[a, b]"),
  ...forms("dns_opt", "[use-vc, 'ndots:2']"),
  ...forms(
    "extra_hosts",
    "['a:127.0.0.1']",
    "['a=127.0.0.1', 'b:::1']",
    "{ a: 127.0.0.1 }",
    "['h:host-gateway']",
  ),
  // Mounts
  ...forms(
    "volumes",
    "['data:/data']",
    "['data:/data:ro']",
    "['/anonymous']",
    "['./own:/own']",
    "['./own:/own:ro,z']",
    "[{ type: volume, source: named, target: /named, volume: { nocopy: true } }]",
    "[{ type: volume, target: /anonymous }]",
    "[{ type: bind, source: ./own, target: /own, read_only: true }]",
    "[{ type: bind, source: ./own, target: /own, bind: { propagation: rslave } }]",
    "[{ type: tmpfs, target: /tmp/x, tmpfs: { size: 1m, mode: 01777 } }]",
    "[{ type: tmpfs, target: /tmp/x, tmpfs: { size: 1048576, mode: 0700 } }]",
    "[{ type: tmpfs, target: /tmp/x, tmpfs: { mode: 448 } }]",
    "[{ type: bind, source: ./own, target: /own, bind: { create_host_path: false, selinux: z } }]",
    "[{ type: bind, source: ./own, target: /own, bind: { recursive: disabled } }]",
    "[{ type: bind, source: ./own, target: /own, consistency: cached }]",
    "[{ type: volume, source: data, target: /data, volume: { subpath: sub } }]",
    "[{ type: image, source: berth-fixture, target: /image, image: { subpath: bin } }]",
    "['data:/data/../other']",
    "['./own/:/own/']",
  ),
  ...forms("tmpfs", "/x", "[/x, '/y:size=1m,mode=1777']"),
  ...forms("volumes_from", "[s0]", "['s0:ro']"),
  ...forms(
    "secrets",
    "[file]",
    "[word]",
    "[{ source: word, target: /x }]",
    "[{ source: file, target: renamed }]",
  ),
  ...MODES.map((mode) => ({ lines: `secrets: [{ source: word, mode: ${mode}, uid: '1', gid: '2' }]` })),
  ...MODES.map((mode) => ({ lines: `configs: [{ source: inline, target: /c, mode: ${mode} }]` })),
  ...forms(
    "configs",
    "[inline]",
    "[file]",
    "[{ source: inline, target: /etc/c }]",
    "[{ source: inline, uid: '10', gid: '20' }]",
  ),
  // Limits
  ...SIZES.map((size) => ({ lines: `mem_limit: ${size}` })),
  ...SIZES.map((size) => ({ lines: `shm_size: ${size}` })),
  ...SIZES.filter((size) => !/[_x]/.test(size)).map((size) => ({
    lines: `deploy: { resources: { limits: { memory: '${size.replaceAll("'", "")}' } } }`,
  })),
  { lines: "mem_limit: 64m\nmemswap_limit: 128m" },
  { lines: "mem_limit: 64m\nmemswap_limit: -1" },
  { lines: "mem_limit: 64m\nmem_reservation: 32m" },
  ...forms("mem_swappiness", "10", "0"),
  ...forms("cpus", "0.5", "'0.5'", "1", ".5", "1e0"),
  ...forms("cpu_shares", ...COUNTS.slice(0, 7)),
  ...forms("cpu_quota", "50000", "'50000'", "0"),
  ...forms("cpu_period", "100000"),
  ...forms("cpuset", "'0'", "0-1"),
  ...forms("deploy", "{ resources: { limits: { cpus: '0.5', pids: 100 } } }"),
  ...forms("pids_limit", ...COUNTS.map((one) => one === "1" ? "100" : one)),
  ...forms("oom_score_adj", ...COUNTS.slice(0, 7), "-010", "500"),
  ...forms("oom_kill_disable", "false"),
  ...forms("ulimits", "{ nofile: 1024 }", "{ nofile: { soft: 010, hard: 0x400 } }", "{ nproc: '100' }"),
  ...forms("blkio_config", "{ weight: 300 }"),
  // Rights and kernel
  ...forms("cap_add", "[NET_ADMIN]", "[cap_net_admin, ALL]"),
  ...forms("cap_drop", "[ALL]", "[NET_RAW]"),
  ...forms("security_opt", "['no-new-privileges:true']", "[label=disable]", "['no-new-privileges']"),
  ...forms("security_opt", "['seccomp:./profile.json']", "[seccomp=profile.json, label=disable]"),
  ...forms("security_opt", "[seccomp=unconfined]", "['seccomp:unconfined']", "[systempaths=unconfined]"),
  ...forms("group_add", "['100', audio]", "[100]"),
  ...forms(
    "sysctls",
    "{ net.core.somaxconn: 1024 }",
    "['net.core.somaxconn=010']",
    "{ net.core.somaxconn: 010 }",
  ),
  ...forms("devices", "['/dev/null:/dev/x']", "['/dev/null']", "['/dev/null:/dev/x:r']", "['/dev/null::r']"),
  ...forms(
    "devices",
    "['vendor.com/device=all', /dev/null]",
    "[{ source: vendor.com/device=one, target: vendor.com/device=one, permissions: r }]",
    "['vendor.com/device=all:/dev/x']",
  ),
  ...forms("device_cgroup_rules", "['c 1:3 r']"),
  ...forms("ipc", "shareable", "private", "host"),
  ...forms("pid", "host", "service:s0"),
  ...forms("uts", "host"),
  ...forms("cgroup", "private", "host"),
  ...forms("cgroup_parent", "/x"),
  ...forms("runtime", "runc"),
  ...forms("isolation", "default"),
  ...forms("logging", "{ driver: json-file, options: { max-size: 10m, max-file: '3' } }", "{ driver: none }"),
  ...forms("logging", "{ options: { max-file: 3 } }", "{ driver: local }"),
  // Hooks are of no container, and in its hash
  ...["post_start", "pre_stop"].flatMap((key) =>
    forms(
      key,
      "[{ command: 'true' }]",
      "[{ command: [echo, 'a <b'], user: '1', privileged: true, working_dir: /, environment: [A, B=, C=1] }]",
      "[{ command: 'true', environment: { A: 1, KNOWN: } }]",
    )
  ),
  // Fields of a swarm, which are in the hash
  ...forms(
    "deploy",
    "{ endpoint_mode: vip, replicas: 1 }",
    "{ placement: { preferences: [{ spread: node.labels.z }], max_replicas_per_node: 2 } }",
    "{ restart_policy: { condition: any, delay: 5s, window: 1m } }",
    "{ update_config: { parallelism: 2, delay: 10s, failure_action: pause, monitor: 1m, max_failure_ratio: 0.1 } }",
    "{ rollback_config: { delay: 10s, failure_action: pause, monitor: 1m, max_failure_ratio: 0, order: stop-first } }",
    "{ resources: { reservations: { cpus: '0.25', memory: 20m } } }",
    "{ resources: { reservations: { devices: [{ capabilities: [gpu], count: 1, driver: some }] } } }",
    "{ resources: { reservations: { devices: [{ capabilities: [gpu] }, { capabilities: [tpu], device_ids: [a] }] } } }",
  ),
  // Others
  ...forms("attach", "true", "false"),
  ...forms("develop", "{ watch: [{ path: ., action: rebuild }] }"),
  ...forms("external_links", "[exact-s0-1]", "['exact-s0-1:db']"),
  {
    lines: "gpus: all\ndevices: [vendor.com/device=all]\n" +
      "deploy: { resources: { reservations: { devices: [{ capabilities: [tpu] }] } } }",
  },
  ...forms(
    "gpus",
    "all",
    "[{ driver: some }]",
    "[{ count: ALL }]",
    "[{ driver: some, count: 2, options: { one: '1' } }]",
  ),
  ...forms("userns_mode", "host", "''"),
  ...forms("container_name", "named-one"),
  ...forms("depends_on", "[s0]", "{ s0: { condition: service_started } }"),
  ...forms("depends_on", "{ s0: { condition: service_started, required: false } }"),
  ...forms("depends_on", "{ s0: { condition: service_started, restart: true } }"),
  ...forms("scale", "1"),
  ...forms("profiles", "[]"),
  ...forms("x-anything", "{ a: b }"),
];

/** Keys that are not in the matrix, and why. */
export const ABSENT: readonly { readonly why: string; readonly keys: readonly string[] }[] = [
  {
    why: "every form has an image, and a plan of one that must be built first is blocked",
    keys: ["image", "build"],
  },
  { why: "one of the ways in which each form is written", keys: ["extends"] },
  {
    why: "a plan is blocked by them: a swarm, Windows, or Compose itself would have to be there",
    keys: [
      "cpu_count",
      "cpu_percent",
      "credential_spec",
      "deploy.resources.reservations.generic_resources",
      "models",
      "pre_start",
      "provider",
      "pull_refresh_after",
      "use_api_socket",
      "networks.*.use_service_name_alias",
      "volumes.*.volume.labels",
    ],
  },
  {
    why: "no kernel and no disk of a test's engine has it",
    keys: ["cpu_rt_period", "cpu_rt_runtime", "storage_opt"],
  },
  { why: "newer than the Compose beside which tests run", keys: ["umask"] },
];
