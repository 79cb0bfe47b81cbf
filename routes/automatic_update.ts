/** One automatic update: planned and applied with the rights that its person holds now. */
import type { Principal } from "../core/access.ts";
import type { AuditActor } from "../core/audit_entry.ts";
import { ServiceError } from "../core/error.ts";
import type { RunningContainer } from "../core/runtime.ts";
import type { NewAuditEntry } from "../core/store.ts";
import type { ProjectUpdates } from "../core/updates.ts";
import { besidesImages, withoutWayBack } from "../projects/plan/image_steps.ts";
import { type PlanBody, PlanRequest } from "../projects/plan/plan_shape.ts";
import { pushSteps } from "../projects/plan/push_steps.ts";
import type { UpdateOutcome } from "../projects/updates/automatic.ts";
import { projectKey } from "../projects/updates/updates.ts";
import { hasEnded, RUNS, unitsWithContainers } from "./own_containers.ts";
import { applyUnattended, endOf, type Planning, planUnattended } from "./unattended_apply.ts";

const LOOK_MS = 1_000;

interface AutomaticOptions extends Planning {
  /** Returns the rights that somebody holds now; null for a person or key that is gone or disabled. */
  readonly rights: (actor: Pick<AuditActor, "kind" | "id">) => Promise<Principal | null>;
  readonly entryOf: (told: {
    readonly actor: AuditActor;
    readonly action: string;
    readonly target: string;
    readonly particulars: Readonly<Record<string, string>>;
  }) => NewAuditEntry;
}

/** Returns how it ended. Another replica goes on with what is begun where this one stops. */
export async function updateAutomatically(
  options: AutomaticOptions,
  of: ProjectUpdates,
  stillOurs: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<UpdateOutcome> {
  try {
    const id = await begin(options, of);
    const end = id === null
      ? null
      : await endOf(options, id, { everyMs: LOOK_MS, beforeEach: stillOurs, signal });
    if (end === null) return { kind: "nothing" };
    const { state, reason } = end;
    if (state === "done") return { kind: "done" };
    if (state === "failed") {
      const kind = await hasWentBack(options, id!) ? "wentBack" : "failed";
      return { kind, reason: reason ?? "its apply failed" };
    }
    return { kind: "waits", reason: `the apply ${id} is ${state}${reason === null ? "" : `: ${reason}`}` };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { kind: "waits", reason: error.discreet };
  }
}

/** Returns true if a container went back to its old image: a pull that fails is no reason to leave others as they are. */
async function hasWentBack({ updates }: AutomaticOptions, id: string): Promise<boolean> {
  const { failures } = await updates.current();
  return [...failures.values()].some(({ apply }) => apply === id);
}

/** Returns the apply's id; null where there is nothing to update. Throws what a person would be told. */
async function begin(options: AutomaticOptions, of: ProjectUpdates): Promise<string | null> {
  const { rights, entryOf } = options;
  const { workspace, group, by } = of;
  const principal = await rights(by);
  if (principal === null) {
    throw new ServiceError(
      "forbidden",
      `"${by.name}", who switched it on, is gone or disabled: somebody else has to switch it on`,
    );
  }
  const project = projectKey(of);
  // Images that a `pull_policy` would bring besides were not seen before, and have not cooled down.
  const request = PlanRequest.parse({ action: "update", pull: "never" });
  const made = await planUnattended(options, { workspace, group, request }, principal);
  const steps = await stepsOf(options, made.plan);
  if (steps.length === 0) return null;
  const entry = (action: string, target: string, particulars: Readonly<Record<string, string>>) =>
    entryOf({ actor: by, action, target, particulars: { ...particulars, project, automatic: "true" } });
  return await applyUnattended(options, made, {
    principal,
    planned: (plan) =>
      entry("POST /api/projects/{id}/plan", `/api/projects/${project}/plan`, { plan, action: "update" }),
    begun: (apply, plan) => entry("POST /api/plans/{id}/apply", `/api/plans/${plan}/apply`, { apply }),
    whyAlone: "its plan needs a recent sign-in: apply it by hand",
  }, steps);
}

/**
 * Returns the steps about what runs. Throws `plan_blocked` where they do more than bring newer images, need others, or
 * replace a container that could not come back.
 */
export async function stepsOf(
  options: Pick<AutomaticOptions, "registry" | "runtime">,
  plan: Pick<PlanBody, "workspace" | "group" | "backend" | "steps" | "warnings">,
): Promise<readonly number[]> {
  const { workspace, group, backend, steps: all } = plan;
  const aimed = new Set(all.map(({ target }) => target));
  const units = new Map(
    (await unitsWithContainers(options, { workspace, group })).map(({ id, own, isJob }) => {
      const here = own.filter((one) => one.backend === backend);
      const isRunning = (one: RunningContainer) => one.state !== "paused" && RUNS.has(one.state);
      // Of several that it replaces each has to run: a new one in a stopped one's place would start.
      const isTaken = here.length > 0 &&
        here.every((one) => !aimed.has(one.name) || isRunning(one) || (isJob && hasEnded(one)));
      return [id, { isTaken }];
    }),
  );
  const other = besidesImages(all, ({ unit }) => unit === null || units.get(unit)?.isTaken === true);
  if (other !== null) {
    throw new ServiceError(
      "plan_blocked",
      `more than newer images would change ("${other.target}"), as its files have changes that were not applied, or ` +
        "something of it is missing: plan it, and apply it by hand",
    );
  }
  const { steps, held } = pushSteps(all, units);
  if (held !== null) {
    throw new ServiceError(
      "plan_blocked",
      `"${held.target}" needs something that is stopped, paused or missing: apply it by hand`,
    );
  }
  const last = withoutWayBack(plan, steps);
  if (last === null) return steps;
  throw new ServiceError(
    "plan_blocked",
    `"${last.target}" was made with --rm and cannot come back if the new one fails: apply it by hand`,
  );
}
