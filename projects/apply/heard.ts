/** Looks at one engine that tell "there is none" from "it cannot be asked": an engine that is away lists nothing. */

import { ServiceError } from "../../core/error.ts";
import type { ContainerRuntime, Holdings, RunningContainer } from "../../core/runtime.ts";

type Listing = Pick<ContainerRuntime, "unheard">;

/** Returns why the engine cannot be asked for its containers now; null where it can. */
export function unheardOn(runtime: Listing, backend: string): ServiceError | null {
  const reason = runtime.unheard().get(backend);
  return reason === undefined ? null : unheard(backend, reason);
}

/** Returns the containers of one engine. Throws `engine_unavailable` while it cannot be asked. */
export async function containersOn(
  runtime: Listing & Pick<ContainerRuntime, "containers">,
  backend: string,
): Promise<readonly RunningContainer[]> {
  const before = unheardOn(runtime, backend);
  const found = (await runtime.containers()).filter((one) => one.backend === backend);
  // It may have come back since the list was read.
  const away = unheardOn(runtime, backend) ?? (found.length === 0 ? before : null);
  if (away !== null) throw away;
  return found;
}

/** Returns those of one project. Throws the same. */
export async function containersOf(
  runtime: Parameters<typeof containersOn>[0],
  { backend, project }: { readonly backend: string; readonly project: string },
): Promise<readonly RunningContainer[]> {
  return (await containersOn(runtime, backend)).filter(({ compose }) => compose?.project === project);
}

/** Returns what all engines hold. Throws `engine_unavailable` while this one cannot be asked. */
export async function holdingsWith(
  runtime: Listing & Pick<ContainerRuntime, "holdings">,
  backend: string,
): Promise<Holdings> {
  const holdings = await runtime.holdings();
  const away = unheardOn(runtime, backend);
  if (away !== null) throw away;
  if (holdings === null) throw unheard(backend, "it does not list what it has");
  return holdings;
}

const unheard = (backend: string, reason: string): ServiceError =>
  new ServiceError("engine_unavailable", `Cannot go on: engine "${backend}" cannot be asked (${reason})`);
