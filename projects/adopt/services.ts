/** The services of a project to write: each container belongs to one, and all containers of one have one text. */

import type { InspectedContainer } from "../../core/runtime.ts";
import { isSame } from "../fields/field.ts";
import type { Fragment } from "./writing.ts";

/**
 * Returns the service of each container by its id: the one that its label of this very project names, or that one label
 * of another project names; else its own name, or `web-2` where another service has that name.
 */
export function servicesOf(containers: readonly InspectedContainer[], project: string): Map<string, string> {
  const services = new Map<string, string>();
  for (const one of containers) {
    const service = one.compose?.project === project ? labelled(one) : null;
    if (service !== null) services.set(one.id, service);
  }
  const taken = new Set(services.values());
  const give = ({ id }: InspectedContainer, service: string) => {
    services.set(id, service);
    taken.add(service);
  };
  const others = containers.filter(({ id }) => !services.has(id));
  for (const [service, [one, ...more]] of Map.groupBy(others, labelled)) {
    // Several would need one text and numbered names of this project.
    if (service !== null && more.length === 0 && !taken.has(service)) give(one!, service); // no list is empty
  }
  for (const one of others) {
    if (services.has(one.id)) continue;
    let service = one.name;
    for (let n = 2; taken.has(service); n++) service = `${one.name}-${n}`;
    give(one, service);
  }
  return services;
}

/** The service of a label; null for one that Compose refuses as a name, for anybody can write a label. */
const labelled = ({ compose }: InspectedContainer): string | null =>
  compose !== null && /^[\w.-]+$/.test(compose.service) ? compose.service : null;

const numberOf = ({ labels }: InspectedContainer): number =>
  Number(labels["com.docker.compose.container-number"] ?? 1);

/** The first container of a service comes first: its text is the service's. */
export const byNumber = (one: InspectedContainer, other: InspectedContainer): number =>
  numberOf(one) - numberOf(other);

interface Text {
  readonly container: string;
  readonly text: Fragment;
  count: number;
}

/** The texts of services, and the number of containers that each is the text of. */
export class ServiceTexts {
  readonly #texts = new Map<string, Text>();
  readonly #replicated: ReadonlySet<string>;

  constructor(private readonly services: ReadonlyMap<string, string>, private readonly project: string) {
    const all = [...services.values()];
    this.#replicated = new Set(all.filter((one, at) => all.indexOf(one) !== at));
  }

  /** Counts a container with its text. Returns why it cannot be a replica of its service; null if it is one. */
  add({ id, name }: InspectedContainer, whole: Fragment): string | null {
    const service = this.services.get(id)!; // every one has a service
    const text = this.#replicated.has(service) ? this.#withoutNumber(whole, name, service) : whole;
    const first = this.#texts.get(service);
    if (first === undefined) this.#texts.set(service, { container: name, text, count: 1 });
    else if (isSame(first.text, text)) first.count += 1;
    else {
      const keys = [...new Set([...Object.keys(first.text), ...Object.keys(text)])];
      const others = keys.filter((key) => !isSame(first.text[key], text[key])).sort().join(", ");
      return `a file gives all containers of the service "${service}" one text, ` +
        `and it differs from "${first.container}" in ${others}`;
    }
    return null;
  }

  all(): { readonly service: string; readonly text: Fragment; readonly count: number }[] {
    return [...this.#texts].map(([service, { text, count }]) => ({ service, text, count }));
  }

  /** A replica keeps its numbered name, of either sign, although no file says it: a plan names new ones by `-`. */
  #withoutNumber(text: Fragment, name: string, service: string): Fragment {
    const isNumbered = ["-", "_"].some((sign) => {
      const start = [this.project, service, ""].join(sign);
      return name.startsWith(start) && /^\d+$/.test(name.slice(start.length));
    });
    if (!isNumbered) return text;
    const { container_name: _, ...rest } = text;
    return rest;
  }
}
