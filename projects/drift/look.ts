/** What runs for a workspace: asks the runtime, joins containers with units, and compares them. */

import type { ContainerRuntime, Holdings, InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import {
  join,
  type Joined,
  type Joining,
  mapped,
  type RealPath,
  realPath,
  runningProjects,
} from "../../artifacts/live/join.ts";
import type { Drift, Match, UnitLive } from "../../artifacts/live/live.ts";
import { desiredOf, groupStateOf, shownDesired, shownReplicas, stateOf } from "../../artifacts/live/state.ts";
import { verdictOf, worstOf } from "../../artifacts/live/verdict.ts";
import { locationOf } from "../../artifacts/position.ts";
import type { JudgedFinding } from "../../artifacts/rules/settings.ts";
import { valueAt } from "../../artifacts/yaml/values.ts";
import type { EngineView } from "../fields/engine_view.ts";
import type { Declared } from "../fields/field.ts";
import { bindsOf } from "../fields/mounts.ts";
import { fullImage } from "../fields/process.ts";
import { differencesOf } from "../fields/table.ts";
import { contentsOf, type OwnSide } from "./contents.ts";
import { liveFindings, type UnitDifference } from "./findings.ts";

/** What runs for a workspace. */
export interface View {
  /** By the id of a unit or group. */
  readonly live: ReadonlyMap<string, UnitLive>;
  /** The same containers as lists show them, by the id of their unit. */
  readonly containers: ReadonlyMap<string, readonly RunningContainer[]>;
  readonly joining: Joining;
  readonly findings: readonly JudgedFinding[];
}

/** What to look at. */
export interface LookOptions {
  /** Compares field by field, at one more request to the engine for each container. */
  readonly drift: boolean;
  /** The ids of the only units to compare. */
  readonly only?: ReadonlySet<string>;
  readonly real?: RealPath;
  /** Compares berth's own labels, too. */
  readonly own?: OwnSide;
  readonly answers?: (port: number) => Promise<boolean>;
}

/** Whether anything listens at a TCP port of this host's loopback; false where connecting is not permitted. */
async function somethingAnswers(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port, signal: AbortSignal.timeout(300) })).close();
    return true;
  } catch {
    return false;
  }
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** How many containers are compared at most, and how many at a time. */
const MOST = 500;
const AT_ONCE = 8;

/** Joins and compares. Without any engine every unit is `unknown`. */
export async function look(
  model: Model,
  runtime: ContainerRuntime | null,
  { drift, only, real = realPath, own, answers = somethingAnswers }: LookOptions,
): Promise<View> {
  if (runtime === null || runtime.counts() === null) return nothingKnown(model);
  const containers = await runtime.containers();
  const joining = await join(model, runningProjects(containers), real);
  const byUnit = assign(model, joining, containers);
  const holdings = await runtime.holdings();
  const compared = drift
    ? await compare(model, runtime, holdings, byUnit, { real, only, own })
    : new Map<string, UnitDifference[]>();

  const live = new Map<string, UnitLive>();
  for (const unit of model.units) {
    const own = byUnit.get(unit.id);
    const containers = own?.containers ?? [];
    const seen = {
      state: stateOf(unit, containers),
      desired: shownDesired(unit),
      drift: compared.get(unit.id)?.map(driftOf) ?? (drift && own === undefined ? [] : null),
    };
    live.set(unit.id, {
      verdict: verdictOf(seen, unit.service?.active ?? true, containers),
      ...seen,
      match: own?.match ?? null,
      containers: containers.map(shown),
    });
  }
  for (const group of mainGroups(model)) live.set(group.id, ofGroup(group, live, joining));
  return {
    live,
    containers: new Map([...byUnit].map(([id, { containers }]) => [id, containers])),
    joining,
    findings: await liveFindings(model, joining, live, compared, { holdings, real, answers }),
  };
}

const driftOf = ({ field, container, declared, seen, at }: UnitDifference): Drift => ({
  field,
  container,
  declared,
  actual: seen,
  location: locationOf(at),
});

function nothingKnown(model: Model): View {
  const live = new Map<string, UnitLive>();
  const unknown = { verdict: "unknown", state: "unknown", match: null, containers: [], drift: null } as const;
  for (const unit of model.units) {
    live.set(unit.id, { ...unknown, containers: [], desired: shownDesired(unit) });
  }
  for (const group of mainGroups(model)) live.set(group.id, { ...unknown, containers: [], desired: null });
  return { live, containers: new Map(), joining: { joined: [], ambiguous: [], strangers: [] }, findings: [] };
}

interface Own {
  readonly containers: RunningContainer[];
  readonly match: Match;
}

function assign(model: Model, joining: Joining, containers: readonly RunningContainer[]): Map<string, Own> {
  const byUnit = new Map<string, Own>();
  const add = (id: string, container: RunningContainer, match: Match) => {
    const own = byUnit.get(id);
    if (own) own.containers.push(container);
    else byUnit.set(id, { containers: [container], match });
  };
  const known = new Set(model.units.map((unit) => unit.id));
  for (const { running, group, match } of joining.joined) {
    for (const container of running.containers) {
      const id = `unit:${group.name}.${container.compose!.service}`; // joined projects have labels
      if (known.has(id)) add(id, container, match);
    }
  }
  const byName = new Map(containers.map((container) => [container.name, container]));
  for (const unit of model.units) {
    const container = unit.container === null ? undefined : byName.get(unit.container);
    if (container !== undefined) add(unit.id, container, { by: "containerName", confidence: "certain" });
  }
  for (const { containers } of byUnit.values()) {
    containers.sort((a, b) =>
      (replicaNumber(a) ?? 0) - (replicaNumber(b) ?? 0) || (a.name < b.name ? -1 : 1)
    );
  }
  return byUnit;
}

async function compare(
  model: Model,
  runtime: ContainerRuntime,
  holdings: Holdings | null,
  byUnit: ReadonlyMap<string, Own>,
  { real, only, own: side }: {
    readonly real: RealPath;
    readonly only: ReadonlySet<string> | undefined;
    readonly own: OwnSide | undefined;
  },
): Promise<Map<string, UnitDifference[]>> {
  const groups = new Map(model.groups.map((group) => [group.id, group]));
  const jobs: { of: Declared; container: RunningContainer }[] = [];
  const found = new Map<string, UnitDifference[]>();
  for (const unit of model.units) {
    const own = byUnit.get(unit.id);
    const group = unit.group === null ? undefined : groups.get(unit.group);
    if (own === undefined || group === undefined || (only !== undefined && !only.has(unit.id))) continue;
    found.set(unit.id, replicasDrift(unit, own.containers));
    const { service } = unit;
    if (service === null) continue;
    for (const container of own.containers) jobs.push({ of: { model, group, unit, service }, container });
  }
  const engine = engineViews(runtime, holdings, [...byUnit.values()].flatMap(({ containers }) => containers));
  const bounded = jobs.slice(0, MOST);
  const remembered = remembering(real);
  const contents = new Map<Group, ReadonlyMap<string, string>>();
  for (const { of: { group } } of side === undefined ? [] : bounded) {
    if (!contents.has(group)) contents.set(group, await contentsOf(group, side!)); // as the loop says
  }
  let next = 0;
  const work = async () => {
    for (let job = bounded[next++]; job !== undefined; job = bounded[next++]) {
      const { of, container } = job;
      let inspected: InspectedContainer;
      try {
        inspected = await runtime.inspect(container.id, container.backend);
      } catch {
        continue; // Gone since it was listed: nothing to compare.
      }
      const disk = {
        real: remembered,
        digest: side?.digest ?? null,
        contents: contents.get(of.group) ?? NOTHING,
      };
      const view = await viewFor(of, inspected, engine(container.backend), disk);
      found.get(of.unit.id)!.push(
        ...differencesOf(of, inspected, view).map(({ field, declared, seen, at }) => ({
          field,
          declared,
          seen,
          at,
          container: container.name,
        })),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, bounded.length) }, work));
  for (const drift of found.values()) {
    drift.sort((a, b) => compareText(a.field, b.field) || compareText(a.container ?? "", b.container ?? ""));
  }
  return found;
}

type EngineSide = Pick<EngineView, "kind" | "neighbour" | "imageNow">;

/** What is known of this machine. */
export interface DiskSide extends Pick<EngineView, "digest" | "contents"> {
  readonly real: RealPath;
}

/** Asks the disk once for each path: containers of one project have their folders in common. */
export function remembering(real: RealPath): RealPath {
  const known = new Map<string, Promise<string | null>>();
  return (path) => {
    let found = known.get(path);
    if (found === undefined) known.set(path, found = real(path));
    return found;
  };
}

/** What is known of each engine, from one look at all. */
export function engineViews(
  runtime: ContainerRuntime,
  holdings: Holdings | null,
  containers: readonly RunningContainer[],
): (backend: string) => EngineSide {
  const images = new Map(
    (holdings?.images ?? []).map(({ name, id, backend }) => [`${backend} ${fullImage(name)}`, id]),
  );
  const neighbours = new Map(
    containers.flatMap(({ id, name, compose, backend }) =>
      compose === null ? [] : [[`${backend} ${id}`, { service: compose.service, name }]]
    ),
  );
  const kinds = new Map(runtime.backends().map(({ name, kind }) => [name, kind]));
  return (backend) => ({
    kind: kinds.get(backend) ?? "docker",
    neighbour: (id) => neighbours.get(`${backend} ${id}`),
    imageNow: (name) => images.get(`${backend} ${name}`),
  });
}

/** The view from one container: with the real paths of its folders and of those its unit names. */
export async function viewFor(
  of: Declared,
  container: InspectedContainer,
  engine: EngineSide,
  { real, digest, contents }: DiskSide,
): Promise<EngineView> {
  const binds = container.mounts.filter(({ type }) => type === "bind");
  const paths = [...binds.map(({ source }) => mapped(of.model, source)), ...bindsOf(of)];
  const places = new Map<string, string>();
  for (const path of paths) if (!places.has(path)) places.set(path, await real(path) ?? path);
  return {
    ...engine,
    digest,
    contents,
    mappedTo: (path) => mapped(of.model, path),
    realOf: (path) => places.get(path) ?? path,
  };
}

const compareText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0;

function replicasDrift(unit: Unit, containers: readonly RunningContainer[]): UnitDifference[] {
  if (unit.service === null) return [];
  // A unit that runs without an active profile was started with `--profile`.
  const desired = unit.service.active ? desiredOf(unit) : unit.service.replicas;
  if (desired === null || desired === containers.length) return [];
  return [{
    field: "replicas",
    container: null,
    declared: shownReplicas(unit) === null ? "(a variable)" : String(desired),
    seen: String(containers.length),
    at: valueAt(unit.value, "scale") ?? valueAt(unit.value, "deploy", "replicas") ?? unit.source,
  }];
}

const replicaNumber = ({ labels }: RunningContainer): number | null => {
  const number = Number(labels["com.docker.compose.container-number"] ?? "");
  return Number.isInteger(number) && number > 0 ? number : null;
};

const shown = (container: RunningContainer): UnitLive["containers"][number] => ({
  id: container.id,
  name: container.name,
  number: replicaNumber(container),
  state: container.state,
  health: container.health,
  exitCode: container.exitCode,
  condition: container.condition,
  startedAt: container.startedAt,
  backend: container.backend,
});

function ofGroup(group: Group, live: ReadonlyMap<string, UnitLive>, joining: Joining): UnitLive {
  const units = group.units.flatMap((unit) => live.get(unit.id) ?? []);
  const match = joining.joined.find((joined: Joined) => joined.group === group)?.match ?? null;
  return {
    verdict: worstOf(units.map(({ verdict }) => verdict)),
    state: groupStateOf(units),
    desired: units.reduce<number | null>(
      (sum, { desired }) => sum === null || desired === null ? null : sum + desired,
      0,
    ),
    match,
    containers: [],
    // Null only where none of its units was compared.
    drift: units.every(({ drift }) => drift === null) ? null : units.flatMap(({ drift }) => drift ?? []),
  };
}
