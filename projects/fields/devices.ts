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

/** One entry of `devices`. */
interface Entry extends Device {
  readonly target: string;
  readonly at: Node;
}

/** A device by its name in the Container Device Interface, as `nvidia.com/gpu=all`. */
const CDI_NAME = /^[a-z](?:[\w.-]*[a-z0-9])?\/[a-z](?:[\w.-]*[a-z0-9])?=[a-z0-9](?:[\w.:-]*[a-z0-9])?$/i;

/** Compose asks for these by a device request: what has a place of its own in the container is a path. */
const isCdi = ({ source, target }: Entry): boolean => source === target && CDI_NAME.test(source);

/** Returns null where one of them is not known. */
function entriesOf(node: Node | null): readonly Entry[] | null {
  if (node === null) return [];
  if (node.kind !== "list") return null;
  const entries = node.items.map((item): Entry | null => {
    const [source, target, rights = "rwm"] = item.kind === "mapping"
      ? ["source", "target", "permissions"].map((key) => textOf(valueAt(item, key)) ?? undefined)
      : (textOf(item) ?? "").split(":");
    return source ? { source, target: target || source, rights, at: item } : null;
  });
  return entries.includes(null) ? null : entries as Entry[]; // without null, as was looked at
}

function devicesOf(of: Declared): Declaration<Record<string, Device>> {
  const node = nodeAt(of, "devices");
  if (node === null) return null;
  const entries = entriesOf(node);
  if (entries === null) return UNKNOWN;
  const paths = entries.filter((entry) => !isCdi(entry));
  return {
    value: Object.fromEntries(paths.map(({ target, source, rights }) => [target, { source, rights }])),
    at: node,
    parts: new Map(paths.map(({ target, at }) => [target, at])),
  };
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

/** The devices that `deploy` reserves, those of `devices` that have a name, and `gpus`, in the order of Compose. */
function requestsOf(of: Declared): Declaration<Requests> {
  const gpus = nodeAt(of, "gpus");
  const reserved = nodeAt(of, "deploy", "resources", "reservations", "devices");
  const devices = nodeAt(of, "devices");
  const names = entriesOf(devices)?.filter(isCdi).map(({ source }) => source) ?? [];
  const at = gpus ?? reserved ?? (names.length > 0 ? devices : null);
  if (at === null) return null;
  if (gpus?.kind === "scalar" && textOf(gpus) !== "all") return UNKNOWN;
  const found = [
    ...listOf(reserved).map((item) => requestOf(item, [])),
    ...(names.length > 0 ? [{ ...ALL, driver: "cdi", count: 0, ids: names }] : []),
    ...(gpus?.kind === "scalar"
      ? [{ ...ALL, capabilities: ["gpu"] }]
      : listOf(gpus).map((item) => requestOf(item, ["gpu"]))),
  ];
  return found.includes(null) ? UNKNOWN : { value: found as Requests, at }; // without null, as was looked at
}

const ALL: Requests[number] = { driver: "", count: -1, ids: [], capabilities: [], options: {} };

/** Returns null where a part of it is not known. */
function requestOf(item: Node, more: readonly string[]): Requests[number] | null {
  const countAt = valueAt(item, "count");
  const count = /^all$/i.test(textOf(countAt) ?? "") ? -1 : numberOf(countAt);
  const idsAt = valueAt(item, "device_ids");
  const [ids, capabilities] = [idsAt, valueAt(item, "capabilities")].map((node) =>
    listOf(node).map(textOf)
  ) as [(string | null)[], (string | null)[]]; // one of each
  const options = [...keyValues(valueAt(item, "options"))];
  if (
    (countAt !== null && count === null) || [...ids, ...capabilities].includes(null) ||
    options.some(([, { unknown }]) => unknown)
  ) return null;
  return {
    driver: textOf(valueAt(item, "driver")) ?? "",
    // Without a number and without names, all are meant.
    count: count ?? (idsAt === null ? -1 : 0),
    ids: ids as string[], // without null, as was looked at
    capabilities: [...capabilities as string[], ...more],
    options: Object.fromEntries(options.map(([name, { value }]) => [name, value ?? ""])),
  };
}

export const deviceRequests = single<Requests>({
  key: "deviceRequests",
  covers: ["driver", "count", "device_ids", "capabilities", "options"].flatMap((key) =>
    ["gpus", "deploy.resources.reservations.devices"].map((list) => `${list}.*.${key}`)
  ),
  untold: ["podman"],
  declared: requestsOf,
  seen: (container) => container.deviceRequests,
  otherwise: () => [],
  show: (requests) =>
    requests.map(({ driver, count, ids, capabilities }) =>
      [driver, ids.length > 0 ? ids.join(" ") : count === -1 ? "all" : count, ...capabilities].filter((one) =>
        one !== ""
      ).join(" ")
    ).join(", ") || "(none)",
  ask: (asked, value) => asked.deviceRequests = value,
});
