/** One post that changes a service, at the version that was looked at, and exactly once. */
import { sentOrShown } from "../../../engines/calls/lost_answer.ts";
import { at } from "../../../engines/calls/path.ts";
import type { Wire } from "../../../engines/calls/wire.ts";
import type { Cluster } from "../mirror/cluster.ts";
import { type Current, currentService } from "./current.ts";

interface ServiceUpdate {
  readonly id: string;
  /** The version that the change was made from; the swarm refuses it for any other one. */
  readonly version: number;
  /** The whole new definition. */
  readonly spec: Wire;
  /** True to go back to the definition before; the spec sent then is the one of now. */
  readonly isRollback?: boolean;
  /** The definition whose credentials nodes pull with; that of now, or for a rollback the one before. */
  readonly authFrom?: "spec" | "previous-spec";
  /** "scale service \"web\"": follows "Cannot". */
  readonly doing: string;
  /** The value of `X-Registry-Auth`, for nodes that have to pull; without it the swarm keeps the one it has. */
  readonly registryAuth?: string;
  /** Returns true if the service, read after an answer was lost, shows this change and no other. */
  readonly isShown: (now: Current) => boolean;
}

/**
 * Throws `changed_meanwhile` where the service has another version, `cluster_without_quorum`, `nothing_to_roll_back`,
 * `previous_secret_gone`, `service_not_found`, or what the engine said.
 */
export async function updateService(cluster: Cluster, update: ServiceUpdate): Promise<void> {
  const { id, version, spec, isRollback = false, doing, registryAuth, isShown } = update;
  const { authFrom = isRollback ? "previous-spec" : "spec" } = update;
  await sentOrShown(
    async () => {
      await cluster.managers.send("POST", at`/services/${id}/update`, {
        doing,
        query: {
          version,
          registryAuthFrom: authFrom,
          ...(isRollback && { rollback: "previous" }),
        },
        body: spec,
        ...(registryAuth !== undefined && { headers: { "x-registry-auth": registryAuth } }),
      });
      return true;
    },
    async () => {
      const now = await currentService(cluster, id, doing);
      return now.version > version && isShown(now) ? true : null;
    },
  );
}
