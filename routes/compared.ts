/** Everything that is declared beside everything that runs, as far as the caller sees it. */
import * as z from "../core/schema.ts";
import type { Group } from "../artifacts/artifact.ts";
import { Drift, LiveState, UnitService, Valued } from "../artifacts/live/live.ts";
import { Verdict, VERDICTS } from "../artifacts/live/verdict.ts";
import { Location } from "../artifacts/location.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Principal, Reach } from "../core/access.ts";
import { Condition, Stopped } from "../core/condition.ts";
import { BackendState, type RunningContainer } from "../core/runtime.ts";
import { IncidentMark, type OpenIncidents } from "./incident_rows.ts";
import type { ArtifactsOptions, Looked } from "./artifact_lookup.ts";
import type { ContainerSet } from "./container_set.ts";

/** Differences that are told of one unit. */
export const MOST_DIFFERENCES = 20;

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
  service: UnitService.optional().describe(
    "The service of a swarm that it runs as; absent where it runs as containers, and without `services:read`",
  ),
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
  /** Containers of units. */
  readonly declared: ContainerSet;
  /** The permission that the caller lacks to see what runs. */
  readonly liveNeeds: Looked["liveNeeds"];
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
