/** The managers of one cluster: reads go to the one that answered last, and to another where it cannot. */
import { ServiceError } from "../../../core/error.ts";
import { EngineAnswer } from "../../../engines/calls/failure.ts";
import type { Done } from "../../../engines/calls/engine.ts";
import type { EngineAccess } from "../../../engines/lent.ts";
import type { EngineCall } from "../../../engines/calls/call.ts";
import type { EnginePath } from "../../../engines/calls/path.ts";
import { NO_LEADER, refusalOf } from "../refusals.ts";
import { swarmError } from "../errors.ts";
import { FIRST_BYTE_MS } from "./membership.ts";

/** The words of an engine that is none any more. */
const NO_MANAGER = /not a swarm manager/i;

export type ClusterState = "up" | "noQuorum" | "away";

export class Managers {
  #engines: readonly EngineAccess[] = [];

  /** From now on these are asked, the one that answered last before the others. */
  use(engines: readonly EngineAccess[]): void {
    const [last] = this.#engines;
    this.#engines = engines.toSorted((one, other) =>
      Number(other.name === last?.name) - Number(one.name === last?.name)
    );
  }

  get names(): string[] {
    return this.#engines.map(({ name }) => name);
  }

  /** The API version of the one that answered last; null before any did. */
  get apiVersion(): string | null {
    return this.#engines[0]?.apiVersion ?? null;
  }

  /** Reads from the first manager that can. Throws `cluster_without_quorum` and `cluster_away`. */
  async get(
    path: EnginePath,
    doing: string,
    query: Record<string, string | boolean> = {},
    more: Pick<EngineCall, "headers" | "firstByteMs" | "signal"> = {},
  ): Promise<unknown> {
    let hasNoLeader = false;
    for (const engine of this.#engines) {
      if (engine.state !== "up") continue;
      try {
        const answer = await engine.get(path, { doing, query, firstByteMs: FIRST_BYTE_MS, ...more });
        this.#engines = [engine, ...this.#engines.filter((one) => one !== engine)];
        return answer;
      } catch (error) {
        const kind = kindOf(error);
        if (kind === null) throw error;
        if (kind === "noLeader") hasNoLeader = true;
      }
    }
    throw this.failure(doing, hasNoLeader ? "noQuorum" : "away");
  }

  /**
   * Sends a change exactly once, by the manager that answered last; another one is asked only where an engine says that
   * it is no manager. Throws what `refusalOf` makes of a refusal.
   */
  async send(method: "POST" | "DELETE", path: EnginePath, call: EngineCall): Promise<Done> {
    for (const engine of this.#engines) {
      if (engine.state !== "up") continue;
      try {
        return await engine.send(method, path, call);
      } catch (error) {
        if (!isNoManager(error)) throw refusalOf(error, call.doing);
      }
    }
    throw this.failure(call.doing, "away");
  }

  /** Returns the error for what a cluster in this state cannot do. */
  failure(doing: string, state: Exclude<ClusterState, "up">): ServiceError {
    if (state === "noQuorum") {
      return swarmError(
        "cluster_without_quorum",
        `Cannot ${doing}: its managers have no leader, because too few of them can be reached. Bring one back`,
      );
    }
    return swarmError(
      "cluster_away",
      `Cannot ${doing}: no manager that berth knows answers (${this.names.join(", ") || "none"})`,
    );
  }
}

const wordsOf = (error: ServiceError): string => error.cause instanceof EngineAnswer ? error.cause.words : "";

/** Returns true if the engine did nothing, because it manages no swarm any more. */
const isNoManager = (error: unknown): boolean =>
  error instanceof ServiceError && NO_MANAGER.test(wordsOf(error));

/** Returns why a manager cannot answer where another one may; null for any other error. */
function kindOf(error: unknown): "noLeader" | "away" | null {
  if (!(error instanceof ServiceError)) return null;
  const words = wordsOf(error);
  if (NO_LEADER.test(words) || error.code === "engine_timeout") return "noLeader";
  return NO_MANAGER.test(words) || error.code === "runtime_unavailable" ? "away" : null;
}
