/** The shape of a file as `docker stack deploy` takes it: Compose's format of 2019, where Compose itself went on. */

import type { Shape } from "./compose_shape.ts";

const texts: Shape = { list: "word" };
const distinct: Shape = { set: "word" };
const textOrTexts: Shape = { either: ["word", texts] };
const pairs: Shape = { either: [texts, { map: { nullable: "text" } }] };
const keys = (shapes: Readonly<Record<string, Shape>>): Shape => ({ keys: shapes, needed: [] });

const updateConfig = keys({
  delay: "word",
  failure_action: "word",
  max_failure_ratio: "number",
  monitor: "word",
  order: { oneOf: ["start-first", "stop-first"] },
  parallelism: "number",
});

const deploy = keys({
  endpoint_mode: "word",
  labels: pairs,
  mode: "word",
  placement: keys({
    constraints: texts,
    max_replicas_per_node: "number",
    preferences: { list: keys({ spread: "word" }) },
  }),
  replicas: "number",
  resources: keys({
    limits: keys({ cpus: "word", memory: "word", pids: "number" }),
    reservations: keys({
      cpus: "word",
      generic_resources: { list: keys({ discrete_resource_spec: keys({ kind: "word", value: "number" }) }) },
      memory: "word",
    }),
  }),
  restart_policy: keys({ condition: "word", delay: "word", max_attempts: "number", window: "word" }),
  rollback_config: updateConfig,
  update_config: updateConfig,
});

const grant: Shape = {
  either: ["word", keys({ gid: "word", mode: "number", source: "word", target: "word", uid: "word" })],
};

const service = keys({
  build: "anything",
  cap_add: distinct,
  cap_drop: distinct,
  cgroup_parent: "word",
  cgroupns_mode: "word",
  command: textOrTexts,
  configs: { list: grant },
  container_name: "word",
  credential_spec: keys({ config: "word", file: "word", registry: "word" }),
  depends_on: distinct,
  deploy: { nullable: deploy },
  devices: distinct,
  dns: { either: ["word", distinct] },
  dns_search: { either: ["word", distinct] },
  domainname: "word",
  entrypoint: textOrTexts,
  env_file: textOrTexts,
  environment: pairs,
  expose: { set: "text" },
  external_links: distinct,
  extra_hosts: pairs,
  healthcheck: keys({
    disable: "boolean",
    interval: "word",
    retries: "number",
    start_interval: "word",
    start_period: "word",
    test: textOrTexts,
    timeout: "word",
  }),
  hostname: "word",
  image: "word",
  init: "boolean",
  ipc: "word",
  isolation: "word",
  labels: pairs,
  links: distinct,
  logging: keys({ driver: "word", options: { map: { nullable: "text" } } }),
  mac_address: "word",
  network_mode: "word",
  networks: {
    either: [distinct, {
      map: {
        nullable: keys({
          aliases: texts,
          driver_opts: { map: "text" },
          ipv4_address: "word",
          ipv6_address: "word",
        }),
      },
    }],
  },
  oom_score_adj: "number",
  pid: { nullable: "word" },
  ports: {
    list: {
      either: ["text", keys({ mode: "word", protocol: "word", published: "number", target: "number" })],
    },
  },
  privileged: "boolean",
  read_only: "boolean",
  restart: "word",
  secrets: { list: grant },
  security_opt: distinct,
  shm_size: "text",
  stdin_open: "boolean",
  stop_grace_period: "word",
  stop_signal: "word",
  sysctls: pairs,
  tmpfs: textOrTexts,
  tty: "boolean",
  ulimits: { map: { either: ["number", keys({ hard: "number", soft: "number" })] } },
  user: "word",
  userns_mode: "word",
  volumes: {
    list: {
      either: [
        "word",
        keys({
          bind: "anything",
          consistency: "word",
          read_only: "boolean",
          source: "word",
          target: "word",
          tmpfs: keys({ mode: "anything", size: "number" }),
          type: "word",
          volume: "anything",
          cluster: "anything",
        }),
      ],
    },
  },
  working_dir: "word",
});

const external: Shape = { either: ["boolean", keys({ name: "word" })] };
const handed = { external, file: "word", labels: pairs, name: "word", template_driver: "word" } as const;

/** A whole file. */
export const STACK_FILE: Shape = keys({
  configs: { map: keys(handed) },
  networks: {
    map: {
      nullable: keys({
        attachable: "boolean",
        driver: "word",
        driver_opts: { map: "text" },
        external,
        internal: "boolean",
        ipam: keys({ config: { list: keys({ subnet: "word" }) }, driver: "word" }),
        labels: pairs,
        name: "word",
      }),
    },
  },
  secrets: { map: keys({ ...handed, driver: "word", driver_opts: { map: "text" } }) },
  services: { map: service },
  version: "word",
  volumes: {
    map: {
      nullable: keys({ driver: "word", driver_opts: { map: "text" }, external, labels: pairs, name: "word" }),
    },
  },
});
