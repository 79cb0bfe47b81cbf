/** Incidents as callers see them, and the open ones as every list marks them. */
import * as z from "../core/schema.ts";
import { type Principal, reachOf } from "../core/access.ts";
import {
  type Cause,
  CAUSE_KINDS,
  type Incident,
  INCIDENT_ENDS,
  INCIDENT_KINDS,
  type IncidentState,
  type IncidentStore,
  scopesOf,
  subjectKey,
} from "../core/incidents.ts";
import { mutedUntil, type MuteRecord, type MuteStore } from "../core/mutes.ts";
import { reachOfRunning } from "../core/runtime.ts";
import { Author } from "./author.ts";

const CauseKind = z.enum(CAUSE_KINDS).meta({ id: "IncidentCauseKind" });
const IncidentEnd = z.enum(INCIDENT_ENDS).meta({ id: "IncidentEnd" });
export const IncidentKind = z.enum(INCIDENT_KINDS).meta({ id: "IncidentKind" });
const IncidentSubjectKind = z.enum(["unit", "container", "engine", "workspace", "berth"])
  .meta({ id: "IncidentSubjectKind" });

const IncidentCause = z.object({
  kind: CauseKind.describe(
    "`outside`: through the engine, not through berth; `unknown`: no evidence",
  ),
  further: z.array(CauseKind).optional().describe("Further kinds that there is evidence of"),
  by: Author.optional().describe("The user or key that acted through berth, for callers with `audit:read`"),
  act: z.string().optional().describe("The act, as `stop` or `update`"),
  apply: z.string().optional().describe("The id of the apply"),
  file: z.string().optional().describe("The file that changed, below the workspace's folder"),
  line: z.int().optional().describe("The line of the field in it"),
  exitCode: z.int().optional().describe("The code that the container ended with"),
  signal: z.string().optional().describe("The signal that it was sent"),
  outOfMemory: z.literal(true).optional().describe("Only where the engine says that its memory ran out"),
  memoryLimit: z.int().optional().describe("Its limit of memory in bytes, where it was killed"),
  unhealthy: z.literal(true).optional().describe("Its health check fails"),
  reason: z.string().optional().describe("The engine's or the store's reason, in words"),
  units: z.int().optional().describe(
    "Of `firstWatch`: number of units, for callers who see the whole of berth",
  ),
  bad: z.int().optional().describe("Of `firstWatch`: number of subjects that were not as they should be"),
}).meta({ id: "IncidentCause" });

const State = {
  kind: IncidentKind.describe("A verdict of a unit, or the kind of another subject"),
  since: z.string().describe("When it began, as the best evidence says"),
  atLatest: z.boolean().describe("True if `since` is when berth noticed it: it may have begun earlier"),
  cause: IncidentCause.describe("The evidence of why"),
};

/** The open incident of a unit, as lists mark it. */
const MUTED = z.string().nullable().describe("Until when nobody is told of it; null where it is not muted");
export const IncidentMark = z.object({
  id: z.string().describe("The incident's id"),
  ...State,
  mutedUntil: MUTED,
})
  .meta({ id: "IncidentMark" });
export type IncidentMark = z.input<typeof IncidentMark>;

const Field = z.object({
  field: z.string().describe("The field that differs"),
  declared: z.string().optional().describe("As it is written; only of images, ports and amounts"),
  actual: z.string().optional().describe("As it runs; only of images, ports and amounts"),
  file: z.string().optional().describe("The file that declares it"),
  line: z.int().optional().describe("The line in it"),
}).meta({ id: "IncidentField" });

const Changing = { ...State, fields: z.array(Field).describe("The fields that differ, 20 at most") };

export const IncidentRow = z.object({
  id: z.string().describe("The incident's id"),
  subject: IncidentSubjectKind.describe("The kind of its subject"),
  workspace: z.string().nullable().describe("The workspace's id"),
  group: z.string().nullable().describe("The group's name"),
  project: z.string().nullable().describe("The Compose project"),
  unit: z.string().nullable().describe("The unit's id"),
  engine: z.string().nullable().describe("The engine's name"),
  container: z.string().nullable().describe("The name of a container that no file declares"),
  ...Changing,
  openedAt: z.string().describe("When berth opened it"),
  closedAt: z.string().nullable().describe("When it was well again; null while it is open"),
  end: IncidentEnd.nullable().describe(
    "`away`: it was well when berth came back; `undeclared`: its subject is gone",
  ),
  endings: z.int().describe("Number of times that a container of it ended"),
  atFirst: z.boolean().describe("True if it was there when berth watched for the first time"),
  lines: z.int().describe("Number of its lines"),
  mutedUntil: MUTED,
}).meta({ id: "Incident" });
export type IncidentRow = z.input<typeof IncidentRow>;

export const IncidentLine = z.object({
  at: z.string().describe("When berth noted it"),
  ...Changing,
}).meta({ id: "IncidentLine" });

const iso = (ms: number) => new Date(ms).toISOString();

/** Particulars that an answer may tell. */
export interface Told {
  /** The people who acted through berth. */
  readonly people: boolean;
  /** Numbers of all that is watched. */
  readonly numbers: boolean;
}

function shownCause(
  { by, units, bad, ...cause }: Cause,
  { people, numbers }: Told,
): z.input<typeof IncidentCause> {
  return {
    ...cause,
    ...(cause.further !== undefined && { further: [...cause.further] }),
    ...(people && by !== undefined && { by }),
    ...(numbers && units !== undefined && { units }),
    ...(numbers && bad !== undefined && { bad }),
  } as z.input<typeof IncidentCause>;
}

export const shownState = (
  { kind, since, atLatest, cause, fields }: IncidentState,
  told: Told,
) => ({ kind, since: iso(since), atLatest, cause: shownCause(cause, told), fields: [...fields] });

const isoOrNull = (ms: number | null) => ms === null ? null : iso(ms);

export function shownIncident(
  incident: Incident,
  told: Told,
  mutes: readonly MuteRecord[],
): IncidentRow {
  const { id, subject, openedAt, closedAt, end, endings, atFirst, lines } = incident;
  const { kind, ...rest } = subject;
  return {
    id,
    subject: kind,
    ...rest,
    ...shownState(incident, told),
    openedAt: iso(openedAt),
    closedAt: isoOrNull(closedAt),
    end,
    endings,
    atFirst,
    lines,
    mutedUntil: closedAt === null ? isoOrNull(mutedUntil(incident, mutes)) : null,
  };
}

const OF_HISTORY: ReadonlySet<Cause["kind"]> = new Set(["firstWatch", "unrecorded"]);

/** Returns a test of incidents that the caller may see: what runs takes the permission to see that, too. */
export function sightOf(principal: Principal): (incident: Incident) => boolean {
  const artifacts = reachOf(principal, "artifacts:read");
  const system = reachOf(principal, "system:read");
  const running = reachOfRunning(principal);
  return (incident) => {
    const { kind, workspace, project, engine } = incident.subject;
    switch (kind) {
      case "unit":
        return artifacts.has({ workspace, project }) && running.has(scopesOf(incident));
      case "container":
        return running.has({ engine, project });
      case "engine":
        return system.has({ engine });
      case "workspace":
        return artifacts.has({ workspace });
      case "berth":
        // Readers of the history have to know where it begins, and where it has a gap.
        return system.everywhere || OF_HISTORY.has(incident.cause.kind) && !artifacts.nowhere;
    }
  };
}

export const toldTo = (principal: Principal): Told => ({
  people: reachOf(principal, "audit:read").everywhere,
  numbers: reachOf(principal, "system:read").everywhere,
});

/** The open incidents of one moment. */
export interface OpenNow {
  /** Null as well where it is about containers that were started from elsewhere, and the caller sees none. */
  ofUnit(workspace: string, unit: string, seen: readonly unknown[]): IncidentMark | null;
}

interface KnownMark {
  readonly mark: IncidentMark;
  /** True if it is about containers that were started from elsewhere. */
  readonly isElsewhere: boolean;
  /** Both, to tell whether they changed. */
  readonly text: string;
}

/** The open incidents, as all replicas know them. */
export class OpenIncidents {
  #stamp = "";
  #known: OpenNow = { ofUnit: () => null };
  #marks: ReadonlyMap<string, KnownMark> = new Map();

  constructor(
    private readonly store: Pick<IncidentStore, "open" | "revision">,
    private readonly mutes: Pick<MuteStore, "list">,
    private readonly now: () => number,
  ) {}

  /** Returns them: the same object while none changed, and the same marks of those that did not. */
  async current(): Promise<OpenNow> {
    const mutes = await this.mutes.list(this.now());
    const stamp = `${await this.store.revision()} ${stampOf(mutes)}`;
    if (stamp === this.#stamp) return this.#known;
    const open = await this.store.open();
    const marks = new Map(open.map((one) => {
      const { fields: _, ...state } = shownState(one, { people: false, numbers: false });
      const mark: IncidentMark = { id: one.id, ...state, mutedUntil: isoOrNull(mutedUntil(one, mutes)) };
      const isElsewhere = one.elsewhere !== undefined;
      const key = subjectKey(one.subject);
      const text = JSON.stringify([mark, isElsewhere]);
      const before = this.#marks.get(key);
      return [key, before?.text === text ? before : { mark, isElsewhere, text }];
    }));
    this.#stamp = stamp;
    this.#marks = marks;
    return this.#known = {
      ofUnit: (workspace, unit, seen) => {
        const found = marks.get(`unit ${workspace} ${unit}`);
        return found === undefined || (found.isElsewhere && seen.length === 0) ? null : found.mark;
      },
    };
  }
}

/** Returns a text that changes with the mutes. */
export const stampOf = (mutes: readonly MuteRecord[]): string => mutes.map(({ id }) => id).join(",");
