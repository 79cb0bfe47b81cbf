/** The labels by which Docker Compose recognises networks and volumes of a project. */

import type { Group, Node, Resource } from "../../artifacts/artifact.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { isNull, listOf, textOf, truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import { goJson, type Json, NoForm, object, sorted, sure } from "./go_json.ts";

/** Those that the author wrote, and those of Compose; all versions hash these alike. */
export function resourceLabels(
  group: Group,
  resource: Resource & { readonly kind: "network" | "volume" },
  version: string,
): Record<string, string> {
  const hash = resourceHash(resource);
  return {
    ...labelsOf(resource.value),
    "com.docker.compose.project": group.project,
    [`com.docker.compose.${resource.kind}`]: resource.key,
    "com.docker.compose.version": version,
    ...(hash !== null && { "com.docker.compose.config-hash": hash }),
  };
}

/** Null where a value is not known: then Compose would take it for changed. */
export function resourceHash(resource: Resource): string | null {
  try {
    return sha256(goJson(resource.kind === "network" ? networkJson(resource) : volumeJson(resource)));
  } catch (error) {
    if (error instanceof NoForm) return null;
    throw error;
  }
}

const networkJson = ({ name, value }: Resource): Json =>
  object({
    name: sure(name),
    driver: text(valueAt(value, "driver")),
    driver_opts: map(valueAt(value, "driver_opts")),
    ipam: object({
      driver: text(valueAt(value, "ipam", "driver")),
      config: pools(valueAt(value, "ipam", "config")),
    }),
    internal: flag(valueAt(value, "internal")),
    attachable: flag(valueAt(value, "attachable")),
    labels: map(valueAt(value, "labels")),
    enable_ipv4: stated(valueAt(value, "enable_ipv4")),
    enable_ipv6: stated(valueAt(value, "enable_ipv6")),
  });

const volumeJson = ({ name, value }: Resource): Json =>
  object({
    name: sure(name),
    driver: text(valueAt(value, "driver")) ?? "local",
    driver_opts: map(valueAt(value, "driver_opts")),
    labels: map(valueAt(value, "labels")),
  });

function pools(node: Node | null): Json | undefined {
  const list = listOf(node).map((pool) =>
    object({
      subnet: text(valueAt(pool, "subnet")),
      gateway: text(valueAt(pool, "gateway")),
      ip_range: text(valueAt(pool, "ip_range")),
      aux_addresses: map(valueAt(pool, "aux_addresses")),
    })
  );
  return list.length === 0 ? undefined : list;
}

const text = (node: Node | null): string | undefined =>
  isNull(node) ? undefined : sure(textOf(node)) || undefined;
const flag = (node: Node | null): true | undefined =>
  isNull(node) ? undefined : sure(truthOf(node)) || undefined;
/** A pointer in Go: false is written. */
const stated = (node: Node | null): boolean | undefined => isNull(node) ? undefined : sure(truthOf(node));

function map(node: Node | null): Json | undefined {
  const values = [...keyValues(node)].map(([name, { value, unknown }]) => {
    if (unknown) throw new NoForm();
    return [name, value ?? ""] as const;
  });
  return values.length === 0 ? undefined : sorted(Object.fromEntries(values));
}

/** The author's own labels; those that hold an unknown variable are left out. */
function labelsOf(value: Node): Record<string, string> {
  return Object.fromEntries(
    [...keyValues(valueAt(value, "labels"))].flatMap(([name, { value, unknown }]) =>
      unknown ? [] : [[name, value ?? ""]]
    ),
  );
}
