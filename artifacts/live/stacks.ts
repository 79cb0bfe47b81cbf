/** Services of a swarm that a group may run as: a stack has a name and no path, so other signs say whose it is. */
import {
  type KnownService,
  NO_SERVICES,
  type RunningService,
  type RunningServices,
  type RunningTask,
} from "../../core/running_services.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import type { Group, Settings, Unit } from "../artifact.ts";
import { stacksNamed } from "../compose/swarm_target.ts";
import type { Match, UnitService as LiveService } from "./live.ts";

/** The label of services that berth deployed: the name of their group. */
export const GROUP_LABEL = "dev.berth.group";
/** The label of what berth made in a swarm: the id of the workspace that it was applied from. */
export const WORKSPACE_LABEL = "dev.berth.workspace";
const IMAGE = "com.docker.stack.image";
const STACK = "com.docker.stack.namespace";
const SERVICE = "com.docker.swarm.service.name";

/** A service that a unit may run as. */
export interface UnitService {
  readonly name: string;
  /** Null where only its containers are known: no manager of its swarm is an engine of berth's. */
  readonly known: KnownService | null;
  readonly match: Match;
  /** True if the caller may know no more than that it is there. */
  readonly isHidden: boolean;
}

/** Stacks that run: their services by stack, and containers of services that berth does not know, by service. */
export interface Stacks {
  readonly services: ReadonlyMap<string, readonly KnownService[]>;
  readonly containers: ReadonlyMap<string, readonly RunningContainer[]>;
}

const NONE: Stacks = { services: new Map(), containers: new Map() };

/** Returns the stacks that run, by their names, and their containers by the names of their services. */
export function stacksOf(
  containers: readonly RunningContainer[],
  services: RunningServices["items"],
): Stacks {
  const found = containers.filter(({ labels, state }) => labels[STACK] !== undefined && state === "running");
  if (found.length === 0 && services.length === 0) return NONE;
  return {
    services: Map.groupBy(
      services.filter(({ service }) => service.stack !== null),
      ({ service }) => service.stack ?? "",
    ),
    containers: Map.groupBy(found, ({ labels }) => labels[SERVICE] ?? ""),
  };
}

/** A stack that a group may run as, and the sign that it does. */
interface MatchedStack {
  readonly stack: string;
  readonly match: Match;
}

/** Returns the stacks that a group may run as, by the strongest sign: `berth.yaml`, berth's own label, or the name. */
export function stacksOfGroup(
  settings: Pick<Settings, "stacks">,
  group: Group,
  stacks: Stacks,
): readonly MatchedStack[] {
  if (stacks === NONE) return [];
  const named = stacksNamed(settings, group);
  if (named.length > 0) {
    return named.map((stack) => ({ stack, match: { by: "settings", confidence: "certain" } }));
  }
  // A stack that is another group's by `berth.yaml` is nobody's by its name.
  if (settings.stacks.has(group.project)) return [];
  const services = stacks.services.get(group.project) ?? [];
  const isOurs = services.some(({ definition }) => definition.serviceLabels[GROUP_LABEL] === group.name);
  return [{
    stack: group.project,
    match: isOurs
      ? { by: "label", confidence: "certain" }
      : isLikely(group, services)
      ? { by: "images", confidence: "likely" }
      : { by: "project", confidence: "guess" },
  }];
}

/** Returns true if every service of the stack is a unit with the image that its file was deployed with. */
function isLikely({ units, project }: Group, services: readonly KnownService[]): boolean {
  const images = new Map(units.map(({ label, service }) => [`${project}_${label}`, service?.image ?? null]));
  return services.length > 0 && services.every(({ service: { name }, definition }) => {
    const image = images.get(name);
    return typeof image === "string" && image === definition.serviceLabels[IMAGE];
  });
}

/** Returns the service that a unit runs as in one of these stacks; null for none. */
export function serviceOf(
  unit: Unit,
  of: readonly MatchedStack[],
  stacks: Stacks,
): UnitService | null {
  if (unit.service === null) return null;
  const found = of.flatMap(({ stack, match }): UnitService[] => {
    const name = `${stack}_${unit.label}`;
    const known = stacks.services.get(stack)?.filter(({ service }) => service.name === name) ?? [];
    if (known.length > 0) {
      return known.map((one) => {
        const isHidden = one.isHidden === true;
        return { name, known: isHidden ? null : one, match, isHidden };
      });
    }
    const isOfStack = stacks.containers.get(name)?.some(({ labels }) => labels[STACK] === stack);
    return isOfStack === true ? [{ name, known: null, match, isHidden: false }] : [];
  });
  const [first, ...others] = found;
  // Of several, in one swarm or in many, nobody knows which one is meant.
  return first === undefined ? null : others.length === 0 ? first : { ...first, known: null };
}

/** Returns the stacks of these names, the group's project unless others are said: services, and containers that run. */
export function ofStack(
  group: Group,
  containers: readonly RunningContainer[],
  services: RunningServices = NO_SERVICES,
  names: readonly string[] = [group.project],
): { readonly containers: readonly RunningContainer[]; readonly services: readonly KnownService[] } {
  return {
    containers: containers.filter(({ labels, state }) =>
      state === "running" && names.includes(labels[STACK] ?? "")
    ),
    services: services.items.filter(({ service }) => names.includes(service.stack ?? "")),
  };
}

/** After a rollback the definition is the one of before, so what failed is a difference: its task says why. */
export function rollbackOf({ update, tasks }: RunningService): LiveService["rolledBack"] {
  if (update === null || !update.state.startsWith("rollback")) return null;
  const failed = tasks.filter(({ state, current, reason }) =>
    state === "failed" && !current && reason !== null
  );
  const last = failed.reduce<RunningTask | null>(
    (last, one) => last === null || (one.at ?? "") > (last.at ?? "") ? one : last,
    null,
  );
  return { at: update.at, reason: last?.reason ?? update.message };
}
