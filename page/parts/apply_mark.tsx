/** The state of an apply or of a step, as a sign beside its word. */
import type { Apply, ApplyStep } from "../../client/berth/models.ts";
import { Mark } from "./sign.tsx";
import type { Verdict } from "../verdict.ts";
import { words } from "../words/en_later.ts";

const OF_APPLY: Readonly<Record<Apply["state"], Verdict>> = {
  running: "notStarted",
  paused: "paused",
  done: "completed",
  failed: "broken",
  cancelled: "unknown",
};

const OF_STEP: Readonly<Record<ApplyStep["state"], Verdict>> = {
  waiting: "notStarted",
  running: "differs",
  done: "completed",
  failed: "broken",
  skipped: "undeclared",
  unknown: "unknown",
  undone: "undeclared",
};

/** An apply that is done and has a reason started a container that does not stay up. */
export function ApplyMark({ apply: { state, reason } }: { readonly apply: Pick<Apply, "state" | "reason"> }) {
  if (state === "done" && reason !== null) return <Mark verdict="broken">{words.applies.doneBut}</Mark>;
  return <Mark verdict={OF_APPLY[state]}>{words.applies.states[state]}</Mark>;
}

export const StepMark = ({ state }: { readonly state: ApplyStep["state"] }) => (
  <Mark verdict={OF_STEP[state]}>{words.applies.stepStates[state]}</Mark>
);
