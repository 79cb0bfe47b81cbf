/** Destinations of the palette: projects, containers, and acts on them. */
import { type Container, CONTAINERS } from "../../client/berth/containers.ts";
import { actOn } from "./actions.ts";
import { readProjects, type Row } from "./projects.ts";
import { client, may } from "./session.ts";

export interface Destinations {
  readonly projects: readonly Row[];
  readonly containers: readonly Container[];
}

/** As far as they may be seen; what does not answer is left out. */
export async function readDestinations(signal: AbortSignal): Promise<Destinations> {
  const [projects, containers] = await Promise.all([
    may("artifacts:read") ? readProjects(signal).then(({ items }) => items, () => []) : [],
    may("containers:read")
      ? client.get(CONTAINERS, { signal }).then((answer) => answer.json().items, () => [])
      : [],
  ]);
  return { projects, containers };
}

export const CONTROLS = ["start", "stop", "restart"] as const;

export function control(action: typeof CONTROLS[number], container: Container): void {
  void actOn(action, [container]);
}
