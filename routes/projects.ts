/** Projects: each declared group with what runs of it, and each project that only runs. */
import { z } from "zod";
import { LiveNeeds } from "../artifacts/live/live.ts";
import { Verdict } from "../artifacts/live/verdict.ts";
import { type Principal, type Reach, reachOf } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { BackendState, reachOfRunning } from "../core/runtime.ts";
import { runtimeSeen } from "../core/sight.ts";
import { count, text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, route, router } from "../http/declare/router.ts";
import { compareAll, type ComparedOptions, Counts, countsOf } from "./compared.ts";
import { ComparedAnswers, type Seen } from "./compared_answers.ts";
import {
  byWorst,
  declaredRow,
  LooseContainers,
  looseContainers,
  portsOf,
  ProjectDetail,
  ProjectRow,
  undeclaredRows,
} from "./project_rows.ts";

const Projects = z.object({
  counts: Counts.describe("All projects that the caller sees, by verdict"),
  items: z.array(ProjectRow).describe("The projects, the worst first"),
  total: z.int().describe("Number of projects that the question means"),
  loose: z.array(LooseContainers).describe("Containers that belong to no project, by engine"),
  engines: z.array(z.object({
    name: z.string().describe("The engine's name"),
    state: BackendState.describe("`up` if it answers"),
    reason: z.string().optional().describe("Why it is not up, or does not list the kinds in `stale`"),
    stale: z.array(z.string()).optional().describe(
      "Kinds of objects that it does not list although it is up: what is told of them is as last known",
    ),
  })).describe("The engines, for callers who may see them"),
  liveNeeds: LiveNeeds.optional(),
}).meta({ id: "Projects" });

const list = route({
  method: "get",
  path: "/projects",
  summary: "Every project in one row: declared, running, or both",
  description:
    "A declared project is one row, on however many engines it runs. Projects that only run need " +
    "`containers:read`, too. The worst come first.",
  permission: "artifacts:read",
  subject: "listed",
  query: z.object({
    verdict: Verdict.optional().describe("Only projects with this verdict"),
    q: text(200).optional().describe("Only projects whose name or folder holds this, in either case"),
    workspace: text(200).optional().describe("Only declared in this workspace, by its id"),
    engine: text(200).optional().describe("Only with containers on this engine"),
    limit: count(0, 5_000).default(1_000).describe("Maximum number of rows"),
  }),
  answers: { 200: json(Projects, "The rows") },
});

const one = route({
  method: "get",
  path: "/projects/{id}",
  summary: "A project with its units and their differences",
  description: "The id is `<group>@<workspace>` or `<project>@engine:<name>`. A project's name alone is " +
    "enough while the caller sees only one of that name; otherwise 409 `ambiguous_name` lists the ids.",
  permission: "artifacts:read",
  subject: "found",
  params: z.object({ id: text(500).describe("The project's id, or its name") }),
  answers: { 200: json(ProjectDetail, "The project"), ...problems("artifact_not_found", "ambiguous_name") },
});

export function projects(options: ComparedOptions): CoreRouter {
  const answers = new ComparedAnswers(options);
  return router()
    .on(list, async ({ query, principal, reach, request }) => {
      const known = await answers.of(
        { principal, reach, question: [query] },
        async (seen) => listed(await rowsOf(options, seen, principal, reach), query),
      );
      return await known.answer(request);
    })
    .on(one, async ({ params, principal, reach, request }) => {
      const known = await answers.of({ principal, reach, question: [params.id] }, async (seen) => {
        const workspace = workspaceOf(params.id);
        const models = seen.models.filter(({ workspace: { id } }) => (workspace ?? id) === id);
        const { rows, units } = await rowsOf(options, { ...seen, models }, principal, reach);
        const row = find(rows, params.id);
        return { ...row, units: units.get(row.id) ?? [] };
      });
      return await known.answer(request);
    });
}

/** Returns the workspace of `<group>@<workspace>`: no other one needs to be compared. Null for other ids and names. */
function workspaceOf(id: string): string | null {
  const at = id.lastIndexOf("@");
  return at < 1 || id.startsWith("engine:", at + 1) ? null : id.slice(at + 1);
}

type Rows = Awaited<ReturnType<typeof rowsOf>>;

async function rowsOf(options: ComparedOptions, { models, shown }: Seen, principal: Principal, reach: Reach) {
  const compared = await compareAll(options, { models, principal, reach });
  const { projects, declared, liveNeeds } = compared;
  const engines = options.runtime();
  const sight = options.sights.of(reachOfRunning(principal));
  const isBlind = engines === null || sight.reach.nowhere;
  const ports = portsOf(isBlind ? null : await runtimeSeen(engines, sight).holdings());
  const claimed = new Set(projects.flatMap(({ containers }) => containers));
  const others = shown.filter((one) => !claimed.has(one) && !declared.has(`${one.backend} ${one.id}`));
  const rows = [
    ...projects.map((project) => declaredRow(project, declared, ports)),
    ...undeclaredRows(others, ports),
  ].sort(byWorst);
  const units = new Map(
    projects.map(({ workspace, group, units }) => [`${group.name}@${workspace.id}`, units]),
  );
  return {
    rows,
    units,
    loose: looseContainers(others),
    engines: (engines?.backends() ?? []).filter(({ name }) =>
      reachOf(principal, "system:read").has({ engine: name })
    ).map(({ name, state, reason, stale }) => ({ name, state, reason, stale })),
    liveNeeds,
  };
}

function listed(
  { rows, loose, engines, liveNeeds }: Rows,
  { verdict, q, workspace, engine, limit }: z.output<NonNullable<typeof list.query>>,
) {
  const wanted = q?.toLowerCase();
  const meant = rows.filter((row) =>
    (verdict ?? row.verdict) === row.verdict &&
    (workspace === undefined || row.workspace?.id === workspace) &&
    (engine === undefined || row.engines.includes(engine)) &&
    (wanted === undefined ||
      [row.name, row.project, row.folder].some((one) => one?.toLowerCase().includes(wanted)))
  );
  return {
    counts: countsOf(
      rows.filter((row) => row.workspace !== null),
      rows.filter((row) => row.workspace === null).length,
    ),
    items: meant.slice(0, limit),
    total: meant.length,
    loose,
    engines,
    ...(liveNeeds !== undefined && { liveNeeds }),
  };
}

/** Returns the project that an id or a name means. Throws `artifact_not_found` and `ambiguous_name`. */
export function find<Row extends Pick<ProjectRow, "id" | "name" | "project">>(
  rows: readonly Row[],
  asked: string,
): Row {
  const exact = rows.find(({ id }) => id === asked);
  if (exact !== undefined) return exact;
  const named = rows.filter(({ name, project }) => name === asked || project === asked);
  const [first, ...more] = named;
  if (first === undefined) throw new ServiceError("artifact_not_found", `There is no project "${asked}"`);
  if (more.length === 0) return first;
  throw new ServiceError("ambiguous_name", `Several projects are called "${asked}": use an id`, {
    errors: named.slice(0, 20).map(({ id }) => ({ path: "path.id", message: id })),
  });
}
