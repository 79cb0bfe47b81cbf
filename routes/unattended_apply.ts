/** Plans and applies that nobody is present for: as the person who wanted them, with the rights that they hold now. */
import { type Principal, reachOf } from "../core/access.ts";
import type { ApplyRecord } from "../core/applies.ts";
import type { NewAuditEntry } from "../core/audit_entry.ts";
import { isStoreAway, ServiceError } from "../core/error.ts";
import { pause } from "../core/pause.ts";
import { ApplyRequest } from "../projects/apply/apply_shape.ts";
import type { PlanRequest } from "../projects/plan/plan_shape.ts";
import { type MadePlan, Plans } from "../projects/plan/plans.ts";
import { type AppliesRoutes, beginApply } from "./apply_start.ts";
import { madeOf, type PlansOptions } from "./plans.ts";

/** The parts by which groups are planned and applied. */
export interface Planning extends PlansOptions, Pick<AppliesRoutes, "applies"> {}

/** The person or key whose apply it is. */
interface Unattended {
  readonly principal: Principal;
  /** The entries of the audit log, for the plan and for the apply of it. */
  readonly planned: (plan: string) => NewAuditEntry;
  readonly begun: (apply: string, plan: string) => NewAuditEntry;
  /** Said where a step needs a recent sign-in, which is never there. */
  readonly whyAlone: string;
}

/** Plans a group and keeps nothing of it. Throws `plan_blocked`, and what a person would be told. */
export async function planUnattended(
  planning: Planning,
  { workspace, group, request }: {
    readonly workspace: string;
    readonly group: string;
    readonly request: PlanRequest;
  },
  principal: Principal,
): Promise<MadePlan> {
  const reach = reachOf(principal, "projects:plan");
  const made = await madeOf(planning, { id: workspace, name: group, request }, reach, principal)
    .catch((error) => {
      throw isOutOfScope(error) && !reach.everywhere
        ? new ServiceError("forbidden", 'Cannot plan: this needs the permission "projects:plan" on it', {
          cause: error,
        })
        : error;
    });
  const { blocked } = made.plan;
  if (blocked.length === 0) return made;
  throw new ServiceError("plan_blocked", blocked.map(({ message }) => message).join("; "));
}

/** Returns true for the words by which a caller is told nothing; whoever wanted this knows that it is there. */
const isOutOfScope = (error: unknown): boolean =>
  error instanceof ServiceError &&
  (error.code === "workspace_not_found" || error.code === "artifact_not_found");

/** Begins the apply of these steps, or of all. Returns its id. */
export async function applyUnattended(
  planning: Planning,
  made: MadePlan,
  { principal, planned, begun, whyAlone }: Unattended,
  steps?: readonly number[],
): Promise<string> {
  const { kind, id, name } = principal;
  const plans = new Plans(planning.store);
  const plan = await plans.add(made, principal, planned, Date.now());
  const caller = {
    params: { id: plan.id },
    principal,
    reach: reachOf(principal, "projects:apply"),
    mustBeProved: () => Promise.reject(new ServiceError("sign_in_again", whyAlone)),
    applier: {
      by: { kind, id, name },
      credential: null,
      entry: (apply: string) => begun(apply, plan.id),
    },
  };
  const request = ApplyRequest.parse(steps === undefined ? {} : { steps: [...steps] });
  return (await beginApply({ ...planning, plans }, caller, request)).id;
}

interface Looks {
  readonly everyMs: number;
  /** The time after which an apply is left to itself. */
  readonly longestMs?: number;
  readonly beforeEach?: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Returns the apply once it has ended or waits for a person; null where the signal or the longest time ends that first. */
export async function endOf(
  { applies }: Pick<Planning, "applies">,
  id: string,
  { everyMs, longestMs = Infinity, beforeEach, signal }: Looks,
): Promise<Pick<ApplyRecord, "state" | "reason"> | null> {
  for (let waited = 0; !signal.aborted && waited <= longestMs; waited += everyMs) {
    try {
      await beforeEach?.();
      const { state, reason } = await applies.get(id);
      if (state !== "running") return { state, reason };
    } catch (error) {
      // The apply goes on, and nobody knows how it ends while the store is away.
      if (!isStoreAway(error)) throw error;
    }
    await pause(everyMs, signal);
  }
  return null;
}
