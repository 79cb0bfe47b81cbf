/** The rights that a swarm's service needs, by the same tables as a container's. */
import { containerNeeds } from "./container_needs.ts";
import { networkNeeds, volumeNeeds } from "./object_needs.ts";
import type { ContainerSpec } from "./runtime.ts";
import type { ServiceFile } from "./running_services.ts";
import type { ServiceSpec, SwarmNetworkSpec } from "./service_spec.ts";
import {
  harmless,
  host,
  labelNeeds,
  needsOf,
  NO_FACTS,
  NOTHING,
  type Owner,
  type Rows,
  type SpecFacts,
  type SpecNeed,
} from "./spec_rows.ts";

/** The facts about a swarm that decide if a value is harmless. */
export interface ServiceFacts extends Pick<SpecFacts, "networkOwner" | "volumeOwner"> {
  fileOwner(kind: "secret" | "config", name: string): Owner;
}

/** A source lies on whichever node runs the task, so that no folder of the workspace makes it harmless. */
const ON_ANY_NODE = "is a path of whichever node runs it";

/** A service as it is judged: one that runs may have fields of a container that no plan asks for. */
export interface JudgedService extends Omit<ServiceSpec, "container"> {
  readonly container: Partial<ContainerSpec>;
}

const rowsFor = (facts: ServiceFacts): Rows<JudgedService> => ({
  name: harmless,
  labels: (labels) => labelNeeds(labels),
  mode: harmless,
  replicas: harmless,
  container: ({ mounts = [], ...rest }) => [
    ...containerNeeds(rest, { ...NO_FACTS, ...facts }),
    ...mounts.flatMap((mount) =>
      mount.type === "bind"
        ? host(`mounts.${mount.target}`, ON_ANY_NODE)
        : containerNeeds({ mounts: [mount] }, { ...NO_FACTS, ...facts })
    ),
  ],
  volumes: (volumes) =>
    Object.entries(volumes).flatMap(([target, volume]) =>
      volumeNeeds({ ...volume, name: "" }).map((one) => ({ ...one, field: `mounts.${target}` }))
    ),
  stopGrace: harmless,
  secrets: (files) => files.flatMap((file) => fileNeeds("secret", file, facts)),
  configs: (files) => files.flatMap((file) => fileNeeds("config", file, facts)),
  ports: harmless,
  endpointMode: harmless,
  restart: harmless,
  limits: harmless,
  reservations: harmless,
  placement: harmless,
  update: harmless,
  rollback: harmless,
});

function fileNeeds(
  kind: "secret" | "config",
  { name, target }: ServiceFile,
  { fileOwner }: ServiceFacts,
): readonly SpecNeed[] {
  return fileOwner(kind, name) === "own"
    ? NOTHING
    : host(`${kind}s.${target}`, `reads the ${kind} "${name}", which is not of this stack`);
}

/** Returns the rights that a service with this spec needs; also for a part of one. */
export const serviceNeeds = (spec: Partial<JudgedService>, facts: ServiceFacts): readonly SpecNeed[] =>
  needsOf(rowsFor(facts), spec, NO_FACTS);

/** An overlay network is to a swarm what a bridge is to an engine, and encryption takes nothing. */
export function swarmNetworkNeeds(spec: SwarmNetworkSpec): readonly SpecNeed[] {
  const { encrypted: _, ...driverOptions } = spec.driverOptions;
  return networkNeeds({ ...spec, driver: spec.driver === "overlay" ? null : spec.driver, driverOptions });
}
