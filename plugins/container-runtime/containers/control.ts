/** Starts, stops, restarts and removes a container; answers once the engine shows the new state. */
import { z } from "zod";
import { ServiceError } from "../../../core/error.ts";
import { pause } from "../engine/pause.ts";
import { at } from "../engine/path.ts";
import type { FoundContainer } from "../backends/find_container.ts";
import { ContainerState } from "../../../core/runtime.ts";
import { containerRow } from "../rows/container.ts";
import { engineError } from "../engine/errors.ts";

/** What a container is after an action. */
export const Controlled = z.object({
  id: z.string(),
  state: ContainerState,
  changed: z.boolean().describe("False where it was so already"),
}).meta({ id: "ContainerControlled" });
export type Controlled = z.infer<typeof Controlled>;

export type Verb = "start" | "stop" | "restart";

/** How long an engine waits by default before it kills a container. */
const DEFAULT_TIMEOUT_S = 10;
/** How long an engine's answers may lag behind an action that it confirmed. */
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
    // Podman answers 204 even to stopping a container that never ran.
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
      throw engineError(
        "conflict",
        `Cannot remove container "${row.name}": it runs; stop it first or use "force"`,
        { cause: error },
      );
    }
    throw error;
  } finally {
    link.mirror.containers.touch(row.id);
    if (options.volumes) link.mirror.volumes.touch();
  }
}

/** The state once the engine shows the change, or the last one it showed when that takes too long. */
async function settledState({ link, row }: FoundContainer, verb: Verb): Promise<ContainerState> {
  const until = performance.now() + LAG_MS;
  for (;;) {
    const state = await readState({ link, row });
    const lags = verb === "stop" ? state === "running" : state === "created";
    if (!lags || performance.now() > until) return state;
    await pause(LAG_POLL_MS);
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
    // It was created with `--rm`, so it is gone when it ends.
    if (error instanceof ServiceError && error.code === "container_not_found") return "removing";
    throw error;
  }
}
