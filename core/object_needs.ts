/** The rights that the specs of networks, volumes and commands need, by the same kind of table. */
import type { BuildSpec, Command, NetworkSpec, VolumeSpec } from "./engine_acts.ts";
import {
  harmless,
  host,
  type HostPlace,
  labelNeeds,
  needsOf,
  NO_FACTS,
  NOTHING,
  type Rows,
  type SpecNeed,
  unlessEmpty,
} from "./spec_rows.ts";

const NETWORK: Rows<NetworkSpec> = {
  name: harmless,
  driver: (driver) =>
    driver === null || driver === "" || driver === "bridge"
      ? NOTHING
      : host("driver", `is made by the driver "${driver}"`),
  driverOptions: unlessEmpty("driver_opts", "sets options of its driver"),
  internal: harmless,
  attachable: harmless,
  ipv4: harmless,
  ipv6: harmless,
  ipamDriver: (driver) =>
    driver === null || driver === "" || driver === "default"
      ? NOTHING
      : host("ipam.driver", `gets its addresses from the driver "${driver}"`),
  ipamOptions: unlessEmpty("ipam.options", "sets options of its address driver"),
  pools: (pools) => pools.flatMap((pool) => needsOf(POOL, pool, NO_FACTS)),
  labels: (labels) => labelNeeds(labels),
};

const POOL: Rows<NetworkSpec["pools"][number]> = {
  subnet: (subnet) => poolNeeds(subnet),
  range: (range) => poolNeeds(range),
  gateway: (gateway) => poolNeeds(gateway),
  reserved: (reserved) => Object.values(reserved).flatMap((address) => poolNeeds(address)).slice(0, 1),
};

/**
 * Private ranges, each with the fewest bits of a network within it: one as wide as 192.168.0.0/12 begins elsewhere.
 * Link-local and shared addresses are not among them: a bridge with 169.254.169.254 would answer the host and all other
 * containers in place of a cloud's metadata service.
 */
const PRIVATE: readonly (readonly [range: RegExp, bits: number])[] = [
  [/^10\./, 8],
  [/^172\.(?:1[6-9]|2\d|3[01])\./, 12],
  [/^192\.168\./, 16],
  [/^f[cd][0-9a-f]{2}:/i, 8],
];

function poolNeeds(address: string | null): readonly SpecNeed[] {
  if (address === null || address === "") return NOTHING;
  const bits = Number(/\/(\d+)$/.exec(address)?.[1] ?? "128");
  return PRIVATE.some(([range, fewest]) => range.test(address) && bits >= fewest)
    ? NOTHING
    : host("ipam.config", `takes addresses that are not private: ${address}`);
}

const VOLUME: Rows<VolumeSpec> = {
  name: harmless,
  driver: (driver) =>
    driver === null || driver === "" || driver === "local"
      ? NOTHING
      : host("driver", `is made by the driver "${driver}"`),
  driverOptions: unlessEmpty(
    "driver_opts",
    "sets options of its driver, which can bind any folder of the host",
  ),
  labels: (labels) => labelNeeds(labels),
};

const COMMAND: Rows<Command> = {
  command: harmless,
  user: harmless,
  privileged: (privileged) => privileged ? host("privileged", "has all rights on the host") : NOTHING,
  workingDir: harmless,
  environment: harmless,
};

const BUILD: Rows<BuildSpec> = {
  tags: harmless,
  dockerfile: harmless,
  target: harmless,
  args: harmless,
  labels: (labels) => labelNeeds(labels),
  network: (network) =>
    ["", "default", "none", "bridge"].includes(network)
      ? NOTHING
      : host("build.network", `builds in the network "${network}"`),
  extraHosts: harmless,
  cacheFrom: harmless,
  platform: harmless,
  shmBytes: harmless,
  noCache: harmless,
  pull: harmless,
};

/**
 * The builder of Podman runs with the rights of the engine: flags of the Dockerfile, and of the images that it begins
 * with, reach the host's network and, in many versions, its files. Nothing in a spec shows them.
 */
export const buildNeeds = (
  spec: BuildSpec,
  context: HostPlace,
  engine: "docker" | "podman",
): readonly SpecNeed[] => [
  ...needsOf(BUILD, spec, NO_FACTS),
  ...contextNeeds(context),
  ...engine === "podman" ? host("build", "is built by Podman, whose builder can reach the host") : NOTHING,
];

/** The whole context becomes a part of the image. */
function contextNeeds(place: HostPlace): readonly SpecNeed[] {
  if (place === "own") return NOTHING;
  const why = "is read outside of the project's own folder";
  return place === "workspace"
    ? [{ right: "workspace", field: "build.context", why }]
    : host("build.context", why);
}

export const networkNeeds = (spec: Partial<NetworkSpec>): readonly SpecNeed[] =>
  needsOf(NETWORK, spec, NO_FACTS);

export const volumeNeeds = (spec: Partial<VolumeSpec>): readonly SpecNeed[] =>
  needsOf(VOLUME, spec, NO_FACTS);

export const commandNeeds = (spec: Partial<Command>): readonly SpecNeed[] => needsOf(COMMAND, spec, NO_FACTS);
