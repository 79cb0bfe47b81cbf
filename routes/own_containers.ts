/** The containers of a group's units, by which an apply with nobody present tells what a person stopped. */
import type { Reference } from "../artifacts/artifact.ts";
import { isOneOff } from "../artifacts/live/join.ts";
import { ServiceError } from "../core/error.ts";
import type { ContainerRuntime, RunningContainer } from "../core/runtime.ts";
import { withoutLeftovers } from "../projects/plan/leftovers.ts";
import type { Planning } from "./unattended_apply.ts";

export const RUNS: ReadonlySet<RunningContainer["state"]> = new Set(["running", "restarting", "paused"]);

interface OwnContainers {
  /** The unit's id. */
  readonly id: string;
  readonly own: readonly RunningContainer[];
  /** True for one whose end another unit waits for. */
  readonly isJob: boolean;
}

/** Throws `engine_unavailable` where nobody can say what runs. */
export async function unitsWithContainers(
  { registry, runtime }: Pick<Planning, "registry" | "runtime">,
  of: { readonly workspace: string; readonly group: string },
): Promise<OwnContainers[]> {
  const model = await registry.comparedModel(of.workspace);
  const group = model.groups.find((one) => one.standing === "main" && one.name === of.group);
  const all = group === undefined ? [] : await containersOf(runtime(), group.project);
  const units = group?.units ?? [];
  const jobs = new Set(
    units.flatMap(({ references }) => references).filter(isWaitForEnd).map(({ target }) => target),
  );
  return units.map(({ id, label }) => ({
    id,
    own: all.filter(({ compose }) => compose?.service === label),
    isJob: jobs.has(id),
  }));
}

/** Returns true for a job that has ended: of others nobody can tell that from a stop that was not seen, as Podman does not tell of each and berth may be away. */
export const hasEnded = ({ state, stopped }: RunningContainer): boolean =>
  state === "exited" && stopped === null;

/** Returns true if a unit waits until another one has ended well, which is a job then. */
const isWaitForEnd = ({ condition }: Reference): boolean => condition === "service_completed_successfully";

/** Returns those that stand for units. Throws `engine_unavailable` where nobody can say what runs. */
export async function containersOf(
  runtime: ContainerRuntime | null,
  project: string,
): Promise<readonly RunningContainer[]> {
  if (runtime === null) {
    throw new ServiceError("engine_unavailable", "Cannot plan: no container engine is known");
  }
  const all = (await runtime.containers()).filter((one) =>
    one.compose?.project === project && !isOneOff(one)
  );
  return withoutLeftovers(all).standing;
}
