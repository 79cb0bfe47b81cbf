/** The API's group `clusters`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";

/** GET: The swarms that the engines are in. */
export const CLUSTERS: Endpoint<"/api/clusters", {
  get: { response: SwarmClusters; query: Record<string, never> };
}> = new Endpoint("/api/clusters");

/** A part of `SwarmClusters`. */
export type SwarmCluster = {
  /** The swarm's id; of one whose managers berth does not know, that of the node. */
  readonly id: string;
  /** The swarm's name in the ids of stacks. */
  readonly name: string;
  /** `noQuorum`: too few managers can be reached, so that nothing can be changed. */
  readonly state: "up" | "noQuorum" | "away";
  /** The reason that it is not up, and what to do. */
  readonly reason: string | null;
  /** The name of the node that leads. */
  readonly leader: string | null;
  /** Number of its managers. */
  readonly managers: number;
  /** Number of its managers that can be reached. */
  readonly reachable: number;
  /** Number of managers that may be lost before nothing can be changed. */
  readonly spare: number;
  /** Number of its nodes. */
  readonly nodes: number;
  /** Its engines that berth knows. */
  readonly engines: readonly (string)[];
  /** The names of its nodes whose engine berth does not know, 100 at most. */
  readonly missing: readonly (string)[];
  /** When it last answered; null while that is now. */
  readonly staleSince: string | null;
};

/** The answer of `GET /api/clusters`. */
export type SwarmClusters = {
  /** The items found. */
  readonly items: readonly (SwarmCluster)[];
  /** Number of all items. */
  readonly total: number;
};
