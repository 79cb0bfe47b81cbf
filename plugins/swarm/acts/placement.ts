/** The nodes that would take a task, by the rules of the swarm's scheduler: said before a change, never relied on. */
import {
  listOf,
  mapOf,
  numberOf,
  objectOf,
  textOf,
  textsOf,
  type Wire,
} from "../../../engines/calls/wire.ts";

/** Nodes that a reason names. */
const MOST_NAMED = 5;

/** A node with what is left of it. */
interface Room {
  readonly wire: Wire;
  readonly id: string;
  readonly name: string;
  /** The reason that it takes no task at all. */
  readonly closed: string | null;
  cpus: number;
  memory: number;
  readonly ports: Set<string>;
  readonly tasks: Map<string, number>;
}

export class Placement {
  readonly #rooms: readonly Room[];

  /** `tasks` are those that are to run. `drained` is the id of a node that is taken for drained. */
  constructor(
    nodes: readonly Wire[],
    tasks: readonly Wire[],
    services: ReadonlyMap<string, Wire>,
    drained: string | null = null,
  ) {
    this.#rooms = nodes.map((wire) => roomOf(wire, textOf(wire.ID) === drained));
    const waiting: string[] = [];
    for (const task of tasks) {
      if (textOf(task.NodeID) === "") waiting.push(textOf(task.ServiceID));
      const room = this.#rooms.find(({ id }) => id === textOf(task.NodeID));
      const service = textOf(task.ServiceID);
      if (room !== undefined && room.id !== drained) {
        fill(room, service, objectOf(task.Spec), services.get(service) ?? {});
      }
    }
    // Tasks that wait already come first.
    for (const service of waiting) this.place(service, services.get(service) ?? {}, false);
  }

  /**
   * Puts one more task of a service on the node that has the fewest, and returns null; else why no node takes it. Nodes,
   * their labels and ports are told to those who may see nodes.
   */
  place(service: string, spec: Wire, maySeeNodes: boolean): string | null {
    const template = objectOf(spec.TaskTemplate);
    const beyond = notCompared(template);
    if (beyond !== null) return `berth cannot tell: it asks for ${beyond}`;
    const refused = this.#rooms.map((room) => ({ room, why: whyNot(room, service, spec) }));
    const [best] = refused.filter(({ why }) => why === null).map(({ room }) => room)
      .toSorted((one, other) => (one.tasks.get(service) ?? 0) - (other.tasks.get(service) ?? 0));
    if (best === undefined) {
      if (!maySeeNodes) return "no node takes it";
      const named = refused.slice(0, MOST_NAMED).map(({ room, why }) => `${room.name} ${why}`).join(", ");
      const more = refused.length - MOST_NAMED;
      return `no node takes it: ${named || "there is none"}${more > 0 ? `, and ${more} more` : ""}`;
    }
    fill(best, service, template, spec);
    return null;
  }
}

function roomOf(wire: Wire, isDrained: boolean): Room {
  const spec = objectOf(wire.Spec);
  const state = textOf(objectOf(wire.Status).State);
  const availability = isDrained ? "drain" : textOf(spec.Availability) || "active";
  const resources = objectOf(objectOf(wire.Description).Resources);
  return {
    wire,
    id: textOf(wire.ID),
    name: textOf(objectOf(wire.Description).Hostname) || textOf(wire.ID).slice(0, 12),
    closed: state !== "ready"
      ? `is ${state || "unknown"}`
      : availability === "active"
      ? null
      : availability === "drain"
      ? "is drained"
      : "takes no new tasks",
    cpus: numberOf(resources.NanoCPUs),
    memory: numberOf(resources.MemoryBytes),
    ports: new Set(),
    tasks: new Map(),
  };
}

function reservedBy(template: Wire): { readonly cpus: number; readonly memory: number } {
  const reserved = objectOf(objectOf(template.Resources).Reservations);
  return { cpus: numberOf(reserved.NanoCPUs), memory: numberOf(reserved.MemoryBytes) };
}

const hostPorts = (spec: Wire): string[] =>
  listOf(objectOf(spec.EndpointSpec).Ports).map(objectOf)
    .filter((one) => textOf(one.PublishMode) === "host" && numberOf(one.PublishedPort) > 0)
    .map((one) => `${numberOf(one.PublishedPort)}/${textOf(one.Protocol) || "tcp"}`);

function fill(room: Room, service: string, template: Wire, spec: Wire): void {
  const { cpus, memory } = reservedBy(template);
  room.cpus -= cpus;
  room.memory -= memory;
  for (const port of hostPorts(spec)) room.ports.add(port);
  room.tasks.set(service, (room.tasks.get(service) ?? 0) + 1);
}

/** Returns what a definition asks of nodes beyond what is compared here; null for nothing. */
function notCompared(template: Wire): string | null {
  if (listOf(objectOf(objectOf(template.Resources).Reservations).GenericResources).length > 0) {
    return "generic resources";
  }
  const mounts = listOf(objectOf(template.ContainerSpec).Mounts).map(objectOf);
  const drivers = mounts.map((one) => textOf(objectOf(objectOf(one.VolumeOptions).DriverConfig).Name));
  return drivers.some((one) => one !== "" && one !== "local") ? "a volume's driver" : null;
}

/** Returns why the node does not take a task of the service; null where it does. */
function whyNot(room: Room, service: string, spec: Wire): string | null {
  if (room.closed !== null) return room.closed;
  const template = objectOf(spec.TaskTemplate);
  const placement = objectOf(template.Placement);
  const unmet = textsOf(placement.Constraints).find((one) => !meets(room.wire, one));
  if (unmet !== undefined) return `does not meet "${unmet}"`;
  if (!isPlatformOf(room.wire, listOf(placement.Platforms).map(objectOf))) return "has another platform";
  const { cpus, memory } = reservedBy(template);
  if (cpus > room.cpus || memory > room.memory) {
    return `has too little ${cpus > room.cpus ? "processor time" : "memory"} left`;
  }
  const most = numberOf(placement.MaxReplicas);
  if (most > 0 && (room.tasks.get(service) ?? 0) >= most) {
    return `has ${most} of it already, the most allowed`;
  }
  const taken = hostPorts(spec).find((one) => room.ports.has(one));
  return taken === undefined ? null : `has the port ${taken} in use`;
}

/** Returns true if a node meets a constraint as `node.labels.disk==ssd`; one that is not understood is not met. */
function meets(node: Wire, constraint: string): boolean {
  const at = constraint.search(/[=!]=/);
  if (at < 0) return false;
  const key = constraint.slice(0, at).trim();
  const actual = /^[\w.-]+$/.test(key) ? valueOf(node, key) : null;
  if (actual === null) return false;
  const asked = constraint.slice(at + 2).trim();
  return (actual.toLowerCase() === asked.toLowerCase()) === (constraint[at] === "=");
}

function valueOf(node: Wire, key: string): string | null {
  const spec = objectOf(node.Spec);
  const description = objectOf(node.Description);
  const platform = objectOf(description.Platform);
  const ofNode = /^node\.labels\.(.+)$/i.exec(key)?.[1];
  if (ofNode !== undefined) return mapOf(spec.Labels)[ofNode] ?? "";
  const ofEngine = /^engine\.labels\.(.+)$/i.exec(key)?.[1];
  if (ofEngine !== undefined) return mapOf(objectOf(description.Engine).Labels)[ofEngine] ?? "";
  switch (key.toLowerCase()) {
    case "node.id":
      return textOf(node.ID);
    case "node.hostname":
      return textOf(description.Hostname);
    case "node.role":
      return textOf(spec.Role);
    case "node.ip":
      return textOf(objectOf(node.Status).Addr);
    case "node.platform.os":
      return textOf(platform.OS);
    case "node.platform.arch":
      return textOf(platform.Architecture);
    default:
      return null;
  }
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };
const architecture = (name: string) => ARCHITECTURES[name] ?? name;

function isPlatformOf(node: Wire, asked: readonly Wire[]): boolean {
  const own = objectOf(objectOf(node.Description).Platform);
  return asked.length === 0 ||
    asked.some(({ OS, Architecture }) =>
      (textOf(OS) === "" || textOf(OS) === textOf(own.OS)) &&
      (textOf(Architecture) === "" ||
        architecture(textOf(Architecture)) === architecture(textOf(own.Architecture)))
    );
}
