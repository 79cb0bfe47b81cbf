/** How the units and projects of all workspaces are doing, as numbers that a collector reads: names of none. */
import type { Unit } from "../artifacts/artifact.ts";
import { type Verdict, VERDICTS } from "../artifacts/live/verdict.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Metrics, Sample } from "../core/metrics.ts";
import { boundedWait } from "../core/pause.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import { type ArtifactsOptions, ownSide } from "./artifact_lookup.ts";

/** A scrape that takes longer goes without them: collectors give up after ten seconds. */
const LOOK_MS = 5_000;
/** Containers that nobody declared are no units. */
const SHOWN = VERDICTS.filter((verdict) => verdict !== "undeclared");

interface UnitMetricsOptions extends Pick<ArtifactsOptions, "digests"> {
  readonly registry: Pick<Registry, "models" | "hashOf">;
  readonly runtime: () => ContainerRuntime | null;
}

interface Verdicts {
  readonly units: readonly Verdict[];
  readonly projects: readonly Verdict[];
}

export function measureUnits(metrics: Metrics, options: UnitMetricsOptions, lookMs = LOOK_MS): void {
  let looking: Promise<Verdicts> | null = null;
  /** Looks once for all who ask meanwhile; null where that fails or takes too long. */
  const look = async (): Promise<Verdicts | null> => {
    looking ??= lookAtAll(options).finally(() => looking = null);
    let found: Verdicts | null = null;
    await boundedWait(looking.then((all) => found = all), lookMs);
    return found;
  };
  const samples = async (of: keyof Verdicts): Promise<Sample[]> => {
    const verdicts = (await look())?.[of];
    if (verdicts === undefined) return [];
    return SHOWN.map((verdict) => ({
      labels: { verdict },
      value: verdicts.filter((one) => one === verdict).length,
    }));
  };
  metrics.read("gauge", {
    name: "berth_units",
    help: "Units of all workspaces that can be read, by verdict.",
  }, () => samples("units"));
  metrics.read("gauge", {
    name: "berth_projects",
    help: "Projects of all workspaces that can be read, by the verdict of their worst unit.",
  }, () => samples("projects"));
}

async function lookAtAll(options: UnitMetricsOptions): Promise<Verdicts> {
  const { registry, runtime } = options;
  const [{ look }, { mainGroups }] = await Promise.all([
    import("../projects/drift/look.ts"),
    import("../artifacts/graph/graph.ts"),
  ]);
  const units: Verdict[] = [];
  const projects: Verdict[] = [];
  for (const { workspace, model } of await registry.models()) {
    const { live } = await look(model, runtime(), { own: await ownSide(options, workspace.id) });
    // Null: left out by a profile, which is as it should be.
    const verdictsOf = (of: readonly Unit[]) =>
      of.flatMap(({ id }) => {
        const verdict = live.has(id) ? live.get(id)!.verdict : "unknown";
        return verdict ?? [];
      });
    units.push(...verdictsOf(model.units));
    for (const group of mainGroups(model)) {
      const some = verdictsOf(group.units);
      projects.push(VERDICTS.find((verdict) => some.includes(verdict)) ?? "asWritten");
    }
  }
  return { units, projects };
}
