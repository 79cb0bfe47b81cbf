/** Starting, stopping, restarting and removing a container: sent once, and answered when the engine shows it. */
import { ServiceError } from "../../../core/error.ts";
import { at } from "../engine/path.ts";
import type { FoundContainer } from "../backends/find_container.ts";
import { containerRow, type ContainerState } from "../rows/container.ts";

export type Verb = "start" | "stop" | "restart";

export interface Controlled {
  readonly id: string;
  readonly state: ContainerState;
  readonly changed: boolean;
}

/** How long the engine waits by itself before it kills, where nobody says. */
const DEFAULT_TIMEOUT_S = 10;
/** How long its own answers may lag behind what it said. */
const LAG_MS = 2_000;
const LAG_POLL_MS = 25;

export async function control(
  { link, row }: FoundContainer,
  verb: Verb,
  timeoutS: number | undefined,
): Promise<Controlled> {
  const doing = `${verb} container "${row.name}"`;
  const before = row.state;
  try {
    const done = await link.engine.post(at`/containers/${row.id}/${verb}`, {
      doing,
      missing: "container_not_found",
      query: verb === "start" ? {} : { t: timeoutS },
      firstByteMs: ((timeoutS ?? DEFAULT_TIMEOUT_S) + 20) * 1_000,
    });
    // Podman answers 204 to stopping what never ran.
    const changed = done.changed && !(verb === "stop" && (before === "created" || before === "exited"));
    const state = await settledState({ link, row }, verb);
    return { id: row.id, state, changed };
  } finally {
    link.mirror.containers.touch(row.id);
  }
}

export async function remove(
  { link, row }: FoundContainer,
  options: { readonly force: boolean; readonly volumes: boolean },
): Promise<void> {
  try {
    await link.engine.delete(at`/containers/${row.id}`, {
      doing: `remove container "${row.name}"`,
      missing: "container_not_found",
      query: { force: options.force, v: options.volumes },
      firstByteMs: 60_000,
    });
  } catch (error) {
    if (
      error instanceof ServiceError && error.code === "conflict" && !options.force && row.state === "running"
    ) {
      throw new ServiceError(
        "conflict",
        `Cannot remove container "${row.name}": it runs, stop it first or use "force"`,
        { cause: error },
      );
    }
    throw error;
  } finally {
    link.mirror.containers.touch(row.id);
    if (options.volumes) link.mirror.volumes.touch();
  }
}

/** The state once the engine itself shows what it said it did; what it shows last, when that never comes. */
async function settledState({ link, row }: FoundContainer, verb: Verb): Promise<ContainerState> {
  const until = performance.now() + LAG_MS;
  for (;;) {
    const state = await readState({ link, row });
    const lags = verb === "stop" ? state === "running" : state === "created";
    if (!lags || performance.now() > until) return state;
    await new Promise((resolve) => setTimeout(resolve, LAG_POLL_MS));
  }
}

async function readState({ link, row }: FoundContainer): Promise<ContainerState> {
  try {
    const inspected = await link.engine.get(at`/containers/${row.id}/json`, {
      doing: `inspect container "${row.name}"`,
      missing: "container_not_found",
    });
    return containerRow(inspected, link.name)?.state ?? "unknown";
  } catch (error) {
    // It was made to vanish when it ends.
    if (error instanceof ServiceError && error.code === "container_not_found") return "removing";
    throw error;
  }
}
