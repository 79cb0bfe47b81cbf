/** Fields of what a container is to others, and of what it may do on the host. */

import type { Place } from "../../artifacts/artifact.ts";
import { textOf } from "../../artifacts/yaml/values.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import type { ContainerSpec } from "../../core/runtime.ts";
import { looksSecret, MASK } from "../../core/secrets.ts";
import {
  type Declaration,
  type Declared,
  type EngineKind,
  keyed,
  nodeAt,
  type Row,
  row,
  sameSet,
  single,
  textAt,
  textsAt,
  UNKNOWN,
} from "./field.ts";
import { deviceRequests, devices } from "./devices.ts";
import { securityOptions } from "./security.ts";

const name = single({
  key: "name",
  covers: ["container_name"],
  declared: textAt("container_name"),
  seen: (container) => container.name,
  ask: (asked, value) => asked.name = value,
});

const hostname = single({
  key: "hostname",
  covers: ["hostname"],
  declared: (of) => {
    const found = textAt("hostname")(of);
    // An empty one is none: the engine gives the id, as for Compose.
    return found !== null && found !== UNKNOWN && found.value === "" ? null : found;
  },
  seen: (container) => container.hostname,
  // The engine gives it the short id; a shared network brings its own, and the host's namespace the host's.
  otherwise: ({ id, networkMode, utsMode, hostname }) =>
    networkMode === "host" || utsMode === "host" || networkMode.startsWith("container:") || hostname === ""
      ? undefined
      : id.slice(0, 12),
  show: (text) => text || "(none)",
  ask: (asked, value) => asked.hostname = value,
});

const domainname = single({
  key: "domainname",
  covers: ["domainname"],
  untold: ["podman"],
  declared: textAt("domainname"),
  seen: (container) => container.domainname,
  otherwise: () => "",
  show: (text) => text || "(none)",
  ask: (asked, value) => asked.domainname = value,
});

/** The properties of a container that are lists of texts. */
type Texts = {
  [Key in keyof ContainerSpec]: ContainerSpec[Key] extends readonly string[] ? Key : never;
}[keyof ContainerSpec];

const texts = (
  key: string,
  compose: string,
  property: Texts,
  more: {
    readonly untold?: readonly EngineKind[];
    readonly declared?: (of: Declared) => Declaration<readonly string[]>;
    readonly isOrdered?: true;
  } = {},
): Row => {
  const { isOrdered } = more;
  return single<readonly string[]>({
    key,
    covers: [compose],
    ...(more.untold !== undefined && { untold: more.untold }),
    declared: more.declared ?? textsAt(compose),
    seen: (container) => container[property],
    otherwise: () => [],
    same: (declared, seen) => isOrdered ? declared.join("\0") === seen.join("\0") : sameSet(declared, seen),
    show: (values) => values.join(", ") || "(none)",
    ask: (asked, value) => asked[property] = value,
  });
};

/** `name:address` of `name=address`, `name:address` and of a mapping, which may have several addresses. */
export function hostsOf(of: Declared): Declaration<readonly string[]> {
  const node = nodeAt(of, "extra_hosts");
  if (node === null) return null;
  const hosts: string[] = [];
  const add = (name: string, address: string) => hosts.push(`${name}:${address.replace(/^\[(.*)\]$/, "$1")}`);
  if (node.kind === "list") {
    for (const item of node.items) {
      const [, name, address] = /^([^=:]+)[=:](.*)$/.exec(textOf(item) ?? "") ?? [];
      if (name === undefined || address === undefined) return UNKNOWN;
      add(name, address);
    }
  } else if (node.kind === "mapping") {
    for (const [name, { value }] of node.entries) {
      for (const item of value.kind === "list" ? value.items : [value]) {
        const address = textOf(item);
        if (address === null) return UNKNOWN;
        add(name, address);
      }
    }
  } else return UNKNOWN;
  return { value: hosts, at: node };
}

/** Names as the author wrote them. */
const nameAt = (...path: readonly string[]) => (name: string, of: Declared): string | undefined =>
  keyValues(nodeAt(of, ...path)).get(name)?.name;

/** The name and value of each, where all are known. */
function mapAt(of: Declared, ...path: readonly string[]): Declaration<Readonly<Record<string, string>>> {
  const node = nodeAt(of, ...path);
  if (node === null) return null;
  const value: Record<string, string> = {};
  const parts = new Map<string, Place>();
  for (const [name, one] of keyValues(node)) {
    if (one.unknown) return UNKNOWN;
    value[name] = one.value ?? "";
    parts.set(name, one.at);
  }
  return { value, at: node, parts };
}

/** Shows a value whose name does not tell that it is a secret. */
const withoutSecret = (value: string, name: string): string => looksSecret(name) ? MASK : value;

const sysctls = keyed<string>({
  key: "sysctls",
  covers: ["sysctls"],
  untold: ["podman"],
  declared: (of) => mapAt(of, "sysctls"),
  seen: (container) => container.sysctls,
  shownName: nameAt("sysctls"),
  isExtra: () => true,
  show: withoutSecret,
  ask: (asked, value) => asked.sysctls = value,
});

const annotations = keyed<string>({
  key: "annotations",
  covers: ["annotations"],
  // Old ones leave them out, and Podman shows its own.
  untold: ["docker", "podman"],
  declared: (of) => mapAt(of, "annotations"),
  seen: (container) => container.annotations,
  shownName: nameAt("annotations"),
  isExtra: () => true,
  show: withoutSecret,
  ask: (asked, value) => asked.annotations = value,
});

/** Returns the platform of a service as it is written; empty for the engine's own. */
export function platformOf(of: Declared): string {
  const found = textAt("platform")(of);
  return found === null || found === UNKNOWN ? "" : found.value;
}

const platform = single({
  key: "platform",
  covers: ["platform"],
  untold: ["docker", "podman"],
  declared: textAt("platform"),
  seen: (container) => container.platform,
  ask: (asked, value) => asked.platform = value,
});

const runtime = single({
  key: "runtime",
  covers: ["runtime"],
  untold: ["podman"],
  declared: textAt("runtime"),
  seen: (container) => container.runtime,
  ask: (asked, value) => asked.runtime = value,
});

const cgroupParent = single({
  key: "cgroupParent",
  covers: ["cgroup_parent"],
  untold: ["podman"],
  declared: textAt("cgroup_parent"),
  seen: (container) => container.cgroupParent,
  otherwise: () => "",
  show: (text) => text || "(none)",
  ask: (asked, value) => asked.cgroupParent = value,
});

const storageOptions = keyed<string>({
  key: "storageOptions",
  covers: ["storage_opt"],
  untold: ["podman"],
  declared: (of) => mapAt(of, "storage_opt"),
  seen: (container) => container.storageOptions,
  shownName: nameAt("storage_opt"),
  isExtra: () => true,
  show: withoutSecret,
  ask: (asked, value) => asked.storageOptions = value,
});

/** Nothing and `default` mean the same; Linux has nothing else. */
const isolation = single({
  key: "isolation",
  covers: ["isolation"],
  untold: ["podman"],
  declared: textAt("isolation"),
  seen: (container) => container.isolation,
  otherwise: () => "",
  same: (declared, seen) => (declared || "default") === (seen || "default"),
  show: (text) => text || "default",
  ask: (asked, value) => asked.isolation = value,
});

/** The default is a setting of the engine. */
const logDriver = single({
  key: "log.driver",
  covers: ["logging.driver"],
  declared: textAt("logging", "driver"),
  seen: ({ log }) => log.driver,
  show: (text) => text || "(none)",
  ask: (asked, driver) => asked.log = { options: {}, ...asked.log, driver },
});

const logOptions = keyed<string>({
  key: "log.options",
  covers: ["logging.options"],
  untold: ["podman"],
  declared: (of) => mapAt(of, "logging", "options"),
  seen: ({ log }) => log.options,
  shownName: nameAt("logging", "options"),
  isExtra: () => false,
  show: withoutSecret,
  ask: (asked, options) => asked.log = { driver: "", ...asked.log, options },
});

const volumesFrom = row<readonly string[]>({
  key: "volumesFrom",
  covers: ["volumes_from"],
  declared: textsAt("volumes_from"),
  ask: (asked, value, _of, { containerOf }) =>
    asked.volumesFrom = value.map((one) => {
      const [kind, ...rest] = one.split(":");
      if (kind === "container") return rest.join(":");
      const id = containerOf(kind!); // a text has a first part
      return id === undefined ? one : [id, ...rest].join(":");
    }),
  compare: (declared, container, { neighbour }, { unit }) => {
    const readable = (one: string) => {
      const [id = "", mode] = one.split(":");
      const other = neighbour(id);
      return `${other?.service ?? id}${mode === "ro" ? ":ro" : ""}`;
    };
    const named = (one: string) => {
      const [kind = "", ...rest] = one.split(":");
      const [id = "", mode] = kind === "container" ? rest : [kind, ...rest];
      return `${id}${mode === "ro" ? ":ro" : ""}`;
    };
    const wanted = (declared?.value ?? []).map(named);
    const running = container.volumesFrom.map(readable);
    // Docker keeps the mode by itself.
    const bare = (list: readonly string[]) => list.map((one) => one.replace(/:ro$/, ""));
    if (sameSet(bare(wanted), bare(running))) return [];
    return [{
      field: "volumesFrom",
      declared: wanted.join(", ") || "(none)",
      seen: running.join(", ") || "(none)",
      at: declared?.at ?? unit.source,
    }];
  },
});

export const identityRows: readonly Row[] = [
  name,
  hostname,
  domainname,
  texts("dns", "dns", "dns", { isOrdered: true }),
  texts("dnsSearch", "dns_search", "dnsSearch", { isOrdered: true }),
  texts("dnsOptions", "dns_opt", "dnsOptions"),
  texts("extraHosts", "extra_hosts", "extraHosts", { declared: hostsOf }),
  securityOptions,
  texts("groups", "group_add", "groupAdd"),
  sysctls,
  devices,
  texts("deviceRules", "device_cgroup_rules", "deviceRules", { untold: ["podman"] }),
  deviceRequests,
  annotations,
  platform,
  runtime,
  cgroupParent,
  storageOptions,
  isolation,
  logDriver,
  logOptions,
  volumesFrom,
];
