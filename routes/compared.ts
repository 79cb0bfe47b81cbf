/** Everything that is declared beside everything that runs, as far as the caller sees it. */
import { z } from "zod";
import type { Group, Model, Unit } from "../artifacts/artifact.ts";
import { Drift, LiveState, Valued } from "../artifacts/live/live.ts";
import { Verdict, VERDICTS } from "../artifacts/live/verdict.ts";
import { Location } from "../artifacts/location.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Principal, Reach } from "../core/access.ts";
import { Condition, Stopped } from "../core/condition.ts";
import { BackendState, reachOfRunning, type RunningContainer } from "../core/runtime.ts";
import { maskDeclared } from "../core/secrets.ts";
import { IncidentMark, type OpenIncidents, type OpenNow } from "./incident_rows.ts";
import { type ArtifactsOptions, lookAt, modelSeen, ownSide } from "./artifact_lookup.ts";

/** Differences that are told of one unit. */
const MOST_DIFFERENCES = 20;

export const Counts = z.object(
  Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, z.int().describe(`Number with the verdict \`${verdict}\``)]),
  ) as Record<
    Verdict,
    z.ZodInt
  >,
).meta({ id: "VerdictCounts" });
export type Counts = Record<Verdict, number>;

export const OverviewContainer = z.object({
  id: z.string().describe("The container's id"),
  name: z.string().describe("The container's name"),
  backend: z.string().describe("The engine it is on, by name"),
  image: z.string().describe("As it was asked for"),
  state: z.string().describe("State as the engine reports it"),
  health: z.string().nullable().describe("Result of its health check"),
  healthOutput: z.string().nullable().describe(
    "The output of its health check, masked and cut; null unless unhealthy",
  ),
  exitCode: z.int().nullable().describe("The code it last ended with"),
  restartCount: z.int().describe("Number of restarts by the engine since its last start"),
  reason: z.string().nullable().describe("The engine's reason why it does not run, beyond an exit code"),
  condition: Condition.describe("Its condition by itself, without the declaration"),
  startedAt: z.string().nullable().describe("When it last started"),
  stopped: Stopped.nullable().describe("Only of a container whose condition is `stopped`"),
}).meta({ id: "OverviewContainer" });

/** The connection to an engine, for callers who may see it. */
export const EngineStatus = z.object({
  name: z.string().describe("The engine's name"),
  state: BackendState.describe("The state of its connection"),
  reason: z.string().optional().describe(
    "The reason that it is not up, or does not list the kinds in `stale`",
  ),
  stale: z.array(z.string()).optional().describe(
    "Kinds of objects that it does not list although it is up, as `containers`: their rows are the last known ones",
  ),
}).meta({ id: "EngineStatus" });

export const OverviewUnit = z.object({
  workspace: z.string().describe("The workspace's id"),
  id: z.string().describe("The unit's id"),
  name: z.string().describe("The unit's name"),
  group: z.string().nullable().describe("Its group, by name"),
  verdict: Verdict.describe("Verdict in one word"),
  state: LiveState.nullable().describe("Its running containers; null for callers who may not see them"),
  desired: z.int().nullable().describe("Number of containers that should run; null while unknown"),
  image: z.string().nullable().describe("As it is written"),
  ...Valued,
  location: Location.describe("The place of its declaration"),
  containers: z.array(OverviewContainer).describe("Its containers"),
  differences: z.int().describe("Number of fields that differ"),
  drift: z.array(Drift).describe(`Which they are, ${MOST_DIFFERENCES} at most`),
  notCompared: z.string().nullable().describe(
    "The reason that something of it could not be compared; null otherwise",
  ),
  incident: IncidentMark.nullable().describe(
    "Its open incident: since when, and because of what; null for callers who may not see what runs",
  ),
}).meta({ id: "OverviewUnit" });
export type OverviewUnit = z.input<typeof OverviewUnit>;

export interface ComparedOptions extends Pick<ArtifactsOptions, "runtime" | "sights" | "digests"> {
  readonly registry: Pick<Registry, "list" | "models" | "hashOf">;
  readonly incidents: OpenIncidents;
}

/** What is compared, and for whom. */
export interface Comparing {
  readonly models: Awaited<ReturnType<Registry["models"]>>;
  readonly principal: Principal;
  readonly reach: Reach;
}

/** A declared project, its units and all that runs of it. */
export interface ComparedProject {
  readonly workspace: { readonly id: string; readonly name: string };
  readonly group: Group;
  readonly units: readonly OverviewUnit[];
  /** Containers of its units, and those that carry its labels and belong to none of them. */
  readonly containers: readonly RunningContainer[];
}

export interface Comparison {
  readonly units: readonly OverviewUnit[];
  readonly projects: readonly ComparedProject[];
  /** Containers of units, as `engine id`. */
  readonly declared: ReadonlySet<string>;
  /** The permission that the caller lacks to see what runs. */
  readonly liveNeeds: Awaited<ReturnType<typeof lookAt>>["liveNeeds"];
}

/** Compares what runs with what is declared, in each of the workspaces. */
export async function compareAll(
  options: ComparedOptions,
  { models, principal, reach }: Comparing,
): Promise<Comparison> {
  const units: OverviewUnit[] = [];
  const projects: ComparedProject[] = [];
  const declared = new Set<string>();
  let needs: Comparison["liveNeeds"];
  const open = await options.incidents.current();
  for (const { workspace: { id, name }, model: whole } of models) {
    const model = await modelSeen(whole, id, reach);
    if (model === null) continue;
    const own = await ownSide(options, id);
    const { runtime, sights } = options;
    const { view, liveNeeds } = await lookAt(model, { runtime: runtime(), sights, principal, own });
    needs ??= liveNeeds;
    const mayResolve = ({ project }: Group) => reachOfRunning(principal).has({ workspace: id, project });
    // All of it says which values are secrets, also the part that the caller does not see.
    const found = await unitsOf(model, {
      workspace: id,
      view,
      open,
      values: view === null ? null : { whole, mayResolve },
    });
    for (const { containers } of found.values()) {
      for (const { backend, id } of containers) declared.add(`${backend} ${id}`);
    }
    units.push(...found.values());
    const { mainGroups } = await import("../artifacts/graph/graph.ts");
    for (const group of mainGroups(model)) {
      const ofUnits = group.units.flatMap((unit) => view?.containers.get(unit.id) ?? []);
      const joined = (view?.joining.joined ?? []).filter((one) => one.group.id === group.id);
      projects.push({
        workspace: { id, name },
        group,
        units: group.units.flatMap((unit) => found.get(unit.id) ?? []),
        containers: [...new Set([...ofUnits, ...joined.flatMap(({ running }) => running.containers)])],
      });
    }
  }
  return { units, projects, declared, liveNeeds: needs };
}

type View = Awaited<ReturnType<typeof lookAt>>["view"];

/** The units of a model that somebody should know of, by id. */
async function unitsOf(
  model: Model,
  { workspace, view, open, values }: {
    readonly workspace: string;
    readonly view: View;
    readonly open: OpenNow;
    readonly values: { readonly whole: Model; readonly mayResolve: (group: Group) => boolean } | null;
  },
): Promise<Map<string, OverviewUnit>> {
  const { locationOf } = await import("../artifacts/position.ts");
  const { driftWithValues, imageWithValues } = await import("./compared_values.ts");
  const groups = new Map(model.groups.map((group) => [group.id, group]));
  const found = new Map<string, OverviewUnit>();
  for (const unit of model.units) {
    const runs = view?.live.get(unit.id);
    const containers = view?.containers.get(unit.id) ?? [];
    const verdict = runs === undefined ? "unknown" : runs.verdict;
    if (verdict === null) continue;
    const group = unit.group === null ? undefined : groups.get(unit.group);
    const isResolved = group !== undefined && values?.mayResolve(group) === true;
    const around = isResolved ? { group, model: values.whole } : null;
    found.set(unit.id, {
      workspace,
      id: unit.id,
      name: unit.name,
      group: group?.name ?? null,
      verdict,
      state: runs?.state ?? null,
      desired: runs?.desired ?? null,
      image: imageOf(unit),
      ...imageWithValues(unit, around),
      location: locationOf(unit.source),
      containers: containers.map(containerOf),
      differences: runs?.drift?.length ?? 0,
      drift: (runs?.drift ?? []).slice(0, MOST_DIFFERENCES).map((one) => driftWithValues(one, around)),
      notCompared: runs?.notCompared ?? null,
      incident: view === null ? null : open.ofUnit(workspace, unit.id),
    });
  }
  return found;
}

function imageOf({ service }: Unit): string | null {
  const written = service?.writtenImage ?? null;
  return written === null ? null : maskDeclared(written);
}

export function containerOf(container: RunningContainer): z.input<typeof OverviewContainer> {
  const { id, name, backend, image, state, health, exitCode } = container;
  const { healthOutput, restartCount, reason, condition, startedAt, stopped } = container;
  const seen = { id, name, backend, image, state, health, exitCode };
  return { ...seen, healthOutput, restartCount, reason, condition, startedAt, stopped };
}

export function countsOf(units: readonly { readonly verdict: Verdict }[], undeclared: number): Counts {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Counts; // has them all
  for (const { verdict } of units) counts[verdict]++;
  counts.undeclared = undeclared;
  return counts;
}

export const rank = (verdict: Verdict) => VERDICTS.indexOf(verdict);

export function byVerdict(one: OverviewUnit, other: OverviewUnit): number {
  return rank(one.verdict) - rank(other.verdict) ||
    (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
