/** Looks at what runs for a workspace: asks the runtime, joins containers with units, and compares them. */

import type { Group, Model } from "../../artifacts/artifact.ts";
import { join, type Joining, type RealPath, realPath, runningProjects } from "../../artifacts/live/join.ts";
import type { UnitLive } from "../../artifacts/live/live.ts";
import { shownDesired } from "../../artifacts/live/state.ts";
import type { JudgedFinding } from "../../artifacts/rules/settings.ts";
import { NO_SERVICES } from "../../core/running_services.ts";
import type { ContainerRuntime, RunningContainer } from "../../core/runtime.ts";
import { assign, bundlesOf, type Own } from "./bundles.ts";
import { compare } from "./compare.ts";
import { contentsOf, type OwnSide } from "./contents.ts";
import { liveFindings } from "./findings.ts";
import { type GroupLook, judged } from "./group_look.ts";
import { type Asked, rememberedLook, rememberLook } from "./remembered_groups.ts";
import { rememberedJoins } from "./remembered_joins.ts";
import { engineViews } from "./views.ts";

/** The containers that run for a workspace. */
export interface View {
  /** By the id of a unit or group. */
  readonly live: ReadonlyMap<string, UnitLive>;
  /** The same containers as lists show them, by the id of their unit. */
  readonly containers: ReadonlyMap<string, readonly RunningContainer[]>;
  readonly joining: Joining;
  /** What was found of each group, and of the units without one: the same objects as before where nothing changed. */
  readonly groups: readonly GroupLook[];
  /** Returns every live finding of the workspace, with settings applied. */
  readonly findings: () => Promise<JudgedFinding[]>;
}

/** The scope of a look. */
export interface LookOptions {
  /** The ids of the only units to compare. */
  readonly only?: ReadonlySet<string>;
  readonly real?: RealPath;
  /** Compares berth's own labels, too. */
  readonly own?: OwnSide;
  /** Returns true if something listens at a TCP port of this host, for findings. */
  readonly answers?: (port: number) => Promise<boolean>;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Returns true if anything listens at a TCP port of this host's loopback; false where connecting is not permitted. */
async function somethingAnswers(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port, signal: AbortSignal.timeout(300) })).close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Joins and compares, and judges those groups anew that may be other ones than at the last look. Without any engine
 * every unit is `unknown`.
 */
export async function look(
  model: Model,
  runtime: ContainerRuntime | null,
  options: LookOptions = {},
): Promise<View> {
  if (runtime === null || runtime.counts() === null) return nothingKnown(model);
  const { real = realPath, answers = somethingAnswers } = options;
  const containers = await runtime.containers();
  const joining = await join(model, runningProjects(containers), real, rememberedJoins(model));
  const holdings = await runtime.holdings();
  const groups = await groupLooks(model, runtime, { ...options, real, containers, joining, holdings });
  const live = merged(groups, ({ live }) => live);
  return {
    live,
    containers: merged(groups, ({ containers }) => containers),
    joining,
    groups,
    findings: () => {
      const differences = merged(groups, ({ differences }) => differences);
      const services = runtime.services?.() ?? NO_SERVICES;
      return liveFindings(model, joining, live, differences, { holdings, services, real, answers });
    },
  };
}

function merged<Value>(
  groups: readonly GroupLook[],
  of: (group: GroupLook) => ReadonlyMap<string, Value>,
): Map<string, Value> {
  const all = new Map<string, Value>();
  for (const group of groups) for (const [id, value] of of(group)) all.set(id, value);
  return all;
}

interface Looking extends Pick<LookOptions, "only" | "own"> {
  readonly real: RealPath;
  readonly containers: readonly RunningContainer[];
  readonly joining: Joining;
  readonly holdings: Awaited<ReturnType<ContainerRuntime["holdings"]>>;
}

async function groupLooks(model: Model, runtime: ContainerRuntime, looking: Looking): Promise<GroupLook[]> {
  const { only, own, real, containers, joining, holdings } = looking;
  const unheard = runtime.unheard();
  const bundles = bundlesOf(model, joining.joined, containers, runtime.services?.().items);
  const rows = bundles.flatMap(({ rows }) => rows);
  const engines = await engineViews(runtime, holdings, rows, model);
  const digest = own?.digest ?? null;
  const around = [engines.sign, JSON.stringify([...unheard]), model.root, digest];
  const looks: (GroupLook | undefined)[] = [];
  const stale: { readonly at: number; readonly asked: Asked; readonly byUnit: Map<string, Own> }[] = [];
  for (const [at, bundle] of bundles.entries()) {
    const found = contentsNow(bundle.group, own);
    const contents = found instanceof Promise ? await found : found;
    const asked: Asked = { bundle, model, around, engine: engines.of, disk: { digest, contents } };
    looks[at] = only === undefined ? rememberedLook(asked) : undefined;
    if (looks[at] === undefined) stale.push({ at, asked, byUnit: assign(bundle) });
  }
  const compared = await compare(model, runtime, {
    units: stale.flatMap(({ asked }) => asked.bundle.units),
    containersOf: new Map(
      stale.flatMap(({ byUnit }) => [...byUnit].map(([id, { containers }]) => [id, containers] as const)),
    ),
    contentsOf: new Map(stale.map(({ asked }) => [asked.bundle.group, asked.disk.contents])),
    engine: engines.of,
    digest,
    real,
    only,
  });
  for (const { at, asked, byUnit } of stale) {
    const found = looks[at] = judged(asked.bundle, byUnit, compared, unheard, model);
    // A container that was not found may be there again under the same row.
    const isWhole = asked.bundle.units.every(({ id }) => (compared.get(id)?.gone.length ?? 0) === 0);
    if (only === undefined && isWhole) rememberLook(asked, found);
  }
  return looks as GroupLook[]; // those that were not remembered were made
}

/** Returns the digests of what the files of a group hold; waits only for groups that have such files. */
function contentsNow(
  group: Group | null,
  own: OwnSide | undefined,
): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>> {
  const hasSome = group?.resources.some(({ kind }) => kind === "secret" || kind === "config") === true;
  return own === undefined || !hasSome ? NOTHING : contentsOf(group, own);
}

function nothingKnown(model: Model): View {
  const unknown = {
    verdict: "unknown",
    state: "unknown",
    match: null,
    containers: [],
    drift: null,
    notCompared: "No engine answers",
  } as const;
  const groups = bundlesOf(model, [], []).map(({ group, units, joined }): GroupLook => {
    const live = new Map<string, UnitLive>(
      units.map((unit) => [unit.id, { ...unknown, containers: [], desired: shownDesired(unit) }]),
    );
    if (group?.standing === "main") live.set(group.id, { ...unknown, containers: [], desired: null });
    return { group, live, containers: new Map(), joined, differences: new Map() };
  });
  return {
    live: merged(groups, ({ live }) => live),
    containers: new Map(),
    joining: { joined: [], ambiguous: [], strangers: [] },
    groups,
    findings: () => Promise.resolve([]),
  };
}
