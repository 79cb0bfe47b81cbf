/** Plans of all groups of a workspace, in one answer. */
import * as z from "../core/schema.ts";
import type { Group } from "../artifacts/artifact.ts";
import type { Principal, Reach } from "../core/access.ts";
import { text } from "../http/declare/query.ts";
import {
  type CoreRouter,
  json,
  particularsOf,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import { Plan, PlanRequest } from "../projects/plan/plan_shape.ts";
import { type MadePlan, Plans } from "../projects/plan/plans.ts";
import { findComparedModel, InWorkspace } from "./artifact_lookup.ts";
import { type AskedOptions, assertWhole, atHead, madeOf, type PlansOptions, shown } from "./plans.ts";

/** Plans in one answer: as many as are remembered of a caller. */
const MOST = 256;
/** Characters of the plans of one answer, after which it ends. */
const MOST_TEXT = 2 ** 23;
/** The time after which an answer ends, well within the timeout of a client. */
const LONGEST_MS = 5_000;

const PlanPage = z.object({
  plans: z.array(Plan).describe("One for each group, by name"),
  next: z.string().optional().describe(
    "The name of the last group, for `after`; absent where no group is left",
  ),
}).meta({ id: "WorkspacePlans" });

const create = route({
  method: "post",
  path: "/workspaces/{id}/plans",
  summary: "Work out what would bring each group of a workspace up, or down",
  description:
    "The same as the plans of its groups, one after the other, and each can be applied. Groups out of scope are " +
    `left out. An answer has at most ${MOST} plans and ends sooner after some seconds; \`next\` says where to go on. ` +
    `So many are remembered of a caller: of more than ${MOST} groups, apply those of an answer before the next. ` +
    "A group that cannot be planned at all fails the request. Needs `artifacts:read` and `containers:read`, too.",
  permission: "projects:plan",
  subject: "found",
  audited: "change",
  params: InWorkspace,
  query: z.strictObject({
    after: text(1_000).optional().describe("Only groups behind this one: `next` of the answer before"),
  }),
  body: PlanRequest.optional(),
  answers: {
    201: json(PlanPage, "The plans; `blocked` of each says why it cannot be carried out"),
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

export function workspacePlans(options: PlansOptions): CoreRouter {
  const known = new Plans(options.store);
  return router().on(create, async (call) => {
    const { params: { id }, query: { after = "" }, body, principal, reach } = call;
    await assertWhole(options, id);
    const { commit: wanted, ...request } = PlanRequest.parse(body ?? {});
    const asked = { id, after, request, reach, principal };
    const { all, next } = wanted === undefined
      ? await planEach(options, asked)
      : await atHead(options, id, reach, (laid, commit) => planEach(laid, asked, commit));
    const told = {
      action: request.action,
      units: request.units,
      volumes: request.volumes.length === 0 ? undefined : request.volumes,
      commit: all[0]?.plan.commit,
      plans: all.length,
      steps: all.reduce((sum, { plan }) => sum + plan.steps.length, 0),
    };
    const entryOf = (ids: readonly string[]) => call.entry({ particulars: particularsOf({ ...told, ids }) });
    const plans = await known.addAll(all, principal, entryOf, Date.now());
    return reply(201, { plans: plans.map((one) => shown(one, principal)), ...(next !== null && { next }) });
  });
}

interface AskedEach {
  readonly id: string;
  readonly after: string;
  readonly request: PlanRequest;
  readonly reach: Reach;
  readonly principal: Principal;
}

/** Plans groups one after the other until the answer is full. `next` is null where no group is left. */
async function planEach(
  options: AskedOptions,
  { id, after, request, reach, principal }: AskedEach,
  commit?: string,
): Promise<{ readonly all: readonly MadePlan[]; readonly next: string | null }> {
  const laid = { ...options, registry: readOnce(options.registry) };
  const { mainGroups } = await import("../artifacts/graph/graph.ts");
  const groups = mainGroups(await findComparedModel(laid.registry, id, reach))
    .filter((group) => group.name > after)
    .sort(byName);
  const until = performance.now() + LONGEST_MS;
  const all: MadePlan[] = [];
  let size = 0;
  for (const { name } of groups) {
    const isFull = all.length >= MOST || size > MOST_TEXT || performance.now() > until;
    if (isFull && all.length > 0) return { all, next: groups[all.length - 1]!.name };
    const made = await madeOf(laid, { id, name, request }, reach, principal);
    all.push(commit === undefined ? made : { ...made, plan: { ...made.plan, commit } });
    size += JSON.stringify(made).length;
  }
  return { all, next: null };
}

const byName = (a: Group, b: Group): number => a.name < b.name ? -1 : 1;

/** The same registry, whose files are compared with the disk once for all plans. */
function readOnce(registry: AskedOptions["registry"]): AskedOptions["registry"] {
  const compared = new Map<string, ReturnType<typeof registry.comparedModel>>();
  let models: ReturnType<typeof registry.models> | undefined;
  return {
    get: (id) => registry.get(id),
    hashOf: (id, path) => registry.hashOf(id, path),
    comparedModel(id) {
      const known = compared.get(id) ?? registry.comparedModel(id);
      compared.set(id, known);
      return known;
    },
    models: () => models ??= registry.models(),
  };
}
