/**
 * A service as the JSON that Docker Compose makes of it, from which it hashes `com.docker.compose.config-hash`. It is
 * only written, so that Compose recognises a container; berth never decides by it.
 */

import type { Mount, Node, Place } from "../../artifacts/artifact.ts";
import { below } from "../../artifacts/live/join.ts";
import { bytesOf, nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import { amountText } from "../../artifacts/compose/number_text.ts";
import { cleanTarget } from "../../artifacts/compose/clean_path.ts";
import { wordsOf } from "../../artifacts/compose/command.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import {
  entriesOf,
  isNull,
  listOf,
  numberOf,
  oneOrMany,
  textOf,
  truthOf,
  valueAt,
} from "../../artifacts/yaml/values.ts";
import { uncovered } from "../fields/coverage.ts";
import type { Declared } from "../fields/field.ts";
import { modeOf } from "../fields/grants.ts";
import { hostsOf } from "../fields/identity.ts";
import { sourceOf } from "../fields/mount_sources.ts";
import { shortOptionsOf } from "../fields/mounts.ts";
import { duration } from "./duration.ts";
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

/**
 * A up to Compose 2.40, B from 5.0: each writes the same service in another way. The order of keys is that of A in both,
 * because Compose 5.6 pinned it when its own fields moved.
 */
export type HashForm = "a" | "b";

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

interface Around {
  readonly form: HashForm;
  readonly containerOf: (service: string) => string | undefined;
}

/** Undefined: left out, because it is Go's zero. */
type Writer = (node: Node, of: Declared, around: Around) => Json | undefined;

const text: Writer = (node) => sure(textOf(node)) || undefined;
const flag: Writer = (node) => sure(truthOf(node)) || undefined;
const number: Writer = (node) => sure(numberOf(node)) || undefined;
/** Amounts of bytes are written as texts. */
const bytes: Writer = (node) => {
  const amount = sure(bytesOf(sure(amountText(node))));
  return amount === 0 ? undefined : String(amount);
};
const texts: Writer = (node) => {
  const items = oneOrMany(node).map((item) => sure(textOf(item)));
  return items.length === 0 ? undefined : items;
};
const words: Writer = (node) => sure(wordsOf(node));
const time: Writer = (node) => duration(sure(nanosecondsOf(sure(textOf(node)))));

const map: Writer = (node) => {
  const values = [...keyValues(node)].map(([name, { value, unknown }]) => {
    if (unknown) throw new NoForm();
    return [name, value ?? ""] as const;
  });
  return values.length === 0 ? undefined : sorted(Object.fromEntries(values));
};

/** A name alone is told from one with an empty value. */
const bareMap: Writer = (node) => {
  const values = [...keyValues(node)].map(([name, { value, unknown }]) => {
    if (unknown) throw new NoForm();
    return [name, value] as const;
  });
  return values.length === 0 ? undefined : sorted(Object.fromEntries(values));
};

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

/** A key inside a value; undefined where it is not there. */
function inside(node: Node, key: string, write: Writer, of: Declared, around: Around): Json | undefined {
  const value = valueAt(node, ...key.split("."));
  return value === null || isNull(value) ? undefined : under(key, value, () => write(value, of, around));
}

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

const ports: Writer = (_node, { service }) => {
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

const tmpfsOptions: Writer = (node, of, around) =>
  object({ size: inside(node, "size", bytes, of, around), mode: inside(node, "mode", number, of, around) });
const imageOptions: Writer = (node, of, around) =>
  object({ subpath: inside(node, "subpath", text, of, around) });

function volumeOptions(mount: Mount, isShort: boolean, of: Declared, around: Around): Json | undefined {
  if (isShort) return shortOptionsOf(mount.at).includes("nocopy") ? { nocopy: true } : {};
  return inside(
    mount.at,
    "volume",
    (node) =>
      object({
        nocopy: inside(node, "nocopy", flag, of, around),
        subpath: inside(node, "subpath", text, of, around),
      }),
    of,
    around,
  );
}

const volumes: Writer = (_node, of, around) => {
  const { form } = around;
  const list = of.service.mounts.map((mount, n) =>
    under(String(n), mount.at, () => {
      if (mount.unknown || mount.invalid !== null) throw new NoForm();
      const isShort = mount.at.kind === "scalar";
      return object({
        type: mount.type,
        source: mount.type === "bind" ? sure(sourceOf(of, mount).real) : mount.source || undefined,
        target: cleanTarget(sure(mount.target)),
        read_only: mount.readOnly || undefined,
        consistency: isShort ? undefined : textOf(valueAt(mount.at, "consistency")) || undefined,
        bind: mount.type === "bind" ? bindOptions(mount, isShort, form) : undefined,
        volume: mount.type === "volume" ? volumeOptions(mount, isShort, of, around) : undefined,
        tmpfs: mount.type === "tmpfs" ? inside(mount.at, "tmpfs", tmpfsOptions, of, around) : undefined,
        image: mount.type === "image" ? inside(mount.at, "image", imageOptions, of, around) : undefined,
      });
    })
  );
  return list.length === 0 ? undefined : list;
};

/** From 5.0 on Compose does not write what it takes for granted. */
function bindOptions(mount: Mount, isShort: boolean, form: HashForm): Json | undefined {
  const written = isShort ? null : valueAt(mount.at, "bind");
  if (!isShort && written === null) return undefined;
  const creates = isShort || truthOf(valueAt(written, "create_host_path")) === true;
  const isRefused = !isShort && truthOf(valueAt(written, "create_host_path")) === false;
  const words = isShort ? shortOptionsOf(mount.at) : [];
  const option = (key: string, isWord: (word: string) => boolean) =>
    isShort ? words.find(isWord) : textOf(valueAt(written, key)) || undefined;
  return object({
    selinux: option("selinux", (word) => word === "z" || word === "Z"),
    propagation: option("propagation", (word) => /^r?(?:shared|slave|private)$/.test(word)),
    create_host_path: form === "a" ? creates || undefined : isRefused ? false : undefined,
    recursive: option("recursive", () => false),
  });
}

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
    const [source, target = source, permissions = "rwm"] = sure(textOf(item)).split(":");
    return { source: source!, target: target!, permissions };
  });

const logging: Writer = (node, of, around) =>
  object({
    driver: inside(node, "driver", text, of, around),
    options: inside(node, "options", map, of, around),
  });

const requests: Writer = (node, of, around) =>
  listOf(node).map((item) => {
    const countAt = valueAt(item, "count");
    const ids = inside(item, "device_ids", texts, of, around);
    const count = textOf(countAt) === "all" || (isNull(countAt) && ids === undefined)
      ? -1
      : numberOf(countAt);
    return object({
      capabilities: inside(item, "capabilities", texts, of, around),
      driver: inside(item, "driver", text, of, around),
      count: count || undefined,
      device_ids: ids,
      options: inside(item, "options", map, of, around),
    });
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

/** A pointer in Go: zero is written. */
const count: Writer = (node) => sure(numberOf(node));

/** A time that is no pointer in Go: zero is left out. */
const timeIfAny: Writer = (node, of, around) =>
  sure(nanosecondsOf(sure(textOf(node)))) === 0 ? undefined : time(node, of, around);

const update: Writer = (node, of, around) => {
  const at = (key: string, write: Writer) => inside(node, key, write, of, around);
  return object({
    parallelism: at("parallelism", count),
    delay: at("delay", timeIfAny),
    failure_action: at("failure_action", text),
    monitor: at("monitor", timeIfAny),
    max_failure_ratio: at("max_failure_ratio", number),
    order: at("order", text),
  });
};

const placement: Writer = (node, of, around) => {
  const at = (key: string, write: Writer) => inside(node, key, write, of, around);
  const preferences = listOf(valueAt(node, "preferences")).map((one) =>
    object({ spread: inside(one, "spread", text, of, around) })
  );
  return object({
    constraints: at("constraints", texts),
    preferences: preferences.length === 0 ? undefined : preferences,
    max_replicas_per_node: at("max_replicas_per_node", number),
  });
};

const deploy: Writer = (node, of, around) => {
  const at = (key: string, write: Writer) => inside(node, key, write, of, around);
  const share = (kind: string) =>
    at(`resources.${kind}`, (one) =>
      object({
        cpus: inside(one, "cpus", number, of, around),
        memory: inside(one, "memory", bytes, of, around),
        pids: inside(one, "pids", number, of, around),
        devices: inside(one, "devices", requests, of, around),
      }));
  const policy: Writer = (one) =>
    object({
      condition: inside(one, "condition", text, of, around),
      delay: inside(one, "delay", time, of, around),
      max_attempts: inside(one, "max_attempts", count, of, around),
      window: inside(one, "window", time, of, around),
    });
  return object({
    mode: at("mode", text),
    labels: at("labels", map),
    update_config: at("update_config", update),
    rollback_config: at("rollback_config", update),
    resources: object({ limits: share("limits"), reservations: share("reservations") }),
    restart_policy: at("restart_policy", policy),
    placement: at("placement", placement) ?? {},
    endpoint_mode: at("endpoint_mode", text),
  });
};

const hooks: Writer = (node, of, around) => {
  const list = listOf(node).map((item) => {
    const at = (key: string, write: Writer) => inside(item, key, write, of, around);
    return object({
      command: sure(at("command", words)),
      user: at("user", text),
      privileged: at("privileged", flag),
      working_dir: at("working_dir", text),
      environment: at("environment", bareMap),
    });
  });
  return list.length === 0 ? undefined : list;
};

const watchedAt = ({ unit }: Declared, node: Node | null): string | null | undefined =>
  unit.paths.find(({ kind, at }) => kind === "develop" && at.file === node?.file && at.start === node.start)
    ?.path;

/** Orders for `docker compose watch`: no part of the container, and hashed all the same. */
const develop: Writer = (node, of, around) => {
  const exec: Writer = (one) =>
    object({
      command: one.kind === "mapping" ? inside(one, "command", words, of, around) ?? null : null,
      user: inside(one, "user", text, of, around),
      privileged: inside(one, "privileged", flag, of, around),
      working_dir: inside(one, "working_dir", text, of, around),
      environment: inside(one, "environment", bareMap, of, around),
    });
  const list = listOf(valueAt(node, "watch")).map((item) => {
    const at = (key: string, write: Writer) => inside(item, key, write, of, around);
    return object({
      path: below(of.model.root, sure(watchedAt(of, valueAt(item, "path")))),
      action: sure(at("action", text)),
      target: at("target", text),
      exec: at("exec", exec) ?? { command: null },
      include: at("include", texts),
      ignore: at("ignore", texts),
      initial_sync: at("initial_sync", flag),
    });
  });
  return list.length === 0 ? {} : { watch: list };
};

const hosts: Writer = (_node, of) => {
  const found = hostsOf(of);
  if (found === null || typeof found === "symbol") throw new NoForm();
  return found.value.map((host) => host.replace(":", "=")).sort();
};

/** Every key that can be written. */
const WRITERS: Readonly<Record<string, Writer>> = {
  ...Object.fromEntries(
    [
      "cgroup",
      "container_name",
      "cgroup_parent",
      "cpuset",
      "domainname",
      "hostname",
      "mac_address",
      "image",
      "isolation",
      "platform",
      "restart",
      "runtime",
    ]
      .concat(["stop_signal", "user", "userns_mode", "uts", "working_dir"]).map((key) => [key, text]),
  ),
  ...Object.fromEntries(
    ["oom_kill_disable", "privileged", "read_only", "stdin_open", "tty"].map((key) => [key, flag]),
  ),
  ...Object.fromEntries(
    [
      "cpus",
      "cpu_shares",
      "cpu_period",
      "cpu_quota",
      "cpu_rt_period",
      "cpu_rt_runtime",
      "oom_score_adj",
      "pids_limit",
    ].map((key) => [key, number]),
  ),
  ...Object.fromEntries(
    ["mem_limit", "mem_reservation", "memswap_limit", "mem_swappiness", "shm_size"].map((
      key,
    ) => [key, bytes]),
  ),
  ...Object.fromEntries(
    ["cap_add", "cap_drop", "device_cgroup_rules", "dns", "dns_opt", "dns_search", "expose", "external_links"]
      .concat(["group_add", "links", "security_opt", "tmpfs"])
      .map((
        key,
      ) => [key, texts]),
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
