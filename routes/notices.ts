/** Notices: targets that are told of incidents, and the messages that they did not take. */
import * as z from "../core/schema.ts";
import { ServiceError } from "../core/error.ts";
import type { Batch, NoticeRecord, NoticeStore } from "../core/notices.ts";
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
import type { Notices } from "../projects/notices/notices.ts";
import { IncidentKind } from "./incident_rows.ts";
import { assertUsable, NewNotice, Quiet, Told } from "./new_notice.ts";
import { NO_STORE } from "./tokens.ts";

/** Batches that are listed. */
const MOST_STUCK = 500;

const Notice = z.object({
  id: z.string().describe("The id to remove it by"),
  ...Told,
  host: z.string().describe("The host of its address, which is all that is shown of it"),
  tells: z.array(IncidentKind).describe("The kinds of incidents that it is told of"),
  on: z.array(z.string()).describe("The scopes that it is told of; empty for everything"),
  afterS: z.int().describe("Seconds for which an incident is open before it is told"),
  quiet: Quiet.nullable().describe("Hours in which nothing is sent"),
  createdBy: z.string().describe("The user or key that added it"),
  createdAt: z.iso.datetime().describe("When it was added"),
}).meta({ id: "Notice" });

const Id = z.object({ id: z.string().max(64).describe("The notice's id") });
const BatchId = z.object({ id: z.string().max(64).describe("The message's id") });
const PERMISSION = { permission: "notices:manage", subject: "everything" } as const;

const list = route({
  method: "get",
  path: "/notices",
  summary: "The targets that are told of incidents",
  description: "Addresses and secrets are never answered.",
  ...PERMISSION,
  answers: {
    200: json(
      z.object({ items: z.array(Notice).describe("The notices") }).meta({ id: "Notices" }),
      "By name",
    ),
  },
});

const add = route({
  method: "post",
  path: "/notices",
  summary: "Have a target told of incidents from now on",
  description:
    "Nothing is sent yet: `test` does. A message is sent again until the target has taken it. Incidents with the " +
    "cause `file` or `berth`, and stopped units, are told after an hour.",
  ...PERMISSION,
  proof: true,
  audited: "change",
  body: NewNotice,
  answers: {
    201: located(Notice, "The notice"),
    ...problems("forbidden", "sign_in_again", "notice_refused", "too_many_notices"),
  },
});

const remove = route({
  method: "delete",
  path: "/notices/{id}",
  summary: "Remove a notice, and all that waits for it",
  description: "A message that is under way may still arrive. An incident about its target is closed.",
  ...PERMISSION,
  audited: "change",
  params: Id,
  answers: { 204: empty("It is removed"), ...problems("notice_not_found") },
});

const test = route({
  method: "post",
  path: "/notices/{id}/test",
  summary: "Send a marked message to a target at once",
  description: "Answers what came of it. Nothing of the target's own answer but its status is shown.",
  ...PERMISSION,
  params: Id,
  answers: {
    200: json(
      z.object({
        taken: z.boolean().describe("True if the target has taken it"),
        status: z.int().nullable().describe(
          "The status that it answered, of HTTP or SMTP; null without an answer",
        ),
        problem: z.string().nullable().describe(
          "The reason that it was not taken, or the recipients of a mail that were refused while others were not",
        ),
        ms: z.int().describe("Milliseconds that it took"),
      }).meta({ id: "NoticeTest" }),
      "The end of the attempt",
    ),
    ...problems("notice_not_found"),
  },
});

const Stuck = z.object({
  id: z.string().describe("The message's id, as the target would get it"),
  notice: z.string().describe("The notice's id"),
  state: z.enum(["waiting", "told", "dead"]).describe("`waiting` is tried again; `dead` is not"),
  incidents: z.array(z.string()).describe("The ids of its incidents"),
  attempts: z.int().describe("Number of attempts"),
  problem: z.string().nullable().describe("The reason that the last attempt failed"),
  firstAt: z.string().describe("When it was first tried"),
  nextAt: z.string().describe("When it is tried again"),
}).meta({ id: "StuckNotice" });

const outbox = route({
  method: "get",
  path: "/notices/messages",
  summary: "Messages that a target has not taken yet",
  description: "A message is dead after 24 hours or three refusals. Dead ones are forgotten after 7 days.",
  ...PERMISSION,
  answers: {
    200: json(
      z.object({ items: z.array(Stuck).describe("The messages, 500 incidents at most") }).meta({
        id: "StuckNotices",
      }),
      "The oldest first",
    ),
  },
});

const retry = route({
  method: "post",
  path: "/notices/messages/{id}/retry",
  summary: "Send a message again from the beginning",
  description:
    "It keeps its id, and its attempts are counted anew. Its text is that of the moment at which it is sent.",
  ...PERMISSION,
  audited: "change",
  params: BatchId,
  answers: { 204: empty("It is tried again"), ...problems("notice_not_found") },
});

const drop = route({
  method: "delete",
  path: "/notices/messages/{id}",
  summary: "Give a message up",
  description: "The target is told nothing more of these incidents, also not of their end.",
  ...PERMISSION,
  audited: "change",
  params: BatchId,
  answers: { 204: empty("It is given up"), ...problems("notice_not_found") },
});

interface NoticeRoutes {
  readonly notices: Notices;
  readonly store: NoticeStore;
  /** The time by a clock that never steps, by which messages wait. */
  readonly steady: () => number;
}

export function noticeRoutes({ notices, store, steady }: NoticeRoutes): CoreRouter {
  const find = async (id: string): Promise<NoticeRecord> => {
    const found = (await notices.list()).find((one) => one.id === id);
    if (found === undefined) throw unknown();
    return found;
  };
  return router()
    .on(outbox, async () => reply(200, { items: (await store.stuck(MOST_STUCK)).map(shownBatch) }, NO_STORE))
    .on(retry, async (call) => {
      if (!await store.retry(call.params.id, steady(), call.entry())) throw unknown();
      return reply(204);
    })
    .on(drop, async (call) => {
      if (!await store.drop(call.params.id, call.entry())) throw unknown();
      return reply(204);
    })
    .on(list, async () => reply(200, { items: (await notices.list()).map(shown) }, NO_STORE))
    .on(add, async (call) => {
      assertUsable(call.body);
      const { secret = null, ca = null, quiet = null, ...asked } = call.body;
      const { kind, id, name } = call.principal;
      const made = await notices.add(
        { ...asked, secret, ca, quiet, by: { kind, id, name } },
        (record) => call.entry({ particulars: particularsOf(about(record)) }),
      );
      return reply(201, shown(made), { ...NO_STORE, location: `/api/notices/${made.id}` });
    })
    .on(remove, async (call) => {
      const known = await find(call.params.id);
      if (!await store.remove(known.id, call.entry({ particulars: particularsOf(about(known)) }))) {
        throw unknown();
      }
      return reply(204);
    })
    .on(test, async ({ params: { id } }) => {
      const { result, status, problem, ms } = await notices.test(await find(id));
      return reply(200, { taken: result === "taken", status, problem, ms });
    });
}

const unknown = () => new ServiceError("notice_not_found", "There is no such notice");

const about = ({ name, kind, host }: NoticeRecord) => ({ name, kind, host });

function shown({ by, at, sealed: _, tells, on, ...record }: NoticeRecord): z.input<typeof Notice> {
  return {
    ...record,
    tells: [...tells],
    on: [...on],
    createdBy: by.name,
    createdAt: new Date(at).toISOString(),
  };
}

function shownBatch(
  { id, notice, state, incidents, attempts, problem, firstAt, nextAt }: Batch,
): z.input<typeof Stuck> {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    id,
    notice,
    state,
    incidents: [...incidents],
    attempts,
    problem,
    firstAt: iso(firstAt),
    nextAt: iso(nextAt),
  };
}
