/** Everything that is declared beside everything that runs, in one answer, the worst first. */
import { z } from "zod";
import type { Model, Unit } from "../artifacts/artifact.ts";
import { Drift, LiveNeeds, LiveState } from "../artifacts/live/live.ts";
import { Verdict, VERDICTS } from "../artifacts/live/verdict.ts";
import { Location } from "../artifacts/location.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import { type Principal, type Reach, reachOf } from "../core/access.ts";
import { Condition } from "../core/condition.ts";
import { Lru } from "../core/lru.ts";
import { BackendState, reachOfRunning, type RunningContainer } from "../core/runtime.ts";
import { maskDeclared } from "../core/secrets.ts";
import { runtimeSeen } from "../core/sight.ts";
import { CachedText } from "../http/declare/cached_text.ts";
import { count, text } from "../http/declare/query.ts";
import { type CoreRouter, json, route, router } from "../http/declare/router.ts";
import { type ArtifactsOptions, lookAt, modelSeen, ownSide } from "./artifact_lookup.ts";

/** Differences that are told of one unit, and containers that nobody declared. */
const MOST_DIFFERENCES = 20;
const MOST_UNDECLARED = 200;
/** Answers that are remembered while nothing in them changes, one for each reach and question. */
const MOST_REMEMBERED = 16;
/** A link on the disk that leads elsewhere, or a file that is only mounted, tells nobody. */
const REMEMBERED_MS = 10_000;

const Counts = z.object(
  Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, z.int().describe(`How many are \`${verdict}\``)]),
  ) as Record<
    Verdict,
    z.ZodInt
  >,
).meta({ id: "VerdictCounts" });
type Counts = Record<Verdict, number>;

const OverviewContainer = z.object({
  id: z.string().describe("The container's id"),
  name: z.string().describe("The container's name"),
  backend: z.string().describe("The engine it is on, by name"),
  image: z.string().describe("As it was asked for"),
  state: z.string().describe("State as the engine reports it"),
  health: z.string().nullable().describe("Result of its health check"),
  exitCode: z.int().nullable().describe("The code it last ended with"),
  restartCount: z.int().describe("Number of restarts by the engine since its last start"),
  reason: z.string().nullable().describe("The engine's reason why it does not run, beyond an exit code"),
  condition: Condition.describe("Its condition by itself, without the declaration"),
  startedAt: z.string().nullable().describe("When it last started"),
}).meta({ id: "OverviewContainer" });

const OverviewUnit = z.object({
  workspace: z.string().describe("The workspace's id"),
  id: z.string().describe("The unit's id"),
  name: z.string().describe("The unit's name"),
  group: z.string().nullable().describe("Its group, by name"),
  verdict: Verdict.describe("Verdict in one word"),
  state: LiveState.nullable().describe("Its running containers; null for callers who may not see them"),
  desired: z.int().nullable().describe("Number of containers that should run; null while unknown"),
  image: z.string().nullable().describe("As it is written"),
  location: Location.describe("Where it is declared"),
  containers: z.array(OverviewContainer).describe("Its containers"),
  differences: z.int().describe("Number of fields that differ"),
  drift: z.array(Drift).describe(`Which they are, ${MOST_DIFFERENCES} at most`),
  notCompared: z.string().nullable().describe("Why something of it could not be compared; null otherwise"),
}).meta({ id: "OverviewUnit" });
type OverviewUnit = z.input<typeof OverviewUnit>;

const OverviewProject = z.object({
  workspace: z.object({
    id: z.string().describe("The workspace's id"),
    name: z.string().describe("The workspace's name"),
  })
    .describe("Where it is declared"),
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
  findings: z.object({
    errors: z.int().describe("Number of errors"),
    warnings: z.int().describe("Number of warnings"),
  }).describe("Counts of findings in the workspaces that the caller sees whole"),
  engines: z.array(z.object({
    name: z.string().describe("The engine's name"),
    state: BackendState.describe("True if it answers"),
    reason: z.string().optional().describe("Why it is not up, or does not list the kinds in `stale`"),
    stale: z.array(z.string()).optional().describe(
      "Kinds of objects that it does not list although it is up, as `containers`",
    ),
  })).describe("The engines, for callers who may see them"),
  liveNeeds: LiveNeeds.optional().describe("Permissions that the caller needs to see running containers"),
}).meta({ id: "Overview" });

const overview = route({
  method: "get",
  path: "/overview",
  summary: "Compare what runs with what is declared, over all workspaces",
  description:
    "Returns how many units run as declared, differ, or are missing, the worst of them with their " +
    "differences, and the state of every group and engine.",
  permission: "artifacts:read",
  subject: "listed",
  query: z.object({
    limit: count(0, 5_000).default(20).describe("Maximum number of units, the worst first"),
    workspace: text(200).optional().describe("Only this workspace, by its id"),
  }),
  answers: { 200: json(Overview, "All of it, the worst first") },
});

export interface OverviewOptions extends Pick<ArtifactsOptions, "runtime" | "sights" | "digests"> {
  readonly registry: Pick<Registry, "list" | "models" | "hashOf">;
}

/** An answer, and all that it was made from. */
interface Remembered {
  readonly from: readonly unknown[];
  readonly at: number;
  readonly text: CachedText;
}

export function overviewRoutes(options: OverviewOptions): CoreRouter {
  const { registry, runtime, sights } = options;
  const remembered = new Lru<Remembered>(MOST_REMEMBERED);
  return router().on(overview, async ({ query, principal, reach, request }) => {
    const engines = runtime();
    const running = sights.of(reachOfRunning(principal));
    const isBlind = engines === null || running.reach.nowhere;
    // Waits for what engines have told and was not read yet, so that the stamp holds for it.
    const shown = isBlind ? [] : await runtimeSeen(engines, running).containers();
    const models = await registry.models();
    const from = [
      ...models.flatMap(({ workspace, model }) => [workspace.name, model]),
      await registry.list(),
      isBlind ? "" : `${sights.ownership.revision} ${engines.stamp}`,
    ];
    const system = reachOf(principal, "system:read");
    const key = JSON.stringify([query, reach.key, running.reach.key, system.key]);
    const known = remembered.get(key);
    const isSame = known !== undefined && performance.now() - known.at < REMEMBERED_MS &&
      known.from.length === from.length && known.from.every((one, index) => one === from[index]);
    if (isSame) return await known.text.answer(request);
    const at = performance.now();
    const asked = models.filter(({ workspace: { id } }) => (query.workspace ?? id) === id);
    const seen = await look(options, { models: asked, shown, principal, reach });
    const units = seen.units.sort(byVerdict);
    const undeclared = query.workspace === undefined ? seen.undeclared : [];
    const made = new CachedText(JSON.stringify({
      ...seen,
      counts: countsOf(units, undeclared.length),
      units: units.slice(0, query.limit),
      undeclared: undeclared.slice(0, MOST_UNDECLARED),
    }));
    remembered.set(key, { from, at, text: made });
    return await made.answer(request);
  });
}

interface Looking {
  readonly models: Awaited<ReturnType<Registry["models"]>>;
  readonly shown: readonly RunningContainer[];
  readonly principal: Principal;
  readonly reach: Reach;
}

async function look(options: OverviewOptions, { models, shown, principal, reach }: Looking) {
  const { registry, runtime, sights } = options;
  const engines = runtime();
  const units: OverviewUnit[] = [];
  const projects: OverviewProject[] = [];
  const declared = new Set<string>();
  let needs: z.input<typeof Overview>["liveNeeds"];
  for (const { workspace, model: whole } of models) {
    const model = await modelSeen(whole, workspace.id, reach);
    if (model === null) continue;
    const own = await ownSide(options, workspace.id);
    const { view, liveNeeds } = await lookAt(model, {
      runtime: engines,
      sights,
      principal,
      own,
    });
    needs ??= liveNeeds;
    const found = await unitsOf(model, workspace.id, view);
    for (const { containers } of found.values()) {
      for (const { backend, id } of containers) declared.add(`${backend} ${id}`);
    }
    units.push(...found.values());
    const { mainGroups } = await import("../artifacts/graph/graph.ts");
    for (const { name, project, units: members } of mainGroups(model)) {
      const some = members.flatMap(({ id }) => found.get(id) ?? []);
      projects.push({
        workspace: { id: workspace.id, name: workspace.name },
        group: name,
        project,
        verdict: some.toSorted(byVerdict)[0]?.verdict ?? "asWritten",
        counts: countsOf(some, 0),
        differences: some.reduce((sum, { differences }) => sum + differences, 0),
      });
    }
  }
  const asked = new Set(models.map(({ workspace }) => workspace.id));
  const whole = (await registry.list()).filter(({ id }) => asked.has(id) && reach.has({ workspace: id }));
  const sum = (what: "errors" | "warnings") => whole.reduce((all, { problems }) => all + problems[what], 0);
  return {
    units,
    projects: projects.sort(byWorst),
    undeclared: shown.filter(({ backend, id }) => !declared.has(`${backend} ${id}`)).map(containerOf),
    findings: { errors: sum("errors"), warnings: sum("warnings") },
    engines: (engines?.backends() ?? []).filter(({ name }) =>
      reachOf(principal, "system:read").has({ engine: name })
    )
      .map(({ name, state, reason, stale }) => ({ name, state, reason, stale })),
    ...(needs !== undefined && { liveNeeds: needs }),
  };
}

type View = Awaited<ReturnType<typeof lookAt>>["view"];

/** The units of a model that somebody should know of, by id. */
async function unitsOf(
  model: Model,
  workspace: string,
  view: View,
): Promise<Map<string, OverviewUnit>> {
  const { locationOf } = await import("../artifacts/position.ts");
  const groups = new Map(model.groups.map((group) => [group.id, group]));
  const found = new Map<string, OverviewUnit>();
  for (const unit of model.units) {
    const runs = view?.live.get(unit.id);
    const containers = view?.containers.get(unit.id) ?? [];
    const verdict = runs === undefined ? "unknown" : runs.verdict;
    if (verdict === null) continue;
    found.set(unit.id, {
      workspace,
      id: unit.id,
      name: unit.name,
      group: unit.group === null ? null : groups.get(unit.group)?.name ?? null,
      verdict,
      state: runs?.state ?? null,
      desired: runs?.desired ?? null,
      image: imageOf(unit),
      location: locationOf(unit.source),
      containers: containers.map(containerOf),
      differences: runs?.drift?.length ?? 0,
      drift: (runs?.drift ?? []).slice(0, MOST_DIFFERENCES),
      notCompared: runs?.notCompared ?? null,
    });
  }
  return found;
}

function imageOf({ service }: Unit): string | null {
  const written = service?.writtenImage ?? null;
  return written === null ? null : maskDeclared(written);
}

function containerOf(container: RunningContainer): z.input<typeof OverviewContainer> {
  const { id, name, backend, image, state, health, exitCode, restartCount, reason, condition, startedAt } =
    container;
  return { id, name, backend, image, state, health, exitCode, restartCount, reason, condition, startedAt };
}

function countsOf(units: readonly { readonly verdict: Verdict }[], undeclared: number): Counts {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Counts; // has them all
  for (const { verdict } of units) counts[verdict]++;
  counts.undeclared = undeclared;
  return counts;
}

const rank = (verdict: Verdict) => VERDICTS.indexOf(verdict);

function byVerdict(one: OverviewUnit, other: OverviewUnit): number {
  return rank(one.verdict) - rank(other.verdict) ||
    (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}

/** By how bad the worst is, then by how many are. */
function byWorst(one: OverviewProject, other: OverviewProject): number {
  return rank(one.verdict) - rank(other.verdict) ||
    other.counts[other.verdict] - one.counts[one.verdict] || (one.project < other.project ? -1 : 1);
}
