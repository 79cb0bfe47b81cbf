/** A project's fields as berth and as Compose's loader have them, in one form, so that they can be compared. */

import { resolve } from "node:path";
import type {
  Group,
  Model,
  Mount,
  Node,
  PathUse,
  Port,
  Reference,
  Unit,
} from "../../../artifacts/artifact.ts";
import { named } from "../../../artifacts/compose/long_forms.ts";
import { keyValues } from "../../../artifacts/compose/service.ts";
import {
  entriesOf,
  listOf,
  numberOf,
  oneOrMany,
  textOf,
  truthOf,
  valueAt,
} from "../../../artifacts/yaml/values.ts";
import { wordsOf } from "../../../artifacts/compose/command.ts";
import { bytesOf, nanosecondsOf } from "../../../artifacts/compose/amounts.ts";
import { HOME, type Loaded } from "./compose_go.ts";

/** Dotted names, such as `services.web.ports`, to plain values. */
export type Fields = Map<string, unknown>;

const TEXTS = [
  "cgroup",
  "container_name",
  "domainname",
  "hostname",
  "image",
  "ipc",
  "mac_address",
  "network_mode",
  "pid",
  "platform",
  "pull_policy",
  "restart",
  "runtime",
  "stop_signal",
  "user",
  "userns_mode",
  "uts",
  "working_dir",
] as const;
const TRUTHS = ["privileged", "read_only", "stdin_open", "tty"] as const;
const LISTS = [
  "cap_add",
  "cap_drop",
  "dns",
  "dns_search",
  "expose",
  "group_add",
  "links",
  "profiles",
  "security_opt",
  "tmpfs",
  "volumes_from",
] as const;
const TIMES = ["interval", "timeout", "start_period", "start_interval"] as const;
const BYTES = ["mem_limit", "mem_reservation", "shm_size"] as const;

/** As Compose's loader answers. */
export function fieldsOfCompose(loaded: Loaded): Fields {
  const fields: Fields = new Map([["name", loaded.name]]);
  for (const [kind, all] of Object.entries({ services: loaded.services, disabled: loaded.disabled })) {
    for (const [name, service] of Object.entries(all ?? {})) {
      const set = (field: string, value: unknown) => fields.set(`services.${name}.${field}`, value);
      set("active", kind === "services");
      composeService(service, kind === "services", set);
    }
  }
  for (const section of ["networks", "volumes", "secrets", "configs"]) {
    for (const [key, value] of Object.entries<Loaded>(loaded[section] ?? {})) {
      fields.set(`${section}.${key}`, { name: value.name ?? null, external: value.external === true });
      if (value.external === true) continue;
      fields.set(`${section}.${key}.labels`, sortedMap(value.labels));
      if (section === "networks") fields.set(`${section}.${key}.subnets`, subnetsOf(value.ipam?.config));
    }
  }
  return fields;
}

function composeService(
  service: Loaded,
  active: boolean,
  set: (field: string, value: unknown) => void,
): void {
  for (const key of TEXTS) set(key, service[key] ?? null);
  for (const key of TRUTHS) set(key, service[key] ?? false);
  for (const key of LISTS) set(key, sorted((service[key] ?? []).map(String)));
  for (const key of BYTES) set(key, Number(service[key] ?? 0));
  set("cpus", Number(service.cpus ?? 0));
  set("pids_limit", Number(service.pids_limit ?? 0));
  set("stop_grace_period", service.stop_grace_period ? nanosecondsOf(service.stop_grace_period) : null);
  set("command", service.command ?? null);
  set("entrypoint", service.entrypoint ?? null);
  // Inactive services are not resolved: `env_file` and `label_file` are only read for active ones.
  if (active) {
    set("environment", sortedMap(service.environment));
    set("labels", sortedMap(service.labels));
  }
  set(
    "build",
    service.build === undefined ? null : {
      context: service.build.context,
      dockerfile: service.build.dockerfile ?? null,
      target: service.build.target ?? null,
      args: sortedMap(service.build.args),
    },
  );
  set(
    "ports",
    sorted(
      (service.ports ?? []).map((port: Loaded) =>
        portLine(port.host_ip ?? "", port.published ?? "", port.target, port.protocol ?? "tcp")
      ),
    ),
  );
  set(
    "mounts",
    byText((service.volumes ?? []).map(({ type, source, target, read_only }: Loaded) => ({
      type,
      source: source === undefined ? null : trimmed(source),
      target,
      readOnly: read_only === true,
    }))),
  );
  set(
    "networks",
    mapped(service.networks, (network: Loaded) => ({
      aliases: sorted(network?.aliases ?? []),
      ipv4_address: network?.ipv4_address ?? null,
    })),
  );
  set(
    "depends_on",
    mapped(service.depends_on, ({ condition, required, restart }: Loaded) => ({
      condition,
      required: required === true,
      restart: restart === true,
    })),
  );
  const check = service.healthcheck;
  set(
    "healthcheck",
    check === undefined ? null : {
      test: check.test ?? null,
      disable: check.disable === true,
      retries: check.retries ?? null,
      ...Object.fromEntries(TIMES.map((key) => [key, check[key] ? nanosecondsOf(check[key]) : null])),
    },
  );
  set("replicas", service.scale ?? service.deploy?.replicas ?? 1);
  for (const key of ["secrets", "configs"]) {
    set(
      key,
      sorted((service[key] ?? []).map(({ source }: Loaded) => source)),
    );
  }
  set("extra_hosts", sorted((service.extra_hosts ?? []).map(String)));
  set("sysctls", sortedMap(service.sysctls));
}

/** As berth reads it. Fields that hold a variable that is not set are told by `unset`. */
export function fieldsOfBerth(model: Model, group: Group): { fields: Fields; unset: Set<string> } {
  const fields: Fields = new Map([["name", group.project]]);
  const unset = new Set<string>();
  for (const unit of group.units) {
    if (unit.service === null) continue;
    const set = (field: string, value: unknown) => fields.set(`services.${unit.label}.${field}`, value);
    berthService(model, unit, set);
    for (const [key, { value }] of entriesOf(unit.value)) {
      if (holdsUnknown(value)) unset.add(`services.${unit.label}.${FIELD[key] ?? key}`);
    }
    if ([...unit.service.environment.values()].some((variable) => variable.unknown)) {
      unset.add(`services.${unit.label}.environment`);
    }
  }
  for (const { kind, key, name, external, value } of group.resources) {
    if (kind === "model") continue;
    const field = `${kind}s.${key}`;
    const set = (name: string, found: unknown) => {
      fields.set(name, found);
      if (holdsUnknown(value)) unset.add(name);
    };
    set(field, { name, external });
    if (external) continue;
    const labels = [...keyValues(valueAt(value, "labels"))].map(([name, { value }]) => [name, value ?? ""]);
    set(`${field}.labels`, sortedMap(Object.fromEntries(labels)));
    if (kind !== "network") continue;
    const ranges = listOf(valueAt(value, "ipam", "config"));
    const parts = (range: Node) =>
      Object.fromEntries(RANGE.map((key) => [key, textOf(valueAt(range, key)) ?? undefined]));
    set(`${field}.subnets`, subnetsOf(ranges.map(parts)));
  }
  return { fields, unset };
}

const RANGE = ["subnet", "ip_range", "gateway"] as const;

const subnetsOf = (ranges: readonly Loaded[] | undefined): unknown =>
  (ranges ?? []).map((range) => RANGE.map((key) => range[key] ?? null));

/** Fields whose name in berth is not their key in the file. */
const FIELD: Readonly<Record<string, string>> = { volumes: "mounts", scale: "replicas", deploy: "replicas" };

function holdsUnknown(node: Node): boolean {
  if (node.kind === "scalar") return node.unknown === true;
  if (node.kind === "list") return node.items.some(holdsUnknown);
  return [...node.entries.values()].some(({ value }) => holdsUnknown(value));
}

function berthService(
  model: Model,
  unit: Unit,
  set: (field: string, value: unknown) => void,
): void {
  const service = unit.service!;
  const at = (key: string) => valueAt(unit.value, key);
  set("active", service.active);
  for (const key of TEXTS) set(key, textOf(at(key)));
  for (const key of TRUTHS) set(key, truthOf(at(key)) === true);
  for (const key of LISTS) set(key, sorted(oneOrMany(at(key)).map((item) => textOf(item) ?? "")));
  for (const key of BYTES) {
    const text = textOf(at(key));
    set(key, text === null ? 0 : bytesOf(text));
  }
  set("cpus", numberOf(at("cpus")) ?? 0);
  set("pids_limit", numberOf(at("pids_limit")) ?? 0);
  const grace = textOf(at("stop_grace_period"));
  set("stop_grace_period", grace === null ? null : nanosecondsOf(grace));
  set("command", wordsOf(at("command")));
  set("entrypoint", wordsOf(at("entrypoint")));
  if (service.active) {
    set(
      "environment",
      sortedMap(Object.fromEntries([...service.environment].map(([name, { value }]) => [name, value]))),
    );
    set(
      "labels",
      sortedMap(Object.fromEntries([...service.labels].map(([name, { value }]) => [name, value ?? ""]))),
    );
  }
  set("build", buildOf(model, unit));
  set("ports", sorted(service.ports.flatMap(portLines)));
  set(
    "mounts",
    byText(service.mounts.map((mount) => ({
      type: mount.type,
      source: sourceOf(model, unit, mount),
      target: mount.target,
      readOnly: mount.readOnly,
    }))),
  );
  set("networks", networksOf(unit));
  set("depends_on", dependenciesOf(unit.references));
  set("healthcheck", healthcheckOf(at("healthcheck")));
  set("replicas", service.replicas);
  for (const kind of ["secret", "config"]) {
    set(
      `${kind}s`,
      sorted(service.grants.filter((grant) => grant.kind === kind).map((grant) => grant.source)),
    );
  }
  set("extra_hosts", hostsOf(at("extra_hosts")));
  set("sysctls", sortedMap(pairsOf(at("sysctls"))));
}

function buildOf(model: Model, unit: Unit): unknown {
  const node = valueAt(unit.value, "build");
  if (!unit.service!.build || node === null) return null;
  const context = unit.paths.find(({ kind }) => kind === "build_context");
  const inline = valueAt(node, "dockerfile_inline");
  return {
    context: context === undefined
      ? null
      : context.found === "remote"
      ? context.written
      : fullPath(model, context),
    dockerfile: textOf(valueAt(node, "dockerfile")) ?? (inline === null ? "Dockerfile" : null),
    target: textOf(valueAt(node, "target")),
    args: sortedMap(pairsOf(valueAt(node, "args"))),
  };
}

function sourceOf(model: Model, unit: Unit, mount: Mount): string | null {
  const use = unit.paths.find(({ kind, at }) => kind === "bind" && at === mount.sourceAt);
  // A use shows the author's text; the source is what its variables make of it.
  return use === undefined ? mount.source : fullPath(model, { ...use, written: mount.source! });
}

/** A Windows path is nobody's to resolve here. */
function fullPath(model: Model, { path, folder, written }: PathUse): string {
  if (path !== null) return resolve(model.root, path);
  if (/^~(?:\/|$)/.test(written)) return resolve(HOME, `.${written.slice(1)}`);
  return /^(?:[A-Za-z]:|\\\\)/.test(written) ? written : resolve(model.root, folder, written);
}

function networksOf(unit: Unit): unknown {
  const written = valueAt(unit.value, "networks");
  const settings = written === null ? null : named(written, "networks");
  return mapped(
    Object.fromEntries(
      unit.references.filter(({ kind, under }) => kind === "uses" && under === "networks").map((
        { written },
      ) => [written, valueAt(settings, written)]),
    ),
    (network: Node | null) => ({
      aliases: sorted(oneOrMany(valueAt(network, "aliases")).map(textOf)),
      ipv4_address: textOf(valueAt(network, "ipv4_address")),
    }),
  );
}

const STARTS = ["depends_on", "link", "namespace", "volumes_from"];

function dependenciesOf(references: readonly Reference[]): unknown {
  const found: Record<string, unknown> = {};
  for (const { kind, written, condition, required, restart, implicit } of references) {
    if (!STARTS.includes(kind) || (implicit && written in found)) continue;
    found[written] = { condition, required: required !== false, restart: restart === true };
  }
  return mapped(found, (one) => one);
}

function healthcheckOf(node: Node | null): unknown {
  if (node?.kind !== "mapping") return null;
  const test = valueAt(node, "test");
  const text = textOf(test);
  return {
    test: text !== null ? ["CMD-SHELL", text] : test?.kind === "list" ? test.items.map(textOf) : null,
    disable: truthOf(valueAt(node, "disable")) === true,
    retries: numberOf(valueAt(node, "retries")),
    ...Object.fromEntries(TIMES.map((key) => {
      const time = textOf(valueAt(node, key));
      return [key, time === null ? null : nanosecondsOf(time)];
    })),
  };
}

function portLines({ hostIp, published, target, protocol, written, invalid, unknown }: Port): string[] {
  if (invalid !== null || unknown) return [`?${written}`];
  const size = target.last - target.first;
  return Array.from({ length: size + 1 }, (_, index) => {
    const host = published === null
      ? ""
      : published.last - published.first === size
      ? String(published.first + index)
      : `${published.first}-${published.last}`;
    return portLine(hostIp ?? "", host, target.first + index, protocol);
  });
}

const portLine = (ip: string, published: string, target: number, protocol: string): string =>
  `${ip}:${published === "0" ? "" : published}:${target}/${protocol}`;

/** `name=address`, in either form. */
function hostsOf(node: Node | null): string[] {
  const hosts = oneOrMany(node).map((item) => (textOf(item) ?? "").replace(/[:=]/, "="));
  for (const [name, { value }] of entriesOf(node)) {
    for (const address of oneOrMany(value)) hosts.push(`${name}=${textOf(address)}`);
  }
  return sorted(hosts);
}

function pairsOf(node: Node | null): Record<string, unknown> {
  return Object.fromEntries([...keyValues(node)].map(([name, { value }]) => [name, value]));
}

/** Compose keeps the slash at the end of an absolute path. */
const trimmed = (path: string): string => path.length > 1 ? path.replace(/\/+$/, "") : path;

/** A list that says the same whatever its order, and however often. */
function sorted<T>(items: readonly T[]): T[] {
  return [...new Set(items)].sort();
}

function byText<T>(items: readonly T[]): T[] {
  return [...items].sort((one, other) => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
}

function sortedMap(map: Record<string, unknown> | undefined | null): Record<string, unknown> {
  return mapped(map, (value) => value);
}

function mapped<T>(
  map: Record<string, T> | undefined | null,
  of: (value: T) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(map ?? {}).sort(([one], [other]) => one < other ? -1 : 1).map((
      [name, value],
    ) => [name, of(value)]),
  );
}
