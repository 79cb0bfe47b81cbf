/** Endings: how containers ended, and what they said last, also when they are gone. */
import * as z from "../core/schema.ts";
import type { Principal, Reach } from "../core/access.ts";
import { type EndingQuery, type EndingRecord, type EndingStore, WORDS_STATES } from "../core/endings.ts";
import { ServiceError } from "../core/error.ts";
import type { Incident, IncidentStore } from "../core/incidents.ts";
import { reachOfRunning } from "../core/runtime.ts";
import type { TextSeal } from "../core/text_seal.ts";
import { count, text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import { openWords } from "../projects/watch/ending_words.ts";
import { sightOf } from "./incident_rows.ts";
import { placeIn, type PlaceInTime, placeText } from "./place_in_time.ts";
import { NO_STORE } from "./tokens.ts";

/** Rows of the store that one answer reads at most, and those of one page. */
const MOST_READ = 10_000;
const PAGE = 500;
/**
 * A loop may have begun this long before its incident: the one before it is closed after a minute of being well. The end
 * of one may be heard a little later.
 */
const BEFORE_MS = 55_000;
const AFTER_MS = 2_000;

const WordsState = z.enum(WORDS_STATES).meta({ id: "LastWordsState" });

const EndingRow = z.object({
  id: z.string().describe("The ending's id"),
  at: z.iso.datetime().describe("When berth heard of it"),
  engine: z.string().describe("The engine's name"),
  container: z.string().describe("The container's name"),
  containerId: z.string().describe("The container's id"),
  workspace: z.string().nullable().describe("The workspace's id; null for what no file declares"),
  group: z.string().nullable().describe("The group's name"),
  unit: z.string().nullable().describe("The unit's id"),
  project: z.string().nullable().describe("The Compose project"),
  exitCode: z.int().nullable().describe("The code that it ended with; null where the engine does not tell"),
  outOfMemory: z.boolean().describe("True only where the engine says that its memory ran out"),
  words: WordsState.describe(
    "The state of its last words: `kept`; `none`, it was empty; `removedTooSoon`, the container was gone before the " +
      "engine could be asked; `unreadable`, the engine did not tell it; `forgotten`, it gave way to newer ones",
  ),
  more: z.int().describe("Further endings after this one that were only counted, in a restart loop"),
}).meta({ id: "ContainerEnding" });
type EndingRow = z.input<typeof EndingRow>;

const list = route({
  method: "get",
  path: "/endings",
  summary: "How containers ended, also those that are gone",
  description: "Newest first. Of a restart loop the first three are kept, and then one a minute.",
  permission: "containers:read",
  subject: "listed",
  query: z.object({
    workspace: text(200).optional().describe("Only of this workspace, by its id"),
    unit: text(500).optional().describe("Only of this unit, by its id or name"),
    container: text(300).optional().describe("Only of this container, by its name or whole id"),
    incident: text(100).optional().describe("Only those of this incident, by its id"),
    before: text(200).optional().describe("`next` of the page before"),
    limit: count(1, 500).default(50).describe("Maximum number of endings"),
  }),
  answers: {
    200: json(
      z.object({
        items: z.array(EndingRow).describe("The newest first"),
        next: z.string().nullable().describe("The `before` of the next page; null on the last"),
      }).meta({ id: "ContainerEndings" }),
      "The endings that the caller may see",
    ),
    ...problems("invalid_request", "incident_not_found"),
  },
});

const log = route({
  method: "get",
  path: "/endings/{id}/log",
  summary: "What a container said last",
  description: "The end of its log, 64 KiB and 500 lines at most, with secrets masked.",
  permission: "containers:logs",
  subject: "found",
  params: z.object({ id: text(100).describe("The ending's id") }),
  answers: {
    200: json(
      z.object({
        words: WordsState.describe("The state of its last words"),
        lines: z.array(z.string()).describe("The last lines of its log, each masked and cut"),
        isCut: z.boolean().describe("True if the log has more than is kept of it"),
        health: z.string().describe("The last output of its health check; empty without one"),
      }).meta({ id: "LastWords" }),
      "Its last words",
    ),
    ...problems("ending_not_found"),
  },
});

interface EndingRoutes {
  readonly endings: EndingStore;
  readonly incidents: Pick<IncidentStore, "get">;
  readonly seal: TextSeal;
}

export function endingRoutes({ endings, incidents, seal }: EndingRoutes): CoreRouter {
  return router()
    .on(list, async ({ query, principal, reach }) => {
      if (reach.nowhere) return reply(200, { items: [], next: null });
      const { workspace = null, container = null, unit, before, limit } = query;
      const asked: EndingQuery = {
        workspace,
        container,
        unit: unit === undefined || unit.startsWith("unit:") ? unit ?? null : `unit:${unit}`,
        engine: null,
        from: null,
        to: null,
        before: before === undefined ? null : placeIn(before, "endings"),
        limit,
      };
      const of = query.incident === undefined ? {} : await ofIncident(incidents, query.incident, principal);
      return reply(200, await listed(endings, { ...asked, ...of }, principal));
    })
    .on(log, async ({ params: { id }, reach }) => {
      const found = reach.nowhere ? null : await endings.get(id);
      if (found === null || !seesIn(reach)(found.ending)) {
        throw new ServiceError("ending_not_found", "There is no such ending");
      }
      const { ending: { words }, sealed } = found;
      const opened = sealed === null ? null : await openWords(seal, id, sealed);
      const nothing = { lines: [], isCut: false, health: "" };
      // What another key has sealed is lost.
      const state = opened === null && words === "kept" ? "forgotten" : words;
      const { lines, ...said } = opened ?? nothing;
      return reply(200, { words: state, lines: [...lines], ...said }, NO_STORE);
    });
}

const seesIn = (reach: Reach) => ({ engine, startedFrom, project }: EndingRecord) =>
  reach.has({ engine, workspace: startedFrom, project });

/** Returns the part of a question that means the endings of one incident. Throws `incident_not_found`. */
async function ofIncident(
  store: Pick<IncidentStore, "get">,
  id: string,
  principal: Principal,
): Promise<Partial<EndingQuery>> {
  const incident = await store.get(id);
  if (incident === null || !sightOf(principal)(incident)) {
    throw new ServiceError("incident_not_found", "There is no such incident");
  }
  const time = { from: incident.since - BEFORE_MS, to: endOf(incident) };
  const { kind, workspace, unit, engine, container } = incident.subject;
  if (kind === "unit") return { ...time, workspace, unit };
  // No other subject has containers that end.
  return kind === "container" ? { ...time, engine, container } : { ...time, container: "" };
}

const endOf = ({ closedAt }: Incident): number | null => closedAt === null ? null : closedAt + AFTER_MS;

async function listed(
  store: EndingStore,
  query: EndingQuery,
  principal: Principal,
): Promise<{ readonly items: EndingRow[]; readonly next: string | null }> {
  const sees = seesIn(reachOfRunning(principal));
  const items: EndingRow[] = [];
  let place: PlaceInTime | null = query.before;
  for (let read = 0; read < MOST_READ;) {
    const found = await store.list({ ...query, before: place, limit: PAGE });
    for (const ending of found) {
      place = ending;
      const { startedFrom: _, ...shown } = ending;
      if (sees(ending)) items.push({ ...shown, at: new Date(ending.at).toISOString() });
      if (items.length === query.limit) return { items, next: placeText(ending) };
    }
    if (found.length < PAGE) return { items, next: null };
    read += found.length;
  }
  return { items, next: place === null ? null : placeText(place) };
}
