/** The verdicts of one workspace as incidents need them, judged as the overview judges them. */
import type { Model, Unit } from "../../artifacts/artifact.ts";
import type { Drift } from "../../artifacts/live/live.ts";
import type { Verdict } from "../../artifacts/live/verdict.ts";
import type { Elsewhere, IncidentField, IncidentKind, IncidentSubject } from "../../core/incidents.ts";
import { scopedProject } from "../../core/ownership.ts";
import type { ContainerRuntime, RunningContainer } from "../../core/runtime.ts";
import type { OwnSide } from "../drift/contents.ts";
import type { GroupLook } from "../drift/group_look.ts";
import { look } from "../drift/look.ts";

/** A subject with its state at one time. */
export interface Judged {
  readonly subject: IncidentSubject;
  /** Null while it is as it should be, `unknown` where nobody can tell. */
  readonly kind: IncidentKind | "unknown" | null;
  readonly fields: readonly IncidentField[];
  readonly containers: readonly RunningContainer[];
  /** Null for what no file declares. */
  readonly unit: Unit | null;
  /** Of a unit with a container that its own scopes do not reach. */
  readonly elsewhere?: Elsewhere;
}

/** Verdicts that open an incident, and the one that says nothing. */
const KINDS: Readonly<Partial<Record<Verdict, IncidentKind | "unknown">>> = {
  broken: "broken",
  differs: "differs",
  notStarted: "notStarted",
  stopped: "stopped",
  unknown: "unknown",
};

/** Fields of one incident. */
const MOST_FIELDS = 20;
/** Values that cannot be secrets, because they can be nothing but an amount. */
const AMOUNT = /^(?:-?\d+(?:\.\d+)? ?[A-Za-z%]{0,12}|\((?:no limit|not published|a variable)\))$/;
/** Fields of names and values that people choose. */
const FREE = /^(?:environment|labels|annotations|command|entrypoint|healthcheck|secrets|configs|sysctls)\b/;

/** By what was found of their group: it is the same object while nothing of the group changes. */
const known = new WeakMap<GroupLook, WeakMap<Unit, Judged>>();

/** Returns the state of every unit of the workspace: the same objects as before where nothing changed. */
export async function judge(
  workspace: string,
  model: Model,
  runtime: ContainerRuntime | null,
  own: OwnSide,
): Promise<Judged[]> {
  const { groups } = await look(model, runtime, { own });
  const looks = new Map(groups.map((one) => [one.group?.id ?? null, one]));
  return model.units.map((unit) => {
    const found = looks.get(unit.group);
    if (found === undefined) return judgeUnit(workspace, unit, null);
    let own = known.get(found);
    if (own === undefined) known.set(found, own = new WeakMap());
    let judged = own.get(unit);
    if (judged === undefined) own.set(unit, judged = judgeUnit(workspace, unit, found));
    return judged;
  });
}

function judgeUnit(workspace: string, unit: Unit, found: GroupLook | null): Judged {
  const seen = found?.live.get(unit.id);
  const verdict = seen === undefined ? "unknown" : seen.verdict;
  const running = found?.containers.get(unit.id) ?? [];
  return {
    subject: {
      kind: "unit",
      workspace,
      group: found?.group?.name ?? null,
      project: found?.group?.project ?? null,
      unit: unit.id,
      engine: running[0]?.backend ?? null,
      container: null,
    },
    kind: verdict === null ? null : KINDS[verdict] ?? null,
    fields: verdict === "differs" ? fieldsOf(seen?.drift ?? []) : [],
    containers: running,
    unit,
  };
}

function fieldsOf(drift: readonly Drift[]): IncidentField[] {
  const fields = new Map<string, IncidentField>();
  for (const { field, declared, actual, location } of drift) {
    if (fields.has(field) || fields.size === MOST_FIELDS) continue;
    const { file, range: { start: { line } } } = location;
    const isOpen = field === "image" || field.startsWith("ports") || field === "replicas" ||
      !FREE.test(field) && AMOUNT.test(declared) && AMOUNT.test(actual);
    fields.set(field, {
      field: field.slice(0, 200),
      ...(isOpen && { declared: declared.slice(0, 300), actual: actual.slice(0, 300) }),
      file,
      line,
    });
  }
  return [...fields.values()];
}

/** Returns the state of a container that no file declares: it counts only as broken. */
export function judgeUndeclared(container: RunningContainer, isBroken: boolean): Judged {
  return {
    subject: {
      kind: "container",
      workspace: null,
      group: null,
      project: scopedProject(container.compose),
      unit: null,
      engine: container.backend,
      container: container.name,
    },
    kind: isBroken ? "broken" : null,
    fields: [],
    containers: [container],
    unit: null,
  };
}
