/** Stacks of swarms that are in no file, as rows beside projects. */
import type { KnownService } from "../core/running_services.ts";
import type { RunningContainer } from "../core/runtime.ts";
import { countsOf } from "./compared.ts";
import type { Ignored } from "./ignored.ts";
import { type MadeRow, MOST_PORTS } from "./project_rows.ts";

/** A stack with the containers of its tasks that the caller sees. */
interface UndeclaredStack {
  readonly row: MadeRow;
  readonly services: readonly KnownService[];
  readonly containers: readonly RunningContainer[];
}

/** Returns the stacks with services that are no unit's, and those alone. `declared` holds the others, as `swarm id`. */
export function undeclaredStacks(
  services: readonly KnownService[],
  declared: ReadonlySet<string>,
  containers: readonly RunningContainer[],
  ignored: Ignored,
): UndeclaredStack[] {
  const stacks = Map.groupBy(
    services.filter(({ service, cluster }) =>
      service.stack !== null && !declared.has(`${cluster} ${service.id}`)
    ),
    ({ service, cluster }) => `${service.stack}@swarm:${cluster}`,
  );
  return [...stacks].map(([id, own]) => {
    const tasks = new Set(own.flatMap(({ service }) => containersOf(service)));
    const found = containers.filter((one) => tasks.has(`${one.backend} ${one.id}`));
    return { row: rowOf(id, own, ignored), services: own, containers: found };
  });
}

/** Returns the containers of the service's tasks whose engine is known, as `engine id`. */
export const containersOf = ({ tasks }: KnownService["service"]): string[] =>
  tasks.flatMap(({ container }) =>
    container === null || container.backend === null ? [] : [`${container.backend} ${container.id}`]
  );

/** The word in the place of an engine where people put a stack aside. */
export const stacksEngine = (cluster: string): string => `swarm:${cluster}`;

function rowOf(id: string, own: readonly KnownService[], ignored: Ignored): MadeRow {
  const [{ service: { stack }, cluster }] = own as [KnownService]; // every group has one
  const services = own.map(({ service }) => service);
  const tasks = services.flatMap(({ tasks }) => tasks).filter(({ desired }) => desired);
  const ports = services.flatMap(({ ports }) => ports.flatMap(({ host }) => host ?? []));
  return {
    id,
    name: stack ?? "",
    project: stack ?? "",
    workspace: null,
    folder: null,
    engines: [...new Set(tasks.flatMap(({ container }) => container?.backend ?? []))].sort(),
    swarm: cluster,
    verdict: "undeclared",
    counts: countsOf([], services.length),
    differences: 0,
    incident: null,
    running: services.reduce((sum, { running }) => sum + running, 0),
    desired: services.reduce<number | null>(
      (sum, { desired }) => sum === null || desired === null ? null : sum + desired,
      0,
    ),
    reason: null,
    ports: [...new Set(ports)].sort((a, b) => a - b).slice(0, MOST_PORTS),
    newer: 0,
    ignored: ignored.has({ engine: stacksEngine(cluster), kind: "project", name: stack ?? "" }),
    marks: {},
  };
}
