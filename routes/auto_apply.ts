/** Plans and applies a group for the policy `auto`: as a person would, with their rights, and no more than a push may. */
import type { NewAuditEntry } from "../core/audit_entry.ts";
import { ServiceError } from "../core/error.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import type { AutoApply } from "../git/auto.ts";
import { PlanRequest } from "../projects/plan/plan_shape.ts";
import { type PushedUnit, pushSteps } from "../projects/plan/push_steps.ts";
import { containersOf, hasEnded, RUNS, unitsWithContainers } from "./own_containers.ts";
import { applyUnattended, endOf, type Planning, planUnattended } from "./unattended_apply.ts";

/** Returns the entry of the audit log for what the policy does. */
export type AutoEntry = (asked: AutoApply, told: Readonly<Record<string, string>>) => NewAuditEntry;

interface AutoApplyOptions extends Planning {
  readonly autoEntry: AutoEntry;
}

/** An apply is looked at this often. */
const LOOK_MS = 500;
/** An apply that takes longer is left to itself. */
const LONGEST_MS = 60 * 60_000;

/** Resolves when the apply has ended: to null, or to the reason why the group waits for a person. */
export async function applyPushed(options: AutoApplyOptions, asked: AutoApply): Promise<string | null> {
  try {
    return await carriedOut(options, asked);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.message.replace(/^Cannot (?:apply|plan): /, "");
  }
}

async function carriedOut(options: AutoApplyOptions, asked: AutoApply): Promise<string | null> {
  for (;;) {
    // Of an earlier start of berth, of another replica, or of a person.
    const inHand = await runningApply(options, asked);
    const why = inHand === null ? null : await waitingAfter(options, inHand, asked.signal);
    if (why !== null || asked.signal.aborted) return why;
    try {
      return await applied(options, asked);
    } catch (error) {
      const isMeanwhile = error instanceof ServiceError && error.code === "apply_running";
      if (!isMeanwhile || await runningApply(options, asked) === null) throw error;
    }
  }
}

/** Returns the id of the group's apply that is running; null for none. */
async function runningApply(
  { applies }: AutoApplyOptions,
  { workspace, group }: AutoApply,
): Promise<string | null> {
  const [running] = await applies.list({
    workspace,
    group: group.name,
    state: "running",
    before: null,
    limit: 1,
  });
  return running?.id ?? null;
}

async function applied(options: AutoApplyOptions, asked: AutoApply): Promise<string | null> {
  const { workspace, group: { name, isNew }, principal } = asked;
  const units = await unitsOf(options, asked);
  if (!isNew && ![...units.values()].some(({ isTaken }) => isTaken)) return null;
  const made = await planUnattended(
    options,
    { workspace, group: name, request: PlanRequest.parse({}) },
    principal,
  );
  const { basis: { declared, observed } } = made.plan;
  const { steps, held } = pushSteps(made.plan.steps, units);
  if (held !== null) {
    return `"${held.target}" waits for something that is stopped, or would be removed: apply it yourself`;
  }
  if (steps.length === 0) return null;
  const who = {
    principal,
    planned: (plan: string) => options.autoEntry(asked, { plan, declared, observed }),
    begun: (apply: string) => options.autoEntry(asked, { apply }),
    // Whoever may push would have the host else.
    whyAlone:
      "Cannot apply: it needs the host, a command in a container or the data of a volume, which a push alone " +
      "never gets: look at the plan, and apply it yourself",
  };
  return await waitingAfter(options, await applyUnattended(options, made, who, steps), asked.signal);
}

/** Returns the group's units, each with whether a push may touch it. */
async function unitsOf(
  { registry, runtime }: AutoApplyOptions,
  { workspace, group: { name, isNew, added } }: AutoApply,
): Promise<ReadonlyMap<string, PushedUnit>> {
  const units = await unitsWithContainers({ registry, runtime }, { workspace, group: name });
  return new Map(units.map(({ id, own, isJob }) => {
    const isTaken = own.length === 0
      ? isNew || added.includes(id)
      : own.some((one) => RUNS.has(one.state) || (isJob && hasEnded(one)));
    return [id, { isTaken }];
  }));
}

/** True if a container of the project runs, and where nobody can say. */
export async function isProjectRunning(runtime: ContainerRuntime | null, project: string): Promise<boolean> {
  return (await containersOf(runtime, project).catch(() => null))?.some(({ state }) => RUNS.has(state)) ??
    true;
}

/** Returns the reason why the group waits for a person; null for none. */
async function waitingAfter(
  options: AutoApplyOptions,
  id: string,
  signal: AbortSignal,
): Promise<string | null> {
  const end = await endOf(options, id, { everyMs: LOOK_MS, longestMs: LONGEST_MS, signal });
  if (end === null) return signal.aborted ? null : "the apply takes longer than an hour: look at it";
  const { state, reason } = end;
  if (state === "paused") return `the apply is paused: ${reason ?? "it waits for a person"}`;
  return state === "done" ? reason : reason ?? "the apply failed";
}
