/** The shape of a Compose file, after the published specification: which keys there are, and what may stand there. */

/** What a value may be. Null is always accepted: Compose drops it. */
export type Shape =
  | "anything"
  | "text" // a word, number or truth value
  | "number"
  | "boolean"
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly keys: Readonly<Record<string, Shape>> }
  | { readonly either: readonly Shape[] };

const texts: Shape = { list: "text" };
const textOrTexts: Shape = { either: ["text", texts] };
/** `- KEY=value` or `KEY: value`. */
const pairs: Shape = { either: [texts, { map: "text" }] };
const anyMap: Shape = { map: "anything" };
const listOfAnything: Shape = { list: "anything" };
const keys = (shapes: Readonly<Record<string, Shape>>): Shape => ({ keys: shapes });

const healthcheck = keys({
  disable: "boolean",
  interval: "text",
  retries: "number",
  start_interval: "text",
  start_period: "text",
  test: textOrTexts,
  timeout: "text",
});

const build: Shape = {
  either: [
    "text",
    keys({
      additional_contexts: pairs,
      args: pairs,
      cache_from: texts,
      cache_to: texts,
      context: "text",
      dockerfile: "text",
      dockerfile_inline: "text",
      entitlements: texts,
      extra_hosts: { either: [texts, anyMap] },
      isolation: "text",
      labels: pairs,
      network: "text",
      no_cache: "boolean",
      no_cache_filter: textOrTexts,
      platforms: texts,
      privileged: "boolean",
      provenance: "text",
      pull: "boolean",
      sbom: "text",
      secrets: listOfAnything,
      shm_size: "text",
      ssh: { either: ["text", texts, anyMap] },
      tags: texts,
      target: "text",
      ulimits: anyMap,
    }),
  ],
};

const updateConfig = keys({
  delay: "text",
  failure_action: "text",
  max_failure_ratio: "number",
  monitor: "text",
  order: "text",
  parallelism: "number",
});

const deploy = keys({
  endpoint_mode: "text",
  labels: pairs,
  mode: "text",
  placement: keys({ constraints: texts, max_replicas_per_node: "number", preferences: listOfAnything }),
  replicas: "number",
  resources: keys({
    limits: keys({ cpus: "text", memory: "text", pids: "number" }),
    reservations: keys({
      cpus: "text",
      devices: listOfAnything,
      generic_resources: listOfAnything,
      memory: "text",
    }),
  }),
  restart_policy: keys({ condition: "text", delay: "text", max_attempts: "number", window: "text" }),
  rollback_config: updateConfig,
  update_config: updateConfig,
});

const dependsOn: Shape = {
  either: [texts, { map: keys({ condition: "text", required: "boolean", restart: "boolean" }) }],
};

const port: Shape = {
  either: [
    "text",
    keys({
      app_protocol: "text",
      host_ip: "text",
      mode: "text",
      name: "text",
      protocol: "text",
      published: "text",
      target: "text",
    }),
  ],
};

const mount: Shape = {
  either: [
    "text",
    keys({
      bind: keys({ create_host_path: "boolean", propagation: "text", recursive: "text", selinux: "text" }),
      consistency: "text",
      image: keys({ subpath: "text" }),
      read_only: "boolean",
      source: "text",
      target: "text",
      tmpfs: keys({ mode: "text", size: "text" }),
      type: "text",
      volume: keys({ labels: pairs, nocopy: "boolean", subpath: "text" }),
    }),
  ],
};

const grant: Shape = {
  either: ["text", keys({ gid: "text", mode: "text", source: "text", target: "text", uid: "text" })],
};

const hooks: Shape = {
  list: keys({
    command: textOrTexts,
    environment: pairs,
    image: "text",
    per_replica: "boolean",
    privileged: "boolean",
    user: "text",
    working_dir: "text",
  }),
};

const service = keys({
  annotations: pairs,
  attach: "boolean",
  blkio_config: anyMap,
  build,
  cap_add: texts,
  cap_drop: texts,
  cgroup: "text",
  cgroup_parent: "text",
  command: textOrTexts,
  configs: { list: grant },
  container_name: "text",
  cpu_count: "number",
  cpu_percent: "number",
  cpu_period: "text",
  cpu_quota: "text",
  cpu_rt_period: "text",
  cpu_rt_runtime: "text",
  cpu_shares: "number",
  cpus: "number",
  cpuset: "text",
  credential_spec: keys({ config: "text", file: "text", registry: "text" }),
  depends_on: dependsOn,
  deploy,
  develop: keys({ watch: listOfAnything }),
  device_cgroup_rules: texts,
  devices: listOfAnything,
  dns: textOrTexts,
  dns_opt: texts,
  dns_search: textOrTexts,
  domainname: "text",
  entrypoint: textOrTexts,
  env_file: {
    either: ["text", {
      list: { either: ["text", keys({ format: "text", path: "text", required: "boolean" })] },
    }],
  },
  environment: pairs,
  expose: texts,
  extends: { either: ["text", keys({ file: "text", service: "text" })] },
  external_links: texts,
  extra_hosts: { either: [texts, anyMap] },
  gpus: { either: ["text", listOfAnything] },
  group_add: texts,
  healthcheck,
  hostname: "text",
  image: "text",
  init: "boolean",
  ipc: "text",
  isolation: "text",
  label_file: textOrTexts,
  labels: pairs,
  links: texts,
  logging: keys({ driver: "text", options: { map: "text" } }),
  mac_address: "text",
  mem_limit: "text",
  mem_reservation: "text",
  mem_swappiness: "number",
  memswap_limit: "text",
  models: { either: [texts, { map: keys({ endpoint_var: "text", model_var: "text" }) }] },
  network_mode: "text",
  networks: {
    either: [texts, {
      map: keys({
        aliases: texts,
        driver_opts: anyMap,
        gw_priority: "number",
        interface_name: "text",
        ipv4_address: "text",
        ipv6_address: "text",
        link_local_ips: texts,
        mac_address: "text",
        priority: "number",
      }),
    }],
  },
  oom_kill_disable: "boolean",
  oom_score_adj: "number",
  pid: "text",
  pids_limit: "number",
  platform: "text",
  ports: { list: port },
  post_start: hooks,
  pre_start: hooks,
  pre_stop: hooks,
  privileged: "boolean",
  profiles: texts,
  provider: keys({ options: anyMap, type: "text" }),
  pull_policy: "text",
  pull_refresh_after: "text",
  read_only: "boolean",
  restart: "text",
  runtime: "text",
  scale: "number",
  secrets: { list: grant },
  security_opt: texts,
  shm_size: "text",
  stdin_open: "boolean",
  stop_grace_period: "text",
  stop_signal: "text",
  storage_opt: anyMap,
  sysctls: pairs,
  tmpfs: textOrTexts,
  tty: "boolean",
  ulimits: { map: { either: ["text", keys({ hard: "number", soft: "number" })] } },
  use_api_socket: "boolean",
  user: "text",
  userns_mode: "text",
  uts: "text",
  volumes: { list: mount },
  volumes_from: texts,
  working_dir: "text",
});

const external: Shape = { either: ["boolean", keys({ name: "text" })] };

/** What a config and a secret have in common: both are files handed to services. */
const handedFile = {
  driver: "text",
  driver_opts: anyMap,
  environment: "text",
  external,
  file: "text",
  labels: pairs,
  name: "text",
  template_driver: "text",
} as const;

/** A whole file. */
export const COMPOSE_FILE: Shape = keys({
  configs: { map: keys({ ...handedFile, content: "text" }) },
  include: {
    either: ["text", {
      list: {
        either: ["text", keys({ env_file: textOrTexts, path: textOrTexts, project_directory: "text" })],
      },
    }],
  },
  models: { map: keys({ context_size: "number", model: "text", name: "text", runtime_flags: texts }) },
  name: "text",
  networks: {
    map: keys({
      attachable: "boolean",
      driver: "text",
      driver_opts: anyMap,
      enable_ipv4: "boolean",
      enable_ipv6: "boolean",
      external,
      internal: "boolean",
      ipam: keys({ config: listOfAnything, driver: "text", options: anyMap }),
      labels: pairs,
      name: "text",
    }),
  },
  secrets: { map: keys(handedFile) },
  services: { map: service },
  version: "text",
  volumes: { map: keys({ driver: "text", driver_opts: anyMap, external, labels: pairs, name: "text" }) },
});
