/** Engines that the plugin which keeps their connections lends to others: calls and containers, without the connection. */
import type { BackendState, RunningContainer } from "../core/runtime.ts";
import type { EngineCall } from "./calls/call.ts";
import type { Done } from "./calls/engine.ts";
import type { EnginePath } from "./calls/path.ts";
import type { EngineStream, StreamCall } from "./calls/streams.ts";
import type { EngineEvent, EventFeed } from "./mirror/event_feed.ts";
import type { Link } from "./links/link.ts";

/** One engine of the Docker API, with the limits and the errors of every other call to it. */
export interface EngineAccess {
  readonly name: string;
  readonly state: BackendState;
  /** The version of its API; null until it has answered. */
  readonly apiVersion: string | null;
  /** The registries that images may be pulled from; null for all. */
  readonly registries: readonly string[] | null;
  /** Reads JSON, bounded in time and size. */
  get(path: EnginePath, call: EngineCall): Promise<unknown>;
  /** Sends a change exactly once. */
  send(method: "POST" | "DELETE", path: EnginePath, call: EngineCall): Promise<Done>;
  /** Opens a streamed answer, which ends when its connection is in doubt. */
  stream(path: EnginePath, call: StreamCall): Promise<EngineStream>;
  /** Returns a container as berth last saw it, without a call. */
  container(id: string): RunningContainer | null;
  /**
   * True if its networks, as berth last saw them, show it as a node of a swarm; null while they show none and are not
   * listed, as after a restart. Asks nothing.
   */
  readonly isInSwarm: boolean | null;
  /** Calls for each event of this engine, and with null where some may have been missed. */
  follow(heard: (event: EngineEvent | null) => void): Disposable;
}

/** Returns null while the networks that are listed show none of a swarm and are not current. */
export function isNodeOfSwarm({ rows, known, problem }: Link["mirror"]["networks"]): boolean | null {
  for (const { scope } of rows.values()) if (scope === "swarm") return true;
  return known && problem === null ? false : null;
}

export function lend(link: Link, feed: EventFeed, registries: readonly string[] | null): EngineAccess {
  const { engine, mirror } = link;
  return {
    name: link.name,
    get state() {
      return link.state;
    },
    get apiVersion() {
      return link.apiVersion;
    },
    registries,
    get: (path, call) => engine.get(path, call),
    send: (method, path, call) => method === "POST" ? engine.post(path, call) : engine.delete(path, call),
    stream: (path, call) => engine.stream("GET", path, call),
    container: (id) => mirror.containers.rows.get(id) ?? null,
    get isInSwarm() {
      return isNodeOfSwarm(mirror.networks);
    },
    follow: (heard) =>
      feed.subscribe({
        event: (event) => event.backend === link.name && heard(event),
        resync: (backend) => backend === link.name && heard(null),
      }),
  };
}
