/** Fields that only services of a swarm have: placement, replacing and starting tasks again, secrets and configs. */

import type { Node, Place } from "../../artifacts/artifact.ts";
import { nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import { isUnknown, listOf, numberOf, oneOrMany, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { ServiceDefinition, ServiceFile, UpdatePolicy } from "../../core/running_services.ts";
import { type Declared, type Difference, isSame, nodeAt, sameSet } from "./field.ts";
import { modeOf, placeOf } from "./grants.ts";

/** One value, as it is written and as it runs. */
interface Compared<T> {
  readonly field: string;
  readonly node: Node | null;
  readonly read: (node: Node) => T | null;
  readonly seen: T;
  /** The value where nothing is written; undefined where any is fine. */
  readonly otherwise: T | undefined;
  readonly same?: (one: T, other: T) => boolean;
  readonly show?: (value: T) => string;
}

function compared<T>(
  of: Declared,
  { field, node, read, seen, otherwise, same = isSame, show = String }: Compared<T>,
): Difference[] {
  if (isUnknown(node)) return [];
  const wanted = node === null ? otherwise : read(node) ?? undefined;
  if (wanted === undefined || same(wanted, seen)) return [];
  const nothing = { at: of.unit.source, isAbsent: true as const };
  return [{ field, declared: show(wanted), seen: show(seen), ...(node === null ? nothing : { at: node }) }];
}

const duration = (node: Node): number | null => nanosecondsOf(textOf(node) ?? "");
const seconds = (nanoseconds: number): string => `${nanoseconds / 1e9}s`;

const POLICIES: Readonly<Record<string, ServiceDefinition["restart"]["condition"]>> = {
  "": "none",
  no: "none",
  none: "none",
  any: "any",
  always: "any",
  "unless-stopped": "any",
  "on-failure": "on-failure",
};

/** `restart: "no"` is nothing to `docker stack deploy`, and nothing means always. `deploy` wins over `restart`. */
export function restart(of: Declared, { restart: actual }: ServiceDefinition, isJob: boolean): Difference[] {
  const policy = nodeAt(of, "deploy", "restart_policy");
  const at = (key: string) => nodeAt(of, "deploy", "restart_policy", key);
  const short = policy === null ? nodeAt(of, "restart") : null;
  if (isUnknown(short)) return [];
  const [, attempts] = (textOf(short) ?? "").split(":");
  const node = policy === null ? short : at("condition");
  const written = textOf(node) ?? "";
  const wanted = node === null ? isJob ? actual.condition : "any" : POLICIES[written.split(":")[0] ?? ""];
  const isOther = !isUnknown(node) && wanted !== undefined && wanted !== actual.condition;
  const condition: Difference = {
    field: "restart",
    declared: node === null ? "any" : written,
    seen: actual.condition,
    at: node ?? of.unit.source,
    ...(node === null && { isAbsent: true as const }),
  };
  const time = { read: duration, show: seconds };
  return [
    ...(isOther ? [condition] : []),
    ...compared(of, {
      ...time,
      field: "restart.delay",
      node: at("delay"),
      seen: actual.delay,
      otherwise: 5e9,
    }),
    ...compared(of, {
      ...time,
      field: "restart.window",
      node: at("window"),
      seen: actual.window,
      otherwise: 0,
    }),
    ...compared<number>(of, {
      field: "restart.maxAttempts",
      node: at("max_attempts") ?? (attempts === undefined ? null : short),
      read: (node) => node === short ? Number(attempts) : numberOf(node),
      seen: actual.maxAttempts,
      otherwise: 0,
    }),
  ];
}

const list = (texts: readonly string[]): string => texts.join(", ") || "(none)";
const textsOf = (node: Node): readonly string[] | null => {
  const items = oneOrMany(node);
  const texts = items.flatMap((item) => textOf(item) ?? []);
  return texts.length < items.length ? null : texts;
};

/** `node.role==manager`, however much space is around the sign. */
const constraint = (text: string): string => text.replace(/\s*(==|!=)\s*/, "$1").trim();

export function placement(of: Declared, { placement: actual }: ServiceDefinition): Difference[] {
  const at = (key: string) => nodeAt(of, "deploy", "placement", key);
  return [
    ...compared<readonly string[]>(of, {
      field: "placement.constraints",
      node: at("constraints"),
      read: textsOf,
      seen: actual.constraints,
      otherwise: [],
      same: (one, other) => sameSet(one.map(constraint), other.map(constraint)),
      show: list,
    }),
    ...compared<readonly string[]>(of, {
      field: "placement.preferences",
      node: at("preferences"),
      read: (node) => {
        const spread = listOf(node).map((one) => textOf(valueAt(one, "spread")));
        return spread.every((one) => one !== null) ? spread : null;
      },
      seen: actual.spread,
      otherwise: [],
      show: list,
    }),
    ...compared<number>(of, {
      field: "placement.maxReplicasPerNode",
      node: at("max_replicas_per_node"),
      read: numberOf,
      seen: actual.maxPerNode,
      otherwise: 0,
    }),
  ];
}

/** The values of a service that was made without a word about updates, and those of a file that leaves some out. */
const STANDARD: UpdatePolicy = {
  parallelism: 1,
  delay: 0,
  failureAction: "pause",
  monitor: 0,
  maxFailureRatio: 0,
  order: "stop-first",
};
/** The time for which a swarm watches a task where it was told none. */
const MONITOR = 5e9;

export function updates(of: Declared, { update, rollback }: ServiceDefinition): Difference[] {
  return [...policy(of, "update_config", update), ...policy(of, "rollback_config", rollback)];
}

function policy(of: Declared, key: string, actual: UpdatePolicy | null): Difference[] {
  const written = nodeAt(of, "deploy", key);
  if (written === null && actual === null) return [];
  const field = (name: string) => `deploy.${key}.${name}`;
  const at = (name: string) => nodeAt(of, "deploy", key, name);
  const seen = actual ?? STANDARD;
  const text = { read: textOf, show: String };
  const time = { read: duration, show: seconds };
  const parts: readonly Difference[][] = [
    compared<number>(of, {
      field: field("parallelism"),
      node: at("parallelism"),
      read: numberOf,
      seen: seen.parallelism,
      otherwise: written === null ? seen.parallelism === 0 ? 0 : STANDARD.parallelism : STANDARD.parallelism,
    }),
    compared<number>(of, {
      ...time,
      field: field("delay"),
      node: at("delay"),
      seen: seen.delay,
      otherwise: 0,
    }),
    compared<string>(of, {
      ...text,
      field: field("failure_action"),
      node: at("failure_action"),
      seen: seen.failureAction,
      otherwise: STANDARD.failureAction,
    }),
    compared<number>(of, {
      ...time,
      field: field("monitor"),
      node: at("monitor"),
      seen: seen.monitor,
      otherwise: 0,
      same: (one, other) => (one || MONITOR) === (other || MONITOR),
    }),
    compared<number>(of, {
      field: field("max_failure_ratio"),
      node: at("max_failure_ratio"),
      read: numberOf,
      seen: seen.maxFailureRatio,
      otherwise: 0,
      // The engine keeps it as a float of 32 bits.
      same: (one, other) => Math.abs(one - other) < 1e-6,
    }),
    compared<string>(of, {
      ...text,
      field: field("order"),
      node: at("order"),
      seen: seen.order,
      otherwise: STANDARD.order,
    }),
  ];
  return parts.flat();
}

export function resources(of: Declared, definition: ServiceDefinition): Difference[] {
  const at = (key: string) => nodeAt(of, "deploy", "resources", "reservations", key);
  return [
    ...compared<number>(of, {
      field: "reservations.cpus",
      node: at("cpus"),
      read: numberOf,
      seen: definition.cpusReserved ?? 0,
      otherwise: 0,
      same: (one, other) => Math.abs(one - other) < 1e-6,
    }),
    ...compared<Readonly<Record<string, string>>>(of, {
      field: "reservations.generic",
      node: at("generic_resources"),
      read: (node) =>
        Object.fromEntries(
          listOf(node).map((one) => {
            const spec = valueAt(one, "discrete_resource_spec");
            return [textOf(valueAt(spec, "kind")) ?? "", textOf(valueAt(spec, "value")) ?? ""];
          }),
        ),
      seen: definition.generic,
      otherwise: {},
      show: (kinds) => list(Object.entries(kinds).map(([kind, value]) => `${kind}=${value}`)),
    }),
    ...compared<string>(of, {
      field: "deploy.endpoint_mode",
      node: nodeAt(of, "deploy", "endpoint_mode"),
      read: textOf,
      seen: definition.endpointMode,
      otherwise: "vip",
    }),
    ...compared<string>(of, {
      field: "hostname",
      node: nodeAt(of, "hostname"),
      read: textOf,
      seen: definition.hostname,
      otherwise: "",
      show: (text) => text || "(none)",
    }),
  ];
}

/** A name of a later version: contents never change, so berth makes another one. */
const VERSION = /^-[0-9a-f]{8}$/;

/** The files of secrets and configs, by where they are in the container. What they hold is not compared. */
export function handed(of: Declared, definition: ServiceDefinition): Difference[] {
  return (["secret", "config"] as const).flatMap((kind) => files(of, kind, definition[`${kind}s`]));
}

function files(of: Declared, kind: "secret" | "config", actual: readonly ServiceFile[]): Difference[] {
  const items = listOf(valueAt(of.unit.value, `${kind}s`));
  const left = new Map(actual.map((one) => [placeOf(kind, one.target, null), one]));
  const found: Difference[] = [];
  const note = (target: string, declared: string, seen: string, at: Place) =>
    found.push({ field: `${kind}s.${target}`, declared, seen, at });
  for (const { kind: own, source, target: written, at } of of.service.grants) {
    if (own !== kind) continue;
    const target = placeOf(kind, source, written);
    const resource = of.group.resources.find((one) => one.kind === kind && one.key === source);
    const seen = left.get(target);
    left.delete(target);
    if (resource === undefined || resource.name === null) continue;
    const { name } = resource;
    if (seen === undefined) {
      note(target, resource.written ?? name, "(not there)", at);
      continue;
    }
    const isVersion = seen.name.startsWith(name) && VERSION.test(seen.name.slice(name.length));
    if (seen.name !== name && !isVersion) note(target, resource.written ?? name, seen.name, at);
    const whole = items.find((item) => valueAt(item, "source") === at) ?? null;
    const wanted = accessOf(whole);
    const access = `${seen.uid}:${seen.gid} ${seen.mode.toString(8).padStart(4, "0")}`;
    if (wanted !== null && wanted !== access) note(target, wanted, access, whole ?? at);
  }
  for (const [target, { name }] of left) {
    const at = nodeAt(of, `${kind}s`) ?? of.unit.source;
    found.push({ field: `${kind}s.${target}`, declared: "(not there)", seen: name, at, isAbsent: true });
  }
  return found;
}

/** Owner and mode of a file; null while a variable in them is not set. */
function accessOf(item: Node | null): string | null {
  const at = (key: string) => valueAt(item, key);
  if ([at("uid"), at("gid"), at("mode")].some(isUnknown)) return null;
  const mode = at("mode") === null ? 0o444 : modeOf(at("mode"));
  if (mode === null) return null;
  return `${textOf(at("uid")) ?? "0"}:${textOf(at("gid")) ?? "0"} ${mode.toString(8).padStart(4, "0")}`;
}
