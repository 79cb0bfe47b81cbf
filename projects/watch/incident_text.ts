/** An incident in plain words, for the command line and for notices. */
import type { Cause, Incident, IncidentField, IncidentKind, IncidentSubject } from "../../core/incidents.ts";

const DONE: Readonly<Record<string, string>> = {
  stop: "stopped",
  kill: "killed",
  remove: "removed",
  destroy: "removed",
  create: "made",
  update: "changed",
  rename: "renamed",
  connect: "connected with a network",
  disconnect: "disconnected from a network",
};

/** Returns the subject by the name that people know it by. */
export function subjectText({ kind, workspace, unit, engine, container }: Pick<
  IncidentSubject,
  "kind" | "workspace" | "unit" | "engine" | "container"
>): string {
  switch (kind) {
    case "unit":
      return (unit ?? "").replace(/^unit:/, "");
    case "container":
      return `container ${container} on ${engine}`;
    case "engine":
      return `engine ${engine}`;
    case "workspace":
      return `folder ${workspace}`;
    case "berth":
      return "berth";
  }
}

const KINDS: Readonly<Record<IncidentKind, string>> = {
  broken: "broken",
  differs: "differs",
  notStarted: "not started",
  stopped: "stopped",
  engine: "does not answer",
  workspace: "cannot be read",
  berth: "needs attention",
};

/** Returns the state, with the fields that differ. */
export function stateText(kind: IncidentKind, fields: readonly IncidentField[]): string {
  const [first, ...others] = fields;
  if (kind !== "differs" || first === undefined) return KINDS[kind];
  const { field, declared, actual } = first;
  const values = declared === undefined || actual === undefined ? "" : ` ${declared} → ${actual}`;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `differs: ${field}${values}${more}`;
}

/** Returns how an incident ended. What is gone was not made well. */
export function endText(
  { end, subject }: Pick<Incident, "end"> & { subject: Pick<IncidentSubject, "kind"> },
): string {
  if (end === "away") return "well again while berth was away";
  if (end !== "undeclared") return "well again";
  const { kind } = subject;
  return kind === "unit" ? "no longer declared" : kind === "workspace" ? "no longer registered" : "gone";
}

/** Returns the cause, which is evidence or nothing. */
export function causeText(cause: Cause): string {
  const by = cause.by === undefined ? "" : ` by ${cause.by.name}`;
  switch (cause.kind) {
    case "apply":
      return `an apply${by}`;
    case "berth":
      return `${DONE[cause.act ?? ""] ?? "changed"} through berth${by}`;
    case "file":
      return `${cause.file}${cause.line === undefined ? "" : `:${cause.line}`} changed${by}`;
    case "image":
      return "the name of its image means another image now";
    case "outside":
      return `${DONE[cause.act ?? ""] ?? "changed"} outside berth`;
    case "ended":
      return endedText(cause);
    case "engine":
      return cause.reason ?? "no answer";
    case "firstWatch":
      return cause.units === undefined
        ? "berth began to watch"
        : `berth began to watch ${cause.units} units; ${cause.bad ?? 0} incidents were there already`;
    case "unrecorded":
      return `nothing could be recorded: ${cause.reason ?? "the store was away"}`;
    case "unknown":
      return "cause unknown";
  }
}

function endedText({ unhealthy, outOfMemory, exitCode, memoryLimit }: Cause): string {
  const limit = memoryLimit === undefined ? "" : `${Math.round(memoryLimit / 1024 / 1024 * 10) / 10} MiB`;
  if (unhealthy === true) return "its health check fails";
  if (outOfMemory === true) return `out of memory${limit === "" ? "" : ` at its limit of ${limit}`}`;
  // Without proof nobody says that memory was the reason.
  if (exitCode === 137) return `killed (137)${limit === "" ? "" : `, limit ${limit}`}`;
  return exitCode === undefined ? "ended by itself" : `ended by itself with ${exitCode}`;
}
