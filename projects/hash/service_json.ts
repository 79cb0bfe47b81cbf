/**
 * A service as the JSON that Docker Compose makes of it, from which it hashes `com.docker.compose.config-hash`. It is
 * only written, so that Compose recognises a container; berth never decides by it.
 */

import type { Node, Place } from "../../artifacts/artifact.ts";
import { bytesOf } from "../../artifacts/compose/amounts.ts";
import { amountText } from "../../artifacts/compose/number_text.ts";
import { below } from "../../artifacts/live/join.ts";
import {
  entriesOf,
  isNull,
  listOf,
  numberOf,
  textOf,
  truthOf,
  valueAt,
} from "../../artifacts/yaml/values.ts";
import { uncovered } from "../fields/coverage.ts";
import type { Declared } from "../fields/field.ts";
import { modeOf } from "../fields/grants.ts";
import { hostsOf } from "../fields/identity.ts";
import { MOST_PORTS, portsOf } from "../fields/ports.ts";
import { develop, hooks } from "./commands_json.ts";
import { deploy, requests } from "./deploy_json.ts";
import {
  type Formless,
  formlessIn,
  goJson,
  type Json,
  type JsonObject,
  NoForm,
  object,
  sorted,
  sure,
  under,
} from "./go_json.ts";
import { volumes } from "./mounts_json.ts";
import {
  bytes,
  flag,
  type HashForm,
  inside,
  map,
  number,
  text,
  texts,
  time,
  words,
  type Writer,
} from "./writer.ts";

/** Returns the JSON, or the field for which there is none: a value that is not known, or a key without a row. */
export function serviceJson(
  of: Declared,
  form: HashForm,
  containerOf: (service: string) => string | undefined,
): string | Formless {
  const [unlisted] = uncovered(of.unit);
  if (unlisted !== undefined) return { field: unlisted.key, at: unlisted.at };
  try {
    const value: JsonObject = { command: null, entrypoint: null };
    for (const [key, { value: node }] of entriesOf(of.unit.value)) {
      if (LEFT_OUT.has(key) || key.startsWith("x-") || isNull(node)) continue;
      const write = WRITERS[key];
      if (write === undefined || !ORDER.includes(key)) return { field: key, at: node };
      const written = under(key, node, () => write(node, of, { form, containerOf }));
      if (written !== undefined) value[key] = written;
    }
    addFiles(value, of);
    addDefaultNetwork(value, of);
    return goJson(Object.fromEntries(ORDER.filter((key) => key in value).map((key) => [key, value[key]!])));
  } catch (error) {
    return formlessIn(error, of.unit.source);
  }
}

const LEFT_OUT = new Set(
  ["build", "pull_policy", "scale", "depends_on", "profiles", "env_file", "extends"],
);

/** `service:web` becomes the container that stands for it. */
const mode: Writer = (node, _of, { containerOf }) => {
  const written = sure(textOf(node));
  const service = /^service:(.+)$/.exec(written)?.[1];
  return service === undefined ? written || undefined : `container:${sure(containerOf(service))}`;
};

const volumesFrom: Writer = (node, _of, { containerOf }) =>
  listOf(node).map((item) => {
    const [kind, ...rest] = sure(textOf(item)).split(":");
    return kind === "container" ? rest.join(":") : [sure(containerOf(kind!)), ...rest].join(":");
  });

const healthcheck: Writer = (node, of, around) => {
  const test: Writer = (at) => at.kind === "list" ? words(at, of, around) : ["CMD-SHELL", sure(textOf(at))];
  const at = (key: string, write: Writer) => inside(node, key, write, of, around);
  return object({
    test: at("test", test),
    timeout: at("timeout", time),
    interval: at("interval", time),
    retries: at("retries", (one) => sure(numberOf(one))),
    start_period: at("start_period", time),
    start_interval: at("start_interval", time),
    disable: at("disable", flag),
  });
};

const ports: Writer = (_node, of) => {
  const { service } = of;
  if (portsOf(of) > MOST_PORTS) throw new NoForm();
  const list = service.ports.flatMap((port) => {
    if (port.unknown || port.invalid !== null) throw new NoForm();
    const size = port.target.last - port.target.first;
    const long = "kind" in port.at ? port.at as Node : null; // every place of a port is the node it was read from
    const more = (key: string) => long === null ? undefined : textOf(valueAt(long, key)) || undefined;
    return Array.from({ length: size + 1 }, (_, i) =>
      object({
        name: more("name"),
        mode: more("mode") ?? "ingress",
        host_ip: port.hostIp || undefined,
        target: port.target.first + i,
        published: port.published === null
          ? undefined
          : port.published.last - port.published.first > size
          ? `${port.published.first}-${port.published.last}`
          : String(port.published.first + i),
        protocol: port.protocol,
        app_protocol: more("app_protocol"),
      }));
  });
  return list.length === 0 ? undefined : list;
};

const networks: Writer = (node, of, around) => {
  const entries: [string, Json][] = node.kind === "list"
    ? node.items.map((item) => [sure(textOf(item)), null])
    : [...entriesOf(node)].map(([name, { value }]) => {
      if (isNull(value)) return [name, null];
      const at = (key: string, write: Writer) =>
        under(name, value, () => inside(value, key, write, of, around));
      return [
        name,
        object({
          aliases: at("aliases", texts),
          driver_opts: at("driver_opts", map),
          gw_priority: at("gw_priority", number),
          interface_name: at("interface_name", text),
          ipv4_address: at("ipv4_address", text),
          ipv6_address: at("ipv6_address", text),
          link_local_ips: at("link_local_ips", texts),
          mac_address: at("mac_address", text),
          priority: at("priority", number),
        }),
      ];
    });
  return sorted(Object.fromEntries(entries));
};

const ulimits: Writer = (node) =>
  sorted(Object.fromEntries([...entriesOf(node)].map(([name, { value }]) => {
    const single = numberOf(value);
    // Go's zero: neither a single value nor parts of one.
    if (single !== null) return [name, single === 0 ? {} : single];
    const part = (key: string) => sure(numberOf(valueAt(value, key))) || undefined;
    return [name, object({ soft: part("soft"), hard: part("hard") })];
  })));

const devices: Writer = (node) =>
  listOf(node).map((item) => {
    if (item.kind !== "scalar") {
      const at = (key: string) => textOf(valueAt(item, key)) ?? undefined;
      return object({ source: at("source"), target: at("target"), permissions: at("permissions") });
    }
    const [source = "", target, permissions = "rwm"] = sure(textOf(item)).split(":");
    return { source, target: target || source, permissions };
  });

const logging: Writer = (node, of, around) =>
  object({
    driver: inside(node, "driver", text, of, around),
    options: inside(node, "options", map, of, around),
  });

const blockIo: Writer = (node, of, around) => {
  const list = (key: string, amount: Writer, amountKey: string) => {
    // Compose's own types have no names for JSON.
    const items = listOf(valueAt(node, key)).map((item) => ({
      Path: sure(textOf(valueAt(item, "path"))),
      [amountKey === "weight" ? "Weight" : "Rate"]: sure(inside(item, amountKey, amount, of, around)),
    }));
    return items.length === 0 ? undefined : items;
  };
  const rate: Writer = (one) => String(sure(bytesOf(sure(amountText(one)))));
  return object({
    weight: inside(node, "weight", number, of, around),
    weight_device: list("weight_device", number, "weight"),
    device_read_bps: list("device_read_bps", rate, "rate"),
    device_read_iops: list("device_read_iops", rate, "rate"),
    device_write_bps: list("device_write_bps", rate, "rate"),
    device_write_iops: list("device_write_iops", rate, "rate"),
  });
};

const grants = (folder: string): Writer => (node) =>
  listOf(node).map((item) => {
    const source = sure(textOf(item) ?? textOf(valueAt(item, "source")));
    const target = textOf(valueAt(item, "target"));
    const at = (key: string) => textOf(valueAt(item, key)) || undefined;
    const mode = modeOf(valueAt(item, "mode"));
    return object({
      source,
      target: target ?? (folder === "" ? undefined : `${folder}${source}`),
      uid: at("uid"),
      gid: at("gid"),
      mode: mode === null ? undefined : `0${mode.toString(8)}`,
    });
  });

const hosts: Writer = (_node, of) => {
  const found = hostsOf(of);
  if (found === null || typeof found === "symbol") throw new NoForm();
  return found.value.map((host) => host.replace(":", "=")).sort();
};

const each = (keys: string, write: Writer): Record<string, Writer> =>
  Object.fromEntries(keys.split(" ").map((key) => [key, write]));

/** Every key that can be written. */
const WRITERS: Readonly<Record<string, Writer>> = {
  ...each(
    "cgroup container_name cgroup_parent cpuset domainname hostname mac_address image isolation platform restart " +
      "runtime stop_signal user userns_mode uts working_dir",
    text,
  ),
  ...each("oom_kill_disable privileged read_only stdin_open tty", flag),
  ...each(
    "cpus cpu_shares cpu_period cpu_quota cpu_rt_period cpu_rt_runtime oom_score_adj pids_limit",
    number,
  ),
  ...each("mem_limit mem_reservation memswap_limit mem_swappiness shm_size", bytes),
  ...each(
    "cap_add cap_drop device_cgroup_rules dns dns_opt dns_search expose external_links group_add links " +
      "security_opt tmpfs",
    texts,
  ),
  // Pointers in Go: false is written.
  init: (node) => sure(truthOf(node)),
  attach: (node) => sure(truthOf(node)),
  develop,
  command: words,
  entrypoint: words,
  environment: () => undefined, // with those of its files
  labels: () => undefined,
  // Unlike those of variables, Compose keeps these paths beside what the files say.
  label_file: (_node, { model, unit }) => {
    const files = unit.paths.filter(({ kind }) => kind === "label_file");
    return files.length === 0 ? undefined : files.map(({ path }) => below(model.root, sure(path)));
  },
  network_mode: mode,
  ipc: mode,
  pid: mode,
  volumes_from: volumesFrom,
  stop_grace_period: time,
  healthcheck,
  ports,
  volumes,
  networks,
  annotations: map,
  blkio_config: blockIo,
  gpus: (node, of, around) => node.kind === "scalar" ? [{ count: -1 }] : requests(node, of, around),
  sysctls: map,
  storage_opt: map,
  ulimits,
  devices,
  logging,
  secrets: grants("/run/secrets/"),
  configs: grants(""),
  deploy,
  extra_hosts: hosts,
  post_start: hooks,
  pre_stop: hooks,
};

function addFiles(value: JsonObject, { service, unit }: Declared): void {
  for (const { kind, file, required, found, at } of unit.paths) {
    if (kind !== "env_file" && kind !== "label_file") continue;
    if (file === undefined && (required || found !== "missing")) under(kind, at, noForm);
  }
  const environment = [...service.environment].map(([name, one]) => known("environment", name, one));
  if (environment.length > 0) value.environment = sorted(Object.fromEntries(environment));
  const labels = [...service.labels].map(([name, one]) => known("labels", name, one));
  if (labels.length > 0) {
    value.labels = sorted(Object.fromEntries(labels.map(([name, text]) => [name, text ?? ""])));
  }
}

function noForm(): never {
  throw new NoForm();
}

const known = (
  key: string,
  name: string,
  { unknown, value, at }: { readonly unknown: boolean; readonly value: string | null; readonly at: Place },
): readonly [string, string | null] => [
  name,
  unknown ? under(key, at, () => under(name, at, noForm)) : value,
];

function addDefaultNetwork(value: JsonObject, { unit }: Declared): void {
  const isDefault = unit.references.some(({ under, byDefault }) =>
    under === "networks" && byDefault === true
  );
  if (isDefault) value.networks = { default: null };
}

/** The order of keys: that of the fields of Compose 2. */
const ORDER = (
  "annotations attach develop blkio_config cap_add cap_drop cgroup_parent cgroup cpu_period cpu_quota " +
  "cpu_rt_period cpu_rt_runtime cpus cpuset cpu_shares command configs container_name deploy " +
  "device_cgroup_rules devices dns dns_opt dns_search domainname entrypoint environment expose " +
  "external_links extra_hosts group_add gpus hostname healthcheck image init ipc isolation labels label_file links logging " +
  "mem_limit mem_reservation memswap_limit mem_swappiness mac_address network_mode networks " +
  "oom_kill_disable oom_score_adj pid pids_limit platform ports privileged read_only restart runtime " +
  "secrets security_opt shm_size stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs tty ulimits user " +
  "userns_mode uts volumes volumes_from working_dir post_start pre_stop"
).split(" ");
