/** Plans: what would be done about a group, and why. Nothing on an engine changes. */
import * as z from "../core/schema.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { may, type Principal, type Reach, reachOf } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { type ContainerRuntime, reachOfRunning, SEES_RUNNING } from "../core/runtime.ts";
import type { Remedy } from "../core/remedy.ts";
import type { Scope } from "../core/scope.ts";
import { runtimeSeen, type Sights } from "../core/sight.ts";
import type { PlanStore } from "../core/store.ts";
import type { Call } from "../http/declare/call.ts";
import { text } from "../http/declare/query.ts";
import {
  type CoreRouter,
  empty,
  json,
  located,
  particularsOf,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import type { Asked } from "../projects/plan/scene.ts";
import type { Sources } from "../git/sources.ts";
import { Plan, PlanRequest } from "../projects/plan/plan_shape.ts";
import { assertStill, type KnownPlan, type MadePlan, noPlan, Plans } from "../projects/plan/plans.ts";
import { find, findComparedModel, ownSide } from "./artifact_lookup.ts";
import { declaredProject } from "./project_ids.ts";
import type { Updates } from "../projects/updates/updates.ts";
import { newerImages } from "./project_updates.ts";
import type { RegisterRemedy } from "./register_remedy.ts";

const create = route({
  method: "post",
  path: "/workspaces/{id}/artifacts/groups/{name}/plan",
  summary: "Work out what would bring a group up, or down",
  description: "Each step has its reasons, with the line of the file. Nothing on the engine changes. Needs " +
    "`artifacts:read` and `containers:read`, too, for the whole project.",
  permission: "projects:plan",
  subject: "found",
  audited: "change",
  params: z.object({
    id: text(200).describe("The workspace's id"),
    name: text(300).describe("The group's name"),
  }),
  body: PlanRequest.optional(),
  answers: {
    201: located(Plan, "The plan; `blocked` says why it cannot be carried out"),
    ...problems(
      "invalid_request",
      "workspace_not_found",
      "workspace_unavailable",
      "artifact_not_found",
      "ambiguous_name",
      "engine_unavailable",
      "source_not_found",
      "git_failed",
    ),
  },
});

const createForProject = route({
  method: "post",
  path: "/projects/{id}/plan",
  summary: "Work out what would bring a project up, or down",
  description:
    "The same as the plan of its group. The id is `<group>@<workspace>`; a project's name alone is " +
    "enough while the caller sees only one declared project of that name.",
  permission: "projects:plan",
  subject: "found",
  audited: "change",
  params: z.object({ id: text(500).describe("The project's id, or its name") }),
  body: PlanRequest.optional(),
  answers: create.answers,
});

const Id = z.object({ id: text(100).describe("The plan's id") });

const read = route({
  method: "get",
  path: "/plans/{id}",
  summary: "A plan that was made in the last 15 minutes",
  description:
    "The caller who made the plan finds it, and so do callers who see all running containers. `missing` " +
    "lists the permissions that the caller lacks to apply it.",
  permission: "projects:plan",
  subject: "found",
  params: Id,
  answers: { 200: json(Plan, "The plan"), ...problems("plan_not_found") },
});

const check = route({
  method: "post",
  path: "/plans/{id}/check",
  summary: "Check whether a plan still holds: neither files nor engine have changed",
  description:
    "Reads files and engine again and compares. 409 `plan_stale` says what has changed; make a new plan " +
    "then.",
  permission: "projects:plan",
  subject: "found",
  audited: false,
  params: Id,
  answers: {
    204: empty("Nothing moved"),
    ...problems(
      "plan_not_found",
      "plan_stale",
      "workspace_not_found",
      "workspace_unavailable",
      "artifact_not_found",
      "engine_unavailable",
    ),
  },
});

export interface PlansOptions {
  readonly registry: Pick<Registry, "comparedModel" | "models" | "get" | "hashOf">;
  /** Null while no plugin has a container runtime: asked for each call. */
  readonly runtime: () => ContainerRuntime | null;
  readonly sights: Sights;
  readonly digests: () => Promise<(text: string) => string>;
  readonly store: PlanStore;
  readonly register: RegisterRemedy;
  /** Loads what follows repositories. */
  readonly sources: () => Promise<Pick<Sources, "atHead">>;
  /** True while a commit is half written into a workspace. */
  readonly isSyncing: (workspace: string) => Promise<boolean>;
  readonly updates: Pick<Updates, "current">;
}

export type AskedOptions = Pick<PlansOptions, "registry" | "runtime" | "sights" | "digests" | "updates">;

/** Returns the remedy for a project that only runs, as far as the caller sees it and may register folders. */
async function registering(
  { runtime, sights, register }: PlansOptions,
  principal: Principal,
  { engine, project }: { readonly engine: string; readonly project: string },
): Promise<readonly Remedy[]> {
  const engines = runtime();
  const sight = sights.of(reachOfRunning(principal));
  if (engines === null || sight.reach.nowhere || !reachOf(principal, "workspaces:write").everywhere) {
    return [];
  }
  const seen = await runtimeSeen(engines, sight).containers();
  return await register(
    seen.filter(({ backend, compose }) => backend === engine && compose?.project === project),
  );
}

/** The parts of a call that asks for a plan. */
interface PlanCall extends Pick<Call<unknown, unknown, unknown>, "principal" | "reach" | "entry"> {
  readonly body: PlanRequest | undefined;
}

/** The planner is loaded by the first caller. */
export function plans(options: PlansOptions): CoreRouter {
  const known = new Plans(options.store);
  /** Throws `plan_not_found`, also for a plan that is out of reach. */
  const found = async (id: string, reach: Reach, principal: Principal) => {
    const one = await known.get(id, Date.now());
    if (!mayRead(one, reach, principal)) throw noPlan();
    return one;
  };
  const make = async (
    call: PlanCall,
    group: { readonly id: string; readonly name: string },
    about: Readonly<Record<string, string>> = {},
  ) => {
    const { body, principal, reach } = call;
    await assertWhole(options, group.id);
    // A plan of a commit is checked against the files: it holds once they are written.
    const { commit: wanted, ...request } = PlanRequest.parse(body ?? {});
    const planned = { ...group, request };
    const made = wanted === undefined
      ? await madeOf(options, planned, reach, principal)
      : await atHead(options, group.id, reach, async (laid, commit) => {
        const { plan, ...rest } = await madeOf(laid, planned, reach, principal);
        return { ...rest, plan: { ...plan, commit } };
      });
    const { action, backend, steps, commit, basis: { declared, observed } } = made.plan;
    const { units, volumes } = request;
    const told = {
      action,
      units,
      volumes: volumes.length === 0 ? undefined : volumes,
      backend,
      commit,
      steps: steps.length,
      declared,
      observed,
    };
    const entryOf = (plan: string) => call.entry({ particulars: particularsOf({ ...told, ...about, plan }) });
    const plan = await known.add(made, principal, entryOf, Date.now());
    return reply(201, shown(plan, principal), { location: `/api/plans/${plan.id}` });
  };
  return router()
    .on(create, (call) => make(call, call.params))
    .on(createForProject, async (call) => {
      const found = await declaredProject(
        options.registry,
        call.params.id,
        call.reach,
        (engine, project) => registering(options, call.principal, { engine, project }),
      );
      return await make(call, found, { project: `${found.name}@${found.id}` });
    })
    .on(
      read,
      async ({ params, reach, principal }) =>
        reply(200, shown(await found(params.id, reach, principal), principal)),
    )
    .on(check, async ({ params, reach, principal }) => {
      const { plan, request, looked } = await found(params.id, reach, principal);
      const { workspace, group, backend } = plan;
      const again = { id: workspace, name: group, request: { ...request, backend } };
      const { movedSince } = await import("../projects/plan/make_plan.ts");
      assertStill(await movedSince(await askedOf(options, again, reach, principal), looked));
      return reply(204);
    });
}

/** A group and what is asked about it. */
interface Planned {
  readonly id: string;
  readonly name: string;
  readonly request: PlanRequest;
}

export async function madeOf(
  options: AskedOptions,
  planned: Planned,
  reach: Reach,
  principal: Principal,
): Promise<MadePlan> {
  const asked = await askedOf(options, planned, reach, principal);
  const [{ makePlan }, { ownContainer }] = await Promise.all([
    import("../projects/plan/make_plan.ts"),
    import("../projects/plan/self.ts"),
  ]);
  return await makePlan(asked, await ownContainer());
}

/** Throws `workspace_unavailable` while a commit is written into the folder. */
export async function assertWhole({ isSyncing }: PlansOptions, workspace: string): Promise<void> {
  if (!await isSyncing(workspace)) return;
  throw new ServiceError(
    "workspace_unavailable",
    "Cannot plan: a commit is being written into the folder; plan again when that is done",
  );
}

/** Plans with a folder as it would be after a sync. Throws `source_not_found` and `git_failed`, too. */
export async function atHead<Made>(
  options: PlansOptions,
  workspace: string,
  reach: Reach,
  make: (laid: AskedOptions, commit: string) => Promise<Made>,
): Promise<Made> {
  const { registry } = options;
  // Only what is in reach is looked for at the server.
  await findComparedModel(registry, workspace, reach);
  const sources = await options.sources();
  return await sources.atHead(workspace, async ({ model, commit }, hashOf) => {
    const laid = {
      get: (id: string) => registry.get(id),
      comparedModel: (id: string) => id === workspace ? Promise.resolve(model) : registry.comparedModel(id),
      models: async () =>
        (await registry.models()).map((one) => one.workspace.id === workspace ? { ...one, model } : one),
      hashOf: (id: string, path: string) => id === workspace ? hashOf(path) : registry.hashOf(id, path),
    };
    return await make({ ...options, registry: laid }, commit);
  });
}

/** Returns the input of a plan. Throws for things that are not found or out of scope, and `forbidden`. */
export async function askedOf(
  { registry, runtime, sights, digests, updates }: AskedOptions,
  { id, name, request }: Planned,
  reach: Reach,
  principal: Principal,
): Promise<Asked> {
  const seen = await findComparedModel(registry, id, reach);
  const { id: groupId, project } = await find(seen, "group", name);
  const readable = reachOf(principal, "artifacts:read");
  if (!readable.has({ workspace: id, project })) throw needs("artifacts:read", `workspace:${id}`);
  const sight = sights.of(reachOfRunning(principal));
  if (sight.reach.nowhere) throw needs(SEES_RUNNING, `project:${project}`);
  const engines = runtime();
  if (engines === null) {
    throw new ServiceError("engine_unavailable", "Cannot plan: no plugin has a container engine");
  }
  const registered = await registry.models();
  const known = registered.find(({ workspace }) => workspace.id === id);
  // With every group: what runs may belong to one that the caller does not see.
  const group = known?.model.groups.find((one) => one.id === groupId);
  if (known === undefined || group === undefined) throw unknownWorkspace();
  const { realPath } = await import("../artifacts/live/join.ts");
  return {
    model: known.model,
    group,
    workspace: { id, name: known.workspace.name },
    revision: seen.revision,
    registered,
    runtime: engines,
    request,
    real: realPath,
    own: await ownSide({ registry, digests }, id),
    sight,
    readable,
    newerOf: request.action === "update"
      ? await newerImages(engines, await updates.current(), { workspace: id, group: group.name }, Date.now())
      : () => null,
    mayReachHost: may(principal, "projects:host", {
      workspace: id,
      project,
      engine: request.backend ?? null,
    }),
  };
}

const needs = (permission: string, scope: Scope): ServiceError =>
  new ServiceError("forbidden", `Cannot plan: this needs the permission "${permission}", too`, {
    remedies: [{ kind: "permission", permission, scope }],
  });

/** A plan may name what its maker saw, so that another caller has to see everything. */
export function mayRead({ plan, creator }: KnownPlan, reach: Reach, principal: Principal): boolean {
  const { workspace, project, backend } = plan;
  const subject = { workspace, project, engine: backend };
  const running = reachOfRunning(principal);
  if (!reach.has(subject) || !reachOf(principal, "artifacts:read").has(subject)) return false;
  const isOwn = creator.kind === principal.kind && creator.id === principal.id;
  return running.everywhere || (isOwn && running.has(subject));
}

/** With what this caller would need, and does not hold. */
export function shown({ plan, id, createdBy, createdAt, expiresAt }: KnownPlan, principal: Principal): Plan {
  const needs = new Map(
    plan.steps.flatMap(({ needs }) => needs).map((need) => [JSON.stringify(need), need] as const),
  );
  // Of a plugin, so the catalogue of the core does not name it.
  const missing = [...needs.values()].filter(({ permission, subject }) =>
    !may<typeof permission>(principal, permission, subject)
  );
  return { ...plan, id, createdBy, createdAt, expiresAt, missing };
}
