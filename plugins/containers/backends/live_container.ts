/** A container as its engine shows it at this moment: what its log, its commands and its measurements depend on. */
import type { Reach } from "../../../core/access.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import type { EngineKind } from "../../../engines/calls/greeting.ts";
import { at } from "../../../engines/calls/path.ts";
import { flagOf, mapOf, objectOf, textOf, textsOf, type Wire } from "../../../engines/calls/wire.ts";
import { findContainer } from "./find_container.ts";
import type { Engines } from "./seen.ts";

export interface LiveContainer {
  readonly engine: Engine;
  readonly id: string;
  readonly name: string;
  /** False also between a crash and the restart, where engines say that it runs. */
  readonly running: boolean;
  /** Engines say of a paused container that it runs, too. */
  readonly paused: boolean;
  /** When its present process began; null while it has none. */
  readonly life: string | null;
  readonly terminal: boolean;
  /** `NAME=value`, with all secrets. */
  readonly environment: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly kind: EngineKind;
  /** Its log loses old lines to new ones, so that a late reader may miss some. */
  readonly rotates: boolean;
  /** Of a task of a swarm whose node's engine berth does not know: a manager tells its log. */
  readonly managed?: ManagedLog;
}

/** The log of a task, told by the managers of its swarm: `engine` is the one to ask next. */
export interface ManagedLog {
  readonly task: string;
  /** From now on another manager is asked. */
  turn(): void;
}

/** Finds the container that a caller means, as `findContainer` does, and reads it at its engine. */
export type FindLive = (
  reach: Reach,
  wanted: string,
  backend: string | undefined,
  doing: string,
  signal?: AbortSignal,
) => Promise<LiveContainer>;

export function findLiveIn(engines: Engines): FindLive {
  return async (reach, wanted, backend, doing, signal) => {
    const { link, row } = await findContainer(engines, reach, wanted, backend, doing);
    return await readLive(link.engine, row.id, doing, signal);
  };
}

/** Reads one container by its full id. Throws `container_not_found`. */
export async function readLive(
  engine: Engine,
  id: string,
  doing: string,
  signal?: AbortSignal,
): Promise<LiveContainer> {
  const inspected = objectOf(
    await engine.get(at`/containers/${id}/json`, {
      doing,
      missing: "container_not_found",
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  return liveContainer(engine, (await engine.greet()).kind, inspected, id);
}

function liveContainer(engine: Engine, kind: EngineKind, inspected: Wire, asked: string): LiveContainer {
  const state = objectOf(inspected.State);
  const log = objectOf(objectOf(inspected.HostConfig).LogConfig);
  return {
    engine,
    kind,
    id: textOf(inspected.Id) || asked,
    name: textOf(inspected.Name).replace(/^\//, "") || asked,
    running: flagOf(state.Running) && !flagOf(state.Restarting),
    paused: flagOf(state.Paused),
    life: isAlive(state) ? textOf(state.StartedAt) : null,
    terminal: flagOf(objectOf(inspected.Config).Tty),
    environment: textsOf(objectOf(inspected.Config).Env),
    labels: mapOf(objectOf(inspected.Config).Labels),
    rotates: textOf(log.Type) === "local" || textOf(objectOf(log.Config)["max-size"]) !== "",
  };
}

/** Podman says "stopping" of a container that was told to stop and still runs; its `Pid` may outlive it. */
function isAlive(state: Wire): boolean {
  const hasProcess = flagOf(state.Running) || flagOf(state.Paused) || textOf(state.Status) === "stopping";
  return hasProcess && !flagOf(state.Restarting);
}

/** Returns the path of a container's log, or of a task's at a manager. */
export const logPath = ({ id, managed }: LiveContainer) =>
  managed === undefined ? at`/containers/${id}/logs` : at`/tasks/${managed.task}/logs`;
