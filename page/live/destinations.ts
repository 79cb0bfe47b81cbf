/** Destinations of the palette: workspaces, containers, and acts on them. */
import { type Container, CONTAINERS } from "../../client/berth/containers.ts";
import { type Workspace, WORKSPACES } from "../../client/berth/workspaces.ts";
import { actOn } from "./actions.ts";
import { client, may } from "./session.ts";

export interface Destinations {
  readonly workspaces: readonly Workspace[];
  readonly containers: readonly Container[];
}

/** As far as they may be seen; what does not answer is left out. */
export async function readDestinations(signal: AbortSignal): Promise<Destinations> {
  const [workspaces, containers] = await Promise.all([
    may("workspaces:read")
      ? client.get(WORKSPACES, { signal }).then((answer) => answer.json().items, () => [])
      : [],
    may("containers:read")
      ? client.get(CONTAINERS, { signal }).then((answer) => answer.json().items, () => [])
      : [],
  ]);
  return { workspaces, containers };
}

export const CONTROLS = ["start", "stop", "restart"] as const;

export function control(action: typeof CONTROLS[number], container: Container): void {
  void actOn(action, [container]);
}
