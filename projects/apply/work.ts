/** The work of an apply as it is stored: the plan, the request, and the objects that its steps are about. */

import type { ApplyRecord } from "../../core/applies.ts";
import { type PlanBody, type PlanRequest, type Step, STEP_KINDS } from "../plan/plan_shape.ts";
import type { ApplyRequest } from "./apply_shape.ts";

/** A container, or an object of a swarm, that was there when the apply began. */
export interface Subject {
  readonly id: string;
  readonly name: string;
  /** Of a service: its version when the apply began, and a digest of the definition that the plan saw. */
  readonly version?: number;
  readonly definition?: string;
}

export interface Work {
  readonly plan: PlanBody & { readonly id: string };
  readonly request: PlanRequest;
  /** The numbers of the steps that are done. */
  readonly steps: readonly number[];
  /** By the number of the step. */
  readonly subjects: Readonly<Record<string, Subject>>;
  readonly timeouts: ApplyRequest["timeouts"];
  /** Of a stack: the id of its swarm, as names may change. */
  readonly cluster?: string;
  /** Of a stack: what becomes of the steps that are done when one fails. Absent: they stay. */
  readonly onFailure?: ApplyRequest["onFailure"];
  /** True if its plan counted the settings of berth.yaml. Absent in what the version before has begun. */
  readonly countsSettings?: true;
}

/** Returns what was remembered. Of a record that another version of berth wrote in another form, no step is known. */
export function workOf(record: Pick<ApplyRecord, "work">): Work {
  return isReadable(record) ? JSON.parse(record.work) : UNREADABLE;
}

/** Returns true if this version of berth can tell from the record what is to be done. */
export function isReadable({ work }: Pick<ApplyRecord, "work">): boolean {
  const { plan, request, steps, subjects, timeouts }: Partial<Work> = JSON.parse(work);
  const known = [plan?.basis, request, subjects, timeouts];
  return known.every((one) => typeof one === "object" && one !== null) && Array.isArray(steps) &&
    Array.isArray(plan?.steps) &&
    plan.steps.every(({ n, kind }) => typeof n === "number" && STEP_KINDS.includes(kind));
}

/** All that anybody reads of such a record. */
const UNREADABLE = {
  plan: { id: "", action: "up", steps: [] },
  steps: [],
  subjects: {},
  timeouts: {},
} as unknown as Work;

/** The steps that are done, in the order of the plan. */
export function stepsOf({ plan, steps }: Work): Step[] {
  const chosen = new Set(steps);
  return plan.steps.filter(({ n }) => chosen.has(n));
}

/** On every object that a step makes: so that one that was made but not noted is found. */
export const MARK = "dev.berth.apply";

export const markOf = (apply: string, step: number): string => `${apply}:${step}`;

/** Returns the name of a container while it waits to take another's place, or for its end. */
export const nameOf = (name: string, kind: "new" | "old", apply: string): string =>
  `${name}.${kind}-${apply.slice(0, 8)}`;
