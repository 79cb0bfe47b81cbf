/** Sessions to look at and to end: your own, and those of others for callers who manage people. */
import * as z from "../core/schema.ts";
import type { Access } from "../auth/access.ts";
import { EVERYTHING, may, type Principal } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { SessionRecord } from "../core/access_store.ts";
import { sessionIn } from "../core/credential.ts";
import { text } from "../http/declare/query.ts";
import { type CoreRouter, empty, json, problems, reply, route, router } from "../http/declare/router.ts";
import { NO_STORE } from "./tokens.ts";

const Session = z.object({
  id: z.string().describe("The session's id"),
  current: z.boolean().describe("True for the session of this request"),
  device: z.string().nullable().describe("Name that the browser or program gives itself"),
  peer: z.string().nullable().describe("The address it was opened from"),
  createdAt: z.iso.datetime().describe("When it began"),
  lastUsedAt: z.iso.datetime().describe("When it was last used"),
  expiresAt: z.iso.datetime().describe("When it ends unless it is used"),
  provedAt: z.iso.datetime().nullable().describe("When its owner last proved who they are"),
}).meta({ id: "Session" });

const Whose = z.object({
  person: text(64).optional()
    .describe("The id of another person, for callers with `people:manage`; your own if left out"),
});

const list = route({
  method: "get",
  path: "/auth/sessions",
  summary: "One's own sessions, or those of a person",
  description:
    "Lists the caller's own sessions. With `person`, a caller with `people:manage` lists those of " +
    "somebody else.",
  permission: "any",
  query: Whose,
  answers: {
    200: json(
      z.object({
        items: z.array(Session).describe("The sessions"),
        total: z.int().describe("Number of all sessions"),
      }),
      "The one used last comes first",
    ),
    ...problems("forbidden", "not_found"),
  },
});

const endAll = route({
  method: "delete",
  path: "/auth/sessions",
  summary: "End all one's other sessions, or all those of a person",
  description:
    "Ends all sessions of the caller except the one of this request. With `person`, a caller with " +
    "`people:manage` ends all sessions of somebody else.",
  permission: "any",
  audited: "change",
  query: Whose,
  answers: {
    200: json(
      z.object({ ended: z.int().describe("Number of sessions that were ended") }),
      "Number of sessions that were ended, without the one of this request",
    ),
    ...problems("forbidden", "not_found"),
  },
});

const end = route({
  method: "delete",
  path: "/auth/sessions/{id}",
  summary: "End a session, with its tokens and streams",
  description:
    "Ends one session of the caller, or of anybody if the caller has `people:manage`. Its streams and " +
    "sockets close.",
  permission: "any",
  audited: "change",
  params: z.object({ id: z.string().max(64).describe("The session's id") }),
  answers: { 204: empty("It has ended"), ...problems("not_found", "forbidden") },
});

export function sessionRoutes({ access }: { readonly access: Access }): CoreRouter {
  const { sessions, people, keys } = access;

  /** Returns the holder whose sessions are meant, if the caller may manage them. */
  async function holderOf(person: string | undefined, principal: Principal): Promise<string> {
    if (person === undefined || person === principal.id) return principal.id;
    mustManage(principal);
    await people.mustBeWithin(person, principal, "see to the sessions of");
    return person;
  }

  return router()
    .on(list, async ({ query, principal, source }) => {
      const found = await sessions.list(await holderOf(query.person, principal));
      const items = found.map((session) => shown(session, sessionIn(source)));
      return reply(200, { items, total: items.length }, NO_STORE);
    })
    .on(endAll, async (call) => {
      const holder = await holderOf(call.query.person, call.principal);
      const keep = sessionIn(call.source);
      const ended = await sessions.endAll(holder, keep, call.entry());
      return reply(200, { ended });
    })
    .on(end, async (call) => {
      const { params: { id }, principal } = call;
      const holder = await sessions.holderOf(id);
      const owner = holder === null ? null : holder.kind === "user" ? holder.account.id : holder.key.id;
      if (owner !== principal.id) {
        // A caller who may not see others' sessions does not learn which exist.
        if (owner === null || !may(principal, "people:manage", EVERYTHING)) throw noSuchSession();
        if (holder?.kind === "user") await people.mustBeWithin(owner, principal, "end the session of");
        if (holder?.kind === "apiKey") keys.mustHold(holder.key, principal, "end a session of");
      }
      if (!await sessions.end(id, call.entry())) throw noSuchSession();
      return reply(204);
    });
}

function mustManage(principal: Principal): void {
  if (!may(principal, "people:manage", EVERYTHING)) {
    throw new ServiceError(
      "forbidden",
      'Cannot see to the sessions of others: that needs the permission "people:manage"',
    );
  }
}

function noSuchSession(): ServiceError {
  return new ServiceError("not_found", "Cannot end the session: there is none with that id");
}

function shown(session: SessionRecord, own: string | null): z.input<typeof Session> {
  const { id, device, peer, createdAt, lastUsedAt, expiresAt, provedAt } = session;
  return {
    id,
    current: id === own,
    device,
    peer,
    createdAt: time(createdAt),
    lastUsedAt: time(lastUsedAt),
    expiresAt: time(expiresAt),
    provedAt: provedAt === 0 ? null : time(provedAt),
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
