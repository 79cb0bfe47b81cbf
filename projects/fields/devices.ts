/** Fields of the devices that a container may use. */
import type { Node } from "../../artifacts/artifact.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { listOf, numberOf, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { ContainerSpec } from "../../core/runtime.ts";
import {
  type Declaration,
  type Declared,
  keyed,
  nodeAt,
  sameSet,
  single,
  UNKNOWN,
  writtenAt,
} from "./field.ts";

interface Device {
  readonly source: string;
  readonly rights: string;
}

function devicesOf(of: Declared): Declaration<Record<string, Device>> {
  const node = nodeAt(of, "devices");
  if (node === null) return null;
  if (node.kind !== "list") return UNKNOWN;
  const value: Record<string, Device> = {};
  const parts = new Map<string, Node>();
  for (const item of node.items) {
    const [source, target = source, rights = "rwm"] = item.kind === "mapping"
      ? ["source", "target", "permissions"].map((key) => textOf(valueAt(item, key)) ?? undefined)
      : (textOf(item) ?? "").split(":");
    if (!source || target === undefined) return UNKNOWN;
    value[target] = { source, rights };
    parts.set(target, item);
  }
  return { value, at: node, parts };
}

export const devices = keyed<Device>({
  key: "devices",
  covers: ["devices.*.source", "devices.*.target", "devices.*.permissions"],
  declared: devicesOf,
  seen: (container) =>
    Object.fromEntries(container.devices.map(({ source, target, rights }) => [target, { source, rights }])),
  // Podman does not tell the rights.
  same: (declared, seen) =>
    declared.source === seen.source &&
    (seen.rights === "" || sameSet([...declared.rights], [...seen.rights])),
  // With all privileges come all devices.
  isExtra: (_name, _device, { privileged }) => !privileged,
  show: ({ source, rights }) => rights === "" ? source : `${source} (${rights})`,
  absent: "(none)",
  shownName: (name, of) => {
    const found = devicesOf(of);
    const at = found === null || found === UNKNOWN ? undefined : found.parts?.get(name);
    return at === undefined ? name : writtenAt(at, name);
  },
  ask: (asked, value) =>
    asked.devices = Object.entries(value).map(([target, { source, rights }]) => ({ source, target, rights })),
});

type Requests = ContainerSpec["deviceRequests"];

/** `gpus`, and the devices that `deploy` reserves. */
function requestsOf(of: Declared): Declaration<Requests> {
  const gpus = nodeAt(of, "gpus");
  const reserved = nodeAt(of, "deploy", "resources", "reservations", "devices");
  const at = gpus ?? reserved;
  if (at === null) return null;
  const found: Requests[number][] = [];
  for (const [node, more] of [[gpus, ["gpu"]], [reserved, []]] as const) {
    if (node?.kind === "scalar") {
      if (textOf(node) !== "all") return UNKNOWN;
      found.push({ driver: "", count: -1, ids: [], capabilities: [...more], options: {} });
      continue;
    }
    for (const item of listOf(node)) {
      const countAt = valueAt(item, "count");
      const count = textOf(countAt) === "all" ? -1 : numberOf(countAt);
      const [ids, capabilities] = ["device_ids", "capabilities"].map((key) =>
        listOf(valueAt(item, key)).map(textOf)
      ) as [(string | null)[], (string | null)[]]; // one of each
      const options = [...keyValues(valueAt(item, "options"))];
      if (
        (countAt !== null && count === null) || [...ids, ...capabilities].includes(null) ||
        options.some(([, { unknown }]) => unknown)
      ) return UNKNOWN;
      found.push({
        driver: textOf(valueAt(item, "driver")) ?? "",
        // Without a number or names, all are meant.
        count: count ?? (ids.length > 0 ? 0 : more.length > 0 ? -1 : 0),
        ids: ids as string[], // without null, as was looked at
        capabilities: [...capabilities as string[], ...more],
        options: Object.fromEntries(options.map(([name, { value }]) => [name, value ?? ""])),
      });
    }
  }
  return { value: found, at };
}

export const deviceRequests = single<Requests>({
  key: "deviceRequests",
  covers: ["driver", "count", "device_ids", "capabilities", "options"].flatMap((key) =>
    ["gpus", "deploy.resources.reservations.devices"].map((list) => `${list}.*.${key}`)
  ),
  untold: ["podman"],
  declared: requestsOf,
  // Names of the general interface are said as a request by Compose, and as devices here.
  seen: (container) => container.deviceRequests.filter(({ driver }) => driver !== "cdi"),
  otherwise: () => [],
  show: (requests) =>
    requests.map(({ driver, count, ids, capabilities }) =>
      [driver, ids.length > 0 ? ids.join(" ") : count === -1 ? "all" : count, ...capabilities].filter((one) =>
        one !== ""
      ).join(" ")
    ).join(", ") || "(none)",
  ask: (asked, value) => asked.deviceRequests = value,
});
