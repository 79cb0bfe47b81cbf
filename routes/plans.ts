/** Plans: what would be done about a group, and why. Nothing on an engine changes. */
import { z } from "zod";
import type { Registry } from "../artifacts/registry/registry.ts";
import { may, type Principal } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { type ContainerRuntime, reachOfRunning, SEES_RUNNING } from "../core/runtime.ts";
import { text } from "../http/query.ts";
import { type CoreRouter, json, particularsOf, problems, reply, route, router } from "../http/router.ts";
import { Plan, PlanRequest } from "../projects/plan/plan_shape.ts";
import { type KnownPlan, Plans } from "../projects/plan/plans.ts";
import { find } from "./artifact_lookup.ts";

const create = route({
  method: "post",
  path: "/workspaces/{id}/artifacts/groups/{name}/plan",
  summary: "Work out what would bring a group up, or down",
  description: "Each step has its reasons, with the line of the file. Nothing on the engine changes.",
  permission: "projects:plan",
  subject: "everything",
  params: z.object({
    id: text(200).describe("The workspace's id"),
    name: text(300).describe("The group's name"),
  }),
  body: PlanRequest.optional(),
  particulars: ({ body }) =>
    particularsOf({ action: body?.action, units: body?.units, backend: body?.backend }),
  answers: {
    201: json(Plan, "The plan; `blocked` says why it cannot be carried out"),
    ...problems(
      "invalid_request",
      "workspace_not_found",
      "workspace_unavailable",
      "artifact_not_found",
      "ambiguous_name",
      "engine_unavailable",
    ),
  },
});

const read = route({
  method: "get",
  path: "/plans/{id}",
  summary: "A plan that was made in the last 15 minutes",
  permission: "projects:plan",
  subject: "everything",
  params: z.object({ id: text(100).describe("The plan's id") }),
  answers: { 200: json(Plan, "The plan"), ...problems("plan_not_found") },
});

export interface PlansOptions {
  readonly registry: Pick<Registry, "model" | "models" | "get">;
  /** Null while no plugin has a container runtime: asked for each call. */
  readonly runtime: () => ContainerRuntime | null;
}

/** What works plans out is loaded by the first who asks. */
export function plans({ registry, runtime }: PlansOptions): CoreRouter {
  const known = new Plans();
  return router()
    .on(create, async ({ params, body, principal }) => {
      const { workspace, model, registered } = await modelsOf(registry, params.id);
      const group = await find(model, "group", params.name);
      assertSeesRunning(principal);
      const engines = runtime();
      if (engines === null) {
        throw new ServiceError("engine_unavailable", "Cannot plan: no plugin has a container engine");
      }
      const [{ makePlan }, { ownContainer }, { realPath }] = await Promise.all([
        import("../projects/plan/make_plan.ts"),
        import("../projects/plan/self.ts"),
        import("../artifacts/live/join.ts"),
      ]);
      const request = PlanRequest.parse(body ?? {});
      const asked = { model, group, workspace, registered, runtime: engines, request, real: realPath };
      const plan = known.add(await makePlan(asked, await ownContainer()), principal.name, Date.now());
      return reply(201, shown(plan, principal), { location: `/api/plans/${plan.id}` });
    })
    .on(read, ({ params, principal }) => {
      const plan = known.get(params.id, Date.now());
      assertSeesRunning(principal);
      return Promise.resolve(reply(200, shown(plan, principal)));
    });
}

/** A plan looks at all that runs for the group, so it is not for callers who see a part of it. */
function assertSeesRunning(principal: Principal): void {
  if (reachOfRunning(principal).everywhere) return;
  throw new ServiceError("forbidden", `Cannot plan: this needs the permission "${SEES_RUNNING}", too`);
}

async function modelsOf(registry: PlansOptions["registry"], id: string) {
  const { name } = await registry.get(id);
  return { workspace: { id, name }, model: await registry.model(id), registered: await registry.models() };
}

/** With what this caller would need, and does not hold. */
function shown(plan: KnownPlan, principal: Principal): Plan {
  const needs = new Map(
    plan.steps.flatMap(({ needs }) => needs).map((need) => [JSON.stringify(need), need] as const),
  );
  // Of a plugin, so the catalogue of the core does not name it.
  const missing = [...needs.values()].filter(({ permission, subject }) =>
    !may<typeof permission>(principal, permission, subject)
  );
  return { ...plan, missing };
}
