/** The shape of a Compose file, after the published specification: which keys there are, and what may stand there. */

/** The allowed form of a value; nothing at all only where it is `nullable`. */
export type Shape =
  | "anything"
  | "word"
  | "text" // a word, number or truth value
  | "number"
  | "boolean"
  | { readonly list: Shape }
  | { readonly set: Shape } // a list without doubles
  | { readonly oneOf: readonly string[] }
  | { readonly nullable: Shape }
  | { readonly map: Shape; /** The kind of thing that its keys name. */ readonly names?: string }
  | { readonly keys: Readonly<Record<string, Shape>>; readonly needed: readonly string[] }
  | { readonly either: readonly Shape[] };

const texts: Shape = { list: "word" };
const textOrTexts: Shape = { either: ["word", texts] };
/** `- KEY=value` or `KEY: value`. */
const pairs: Shape = { either: [texts, { map: { nullable: "text" } }] };
/** Said twice, Compose refuses it. */
const distinct: Shape = { set: "word" };
const anyMap: Shape = { map: "anything" };
const listOfAnything: Shape = { list: "anything" };
const keys = (shapes: Readonly<Record<string, Shape>>, needed: readonly string[] = []): Shape => ({
  keys: shapes,
  needed,
});

const healthcheck = keys({
  disable: "boolean",
  interval: "word",
  retries: "number",
  start_interval: "word",
  start_period: "word",
  test: textOrTexts,
  timeout: "word",
});

const build: Shape = {
  either: [
    "word",
    keys({
      additional_contexts: pairs,
      args: pairs,
      cache_from: texts,
      cache_to: texts,
      context: "word",
      dockerfile: "word",
      dockerfile_inline: "word",
      entitlements: texts,
      extra_hosts: { either: [distinct, anyMap] },
      isolation: "word",
      labels: pairs,
      network: "word",
      no_cache: "boolean",
      no_cache_filter: textOrTexts,
      platforms: texts,
      privileged: "boolean",
      provenance: "text",
      pull: "boolean",
      sbom: "text",
      secrets: listOfAnything,
      shm_size: "text",
      ssh: { either: ["word", texts, anyMap] },
      tags: texts,
      target: "word",
      ulimits: anyMap,
    }),
  ],
};

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
  placement: keys({ constraints: texts, max_replicas_per_node: "number", preferences: listOfAnything }),
  replicas: "number",
  resources: keys({
    limits: keys({ cpus: "text", memory: "word", pids: "number" }),
    reservations: keys({
      cpus: "text",
      devices: listOfAnything,
      generic_resources: listOfAnything,
      memory: "word",
    }),
  }),
  restart_policy: keys({ condition: "word", delay: "word", max_attempts: "number", window: "word" }),
  rollback_config: updateConfig,
  update_config: updateConfig,
});

const dependsOn: Shape = {
  either: [distinct, {
    map: keys({
      condition: { oneOf: ["service_started", "service_healthy", "service_completed_successfully"] },
      required: "boolean",
      restart: "boolean",
    }, ["condition"]),
  }],
};

const port: Shape = {
  either: [
    "text",
    keys({
      app_protocol: "word",
      host_ip: "word",
      mode: "word",
      name: "word",
      protocol: "word",
      published: "text",
      target: "text",
    }),
  ],
};

const mount: Shape = {
  either: [
    "word",
    keys({
      bind: keys({
        create_host_path: "boolean",
        propagation: "word",
        recursive: { oneOf: ["enabled", "disabled", "writable", "readonly"] },
        selinux: { oneOf: ["z", "Z"] },
      }),
      consistency: "word",
      image: keys({ subpath: "word" }),
      read_only: "boolean",
      source: "word",
      target: "word",
      tmpfs: keys({ mode: "text", size: "text" }),
      type: { oneOf: ["bind", "volume", "tmpfs", "cluster", "npipe", "image"] },
      volume: keys({ labels: pairs, nocopy: "boolean", subpath: "word" }),
    }),
  ],
};

const grant: Shape = {
  either: ["word", keys({ gid: "word", mode: "text", source: "word", target: "word", uid: "word" })],
};

const hooks: Shape = {
  list: keys({
    command: { nullable: textOrTexts },
    environment: pairs,
    privileged: "boolean",
    user: "word",
    working_dir: "word",
  }),
};

/** One service. */
export const SERVICE = keys({
  annotations: pairs,
  attach: "boolean",
  blkio_config: anyMap,
  build,
  cap_add: texts,
  cap_drop: texts,
  cgroup: { oneOf: ["host", "private"] },
  cgroup_parent: "word",
  command: { nullable: textOrTexts },
  configs: { list: grant },
  container_name: "word",
  cpu_count: "number",
  cpu_percent: "number",
  cpu_period: "text",
  cpu_quota: "text",
  cpu_rt_period: "text",
  cpu_rt_runtime: "text",
  cpu_shares: "number",
  cpus: "number",
  cpuset: "word",
  credential_spec: keys({ config: "word", file: "word", registry: "word" }),
  depends_on: dependsOn,
  deploy: { nullable: deploy },
  develop: { nullable: keys({ watch: listOfAnything }) },
  device_cgroup_rules: distinct,
  devices: listOfAnything,
  dns: textOrTexts,
  dns_opt: texts,
  dns_search: textOrTexts,
  domainname: "word",
  entrypoint: { nullable: textOrTexts },
  env_file: {
    either: ["word", {
      list: { either: ["word", keys({ format: "word", path: "word", required: "boolean" })] },
    }],
  },
  environment: pairs,
  expose: { list: "text" },
  extends: { either: ["word", keys({ file: "word", service: "word" })] },
  external_links: distinct,
  extra_hosts: { either: [distinct, anyMap] },
  gpus: { either: ["word", listOfAnything] },
  group_add: { set: "text" },
  healthcheck,
  hostname: "word",
  image: "word",
  init: "boolean",
  ipc: "word",
  isolation: "word",
  label_file: textOrTexts,
  labels: pairs,
  links: texts,
  logging: keys({ driver: "word", options: { map: { nullable: "text" } } }),
  mac_address: "word",
  mem_limit: "text",
  mem_reservation: "text",
  mem_swappiness: "number",
  memswap_limit: "text",
  models: { either: [distinct, { map: { nullable: keys({ endpoint_var: "word", model_var: "word" }) } }] },
  network_mode: "word",
  networks: {
    either: [distinct, {
      map: {
        nullable: keys({
          aliases: texts,
          driver_opts: anyMap,
          gw_priority: "number",
          interface_name: "word",
          ipv4_address: "word",
          ipv6_address: "word",
          link_local_ips: texts,
          mac_address: "word",
          priority: "number",
          use_service_name_alias: "boolean",
        }),
      },
    }],
  },
  oom_kill_disable: "boolean",
  oom_score_adj: "number",
  pid: { nullable: "word" },
  pids_limit: "number",
  platform: "word",
  ports: { list: port },
  post_start: hooks,
  // Whole containers in newer versions.
  pre_start: listOfAnything,
  pre_stop: hooks,
  privileged: "boolean",
  profiles: texts,
  provider: keys({ options: anyMap, type: "word" }, ["type"]),
  pull_policy: "word",
  pull_refresh_after: "word",
  read_only: "boolean",
  restart: "word",
  runtime: "word",
  scale: "number",
  secrets: { list: grant },
  security_opt: distinct,
  shm_size: "text",
  stdin_open: "boolean",
  stop_grace_period: "word",
  stop_signal: "word",
  storage_opt: anyMap,
  sysctls: pairs,
  tmpfs: textOrTexts,
  tty: "boolean",
  ulimits: { map: { either: ["number", keys({ hard: "number", soft: "number" })] } },
  use_api_socket: "boolean",
  user: "word",
  userns_mode: "word",
  umask: { nullable: "number" },
  uts: "word",
  volumes: { list: mount },
  volumes_from: distinct,
  working_dir: "word",
});

const external: Shape = { either: ["boolean", keys({ name: "word" })] };

/** The keys that configs and secrets share: both are files handed to services. */
const handedFile = {
  driver: "word",
  driver_opts: anyMap,
  environment: "word",
  external,
  file: "word",
  labels: pairs,
  name: "word",
  template_driver: "word",
} as const;

/** A whole file. */
export const COMPOSE_FILE: Shape = keys({
  configs: { names: "config", map: keys({ ...handedFile, content: "word" }) },
  // Its own kind of unit in newer versions; nothing in it is read.
  jobs: "anything",
  include: {
    either: ["word", {
      list: {
        either: ["word", keys({ env_file: textOrTexts, path: textOrTexts, project_directory: "word" })],
      },
    }],
  },
  models: {
    names: "model",
    map: keys({ context_size: "number", model: "word", name: "word", runtime_flags: texts }, ["model"]),
  },
  name: "word",
  networks: {
    names: "network",
    map: {
      nullable: keys({
        attachable: "boolean",
        driver: "word",
        driver_opts: anyMap,
        enable_ipv4: "boolean",
        enable_ipv6: "boolean",
        external,
        internal: "boolean",
        ipam: keys({ config: listOfAnything, driver: "word", options: anyMap }),
        labels: pairs,
        name: "word",
      }),
    },
  },
  secrets: { names: "secret", map: keys(handedFile) },
  services: { map: SERVICE, names: "service" },
  version: "word",
  volumes: {
    names: "volume",
    map: { nullable: keys({ driver: "word", driver_opts: anyMap, external, labels: pairs, name: "word" }) },
  },
});
