/** The container that a caller means, looked up at the engine itself: an id, the beginning of one, or a name. */
import { ServiceError } from "../../../core/error.ts";
import type { Engine, EngineKind } from "../engine/engine.ts";
import { at } from "../engine/path.ts";
import { flagOf, objectOf, textOf, type Wire } from "../engine/wire.ts";

export interface FoundContainer {
  readonly engine: Engine;
  readonly id: string;
  readonly name: string;
  /** Not while it crashed and waits to be started again, although the engine says that it runs then. */
  readonly running: boolean;
  /** Held still; engines say of such a one that it runs. */
  readonly paused: boolean;
  /** When the process began that it has now; null while it has none. */
  readonly life: string | null;
  readonly terminal: boolean;
  readonly kind: EngineKind;
  /** Its log loses old lines to new ones, so that a reader who is late may miss some. */
  readonly rotates: boolean;
}

/** The engines that are up, or the one of that name; fails as `backend_not_found` where there is none. */
export type EnginesOf = (backend: string | undefined) => readonly Engine[];

/** Asks one engine after the other. `doing` follows "Cannot" in errors. */
export async function findContainer(
  engines: readonly Engine[],
  idOrName: string,
  doing: string,
  signal?: AbortSignal,
): Promise<FoundContainer> {
  let failure: unknown = null;
  for (const engine of engines) {
    try {
      const inspected = await inspect(engine, idOrName, doing, signal);
      return readContainer(engine, (await engine.greet()).kind, inspected, idOrName);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // An engine that failed counts less than another that has it, and more than one that has not
      if (error.code !== "container_not_found") failure ??= error;
    }
  }
  if (failure !== null) throw failure;
  if (engines.length === 0) throw new ServiceError("no_engine", `Cannot ${doing}: no engine is up`);
  throw new ServiceError(
    "container_not_found",
    `Cannot ${doing}: there is no container "${shown(idOrName)}"`,
  );
}

async function inspect(engine: Engine, id: string, doing: string, signal?: AbortSignal): Promise<Wire> {
  return objectOf(
    await engine.get(at`/containers/${id}/json`, {
      doing,
      missing: "container_not_found",
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

function readContainer(engine: Engine, kind: EngineKind, inspected: Wire, asked: string): FoundContainer {
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
    rotates: textOf(log.Type) === "local" || textOf(objectOf(log.Config)["max-size"]) !== "",
  };
}

/** Podman has a word for what obeys its stop signal in its own time; by its `Pid` even a stopped one may live. */
function isAlive(state: Wire): boolean {
  const hasProcess = flagOf(state.Running) || flagOf(state.Paused) || textOf(state.Status) === "stopping";
  return hasProcess && !flagOf(state.Restarting);
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
