/** Writes what a container is to others, and what it may do on the host. */

import type { Yaml } from "../../artifacts/yaml/write.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { plainCapabilities } from "../fields/capabilities.ts";
import { DEPENDS_ON } from "../fields/dependencies.ts";
import { ownOptions } from "../fields/security.ts";
import { flag } from "./write_process.ts";
import { keyOf, type Surroundings, type Writer } from "./writing.ts";

/** Compose gives a name by itself that says the very project and service; in a project of another name it is written. */
const name: Writer = ({ name, labels }, { project, service }) => {
  const number = labels["com.docker.compose.container-number"] ?? "1";
  return name === [project, service, number].join("-") ? null : { container_name: name };
};

/** The engine gives the short id, a shared network brings its own, and the host's namespace the host's. */
const hostname: Writer = ({ id, hostname, networkMode, utsMode }) =>
  networkMode === "host" || utsMode === "host" || networkMode.startsWith("container:") ||
    hostname === id.slice(0, 12)
    ? null
    : keyOf("hostname", hostname);

type Texts = "dns" | "dnsSearch" | "dnsOptions" | "groupAdd" | "deviceRules";
const texts = (key: string, property: Texts): Writer => (container) => keyOf(key, container[property]);

const extraHosts: Writer = ({ extraHosts }) =>
  keyOf("extra_hosts", extraHosts.map((one) => one.replace(":", "=")));

const securityOptions: Writer = (container, { kind }) => {
  const own = ownOptions(container, kind);
  return keyOf("security_opt", container.securityOptions.filter((one) => !own.includes(one)));
};

/** Fields that Podman does not tell as they were asked for. */
const dockers = (write: Writer): Writer => (container, around) =>
  around.kind === "docker" ? write(container, around) : null;

/** Devices that are asked for by their names alone. */
const isNamed = ({ driver, capabilities }: Request): boolean => driver === "cdi" && capabilities.length === 0;

const devices: Writer = ({ devices, deviceRequests, privileged }) =>
  keyOf("devices", [
    ...deviceRequests.filter(isNamed).flatMap(({ ids }) => ids),
    ...(privileged
      ? []
      : devices.map(({ source, target, rights }) =>
        rights === "" ? `${source}:${target}` : `${source}:${target}:${rights}`
      )),
  ]);

type Request = InspectedContainer["deviceRequests"][number];

const requestText = ({ driver, count, ids, capabilities, options }: Request): Record<string, Yaml> => ({
  ...(driver !== "" && { driver }),
  ...(ids.length > 0 ? { device_ids: ids } : { count: count === -1 ? "all" : count }),
  ...keyOf("capabilities", capabilities),
  ...keyOf("options", options),
});

/** Compose asks for those that are reserved, then for those by name, then for `gpus`, each of which is called so. */
const deviceRequests: Writer = ({ deviceRequests }) => {
  const first = deviceRequests.findIndex(isNamed);
  const isLate = (one: Request) =>
    first >= 0 && deviceRequests.indexOf(one) > first && one.capabilities.at(-1) === "gpu";
  const others = deviceRequests.filter((one) => !isNamed(one));
  const gpus = others.filter(isLate).map((one) =>
    requestText({ ...one, capabilities: one.capabilities.slice(0, -1) })
  );
  const reserved = others.filter((one) => !isLate(one)).map((one) => ({
    ...requestText(one),
    capabilities: one.capabilities,
  }));
  if (others.length === 0) return null;
  return {
    ...keyOf("gpus", gpus),
    ...(reserved.length > 0 && { deploy: { resources: { reservations: { devices: reserved } } } }),
  };
};

const runtime: Writer = ({ runtime }, { defaults }) =>
  runtime === (defaults.runtime ?? "runc") ? null : keyOf("runtime", runtime);

const isolation: Writer = ({ isolation }) => isolation === "default" ? null : keyOf("isolation", isolation);

const logDriver: Writer = ({ log }, { defaults, kind }) =>
  log.driver === defaults.logDriver && (kind === "podman" || Object.keys(log.options).length === 0)
    ? null
    : keyOf("logging", { ...keyOf("driver", log.driver) });

const logOptions: Writer = ({ log }) => {
  const options = keyOf("options", log.options);
  return options === null ? null : { logging: options };
};

/** `web:ro`, or `container:other:ro` of one that is no service of the project. */
const volumesFrom: Writer = ({ volumesFrom }, { neighbour }) =>
  keyOf(
    "volumes_from",
    volumesFrom.map((text) => {
      const [id = "", mode] = text.split(":");
      const other = neighbour(id);
      const name = other?.service ?? `container:${other?.name ?? id}`;
      return mode === undefined || mode === "rw" ? name : `${name}:${mode}`;
    }),
  );

const capabilities = (key: string, property: "capAdd" | "capDrop"): Writer => (container) =>
  keyOf(key, plainCapabilities(container[property]));

/** Services of the project alone: a file cannot name others. */
function dependsOn({ labels }: InspectedContainer, { hasService }: Surroundings): Yaml {
  const parts = (labels[DEPENDS_ON] ?? "").split(",").filter((part) => part !== "").map((part) =>
    part.split(":")
  );
  return Object.fromEntries(
    parts.filter(([service = ""]) => hasService(service)).map(([service, condition, restart]) => [
      service,
      { condition: condition ?? "service_started", ...(restart === "true" && { restart: true }) },
    ]),
  );
}

export const identityWriters: Readonly<Record<string, Writer>> = {
  name,
  hostname,
  domainname: dockers(({ domainname }) => keyOf("domainname", domainname)),
  dns: texts("dns", "dns"),
  dnsSearch: texts("dns_search", "dnsSearch"),
  dnsOptions: texts("dns_opt", "dnsOptions"),
  extraHosts,
  securityOptions,
  groups: texts("group_add", "groupAdd"),
  sysctls: dockers(({ sysctls }) => keyOf("sysctls", sysctls)),
  devices,
  deviceRules: dockers(texts("device_cgroup_rules", "deviceRules")),
  deviceRequests: dockers(deviceRequests),
  annotations: dockers(({ annotations }) => keyOf("annotations", annotations)),
  // No engine tells it of a container.
  platform: () => null,
  runtime: dockers(runtime),
  cgroupParent: dockers(({ cgroupParent }) => keyOf("cgroup_parent", cgroupParent)),
  storageOptions: dockers(({ storageOptions }) => keyOf("storage_opt", storageOptions)),
  isolation: dockers(isolation),
  "log.driver": logDriver,
  "log.options": dockers(logOptions),
  volumesFrom,
  privileged: flag("privileged", "privileged"),
  readOnly: flag("read_only", "readOnlyRoot"),
  capAdd: capabilities("cap_add", "capAdd"),
  capDrop: capabilities("cap_drop", "capDrop"),
  dependsOn: (container, around) => keyOf("depends_on", dependsOn(container, around)),
  // No engine tells them.
  postStart: () => null,
  preStop: () => null,
};
