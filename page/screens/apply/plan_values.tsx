/** The values of variables in the reasons of a plan: shown when somebody asks, and gone with the plan. */
import { useState } from "preact/hooks";
import type { Plan, PlanReason } from "../../../client/berth/models.ts";
import { type Project, readProject } from "../../live/projects.ts";
import { may } from "../../live/session.ts";
import { ShowValues } from "../../parts/show_values.tsx";

interface Asked {
  /** The plan that they were asked for. */
  readonly plan: string;
  readonly project: Project;
}

/** Returns the plan as it is shown, and the button that shows its values and masks them again. */
export function usePlanValues(plan: Plan, id: string) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const project = asked?.plan === plan.id ? asked.project : null;
  const hasSome = plan.steps.some(({ why }) => why.some(hasVariable));
  return {
    plan: project === null ? plan : withValues(plan, project),
    button: may("artifacts:reveal") && hasSome && (
      <ShowValues
        permission="artifacts:reveal"
        isShown={project !== null}
        show={async () => setAsked({ plan: plan.id, project: await readProject(id, undefined, true) })}
        mask={() => setAsked(null)}
      />
    ),
  };
}

const hasVariable = (reason: PlanReason): boolean => reason.code === "field" && reason.declared.includes("$");

function withValues(plan: Plan, { units }: Project): Plan {
  const steps = plan.steps.map((step) => {
    const differences = units.find(({ id }) => id === step.unit)?.differences ?? [];
    const why = step.why.map((reason) => {
      if (reason.code !== "field") return reason;
      const { resolved } = differences.find(({ field, declared }) =>
        field === reason.field && declared === reason.declared
      ) ?? {};
      return resolved === undefined ? reason : { ...reason, resolved };
    });
    return { ...step, why };
  });
  return { ...plan, steps };
}
