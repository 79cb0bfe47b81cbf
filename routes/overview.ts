/** Everything that is declared beside everything that runs, in one answer, the worst first. */
import * as z from "../core/schema.ts";
import { LiveNeeds } from "../artifacts/live/live.ts";
import { Verdict } from "../artifacts/live/verdict.ts";
import { reachOf } from "../core/access.ts";
import type { RunningContainer } from "../core/runtime.ts";
import { CachedText } from "../http/declare/cached_text.ts";
import { count, text } from "../http/declare/query.ts";
import { type CoreRouter, json, route, router } from "../http/declare/router.ts";
import {
  byVerdict,
  type ComparedOptions,
  type Comparing,
  containerOf,
  Counts,
  countsOf,
  EngineStatus,
  OverviewContainer,
  OverviewUnit,
  rank,
} from "./compared.ts";
import { compareAll } from "./compare_all.ts";
import { ComparedAnswers } from "./compared_answers.ts";
import { FindingCounts, WorkspaceRef } from "../core/workspace.ts";

/** Containers that are told of those that nobody declared. */
const MOST_UNDECLARED = 200;
const OverviewProject = z.object({
  workspace: WorkspaceRef
    .describe("The place of its declaration"),
  group: z.string().describe("The group's name"),
  project: z.string().describe("Docker's name of the project"),
  verdict: Verdict.describe("The verdict of its worst unit"),
  counts: Counts.describe("Its units by how they are doing"),
  differences: z.int().describe("Number of fields of its units that differ"),
}).meta({ id: "OverviewProject" });
type OverviewProject = z.input<typeof OverviewProject>;

const Overview = z.object({
  counts: Counts.describe("All units by how they are doing, and the containers that nobody declared"),
  units: z.array(OverviewUnit).describe("The worst units"),
  projects: z.array(OverviewProject).describe("All groups, the worst first"),
  undeclared: z.array(OverviewContainer).describe(
    `Containers that run and that nobody declared, ${MOST_UNDECLARED} at most`,
  ),
  findings: FindingCounts.describe("Counts of findings in the workspaces that the caller sees whole"),
  engines: z.array(EngineStatus).describe("The engines, for callers who may see them"),
  liveNeeds: LiveNeeds.optional().describe("Permissions that the caller needs to see running containers"),
}).meta({ id: "Overview" });

const overview = route({
  method: "get",
  path: "/overview",
  summary: "Compare what runs with what is declared, over all workspaces",
  description:
    "Returns how many units run as declared, differ, or are missing, the worst of them with their " +
    "differences, and the state of every group and engine.",
  headers: ["If-None-Match"],
  permission: "artifacts:read",
  subject: "listed",
  query: z.object({
    limit: count(0, 5_000).default(20).describe("Maximum number of units, the worst first"),
    workspace: text(200).optional().describe("Only this workspace, by its id"),
  }),
  answers: { 200: json(Overview, "All of it, the worst first") },
});

export function overviewRoutes(options: ComparedOptions): CoreRouter {
  const answers = new ComparedAnswers<CachedText>(options);
  return router().on(overview, async ({ query, principal, reach, request }) => {
    const known = await answers.of({ principal, reach, question: [query] }, async ({ models, shown }) => {
      const asked = models.filter(({ workspace: { id } }) => (query.workspace ?? id) === id);
      const seen = await look(options, { models: asked, shown, principal, reach });
      const units = seen.units.toSorted(byVerdict);
      const undeclared = query.workspace === undefined ? seen.undeclared : [];
      return new CachedText(JSON.stringify({
        ...seen,
        counts: countsOf(units, undeclared.length),
        units: units.slice(0, query.limit),
        undeclared: undeclared.slice(0, MOST_UNDECLARED).map(containerOf),
      }));
    });
    return await known.answer(request);
  });
}

interface Looking extends Comparing {
  readonly shown: readonly RunningContainer[];
}

async function look(options: ComparedOptions, { shown, ...comparing }: Looking) {
  const { registry, runtime } = options;
  const { models, principal, reach } = comparing;
  const { units, projects, declared, liveNeeds } = await compareAll(options, comparing);
  const asked = new Set(models.map(({ workspace }) => workspace.id));
  const whole = (await registry.list()).filter(({ id }) => asked.has(id) && reach.has({ workspace: id }));
  const sum = (what: "errors" | "warnings") => whole.reduce((all, { problems }) => all + problems[what], 0);
  return {
    units,
    projects: projects.map(({ workspace, group: { name, project }, units }): OverviewProject => ({
      workspace,
      group: name,
      project,
      verdict: units.toSorted(byVerdict)[0]?.verdict ?? "asWritten",
      counts: countsOf(units, 0),
      differences: units.reduce((sum, { differences }) => sum + differences, 0),
    })).sort(byWorst),
    undeclared: shown.filter((one) => !declared.has(one)),
    findings: { errors: sum("errors"), warnings: sum("warnings") },
    engines: (runtime()?.backends() ?? []).filter(({ name }) =>
      reachOf(principal, "system:read").has({ engine: name })
    )
      .map(({ name, state, reason, stale }) => ({ name, state, reason, stale })),
    ...(liveNeeds !== undefined && { liveNeeds }),
  };
}

/** By how bad the worst is, then by how many are. */
function byWorst(one: OverviewProject, other: OverviewProject): number {
  return rank(one.verdict) - rank(other.verdict) ||
    other.counts[other.verdict] - one.counts[one.verdict] || (one.project < other.project ? -1 : 1);
}
