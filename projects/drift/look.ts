/** Looks at what runs for a workspace: asks the runtime, joins containers with units, and compares them. */

import type { ContainerRuntime, RunningContainer } from "../../core/runtime.ts";
import type { Group, Model } from "../../artifacts/artifact.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import {
  join,
  type Joined,
  type Joining,
  type RealPath,
  realPath,
  runningProjects,
} from "../../artifacts/live/join.ts";
import type { Drift, Match, UnitLive } from "../../artifacts/live/live.ts";
import { groupStateOf, shownDesired, stateOf } from "../../artifacts/live/state.ts";
import { verdictOf, worstOf } from "../../artifacts/live/verdict.ts";
import { locationOf } from "../../artifacts/position.ts";
import type { JudgedFinding } from "../../artifacts/rules/settings.ts";
import { compare, type Compared } from "./compare.ts";
import type { OwnSide } from "./contents.ts";
import { liveFindings, type UnitDifference } from "./findings.ts";
import { unreadReason } from "./unread.ts";

/** The containers that run for a workspace. */
export interface View {
  /** By the id of a unit or group. */
  readonly live: ReadonlyMap<string, UnitLive>;
  /** The same containers as lists show them, by the id of their unit. */
  readonly containers: ReadonlyMap<string, readonly RunningContainer[]>;
  readonly joining: Joining;
  readonly findings: readonly JudgedFinding[];
}

/** The scope of a look. */
export interface LookOptions {
  /** The ids of the only units to compare. */
  readonly only?: ReadonlySet<string>;
  readonly real?: RealPath;
  /** Compares berth's own labels, too. */
  readonly own?: OwnSide;
  readonly answers?: (port: number) => Promise<boolean>;
}

/** Returns true if anything listens at a TCP port of this host's loopback; false where connecting is not permitted. */
async function somethingAnswers(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port, signal: AbortSignal.timeout(300) })).close();
    return true;
  } catch {
    return false;
  }
}

/** Joins and compares. Without any engine every unit is `unknown`. */
export async function look(
  model: Model,
  runtime: ContainerRuntime | null,
  { only, real = realPath, own, answers = somethingAnswers }: LookOptions = {},
): Promise<View> {
  if (runtime === null || runtime.counts() === null) return nothingKnown(model);
  const containers = await runtime.containers();
  const joining = await join(model, runningProjects(containers), real);
  const byUnit = assign(model, joining, containers);
  const holdings = await runtime.holdings();
  const listed = new Map([...byUnit].map(([id, { containers }]) => [id, containers]));
  const compared = await compare(model, runtime, listed, { holdings, real, only, own });
  const unheard = runtime.unheard();
  const unread = new Map(model.groups.map((group) => [group.id, unreadReason(group)]));
  const live = new Map<string, UnitLive>();
  for (const unit of model.units) {
    const result = compared.get(unit.id);
    if (result !== undefined) leaveOut(result.gone, byUnit, unit.id);
    const own = byUnit.get(unit.id);
    const containers = own?.containers ?? [];
    const silence = silenceOf(containers, unheard);
    const seen = {
      state: stateOf(unit, containers),
      desired: shownDesired(unit),
      drift: driftOf(result) ?? (own === undefined ? [] : null),
      notCompared: (unit.group === null ? null : unread.get(unit.group)) ?? silence ?? reasonOf(result),
    };
    const isActive = unit.service?.active ?? true;
    live.set(unit.id, {
      verdict: verdictOf({ ...seen, isLastKnown: silence !== null }, isActive, containers),
      ...seen,
      ...(result !== undefined && result.remarks.length > 0 && { remarks: result.remarks.map(shownDrift) }),
      match: own?.match ?? null,
      containers: containers.map(shown),
    });
  }
  for (const group of mainGroups(model)) live.set(group.id, ofGroup(group, live, joining));
  const differences = new Map([...compared].map(([id, { differences }]) => [id, differences]));
  return {
    live,
    containers: new Map([...byUnit].map(([id, { containers }]) => [id, containers])),
    joining,
    findings: await liveFindings(model, joining, live, differences, { holdings, real, answers }),
  };
}

/** Containers that have gone since they were listed count as if they had never been. */
function leaveOut(gone: readonly RunningContainer[], byUnit: Map<string, Own>, id: string): void {
  const own = byUnit.get(id);
  if (own === undefined || gone.length === 0) return;
  const containers = own.containers.filter((one) => !gone.includes(one));
  if (containers.length > 0) byUnit.set(id, { ...own, containers });
  else byUnit.delete(id);
}

/** Returns why nobody can tell how containers of a unit are now; null where every engine in question answers. */
function silenceOf(
  containers: readonly RunningContainer[],
  unheard: ReadonlyMap<string, string>,
): string | null {
  if (unheard.size === 0) return null;
  const [silent] = containers.filter(({ backend }) => unheard.has(backend));
  if (silent !== undefined) {
    return `Engine "${silent.backend}" cannot be asked (${unheard.get(silent.backend)}): this was seen last`;
  }
  return containers.length === 0
    ? `It may run on an engine that cannot be asked: ${[...unheard.keys()].join(", ")}`
    : null;
}

/** Null where nothing was compared. */
function driftOf(result: Compared | undefined): Drift[] | null {
  if (result === undefined || (result.failures.length > 0 && result.differences.length === 0)) return null;
  return result.differences.map(shownDrift);
}

/** The difference behind each drift, for telling values: nothing of it is in an answer by itself. */
const behind = new WeakMap<Drift, UnitDifference>();

export const differenceBehind = (drift: Drift): UnitDifference | null => behind.get(drift) ?? null;

function shownDrift(difference: UnitDifference): Drift {
  const { field, container, declared, seen, at, mount } = difference;
  const drift: Drift = {
    field,
    container,
    declared,
    actual: seen,
    location: locationOf(at),
    ...(mount !== undefined && { mount }),
  };
  behind.set(drift, difference);
  return drift;
}

function reasonOf(result: Compared | undefined): string | null {
  const [first, ...others] = result?.failures ?? [];
  if (first === undefined) return null;
  return others.length === 0 ? first : `${first}, and ${others.length} more like it`;
}

function nothingKnown(model: Model): View {
  const live = new Map<string, UnitLive>();
  const unknown = {
    verdict: "unknown",
    state: "unknown",
    match: null,
    containers: [],
    drift: null,
    notCompared: "No engine answers",
  } as const;
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
    notCompared: units.find(({ notCompared }) => notCompared !== null)?.notCompared ?? null,
    // Null only where none of its units was compared.
    drift: units.every(({ drift }) => drift === null) ? null : units.flatMap(({ drift }) => drift ?? []),
  };
}
