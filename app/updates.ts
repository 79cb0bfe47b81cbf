/** Composes the updates that berth begins by itself, out of what plans and applies for people. */
import { auditEntry } from "../auth/audit/audit.ts";
import type { AppParts } from "./parts.ts";
import { remedyOf } from "./projects.ts";
import { type AutomaticTimes, AutomaticUpdates } from "../projects/updates/automatic.ts";
import type { PlansOptions } from "../routes/plans.ts";

/** Returns the parts that plans are made of. */
export function planningOf(
  { config, access, store, registry, plugins, sights, sources, updates }: AppParts,
): PlansOptions {
  return {
    registry,
    runtime: () => plugins.runtime,
    sights,
    digests: access.digests,
    store: store.plans,
    register: remedyOf({ config, registry, plugins }),
    sources: () => sources.sources(),
    isSyncing: (workspace) => sources.isSyncing(workspace),
    updates,
  };
}

export function openAutomaticUpdates(parts: AppParts, times: AutomaticTimes = {}): AutomaticUpdates {
  const { access, applies, log, replicas, updates } = parts;
  const now = () => access.clock.now();
  return new AutomaticUpdates({
    updates,
    isOurTurn: (ms) => replicas.turn("automatic updates", ms),
    update: async (of, stillOurs, signal) => {
      const { updateAutomatically } = await import("../routes/automatic_update.ts");
      const options = {
        ...planningOf(parts),
        applies,
        rights: (actor: Parameters<typeof access.holderNow>[0]) => access.holderNow(actor),
        entryOf: (told: Omit<Parameters<typeof auditEntry>[0], "at">) => auditEntry({ at: now(), ...told }),
      };
      return await updateAutomatically(options, of, stillOurs, signal);
    },
    log,
    now,
    ...times,
  });
}
