/** What an apply has to do, as it is remembered: the plan, what was asked, and which objects its steps are about. */

import type { ApplyRecord } from "../../core/applies.ts";
import type { PlanBody, PlanRequest, Step } from "../plan/plan_shape.ts";
import type { ApplyRequest } from "./apply_shape.ts";

/** A container that was there when the apply began. */
export interface Subject {
  readonly id: string;
  readonly name: string;
}

export interface Work {
  readonly plan: PlanBody & { readonly id: string };
  readonly request: PlanRequest;
  /** The numbers of the steps that are done. */
  readonly steps: readonly number[];
  /** By the number of the step. */
  readonly subjects: Readonly<Record<string, Subject>>;
  readonly timeouts: ApplyRequest["timeouts"];
}

/** berth wrote it itself. */
export const workOf = ({ work }: Pick<ApplyRecord, "work">): Work => JSON.parse(work);

/** The steps that are done, in the order of the plan. */
export function stepsOf({ plan, steps }: Work): Step[] {
  const chosen = new Set(steps);
  return plan.steps.filter(({ n }) => chosen.has(n));
}

/** On every object that a step makes: so that one that was made but not noted is found. */
export const MARK = "dev.berth.apply";

export const markOf = (apply: string, step: number): string => `${apply}:${step}`;

/** What a container is called while it waits to take another's place, or for its end. */
export const nameOf = (name: string, kind: "new" | "old", apply: string): string =>
  `${name}.${kind}-${apply.slice(0, 8)}`;
