/** One row for each project: those of files with what runs of them, and those that only run. */
import * as z from "../core/schema.ts";
import { Valued } from "../artifacts/live/live.ts";
import { Verdict, VERDICT_OF } from "../artifacts/live/verdict.ts";
import { Condition, Stopped } from "../core/condition.ts";
import { type JsonText, jsonText } from "../core/json_text.ts";
import { textHash } from "../core/text_hash.ts";
import type { Holdings, RunningContainer } from "../core/runtime.ts";
import {
  byVerdict,
  type ComparedProject,
  type Comparison,
  Counts,
  countsOf,
  OverviewUnit,
  rank,
} from "./compared.ts";
import type { Ignored } from "./ignored.ts";
import { IncidentMark } from "./incident_rows.ts";
import { WorkspaceRef } from "../core/workspace.ts";

/** Ports of one project. */
export const MOST_PORTS = 20;

/** Containers of one project whose verdict is told. */
const MOST_MARKS = 1_000;

const Reason = z.object({
  unit: z.string().describe("The unit with the worst verdict, by its name in the project"),
  difference: z.object({
    field: z.string().describe("The field that differs"),
    declared: z.string().describe("As it is written"),
    ...Valued,
    actual: z.string().describe("As it runs"),
  }).nullable().describe("The first difference; null where the verdict is for another reason"),
  container: z.object({
    condition: Condition.describe("Its condition by itself"),
    health: z.string().nullable().describe("Result of its health check"),
    healthOutput: z.string().nullable().describe("The output of its health check, masked and cut"),
    exitCode: z.int().nullable().describe("The code it last ended with"),
    restartCount: z.int().describe("Number of restarts by the engine since its last start"),
    reason: z.string().nullable().describe("The engine's reason why it does not run"),
  }).nullable().describe("Its container that is not well; null where none is"),
  stopped: Stopped.nullable().describe("Its stopped container; null unless that is the verdict"),
  away: z.object({
    engine: z.string().describe("Its name"),
    since: z.string().nullable().describe("When it last answered; null where it was away from the start"),
  }).nullable().describe("The engine that does not answer; null unless that is why it is unknown"),
  notCompared: z.string().nullable().describe(
    "The reason that something could not be compared; null otherwise",
  ),
  more: z.int().describe("Number of further differences in the project"),
}).meta({ id: "ProjectReason" });

export const ProjectRow = z.object({
  id: z.string().describe(
    "`<group>@<workspace>`; `<project>@engine:<name>` or `<stack>@swarm:<cluster>` for one that only runs",
  ),
  name: z.string().describe("The group's name, or the project's"),
  project: z.string().describe("Docker's name of the project"),
  workspace: WorkspaceRef.nullable().describe("The place of its declaration; null for one that only runs"),
  folder: z.string().nullable().describe(
    "Below the workspace's root; of one that only runs, the folder that its labels name",
  ),
  engines: z.array(z.string()).describe("The engines that its containers are on"),
  swarm: z.string().nullable().describe(
    "The name of the swarm that it runs on as a stack; null for all others",
  ),
  verdict: Verdict.describe("The verdict of its worst unit"),
  counts: Counts.describe("Its units by verdict, and its containers that no unit declares"),
  differences: z.int().describe("Number of fields of its units that differ"),
  incident: IncidentMark.nullable().describe("The open incident of its worst unit that has one"),
  running: z.int().describe("Number of its containers that run"),
  desired: z.int().nullable().describe("Number of containers that should run; null while unknown"),
  reason: Reason.nullable().describe("The reason of its verdict; null where the verdict says it all"),
  ports: z.array(z.int()).describe(`Published ports of the host, ${MOST_PORTS} at most`),
  newer: z.int().describe("Number of its units that a newer image is there for; see `GET /api/updates`"),
  ignored: z.boolean().describe("True if people have put it aside; never of a declared one"),
  conflict: z.string().nullable().describe("The id of another project that engines know by the same name"),
  marks: z.record(z.string(), Verdict).describe(
    "The verdicts of its units that their containers do not have by themselves, by the service that a container's " +
      `labels name, or by the name of one without, ${MOST_MARKS} at most; a container that is broken by itself stays so`,
  ),
  revision: z.string().describe(
    "Another one when something of the project is, in this row or in its details",
  ),
}).meta({ id: "ProjectRow" });
export type ProjectRow = z.input<typeof ProjectRow>;
export type MadeRow = Omit<ProjectRow, "conflict" | "revision">;

/** When an engine that does not answer last did, by its name. */
export type Away = ReadonlyMap<string, string | null>;

/** An engine that is away explains nothing of a project whose files cannot be read. */
const NOWHERE: Away = new Map();

export const LooseContainers = z.object({
  engine: z.string().describe("The engine's name"),
  containers: z.array(z.string()).describe("Names of containers that belong to no project, 200 at most"),
  total: z.int().describe("Number of them"),
  ignored: z.array(z.string()).describe("Names of further ones that people have put aside, 200 at most"),
}).meta({ id: "LooseContainers" });
export type LooseContainers = z.input<typeof LooseContainers>;
const MOST_LOOSE = 200;

type Ports = ReadonlyMap<string, readonly number[]>;

const keyOf = ({ backend, id }: Pick<RunningContainer, "backend" | "id">) => `${backend} ${id}`;

/** Returns the published ports of each container. */
export function portsOf(holdings: Pick<Holdings, "ports"> | null): Ports {
  const found = new Map<string, number[]>();
  for (const { container, backend, host } of holdings?.ports ?? []) {
    const key = keyOf({ backend, id: container });
    const known = found.get(key);
    if (known === undefined) found.set(key, [host]);
    else if (!known.includes(host)) known.push(host);
  }
  return found;
}

/** The facts of a row that are not in its project. */
interface Beside {
  readonly ports: Ports;
  readonly away: Away;
  readonly newer: number;
}

/** The ports of a container are as it is itself, so that the project stands for them. */
const madeRows = new WeakMap<ComparedProject, { readonly from: string; readonly row: MadeRow }>();

/** Returns the row of a declared project: the same object while nothing that it is made of changed. */
export function declaredRow(
  project: ComparedProject,
  declared: Comparison["declared"],
  beside: Beside,
): MadeRow {
  const { ports, away, newer } = beside;
  const strays = project.containers.filter((one) => !declared.has(one)).length;
  const from = JSON.stringify([strays, newer, [...away], ports.size === 0]);
  const known = madeRows.get(project);
  if (known?.from === from) return known.row;
  const row = madeRow(project, strays, beside);
  madeRows.set(project, { from, row });
  return row;
}

function madeRow(
  { workspace, group, units, containers }: ComparedProject,
  strays: number,
  { ports, away, newer }: Beside,
): MadeRow {
  const [worst] = units.toSorted(byVerdict);
  const differences = units.reduce((sum, { differences }) => sum + differences, 0);
  return {
    id: `${group.name}@${workspace.id}`,
    name: group.name,
    project: group.project,
    workspace,
    folder: group.folder,
    verdict: worst?.verdict ?? "asWritten",
    counts: countsOf(units, strays),
    differences,
    desired: units.reduce<number | null>(
      (sum, { desired }) => sum === null || desired === null ? null : sum + desired,
      0,
    ),
    reason: worst === undefined ? null : reasonOf(worst, differences, group.incomplete ? NOWHERE : away),
    incident: units.toSorted(byVerdict).find(({ incident }) => incident !== null)?.incident ?? null,
    marks: marksOf(units, containers),
    newer,
    ignored: false,
    ...withServices(sightOf(containers, ports), units),
  };
}

/** Verdicts that say more with a reason. */
const REASONED: readonly Verdict[] = ["broken", "differs", "stopped", "notStarted", "unknown"];

function reasonOf(unit: OverviewUnit, differences: number, away: Away): ProjectRow["reason"] {
  const { verdict, drift, containers, notCompared } = unit;
  if (!REASONED.includes(verdict)) return null;
  const [first] = verdict === "differs" ? drift : [];
  const bad = verdict === "broken" ? containers.find(({ condition }) => condition !== "running") : undefined;
  const still = verdict === "stopped" ? containers.find(({ stopped }) => stopped !== null) : undefined;
  return {
    unit: unit.name.slice(unit.name.indexOf(".") + 1),
    difference: first === undefined ? null : {
      field: first.field,
      declared: first.declared,
      ...(first.resolved !== undefined && { resolved: first.resolved }),
      ...(first.from !== undefined && { from: first.from }),
      actual: first.actual,
    },
    container: bad === undefined ? null : {
      condition: bad.condition,
      health: bad.health,
      healthOutput: bad.healthOutput,
      exitCode: bad.exitCode,
      restartCount: bad.restartCount,
      reason: bad.reason,
    },
    stopped: still?.stopped ?? null,
    away: verdict === "unknown" ? awayOf(containers, away) : null,
    notCompared,
    more: Math.max(0, differences - (first === undefined ? 0 : 1)),
  };
}

/** Returns the engine that has the containers; without any, the first on which there may be some. */
function awayOf(containers: OverviewUnit["containers"], away: Away) {
  const engine = containers.length === 0
    ? [...away.keys()].sort()[0]
    : containers.find(({ backend }) => away.has(backend))?.backend;
  return engine === undefined ? null : { engine, since: away.get(engine) ?? null };
}

function marksOf(
  units: readonly OverviewUnit[],
  containers: readonly RunningContainer[],
): MadeRow["marks"] {
  const services = new Map(containers.map((one) => [keyOf(one), one.compose?.service]));
  const marks = units.flatMap(({ verdict, containers }) =>
    containers.flatMap((one) => {
      const own = VERDICT_OF[one.condition];
      if (own === "broken" || own === verdict) return [];
      return [[services.get(keyOf(one)) ?? one.name, verdict] as const];
    })
  );
  return Object.fromEntries(marks.slice(0, MOST_MARKS));
}

/** Returns the rows of projects that run and are in no file. */
export function undeclaredRows(
  containers: readonly RunningContainer[],
  ports: Ports,
  ignored: Ignored,
): MadeRow[] {
  const labelled = containers.filter(({ compose }) => compose !== null);
  const projects = Map.groupBy(labelled, ({ backend, compose }) => `${compose!.project}@engine:${backend}`);
  return [...projects].map(([id, own]): MadeRow => {
    const [{ backend: engine, compose }] = own as [RunningContainer]; // every group has one
    const { project, workingDir } = compose!; // only labelled ones are grouped
    return {
      id,
      name: project,
      project,
      workspace: null,
      folder: workingDir,
      verdict: "undeclared",
      counts: countsOf([], own.length),
      differences: 0,
      desired: null,
      reason: null,
      incident: null,
      marks: {},
      newer: 0,
      ignored: ignored.has({ engine, kind: "project", name: project }),
      swarm: null,
      ...sightOf(own, ports),
    };
  });
}

/** Returns the containers without a project, by their engine. */
export function looseContainers(
  containers: readonly RunningContainer[],
  ignored: Ignored,
): LooseContainers[] {
  const loose = Map.groupBy(containers.filter(({ compose }) => compose === null), ({ backend }) => backend);
  return [...loose].map(([engine, own]) => {
    const names = own.map(({ name }) => name).sort();
    const aside = names.filter((name) => ignored.has({ engine, kind: "container", name }));
    const shown = names.filter((name) => !aside.includes(name));
    return {
      engine,
      containers: shown.slice(0, MOST_LOOSE),
      total: shown.length,
      ignored: aside.slice(0, MOST_LOOSE),
    };
  }).sort((one, other) => one.engine < other.engine ? -1 : 1);
}

/** Adds the tasks of units that run as services. */
function withServices(sight: ReturnType<typeof sightOf>, units: readonly OverviewUnit[]) {
  const services = units.flatMap(({ service }) => service ?? []);
  return {
    ...sight,
    swarm: services[0]?.cluster ?? null,
    running: services.reduce((sum, { running }) => sum + running, sight.running),
  };
}

function sightOf(containers: readonly RunningContainer[], ports: Ports) {
  const published = new Set(containers.flatMap((one) => ports.get(keyOf(one)) ?? []));
  return {
    engines: [...new Set(containers.map(({ backend }) => backend))].sort(),
    running: containers.filter(({ state }) => state === "running").length,
    ports: [...published].sort((a, b) => a - b).slice(0, MOST_PORTS),
  };
}

/** What a list remembers of one row for the next. */
interface Finished {
  readonly made: MadeRow;
  /** All that the row stands for, by identity. */
  readonly detail: readonly unknown[];
  readonly hash: string;
  readonly row: ProjectRow;
}

export type Finishes = ReadonlyMap<string, Finished>;

/**
 * Returns the rows with what they say of each other, and with their revisions. Rows that have not changed since `before` are
 * the same objects, and all others share a new revision: a random text in each of 1,000 rows would be a third of the
 * compressed answer.
 */
export function finished(
  rows: readonly MadeRow[],
  detailOf: (id: string) => readonly unknown[],
  before: Finishes,
): { readonly rows: ProjectRow[]; readonly finishes: Finishes } {
  const byId = rows.toSorted((one, other) => one.id < other.id ? -1 : 1);
  const named = Map.groupBy(byId, ({ project }) => project);
  const now = Date.now().toString(36);
  const finishes = new Map<string, Finished>();
  const all = rows.map((made): ProjectRow => {
    const conflict = named.get(made.project)!.find(({ id }) => id !== made.id)?.id ?? null; // its own is in there
    const detail = detailOf(made.id);
    const known = before.get(made.id);
    const isSame = known !== undefined && isEqual(known.made, made) && known.row.conflict === conflict &&
      known.detail.length === detail.length && known.detail.every((one, at) => one === detail[at]);
    const finish = isSame ? known : finishedRow(made, conflict, detail, { known, now });
    finishes.set(made.id, finish);
    return finish.row;
  });
  return { rows: all, finishes };
}

/** Rows of projects that only run are made each time. */
const isEqual = (one: MadeRow, other: MadeRow): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

function finishedRow(
  made: MadeRow,
  conflict: string | null,
  detail: readonly unknown[],
  { known, now }: { readonly known: Finished | undefined; readonly now: string },
): Finished {
  const hash = textHash(JSON.stringify([made, conflict, detail])).join(" ");
  const row = known?.hash === hash ? known.row : { ...made, conflict, revision: now };
  return { made, detail, hash, row };
}

const texts = new WeakMap<ProjectRow, JsonText>();

/** Returns the text of a row, which is written once. */
export function textOfRow(row: ProjectRow): JsonText {
  let text = texts.get(row);
  if (text === undefined) texts.set(row, text = jsonText(row));
  return text;
}

/** By verdict, then by how many units have it, then by name. */
export function byWorst(one: ProjectRow, other: ProjectRow): number {
  return rank(one.verdict) - rank(other.verdict) ||
    other.counts[other.verdict] - one.counts[one.verdict] || (one.id < other.id ? -1 : 1);
}
