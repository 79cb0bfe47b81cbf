/** The labels by which Docker Compose recognises networks and volumes of a project. */

import type { Group, Node, Resource } from "../../artifacts/artifact.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { isNull, listOf, textOf, truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import {
  type Formless,
  formlessIn,
  goJson,
  type Json,
  NoForm,
  object,
  sorted,
  sure,
  under,
} from "./go_json.ts";

const HASH = "com.docker.compose.config-hash";

/** Returns the author's labels and those of Compose; all versions hash these alike. */
export function resourceLabels(
  group: Group,
  resource: Resource & { readonly kind: "network" | "volume" },
  version: string,
): Record<string, string> {
  const json = resourceJson(resource);
  return {
    ...labelsOf(resource.value),
    "com.docker.compose.project": group.project,
    [`com.docker.compose.${resource.kind}`]: resource.key,
    "com.docker.compose.version": version,
    ...(typeof json === "string" && { [HASH]: sha256(json) }),
  };
}

/** Returns true if the object was made of another definition, as Compose finds it; false where its labels do not tell. */
export function isRedefined(resource: Resource, labels: Readonly<Record<string, string>>): boolean {
  const hash = labels[HASH];
  const json = resourceJson(resource);
  return hash !== undefined && typeof json === "string" && sha256(json) !== hash;
}

/** Returns the JSON that Compose hashes, or the field that is not known. */
export function resourceJson(resource: Resource): string | Formless {
  try {
    return goJson(resource.kind === "network" ? networkJson(resource) : volumeJson(resource));
  } catch (error) {
    return formlessIn(error, resource.value);
  }
}

const networkJson = ({ name, value }: Resource): Json =>
  object({
    name: sure(name),
    driver: at(value, "driver", text),
    driver_opts: at(value, "driver_opts", map),
    ipam: object({
      driver: at(value, "ipam.driver", text),
      config: at(value, "ipam.config", pools),
    }),
    internal: at(value, "internal", flag),
    attachable: at(value, "attachable", flag),
    labels: at(value, "labels", map),
    enable_ipv4: at(value, "enable_ipv4", stated),
    enable_ipv6: at(value, "enable_ipv6", stated),
  });

const volumeJson = ({ name, value }: Resource): Json =>
  object({
    name: sure(name),
    driver: at(value, "driver", text) ?? "local",
    driver_opts: at(value, "driver_opts", map),
    labels: at(value, "labels", map),
  });

/** Undefined: left out, because it is Go's zero. */
function at<T extends Json>(value: Node, key: string, write: (node: Node) => T | undefined): T | undefined {
  const node = valueAt(value, ...key.split("."));
  return node === null || isNull(node) ? undefined : under(key, node, () => write(node));
}

function pools(node: Node): Json | undefined {
  const list = listOf(node).map((pool) =>
    object({
      subnet: at(pool, "subnet", text),
      gateway: at(pool, "gateway", text),
      ip_range: at(pool, "ip_range", text),
      aux_addresses: at(pool, "aux_addresses", map),
    })
  );
  return list.length === 0 ? undefined : list;
}

const text = (node: Node): string | undefined => sure(textOf(node)) || undefined;
const flag = (node: Node): true | undefined => sure(truthOf(node)) || undefined;
/** A pointer in Go: false is written. */
const stated = (node: Node): boolean => sure(truthOf(node));

function map(node: Node): Json | undefined {
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
