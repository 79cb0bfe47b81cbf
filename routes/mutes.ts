/** Mutes: incidents of which nobody is told for a while, as during a backup. */
import * as z from "../core/schema.ts";
import { type Reach, Scope, type Subject } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { INCIDENT_KINDS, type IncidentStore, scopesOf } from "../core/incidents.ts";
import type { MuteRecord, MuteStore } from "../core/mutes.ts";
import {
  type CoreRouter,
  empty,
  json,
  located,
  particularsOf,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import { IncidentKind, sightOf } from "./incident_rows.ts";

const MOST_MUTES = 200;
const LEAST_S = 60;
/** Seven days: what is muted for ever is forgotten for ever. */
const MOST_S = 7 * 86_400;

const Mute = z.object({
  id: z.string().describe("The id to end it by"),
  on: Scope.nullable().describe("The muted scope; null where it is one incident"),
  unit: z.string().nullable().describe("Only this unit of the scope, by its id"),
  incident: z.string().nullable().describe("The id of the muted incident"),
  kinds: z.array(IncidentKind).describe("Only incidents of these kinds; empty for all"),
  until: z.iso.datetime().describe("When it ends"),
  createdBy: z.string().describe("The user or key that muted it"),
  createdAt: z.iso.datetime().describe("When it was muted"),
}).meta({ id: "Mute" });

const NewMute = z.strictObject({
  on: Scope.optional().describe("The scope to mute: an engine, a workspace or a project"),
  unit: z.string().min(1).max(500).optional().describe("Only this unit of the scope, by its id or name"),
  incident: z.string().min(1).max(100).optional().describe("The id of one incident, instead of a scope"),
  kinds: z.array(IncidentKind).max(INCIDENT_KINDS.length).default([]).describe(
    "Only incidents of these kinds; all if left out",
  ),
  forS: z.int().min(LEAST_S).max(MOST_S).describe("Seconds until it ends by itself, 7 days at most"),
}).meta({ id: "NewMute", examples: [{ on: "project:shop", forS: 1_800 }] });

const PERMISSION = { permission: "incidents:mute" } as const;

const list = route({
  method: "get",
  path: "/mutes",
  summary: "The mutes that have not ended",
  description: "Incidents go on while they are muted, and are listed; only notices are not sent.",
  ...PERMISSION,
  subject: "listed",
  answers: {
    200: json(
      z.object({ items: z.array(Mute).describe("The mutes") }).meta({ id: "Mutes" }),
      "Those whose scope the caller may mute, the earliest end first",
    ),
  },
});

const add = route({
  method: "post",
  path: "/mutes",
  summary: "Tell nobody of a scope or an incident for a while",
  description:
    "Incidents are opened and shown as always; notices hold back what is muted. What is well again by the end of the " +
    "mute is never told, unless its beginning was.",
  ...PERMISSION,
  subject: "found",
  audited: "change",
  body: NewMute,
  answers: {
    201: located(Mute, "The mute"),
    ...problems("forbidden", "incident_not_found", "mute_refused", "too_many_mutes"),
  },
});

const end = route({
  method: "delete",
  path: "/mutes/{id}",
  summary: "End a mute",
  description: "Incidents that are still open and were not told are told now.",
  ...PERMISSION,
  subject: "found",
  audited: "change",
  params: z.object({ id: z.string().max(64).describe("The mute's id") }),
  answers: { 204: empty("It has ended"), ...problems("mute_not_found") },
});

interface MuteRoutes {
  readonly mutes: MuteStore;
  readonly incidents: Pick<IncidentStore, "get">;
  readonly now: () => number;
}

export function muteRoutes({ mutes, incidents, now }: MuteRoutes): CoreRouter {
  /** Returns true if the caller may mute all that the mute is on. */
  const may = async (reach: Reach, { on, incident }: Pick<MuteRecord, "on" | "incident">) => {
    if (on !== null) return reach.has(subjectOf(on));
    const found = incident === null ? null : await incidents.get(incident);
    return found !== null && (found.subject.kind === "berth" ? reach.everywhere : reach.has(scopesOf(found)));
  };
  return router()
    .on(list, async ({ reach }) => {
      const items: z.input<typeof Mute>[] = [];
      if (reach.nowhere) return reply(200, { items });
      for (const one of await mutes.list(now())) if (await may(reach, one)) items.push(shown(one));
      return reply(200, { items });
    })
    .on(add, async (call) => {
      const { body, principal, reach } = call;
      assertUsable(body);
      const { on = null, unit, incident = null, kinds, forS } = body;
      const found = incident === null ? null : await incidents.get(incident);
      if (incident !== null && (found === null || !sightOf(principal)(found))) {
        throw new ServiceError("incident_not_found", "There is no such incident");
      }
      if (!await may(reach, { on, incident })) {
        throw new ServiceError(
          "forbidden",
          `Cannot mute ${on ?? "the incident"}: this needs the permission "incidents:mute" on it`,
        );
      }
      const { kind, id, name } = principal;
      const record: MuteRecord = {
        id: crypto.randomUUID(),
        on,
        unit: unit === undefined || unit.startsWith("unit:") ? unit ?? null : `unit:${unit}`,
        incident,
        kinds,
        until: now() + forS * 1_000,
        by: { kind, id, name },
        at: now(),
      };
      await mutes.add(record, MOST_MUTES, now(), call.entry({ particulars: particularsOf(about(record)) }));
      return reply(201, shown(record), { location: `/api/mutes/${record.id}` });
    })
    .on(end, async (call) => {
      const known = (await mutes.list(now())).find(({ id }) => id === call.params.id);
      if (known === undefined || !await may(call.reach, known)) throw unknown();
      const entry = call.entry({ particulars: particularsOf(about(known)) });
      if (!await mutes.remove(known.id, entry)) throw unknown();
      return reply(204);
    });
}

/** Throws `mute_refused` for what no schema can say. */
function assertUsable({ on, unit, incident }: z.infer<typeof NewMute>): void {
  const why = (on === undefined) === (incident === undefined)
    ? "name either a scope (`on`) or an incident"
    : incident !== undefined && unit !== undefined
    ? "a unit goes with a scope, not with an incident"
    : on?.startsWith("label:") === true
    ? "incidents have no labels: use an engine, a workspace or a project as scope"
    : null;
  if (why !== null) throw new ServiceError("mute_refused", `Cannot mute it: ${why}`);
}

/** Returns the subject whose parts are those of the scope alone. */
function subjectOf(scope: string): Subject {
  const [kind = "", name] = scope.split(/:(.*)/s);
  return { [kind]: name };
}

const unknown = () => new ServiceError("mute_not_found", "There is no such mute");

const about = ({ on, unit, incident, until }: MuteRecord) => ({
  ...(on !== null && { on }),
  ...(unit !== null && { unit }),
  ...(incident !== null && { incident }),
  until: new Date(until).toISOString(),
});

const shown = ({ by, at, until, kinds, ...rest }: MuteRecord): z.input<typeof Mute> => ({
  ...rest,
  kinds: [...kinds],
  until: new Date(until).toISOString(),
  createdBy: by.name,
  createdAt: new Date(at).toISOString(),
});
