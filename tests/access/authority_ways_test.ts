/** Every way to the host that a Compose file knows, however it is written, is seen by the plan of a scoped operator. */
import assert from "node:assert/strict";
import { project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { WAYS } from "./ways_of_writing.ts";
import { HARMLESS } from "./harmless_fields.ts";
import { lawEngine } from "../support/shared_engine.ts";

const each = (names: readonly string[], write: (name: string) => string) => names.map(write);

const CAPABILITIES = [
  "ALL",
  "SYS_ADMIN",
  "SYS_PTRACE",
  "SYS_MODULE",
  "NET_ADMIN",
  "NET_RAW",
  "DAC_READ_SEARCH",
]
  .concat([
    "SYS_RAWIO",
    "MKNOD",
    "SYS_CHROOT",
    "BPF",
    "PERFMON",
    "SYS_TIME",
    "SYS_BOOT",
    "AUDIT_CONTROL",
    "SETFCAP",
  ]);
const MODES = ["host", "container:theirs", "ns:/proc/1/ns/x", "pod:x", "keep-id", "auto", "nomap"];
const PATHS = [
  "/",
  "/etc",
  "/proc",
  "/sys",
  "/dev",
  "/root",
  "/var/run/docker.sock",
  "/run/podman/podman.sock",
]
  .concat(["../..", "../../..", "./link", "./link/new", "./socket", "/var/lib/docker"])
  .concat([
    "/boot",
    "/home",
    "/run",
    "/tmp",
    "/usr/bin",
    "/var/log",
    "/var/spool/cron",
    "/etc/passwd",
    "/mnt",
  ]);
const SYSCTLS = ["kernel.core_pattern", "kernel.modprobe", "vm.overcommit_memory", "fs.protected_hardlinks"]
  .concat(["kernel.randomize_va_space", "dev.cdrom.info", "user.max_user_namespaces"])
  .concat([
    "kernel.sysrq",
    "kernel.kptr_restrict",
    "kernel.panic",
    "kernel.pid_max",
    "vm.swappiness",
    "fs.file-max",
  ]);

/** Each line gives its container hold of the host, or of objects of others. */
const REACHING: readonly string[] = [
  "privileged: true",
  "privileged: 'true'",
  ...each(CAPABILITIES, (one) => `cap_add: [${one}]`),
  ...each(CAPABILITIES, (one) => `cap_add: [CAP_${one}]`),
  ...each(["pid", "ipc", "uts", "userns_mode", "cgroup"], (key) => key)
    .flatMap((key) => each(MODES, (mode) => `${key}: '${mode}'`)),
  ...each(
    [...MODES, "slirp4netns:allow_host_loopback=true", "pasta:-T,22"],
    (mode) => `network_mode: '${mode}'`,
  ),
  ...PATHS.flatMap((path) => [
    `volumes: ['${path}:/x']`,
    `volumes: ['${path}:/x:ro']`,
    `volumes: [{ type: bind, source: '${path}', target: /x }]`,
    `volumes: [{ type: bind, source: '${path}', target: /x, read_only: true, bind: { create_host_path: false } }]`,
  ]),
  ...each(["shared", "rshared", "slave", "rslave"], (one) => `volumes: ['./own:/x:${one}']`),
  ...each(
    ["shared", "rshared", "slave", "rslave"],
    (one) => `volumes: [{ type: bind, source: ./own, target: /x, bind: { propagation: ${one} } }]`,
  ),
  ...each(
    ["/dev/null:/dev/x", "/dev/mem", "/dev/sda:/dev/sda:rwm", "vendor.com/class=name"],
    (one) => `devices: ['${one}']`,
  ),
  "devices: [{ source: /dev/null, target: /dev/x, permissions: r }]",
  "device_cgroup_rules: ['b 8:* rwm']",
  "gpus: all",
  "gpus: [{ driver: nvidia, count: 1 }]",
  "deploy: { resources: { reservations: { devices: [{ capabilities: [gpu], count: 1 }] } } }",
  ...each(
    [
      "seccomp:unconfined",
      "seccomp=unconfined",
      "apparmor:unconfined",
      "label:disable",
      "systempaths=unconfined",
    ]
      .concat(["no-new-privileges:false", "mask=/proc", "unmask=ALL"]),
    (one) => `security_opt: ['${one}']`,
  ),
  ...each(SYSCTLS, (one) => `sysctls: { ${one}: 1 }`),
  ...each(SYSCTLS, (one) => `sysctls: ['${one}=1']`),
  "runtime: other",
  "cgroup_parent: /x",
  "annotations: { run.oci.handler: krun }",
  "annotations: ['a=b']",
  "storage_opt: { size: 1G }",
  "isolation: hyperv",
  "oom_kill_disable: true",
  "oom_score_adj: -500",
  "external_links: [theirs]",
  "external_links: ['theirs:db']",
  "volumes_from: ['container:theirs']",
  "volumes_from: ['container:theirs:ro']",
  "volumes_from: 'container:theirs'",
  "networks: [machine]",
  "networks: { machine: {} }",
  "networks: [namespace]",
  "networks: { inner: { driver_opts: { com.docker.network.endpoint.sysctls: x } } }",
  "secrets: [shadow]",
  "secrets: [{ source: shadow, target: /x }]",
  "configs: [passwd]",
  ...each(["syslog", "gelf", "fluentd", "awslogs", "splunk"], (one) => `logging: { driver: ${one} }`),
  "logging: { driver: json-file, options: { path: /etc/x } }",
  "logging: { options: { syslog-address: 'tcp://127.0.0.1:1' } }",
  "labels: { ofelia.job-local.x.command: id }",
  "labels: ['io.containers.autoupdate=registry']",
];

/** Fields that not every engine has. The plan is blocked then, and needs the permission all the same. */
const UNKNOWN = /^(?:annotations|isolation): /;

const MORE = `networks:
  inner: {}
  machine: { external: true, name: host }
  namespace: { name: 'container:theirs' }
volumes: { data: {} }
secrets: { shadow: { file: /etc/shadow } }
configs: { passwd: { file: /etc/passwd } }
`;

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("Each way to the host needs projects:host, and a project's own fields need nothing", async (engine) => {
    const lines = [...REACHING, ...HARMLESS];
    const names = lines.map((_, n) => `s${n}`);
    let count = 0;
    await scene(engine, "ways", project("ways", [service("web")]), async (scene) => {
      await Deno.symlink("/etc", `${scene.path}/link`);
      using _socket = Deno.listen({ transport: "unix", path: `${scene.path}/socket` });
      const operator = await scopedOperator(scene, "ways");
      for (const [way, write] of Object.entries(WAYS)) {
        const { "compose.yaml": text = "", ...others } = write("ways", names, lines, MORE);
        for (const [path, other] of Object.entries(others)) {
          await Deno.writeTextFile(`${scene.path}/${path}`, other);
        }
        await scene.write(text);
        const plan = await scene.plan({}, operator);
        for (const [n, line] of lines.entries()) {
          const unit = `unit:ways.${names[n]}`;
          const step = plan.steps.find((one) => one.unit === unit && one.kind === "container.create");
          const isHost = step?.needs.some(({ permission }) => permission === "projects:host") === true;
          const blocked = plan.blocked.filter(({ subject }) => subject === unit).map(({ code }) => code);
          assert.deepEqual(
            { line, isHost, blocked },
            {
              line,
              isHost: n < REACHING.length,
              blocked: UNKNOWN.test(line) && blocked.length > 0 ? ["project/engine-cannot"] : [],
            },
            way,
          );
          if (isHost) {
            const need = step?.needs.find(({ permission }) => permission === "projects:host");
            assert.ok(need?.field && need.why && need.at, `${way}: ${line} names no field`);
          }
          count += 1;
        }
      }
    });
    console.log(`${count} planned cases`);
  });
}
