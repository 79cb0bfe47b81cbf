/** Incidents: what was not as it should be, since when, and because of what. */
import * as z from "../core/schema.ts";
import type { Principal } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { Incident, IncidentQuery, IncidentStore } from "../core/incidents.ts";
import type { MuteRecord, MuteStore } from "../core/mutes.ts";
import { jsonText, membersOf } from "../core/json_text.ts";
import { count, text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import { feed } from "../http/live/feed.ts";
import { ListAsked, LiveLists, rowsMessage } from "../http/live/list.ts";
import { keyOf } from "./compared_answers.ts";
import {
  IncidentKind,
  IncidentLine,
  IncidentRow,
  shownIncident,
  shownState,
  sightOf,
  stampOf,
  type Told,
  toldTo,
} from "./incident_rows.ts";
import type { Feeds } from "./live_projects.ts";
import { placeIn, placeText } from "./place_in_time.ts";

/** Rows of the store that one answer reads at most, and those of one page. */
const MOST_READ = 10_000;
const PAGE = 500;
/** The feed has the open ones and those of the last week. */
const WEEK_MS = 7 * 86_400_000;
const MOST_FOLLOWED = 1_000;
const EVERY_MS = 500;

const ANY = { kind: null, workspace: null, group: null, unit: null } as const;

/** The field beside the rows of the feed. */
const BESIDE = {
  completeFrom: z.iso.datetime().nullable().describe(
    "The time before which incidents are left out, because there are too many; null while all are there",
  ),
};

const IncidentList = z.object({
  items: z.array(IncidentRow).describe("The newest first"),
  next: z.string().nullable().describe("The `before` of the next page; null on the last"),
}).meta({ id: "IncidentList" });

const list = route({
  method: "get",
  path: "/incidents",
  summary: "What was not as it should be, since when, and because of what",
  description:
    "Newest first. Incidents of units need `containers:read` on the project, too, those of containers that " +
    "no file declares `containers:read` alone, and those of engines and of berth itself `system:read`. While the " +
    "store takes nothing, an open incident with the cause `unrecorded` says so to all.",
  permission: "artifacts:read",
  subject: "listed",
  query: z.object({
    state: z.enum(["open", "closed"]).optional().describe("Only open or only closed ones"),
    kind: IncidentKind.optional().describe("Only of this kind"),
    workspace: text(200).optional().describe("Only of this workspace, by its id"),
    project: text(500).optional().describe(
      "Only of this project: `<group>@<workspace>`, or the group's name",
    ),
    unit: text(500).optional().describe("Only of this unit, by its id or name"),
    before: text(200).optional().describe("`next` of the page before"),
    limit: count(1, 500).default(50).describe("Maximum number of incidents"),
  }),
  answers: {
    200: json(IncidentList, "The incidents that the caller may see"),
    ...problems("invalid_request"),
  },
});

const IncidentDetail = IncidentRow.extend({
  history: z.array(IncidentLine).describe("Every change of it, the first 200, in order"),
}).meta({ id: "IncidentDetail" });

const one = route({
  method: "get",
  path: "/incidents/{id}",
  summary: "One incident with its lines",
  description:
    "Each change of verdict, fields or cause is one line. `by` names people to holders of `audit:read`.",
  permission: "artifacts:read",
  subject: "found",
  params: z.object({ id: text(100).describe("The incident's id") }),
  answers: { 200: json(IncidentDetail, "The incident"), ...problems("incident_not_found") },
});

interface IncidentRoutes {
  readonly store: IncidentStore;
  readonly mutes: Pick<MuteStore, "list">;
  readonly now: () => number;
}

export function incidents(
  { store, mutes, now }: IncidentRoutes,
): { readonly router: CoreRouter } & Feeds {
  const made = router()
    .on(list, async ({ query, principal, reach }) => {
      if (reach.nowhere) return reply(200, { items: [], next: null });
      return reply(200, await listed(store, query, principal, await mutes.list(now())));
    })
    .on(one, async ({ params: { id }, principal, reach }) => {
      const incident = reach.nowhere ? null : await store.get(id);
      if (incident === null || !sightOf(principal)(incident)) {
        throw new ServiceError("incident_not_found", "There is no such incident");
      }
      const told = toldTo(principal);
      const history = (await store.lines(id)).map(({ at, ...state }) => ({
        at: new Date(at).toISOString(),
        ...shownState(state, told),
      }));
      return reply(200, { ...shownIncident(incident, told, await mutes.list(now())), history });
    });
  return { router: made, ...incidentFeeds({ store, mutes, now }) };
}

type Query = z.output<NonNullable<typeof list.query>>;

async function listed(
  store: IncidentStore,
  { state, kind, workspace, project, unit, before, limit }: Query,
  principal: Principal,
  mutes: readonly MuteRecord[],
): Promise<z.input<typeof IncidentList>> {
  const sees = sightOf(principal);
  const told = toldTo(principal);
  const at = project?.lastIndexOf("@") ?? -1;
  const items: IncidentRow[] = [];
  let place = before === undefined ? null : placeIn(before, "incidents");
  for (let read = 0; read < MOST_READ;) {
    const found = await store.list({
      state: state ?? null,
      kind: kind ?? null,
      workspace: workspace ?? (at > 0 ? project!.slice(at + 1) : null),
      group: project === undefined ? null : at > 0 ? project.slice(0, at) : project,
      unit: unit === undefined || unit.startsWith("unit:") ? unit ?? null : `unit:${unit}`,
      since: null,
      before: place,
      limit: PAGE,
    });
    for (const incident of found) {
      place = { at: incident.openedAt, id: incident.id };
      if (sees(incident)) items.push(shownIncident(incident, told, mutes));
      if (items.length === limit) return { items, next: placeText(place) };
    }
    if (found.length < PAGE) return { items, next: null };
    read += found.length;
  }
  return { items, next: place === null ? null : placeText(place) };
}

function incidentFeeds({ store, mutes, now }: IncidentRoutes): Feeds {
  const lists = new LiveLists();
  const followed = feed({
    name: "incidents",
    summary:
      "Open incidents and those of the last seven days, as `GET /api/incidents` has them, 1,000 at most: the open ones " +
      "first, and then those that ended last",
    permission: "artifacts:read",
    asked: ListAsked,
    told: () => ({ rows: rowsMessage(IncidentRow, BESIDE) }),
    run: (subscription) => {
      const { principal, reach, asked } = subscription;
      const sees = sightOf(principal);
      const told = toldTo(principal);
      const key = keyOf({ principal, reach, question: ["incidents", JSON.stringify(told)] });
      const list = lists.of(key, () => {
        let last = "";
        return {
          everyMs: EVERY_MS,
          read: async () => {
            const muted = await mutes.list(now());
            const stamp = `${await store.revision()} ${stampOf(muted)}`;
            if (stamp === last) return null;
            last = stamp;
            const { shown, completeFrom } = await followedBy(store, sees, now());
            return {
              rows: new Map(shown.map((one) => rowOf(one, told, muted))),
              beside: membersOf(jsonText({ completeFrom: isoOrNull(completeFrom) })),
            };
          },
        };
      });
      return list.follow(subscription, "rows", asked.since);
    },
  });
  return { feeds: [followed], [Symbol.dispose]: () => lists[Symbol.dispose]() };
}

interface Followed {
  readonly shown: readonly Incident[];
  /** The time before which some are left out; null while all are there. */
  readonly completeFrom: number | null;
}

/** Returns what the caller sees of the open incidents, and of those that ended last. */
async function followedBy(
  store: IncidentStore,
  sees: (incident: Incident) => boolean,
  now: number,
): Promise<Followed> {
  const open = await seenOf(store, sees, { state: "open", since: null });
  const closed = await seenOf(store, sees, { state: "closed", since: now - WEEK_MS });
  const latest = closed.found.toSorted((one, other) => other.closedAt! - one.closedAt!); // they are closed
  const shown = [...open.found, ...latest].slice(0, MOST_FOLLOWED);
  if (open.isCut || closed.isCut || open.found.length > MOST_FOLLOWED) return { shown, completeFrom: now };
  return { shown, completeFrom: latest[shown.length - open.found.length]?.closedAt ?? null };
}

/** Reads page after page: what the caller may not see takes no room of what they see. */
async function seenOf(
  store: IncidentStore,
  sees: (incident: Incident) => boolean,
  asked: Pick<IncidentQuery, "state" | "since">,
): Promise<{ readonly found: readonly Incident[]; readonly isCut: boolean }> {
  const found: Incident[] = [];
  let before: IncidentQuery["before"] = null;
  for (let read = 0; read < MOST_READ; read += PAGE) {
    const page: readonly Incident[] = await store.list({ ...ANY, ...asked, before, limit: PAGE });
    found.push(...page.filter(sees));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return { found, isCut: false };
    before = { at: last.openedAt, id: last.id };
  }
  return { found, isCut: true };
}

const isoOrNull = (ms: number | null) => ms === null ? null : new Date(ms).toISOString();

const rowOf = (one: Incident, told: Told, mutes: readonly MuteRecord[]) =>
  [one.id, jsonText(shownIncident(one, told, mutes))] as const;
