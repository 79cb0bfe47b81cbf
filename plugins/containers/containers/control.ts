/** Starts, stops, pauses, kills, renames and removes a container; answers once the engine shows the new state. */
import * as z from "../../../core/schema.ts";
import { ServiceError } from "../../../core/error.ts";
import { pause } from "../../../core/pause.ts";
import type { Done } from "../../../engines/calls/engine.ts";
import { unreadable } from "../../../engines/calls/failure.ts";
import { sentOrShown } from "../../../engines/calls/lost_answer.ts";
import { at } from "../../../engines/calls/path.ts";
import { listOf, objectOf, textsOf } from "../../../engines/calls/wire.ts";
import { maskText } from "../../../core/secrets.ts";
import { readContainer } from "./cached_details.ts";
import type { FoundContainer } from "../backends/find_container.ts";
import { ContainerState } from "../../../core/runtime.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import { engineError } from "../../../engines/calls/errors.ts";

/** The state of a container after an action. */
export const Controlled = z.object({
  id: z.string().describe("The container's id"),
  state: ContainerState.describe("State after the act"),
  changed: z.boolean().describe("False where it was so already"),
}).meta({ id: "ContainerControlled" });
export type Controlled = z.infer<typeof Controlled>;

export type Verb = "start" | "stop" | "restart" | "pause" | "unpause" | "kill";

export interface ControlOptions {
  /** For `stop` and `restart`: how long the container may take to end before it is killed. */
  readonly timeoutS?: number | undefined;
  /** For `kill`. */
  readonly signal?: string | undefined;
}

/** The seconds that an engine waits by default before it kills a container. */
const DEFAULT_TIMEOUT_S = 10;
/** The seconds for which a container that says so itself is waited for at most. */
const MOST_TIMEOUT_S = 600;
/** More are cut off. */
const MAX_PROCESSES = 10_000;
/** The milliseconds that an engine's answers may lag behind an action that it confirmed. */
const LAG_MS = 2_000;
const LAG_POLL_MS = 25;
/** Stands for an answer that was lost, of an act that the engine shows. */
const SHOWN: Done = { changed: true, text: "" };

export async function control(
  { link, row }: FoundContainer,
  verb: Verb,
  { timeoutS, signal }: ControlOptions,
): Promise<Controlled> {
  const doing = `${verb} container "${row.name}"`;
  let before = row.state;
  try {
    // The engine decides about changes that the mirror has not heard of yet.
    if (isSpared(verb, before)) before = (await readRow({ link, row }))?.state ?? "removing";
    if (verb === "start" && before === "paused") {
      throw engineError("conflict", `Cannot ${doing}: it is paused; use "unpause"`);
    }
    if (isSpared(verb, before)) return { id: row.id, state: before, changed: false };
    const isStopped = verb === "stop" || verb === "restart";
    const waitS = timeoutS ?? (isStopped ? await ownTimeoutS({ link, row }, doing) : DEFAULT_TIMEOUT_S);
    const done = await sentOrShown(() =>
      link.engine.post(at`/containers/${row.id}/${verb}`, {
        doing,
        missing: "container_not_found",
        query: queryOf(verb, { timeoutS, signal }),
        firstByteMs: (waitS + 20) * 1_000,
      }), async () => shows(verb, row, await readRow({ link, row })) ? SHOWN : null);
    // Podman answers 204 even to stopping a container that never ran.
    const changed = done.changed && !(verb === "stop" && (before === "created" || before === "exited"));
    const state = await settledState({ link, row }, verb);
    return { id: row.id, state, changed };
  } finally {
    link.mirror.containers.touch(row.id);
  }
}

/** Returns the seconds that the container itself has to end, by its `stop_grace_period`; below 0 it has for ever. */
async function ownTimeoutS(found: FoundContainer, doing: string): Promise<number> {
  try {
    const { StopTimeout } = objectOf(objectOf(await readContainer(found, doing)).Config);
    if (typeof StopTimeout !== "number") return DEFAULT_TIMEOUT_S;
    return StopTimeout < 0 ? MOST_TIMEOUT_S : Math.min(StopTimeout, MOST_TIMEOUT_S);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return DEFAULT_TIMEOUT_S; // the act itself finds out more
  }
}

/** Returns true if the container, as it is read now or gone, shows the act on what it was before. */
function shows(verb: Verb, before: ContainerRow, now: ContainerRow | null): boolean {
  const isUp = now?.state === "running" || now?.state === "paused" || now?.state === "restarting";
  switch (verb) {
    case "start":
    case "restart":
      return now !== null && now.startedAt !== before.startedAt;
    case "stop":
      return !isUp;
    case "kill": // a signal that ends nothing leaves no trace
      return !isUp || now?.startedAt !== before.startedAt;
    case "pause":
      return now?.state === "paused";
    case "unpause":
      return now?.state === "running";
  }
}

/** Returns true if the engine is not to be asked: engines disagree on whether that would be a mistake. */
function isSpared(verb: Verb, state: ContainerState): boolean {
  return (verb === "pause" || verb === "start") && state === "paused" ||
    verb === "unpause" && state === "running";
}

function queryOf(
  verb: Verb,
  { timeoutS, signal }: ControlOptions,
): Record<string, string | number | undefined> {
  if (verb === "kill") return { signal };
  return verb === "stop" || verb === "restart" ? { t: timeoutS } : {};
}

export async function rename(
  { link, row }: FoundContainer,
  name: string,
): Promise<{ id: string; name: string }> {
  try {
    await sentOrShown(() =>
      link.engine.post(at`/containers/${row.id}/rename`, {
        doing: `rename container "${row.name}" to "${name}"`,
        missing: "container_not_found",
        query: { name },
      }), async () => (await readRow({ link, row }))?.name === name ? SHOWN : null);
    return { id: row.id, name };
  } finally {
    link.mirror.containers.touch(row.id);
  }
}

/** The processes inside a container, as the engine's `ps` shows them, with the secrets of command lines masked. */
export const Processes = z.object({
  titles: z.array(z.string()).describe("The names of the columns"),
  processes: z.array(z.array(z.string())).describe("One row a process, with a cell for each title"),
}).meta({ id: "ContainerProcesses" });

export async function processesOf(
  { link, row }: FoundContainer,
  signal: AbortSignal,
): Promise<z.infer<typeof Processes>> {
  const doing = `list the processes of container "${row.name}"`;
  if (row.state !== "running" && row.state !== "paused") {
    throw engineError("conflict", `Cannot ${doing}: it is not running`);
  }
  const wire = objectOf(
    await link.engine.get(at`/containers/${row.id}/top`, {
      doing,
      missing: "container_not_found",
      signal,
    }),
  );
  const processes = listOf(wire.Processes).slice(0, MAX_PROCESSES);
  return { titles: textsOf(wire.Titles), processes: processes.map((one) => textsOf(one).map(maskText)) };
}

export async function remove(
  { link, row }: FoundContainer,
  options: { readonly force: boolean; readonly volumes: boolean },
): Promise<void> {
  try {
    await sentOrShown(() =>
      link.engine.delete(at`/containers/${row.id}`, {
        doing: `remove container "${row.name}"`,
        missing: "container_not_found",
        query: { force: options.force, v: options.volumes },
        firstByteMs: 60_000,
      }), async () => await readRow({ link, row }) === null ? SHOWN : null);
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
    const lags = verb === "stop"
      ? state === "running"
      : verb === "pause"
      ? state !== "paused"
      : verb === "unpause"
      ? state === "paused"
      : state === "created";
    if (!lags || state === "unknown" || performance.now() > until) return state;
    await pause(LAG_POLL_MS);
  }
}

async function readState(found: FoundContainer): Promise<ContainerState> {
  try {
    // It was created with `--rm`, so it is gone when it ends.
    return (await readRow(found))?.state ?? "removing";
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return "unknown"; // the act is done, also where the look at it fails
  }
}

/** Reads the container as it is now; null if it is gone. */
async function readRow({ link, row }: FoundContainer): Promise<ContainerRow | null> {
  const doing = `inspect container "${row.name}"`;
  let inspected: unknown;
  try {
    inspected = await link.engine.get(at`/containers/${row.id}/json`, {
      doing,
      missing: "container_not_found",
    });
  } catch (error) {
    if (error instanceof ServiceError && error.code === "container_not_found") return null;
    throw error;
  }
  const now = link.mirror.containers.rowOf(inspected);
  if (now === null) throw unreadable(link.name, doing);
  return now;
}
