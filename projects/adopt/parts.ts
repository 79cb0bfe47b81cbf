/** Sorts containers into projects: those of one Compose project, and those that are connected with each other. */

import type { InspectedContainer } from "../../core/runtime.ts";
import { namedNetworks } from "./write_networks.ts";

/** The containers of one project to write. */
export interface Part {
  readonly name: string;
  readonly backend: string;
  readonly containers: readonly InspectedContainer[];
}

/**
 * Containers belong together by their Compose project, a network that somebody made, a namespace of another one, a
 * link, or `volumesFrom`. Each other one is alone.
 */
export function partsOf(containers: readonly InspectedContainer[]): Part[] {
  const sets = new Sets(containers);
  for (const same of Map.groupBy(containers, projectKey).values()) {
    if (same[0]!.compose !== null) sets.join(same); // no list is empty
  }
  for (const members of membersByNetwork(containers).values()) {
    // Two projects of Compose may share a network, and stay two.
    if (members.some(({ compose }) => compose === null)) sets.join(members);
  }
  const find = finder(containers);
  for (const one of containers) {
    for (const other of namedBy(one).flatMap((text) => find(one.backend, text))) {
      if (one.compose === null || other.compose === null) sets.join([one, other]);
    }
  }
  const taken = new Set<string>();
  return sets.all().map((part) => {
    const sorted = part.sort((one, other) => one.name < other.name ? -1 : 1);
    const wanted = projectName(
      sorted.find(({ compose }) => compose !== null)?.compose?.project ?? sorted[0]!.name,
    );
    let name = wanted;
    for (let n = 2; taken.has(name); n++) name = `${wanted.slice(0, LONGEST - `-${n}`.length)}-${n}`;
    taken.add(name);
    return { name, backend: sorted[0]!.backend, containers: sorted }; // no part is empty
  });
}

/** One project of that name for each engine, for no project is on two. */
export function partsNamed(name: string, containers: readonly InspectedContainer[]): Part[] {
  return [...Map.groupBy(containers, ({ backend }) => backend)].map(([backend, containers]) => ({
    name,
    backend,
    containers,
  }));
}

/** Containers in sets that are joined with each other: each look takes the same time, however many there are. */
class Sets {
  readonly #above = new Map<InspectedContainer, InspectedContainer>();

  constructor(private readonly containers: readonly InspectedContainer[]) {}

  join([first, ...others]: readonly InspectedContainer[]): void {
    if (first === undefined) return;
    const top = this.#topOf(first);
    for (const one of others) {
      const other = this.#topOf(one);
      if (other !== top) this.#above.set(other, top);
    }
  }

  all(): InspectedContainer[][] {
    return [...Map.groupBy(this.containers, (one) => this.#topOf(one)).values()];
  }

  #topOf(one: InspectedContainer): InspectedContainer {
    let top = one;
    for (let next = this.#above.get(top); next !== undefined; next = this.#above.get(top)) top = next;
    for (let at = one; at !== top;) {
      const next = this.#above.get(at)!; // all but the top have one
      this.#above.set(at, top);
      at = next;
    }
    return top;
  }
}

const projectKey = ({ backend, compose }: InspectedContainer): string =>
  `${backend} ${compose === null ? "" : `of ${compose.project}`}`;

function membersByNetwork(containers: readonly InspectedContainer[]): Map<string, InspectedContainer[]> {
  const members = containers.flatMap((one) =>
    namedNetworks(one).map(({ name }) => ({ key: `${one.backend} ${name}`, one }))
  );
  return new Map(
    [...Map.groupBy(members, ({ key }) => key)].map(([key, list]) => [key, list.map(({ one }) => one)]),
  );
}

const OF_CONTAINER = "container:";

/** Returns the texts by which one names others. */
function namedBy(one: InspectedContainer): string[] {
  const modes = [one.networkMode, one.ipcMode, one.pidMode].flatMap((mode) =>
    mode.startsWith(OF_CONTAINER) ? [mode.slice(OF_CONTAINER.length)] : []
  );
  const links = [...one.links, ...one.networks.flatMap((network) => network.links)];
  return [...modes, ...one.volumesFrom, ...links].map((text) => text.split(":")[0] ?? "");
}

/** The characters of the shortest beginning of an id that names a container. */
const SHORT = 12;

/** Finds a container of an engine by its id, the beginning of its id, or its name. */
function finder(containers: readonly InspectedContainer[]) {
  const byStart = Map.groupBy(containers, ({ backend, id }) => `${backend} ${id.slice(0, SHORT)}`);
  const byName = Map.groupBy(containers, ({ backend, name }) => `${backend} ${name}`);
  return (backend: string, text: string): InspectedContainer[] => [
    ...byName.get(`${backend} ${text}`) ?? [],
    ...text.length < SHORT
      ? []
      : (byStart.get(`${backend} ${text.slice(0, SHORT)}`) ?? []).filter(({ id }) => id.startsWith(text)),
  ];
}

/** The characters of the longest name that a draft can be saved under. */
const LONGEST = 63;

/** Brings a name into the form that Compose takes. */
const projectName = (text: string): string =>
  text.toLowerCase().replace(/[^a-z0-9_-]/g, "-").replace(/^[^a-z0-9]+/, "").slice(0, LONGEST) || "project";
