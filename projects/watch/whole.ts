/** Engines and workspaces as subjects, and the record of the first watch. */
import {
  BERTH_SUBJECT,
  type IncidentChange,
  type IncidentKind,
  type IncidentState,
  type IncidentSubject,
} from "../../core/incidents.ts";
import type { Workspace } from "../../core/workspace.ts";
import type { Moment } from "./book.ts";
import type { Judged } from "./judge.ts";

const whole = (subject: Partial<IncidentSubject>, kind: IncidentKind | null): Judged => ({
  subject: { ...BERTH_SUBJECT, ...subject },
  kind,
  fields: [],
  containers: [],
  unit: null,
});

export const judgeEngine = (engine: string, isUp: boolean): Judged =>
  whole({ kind: "engine", engine }, isUp ? null : "engine");

export const judgeWorkspace = ({ id, state }: Workspace): Judged =>
  state === "reading" ? { ...whole({ kind: "workspace", workspace: id }, null), kind: "unknown" } : whole(
    { kind: "workspace", workspace: id },
    state === "missing" || state === "unreadable" ? "workspace" : null,
  );

/** The record of the first watch, which is over at once: what was there before has no beginning that berth knows. */
export function firstWatch(judged: readonly Judged[], { at }: Moment): IncidentChange {
  const units = judged.filter(({ subject }) => subject.kind === "unit");
  const bad = judged.filter(({ kind }) => kind !== null && kind !== "unknown").length;
  const state: IncidentState = {
    kind: "berth",
    since: at,
    atLatest: false,
    cause: { kind: "firstWatch", units: units.length, bad },
    fields: [],
  };
  return {
    incident: {
      ...state,
      id: crypto.randomUUID(),
      subject: { ...BERTH_SUBJECT, container: "watch" },
      openedAt: at,
      closedAt: at,
      end: "well",
      endings: 0,
      atFirst: true,
      lines: 1,
    },
    line: { at, ...state },
  };
}
