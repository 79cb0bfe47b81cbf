/** An engine's place in a swarm, as it says itself. */
import { maskSaid } from "../../../core/secrets.ts";
import type { EngineAccess } from "../../../engines/lent.ts";
import { at } from "../../../engines/calls/path.ts";
import { flagOf, listOf, objectOf, textOf, textOrNull } from "../../../engines/calls/wire.ts";

/** The milliseconds that a manager may take to begin an answer: one without quorum hangs. */
export const FIRST_BYTE_MS = 5_000;

export interface Membership {
  readonly node: string;
  /** Null for a worker, which does not know it, and for a manager without a quorum. */
  readonly cluster: string | null;
  /** The name that its managers gave the cluster; null for the one that all have. */
  readonly clusterName: string | null;
  readonly isManager: boolean;
  /** The addresses of managers that it knows. */
  readonly managers: readonly string[];
  /** Its own words about what is wrong. */
  readonly problem: string | null;
}

/** Asks the engine; null where it is in no swarm. Its answer has no join token. */
export async function membershipOf(engine: EngineAccess): Promise<Membership | null> {
  const doing = `look at the swarm of engine "${engine.name}"`;
  const info = objectOf(await engine.get(at`/info`, { doing, firstByteMs: FIRST_BYTE_MS }));
  const swarm = objectOf(info.Swarm);
  const node = textOf(swarm.NodeID);
  if (node === "" || textOf(swarm.LocalNodeState) === "inactive") return null;
  const cluster = objectOf(swarm.Cluster);
  const name = textOf(objectOf(cluster.Spec).Name);
  const managers = listOf(swarm.RemoteManagers).map((one) => textOf(objectOf(one).Addr));
  return {
    node,
    cluster: textOrNull(cluster.ID),
    clusterName: name === "" || name === "default" ? null : name,
    isManager: flagOf(swarm.ControlAvailable),
    managers: managers.filter((one) => one !== "").sort(),
    problem: textOrNull(maskSaid(textOf(swarm.Error), []).slice(0, 500)),
  };
}

/** Returns the newer answer. A manager without a quorum does not tell its cluster, and is still in the one of before. */
export function continued(before: Membership, now: Membership): Membership {
  if (now.cluster !== null || !now.isManager || now.node !== before.node) return now;
  return { ...now, cluster: before.cluster, clusterName: before.clusterName };
}
