/** The start of an apply: all that is checked of a plan and of the caller before its first step. */
import { may, type Principal, type Reach, reachOf } from "../core/access.ts";
import type { ApplyRecord } from "../core/applies.ts";
import { ServiceError } from "../core/error.ts";
import type { Scope } from "../core/scope.ts";
import { credentialText } from "../core/credential.ts";
import type { Call } from "../http/declare/call.ts";
import type { Applies } from "../projects/apply/applies.ts";
import type { Applier } from "../projects/apply/applies_options.ts";
import type { Apply, ApplyRequest } from "../projects/apply/apply_shape.ts";
import type { Work } from "../projects/apply/work.ts";
import type { SwarmNow, SwarmRuntime } from "../core/stacks.ts";
import type { Need, Step } from "../projects/plan/plan_shape.ts";
import { backendOf, isOnSwarm } from "../projects/plan/stack_backend.ts";
import { assertStill, type KnownPlan, noPlan, type Plans } from "../projects/plan/plans.ts";
import { askedOf, mayRead, type PlansOptions } from "./plans.ts";

export interface AppliesRoutes extends PlansOptions {
  readonly applies: Applies;
  readonly plans: Plans;
  readonly runtime: () => SwarmRuntime | null;
}

export const subjectOf = (
  { workspace, project, backend }: Pick<ApplyRecord, "workspace" | "project" | "backend">,
) => ({
  workspace,
  project,
  engine: backend,
});

/** The entry of the audit log names the apply. */
export function applierOf(call: Call<unknown, unknown, unknown>): Applier {
  const { principal: { kind, id, name }, source } = call;
  return {
    by: { kind, id, name },
    credential: credentialText(source),
    entry: (apply) => call.entry({ particulars: { apply } }),
  };
}

/** Whoever begins an apply of the plan that `params` names. */
interface ApplyCaller {
  readonly params: { readonly id: string };
  readonly principal: Principal;
  /** The scope of `projects:apply`. */
  readonly reach: Reach;
  readonly applier: Applier;
  /** Throws `sign_in_again` where nobody has proved who they are for a while. */
  mustBeProved(): Promise<void>;
}

export async function beginApply(
  options: AppliesRoutes,
  call: ApplyCaller,
  request: ApplyRequest,
): Promise<Apply> {
  const { principal, reach } = call;
  const known = await options.plans.get(call.params.id, Date.now());
  const { plan, looked } = known;
  if (!mayRead(known, reachOf(principal, "projects:plan"), principal)) throw noPlan();
  if (!reach.has(subjectOf(plan))) {
    throw new ServiceError(
      "forbidden",
      `Cannot apply: this needs "projects:apply" on the project "${plan.project}"`,
      {
        remedies: [{ kind: "permission", permission: "projects:apply", scope: `project:${plan.project}` }],
      },
    );
  }
  if (plan.blocked.length > 0) {
    throw new ServiceError(
      "plan_blocked",
      `Cannot apply: ${plan.blocked.map(({ message }) => message).join("; ")}`,
      { remedies: plan.blocked.flatMap(({ remedies = [] }) => remedies) },
    );
  }
  assertBasis(known, request);
  const steps = chosen(known, request);
  assertHeld(known, steps, principal);
  if (isGrave(options, plan, steps)) await call.mustBeProved();
  assertConfirmed(known, steps, request);
  const again = {
    id: plan.workspace,
    name: plan.group,
    request: { ...known.request, backend: plan.backend },
  };
  const still = async () => {
    const { movedSince } = await import("../projects/plan/make_plan.ts");
    assertStill(await movedSince(await askedOf(options, again, reach, principal), looked));
  };
  // Before the look: whoever takes another's place after it is noticed by its id.
  const swarm = isOnSwarm(plan.backend) ? await swarmOf(options, known) : null;
  if (
    swarm === null && request.onFailure === "rollback" ||
    plan.action === "down" && request.onFailure === "rollback"
  ) {
    throw new ServiceError(
      "invalid_request",
      "Cannot apply: only a stack that is brought up can be rolled back when a step fails",
    );
  }
  const subjects = swarm?.subjects ?? await subjectsOf(options, known);
  await still();
  assertSeen(known, steps, subjects);
  const work: Work = {
    plan: { ...plan, id: known.id },
    request: known.request,
    steps,
    subjects,
    timeouts: request.timeouts,
    ...(swarm !== null && { cluster: swarm.cluster, onFailure: request.onFailure }),
  };
  return await options.applies.begin(work, request.registries, call.applier, still);
}

/** Returns true if one of the steps needs a recent sign-in, as a shell does: a stolen session must not be enough. */
export function isGrave(
  { runtime }: AppliesRoutes,
  { steps }: KnownPlan["plan"],
  chosen: readonly number[],
): boolean {
  const grave = ["projects:host", "projects:destroy", runtime()?.permissionFor("runCommand")];
  return steps.some(({ n, needs }) =>
    chosen.includes(n) && needs.some(({ permission }) => grave.includes(permission))
  );
}

/** Throws `plan_stale` where another plan was read than the one of this id. */
function assertBasis({ plan: { basis } }: KnownPlan, { basis: read }: ApplyRequest): void {
  if (read === undefined) return;
  if (read.declared === basis.declared && read.observed === basis.observed) return;
  throw new ServiceError("plan_stale", "The digests are not those of this plan: read it again");
}

/** The numbers of the steps that are asked for. Throws `invalid_request`. */
function chosen({ plan }: KnownPlan, { steps }: ApplyRequest): number[] {
  if (steps === undefined) return plan.steps.map(({ n }) => n);
  const wanted = new Set(steps);
  const unknown = steps.filter((n) => !plan.steps.some((step) => step.n === n));
  const broken = plan.steps.filter(({ n, after }) =>
    wanted.has(n) && after.some((before) => !wanted.has(before))
  );
  const errors = [
    ...unknown.map((n) => `There is no step ${n}`),
    ...broken.map(({ n, after }) => `Step ${n} comes after ${after.join(", ")}, and one of them is left out`),
  ].map((message) => ({ path: "body.steps", message }));
  if (errors.length === 0) return plan.steps.filter(({ n }) => wanted.has(n)).map(({ n }) => n);
  throw new ServiceError("invalid_request", "Cannot apply: these steps cannot be done alone", { errors });
}

/** Throws `engine_unavailable` where the engine was away for a moment, so that what is to be replaced was not seen. */
function assertSeen({ plan }: KnownPlan, steps: readonly number[], subjects: Work["subjects"]): void {
  const unseen = plan.steps.find(({ n, kind }) =>
    kind === "container.swap" && steps.includes(n) && subjects[n] === undefined
  );
  if (unseen === undefined) return;
  throw new ServiceError(
    "engine_unavailable",
    `Cannot apply: container "${unseen.target}" was not seen on engine "${plan.backend}"; try again`,
  );
}

/** Throws `forbidden` with all that the caller lacks. */
function assertHeld({ plan }: KnownPlan, steps: readonly number[], principal: Principal): void {
  const needs = plan.steps.filter(({ n }) => steps.includes(n)).flatMap(({ needs }) => needs);
  const missing = needs.filter(({ permission, subject }) =>
    !may<typeof permission>(principal, permission, subject)
  );
  const words = new Set(
    missing.map(({ permission, subject, field, why, at }) => {
      const { project, workspace, engine } = subject;
      const on = project !== null
        ? `the project "${project}"`
        : workspace !== null
        ? `the workspace "${workspace}"`
        : `the engine "${engine}"`;
      const because = field === undefined ? "" : `: ${field} ${why} (${at?.file}:${at?.range.start.line})`;
      return `"${permission}" on ${on}${because}`;
    }),
  );
  if (words.size > 0) {
    const lacks = new Map(
      missing.map((
        { permission, subject },
      ) => [`${permission} ${scopeOf(subject)}`, { permission, subject }]),
    );
    throw new ServiceError("forbidden", `Cannot apply: this needs ${[...words].join(", ")}`, {
      remedies: [...lacks.values()].map(({ permission, subject }) => ({
        kind: "permission",
        permission,
        scope: scopeOf(subject),
      })),
    });
  }
}

/** Returns the narrowest scope that covers what a step needs. */
const scopeOf = ({ project, workspace, engine }: Need["subject"]): Scope =>
  project !== null
    ? `project:${project}`
    : workspace !== null
    ? `workspace:${workspace}`
    : `engine:${engine}`;

/** Data goes only by its own word. */
function assertConfirmed({ plan }: KnownPlan, steps: readonly number[], { confirm }: ApplyRequest): void {
  const lost = plan.steps.filter(({ n, risk, target }) =>
    steps.includes(n) && risk === "dataLoss" && !confirm.includes(target)
  );
  if (lost.length === 0) return;
  throw new ServiceError("invalid_request", "Cannot apply: data would be lost that nobody confirmed", {
    errors: lost.map(({ target }) => ({ path: "body.confirm", message: `Expected "${target}" among them` })),
  });
}

/** The list of a swarm that has the object of a step; steps that make one have none. */
const OF_SWARM: Readonly<Partial<Record<Step["kind"], keyof SwarmNow>>> = {
  "service.update": "services",
  "service.remove": "services",
  "network.remove": "networks",
  "secret.remove": "secrets",
  "config.remove": "configs",
};

/** The swarm of a stack's plan, and the objects that steps are about. Throws `engine_unavailable`. */
async function swarmOf(
  { runtime, digests }: AppliesRoutes,
  { plan }: KnownPlan,
): Promise<{ readonly cluster: string; readonly subjects: Work["subjects"] }> {
  const stacks = runtime()?.stacks?.() ?? null;
  await stacks?.settle();
  const cluster = stacks?.clusters.find(({ name }) => backendOf({ name }) === plan.backend);
  if (stacks === null || cluster === undefined) {
    throw new ServiceError("engine_unavailable", `Cannot apply: no engine of "${plan.backend}" is known now`);
  }
  const now = await stacks.read(cluster.id);
  const digest = await digests();
  const about = plan.steps.flatMap(({ n, kind, target }) => {
    const list = OF_SWARM[kind];
    if (list === undefined) return [];
    const found = list === "services"
      ? now.services.find(({ name }) => name === target)
      : now[list].find(({ name }) => name === target);
    if (found === undefined) return [];
    const more = "version" in found ? { version: found.version, definition: digest(found.definition) } : {};
    return [[n, { id: found.id, name: target, ...more }] as const];
  });
  return { cluster: cluster.id, subjects: Object.fromEntries(about) };
}

/** The containers that steps are about, as they are called now. */
async function subjectsOf({ runtime }: AppliesRoutes, { plan }: KnownPlan): Promise<Work["subjects"]> {
  const all = await runtime()?.containers() ?? [];
  const own = new Map(
    all.filter(({ backend, compose }) => backend === plan.backend && compose?.project === plan.project)
      .map(({ id, name }) => [name, id]),
  );
  const about = plan.steps.flatMap(({ n, kind, target }) => {
    const isAbout = kind.startsWith("container.") || kind === "network.connect" || kind === "hook.run";
    const id = isAbout ? own.get(target) : undefined;
    return id === undefined ? [] : [[n, { id, name: target }] as const];
  });
  return Object.fromEntries(about);
}
