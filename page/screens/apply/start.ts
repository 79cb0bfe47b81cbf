/** Starts an apply of exactly the plan that is shown. */
import type { Apply, Plan } from "../../../client/berth/models.ts";
import { type ApplyRequest, PLAN_APPLY } from "../../../client/berth/plans.ts";
import { client } from "../../live/session.ts";

/** The volumes whose data go. */
export const lostBy = ({ steps }: Plan): string[] =>
  steps.filter(({ risk }) => risk === "dataLoss").map(({ target }) => target);

export const interruptionsOf = ({ steps }: Plan): number =>
  steps.filter(({ risk }) => risk === "interruption").length;

/** True if nothing stands in the way, and something is to be done. */
export const isReady = ({ steps, blocked, missing }: Plan): boolean =>
  steps.length > 0 && blocked.length === 0 && missing.length === 0;

/** True for a stack that is brought up: its services can be what they were before. */
export const canTakeBack = ({ backend, action }: Plan): boolean =>
  backend.startsWith("swarm:") && action === "up";

type OnFailure = NonNullable<ApplyRequest["onFailure"]>;

export async function startApply(plan: Plan, onFailure: OnFailure = "stop"): Promise<Apply> {
  const { id, basis: { declared, observed } } = plan;
  const payload = { basis: { declared, observed }, confirm: lostBy(plan), onFailure };
  return (await client.post(PLAN_APPLY, { params: { id }, payload, expectedStatus: 202 })).json();
}
