/** Applies: plans that are carried out, how far each of them is, and what a person says to it. */
import * as z from "../core/schema.ts";
import { type Reach, reachOf } from "../core/access.ts";
import { APPLY_STATES, type ApplyRecord } from "../core/applies.ts";
import { ServiceError } from "../core/error.ts";
import type { Call } from "../http/declare/call.ts";
import { followedAnswer } from "../http/declare/followed_answer.ts";
import { count, text } from "../http/declare/query.ts";
import {
  type CoreRouter,
  json,
  located,
  particularsOf,
  problems,
  raw,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import { type Applies, unknownApply } from "../projects/apply/applies.ts";
import { Apply, ApplyEvent, ApplyRequest, ApplyResume, ApplySummary } from "../projects/apply/apply_shape.ts";
import { workOf } from "../projects/apply/work.ts";
import { applierOf, type AppliesRoutes, beginApply, isGrave, subjectOf } from "./apply_start.ts";

const Id = z.object({ id: text(100).describe("The apply's id") });

const begin = route({
  method: "post",
  path: "/plans/{id}/apply",
  summary: "Carry a plan out, exactly as it was shown",
  description:
    "Answers as soon as the apply has begun. The apply continues whether or not a client listens. Refused where files or engine " +
    "moved since, and where the caller lacks what a step needs.",
  permission: "projects:apply",
  subject: "found",
  params: z.object({ id: text(100).describe("The plan's id") }),
  body: ApplyRequest.optional(),
  particulars: ({ body }) =>
    particularsOf({ steps: body?.steps, confirm: body?.confirm, basis: body?.basis?.declared }),
  answers: {
    202: located(Apply, "It has begun"),
    ...problems(
      "invalid_request",
      "forbidden",
      "sign_in_again",
      "plan_not_found",
      "plan_blocked",
      "plan_stale",
      "apply_running",
      "workspace_not_found",
      "workspace_unavailable",
      "artifact_not_found",
      "engine_unavailable",
    ),
  },
});

const ApplyList = z.object({
  items: z.array(ApplySummary).describe("The newest first"),
  next: z.string().nullable().describe("The cursor of the next page; null on the last"),
}).meta({ id: "ApplyList" });

const list = route({
  method: "get",
  path: "/applies",
  summary: "Past and running applies",
  description:
    "Lists applies, newest first, filtered by workspace, group or state. `next` is the cursor of the " +
    "following page.",
  permission: "projects:plan",
  subject: "listed",
  query: z.object({
    workspace: text(200).optional().describe("Of this workspace, by its id"),
    group: text(300).optional().describe("Of this group"),
    state: z.enum(APPLY_STATES).optional().describe("In this state"),
    limit: count(1, 200).default(50).describe("Maximum number of applies"),
    cursor: text(200).optional().describe("`next` of the page before"),
  }),
  answers: { 200: json(ApplyList, "The applies that the caller may see"), ...problems("invalid_request") },
});

const read = route({
  method: "get",
  path: "/applies/{id}",
  summary: "One apply, with all of its steps",
  description: "Returns the apply with the state of every step. Use `/events` to follow it while it runs.",
  permission: "projects:plan",
  subject: "found",
  params: Id,
  answers: { 200: json(Apply, "The apply"), ...problems("apply_not_found") },
});

const events = route({
  method: "get",
  path: "/applies/{id}/events",
  summary: "The events of an apply, from its beginning to its end",
  description:
    "Server-sent events; lines of JSON where `Accept` asks for NDJSON. Each that stands in the journal has its place " +
    "there as `id`, and `Last-Event-ID` or `after` resumes behind it without loss. A comment (an empty line of NDJSON) " +
    "every 15 s shows that the stream is alive. What containers and hooks said takes `containers:logs`, too.",
  permission: "projects:plan",
  subject: "found",
  headers: ["Last-Event-ID"],
  params: Id,
  query: z.object({
    after: count(0, 1_000_000_000).optional().describe("The place in the journal to go on behind"),
  }),
  answers: {
    200: raw("The events, ended by `end`", {
      "text/event-stream": ApplyEvent,
      "application/x-ndjson": ApplyEvent,
    }),
    ...problems("apply_not_found"),
  },
});

const word = (verb: string, summary: string, description: string) =>
  route({
    method: "post",
    path: `/applies/{id}/${verb}`,
    summary,
    description,
    permission: "projects:apply",
    subject: "found",
    audited: "change",
    params: Id,
    answers: {
      200: json(Apply, "The apply, as it is now"),
      ...problems("apply_not_found", "apply_over", "apply_running"),
    },
  });

const cancel = word(
  "cancel",
  "Begin no further step: what is in hand is finished, or turned back",
  "A container that is being replaced either reaches its new state or gets the old one back. Steps that are done stay done.",
);
const resume = route({
  method: "post",
  path: "/applies/{id}/resume",
  summary: "Let a paused apply go on, with the caller's own rights",
  description:
    "For an apply that is `paused`, with `reason`. It continues under the name of the caller and needs " +
    "the permissions of the caller from here on. `hooks` answers what berth cannot know.",
  permission: "projects:apply",
  subject: "found",
  audited: "change",
  params: Id,
  body: ApplyResume.optional(),
  particulars: ({ body }) => particularsOf({ hooks: body?.hooks }),
  answers: {
    200: json(Apply, "The apply, as it is now"),
    ...problems("invalid_request", "apply_not_found", "apply_over", "sign_in_again"),
  },
});
const abandon = word(
  "abandon",
  "Give an apply up: only a swap in hand is finished, or turned back",
  "For a paused apply that nobody wants to resume. The group is free for another apply afterwards.",
);

export function applyRoutes(options: AppliesRoutes): CoreRouter {
  const { applies } = options;
  /** Throws `apply_not_found`, also for one that is out of reach. */
  const found = async (id: string, reach: Reach): Promise<ApplyRecord> => {
    const record = await applies.record(id);
    if (!reach.has(subjectOf(record))) throw unknownApply();
    return record;
  };
  return router()
    .on(begin, async (call) => {
      const apply = await beginApply(
        options,
        {
          params: call.params,
          principal: call.principal,
          reach: call.reach,
          applier: applierOf(call),
          mustBeProved: () => call.mustBeProved(),
        },
        ApplyRequest.parse(call.body ?? {}),
      );
      return reply(202, apply, { location: `/api/applies/${apply.id}` });
    })
    .on(list, async ({ query: { workspace, group, state, limit, cursor }, reach }) => {
      const items: ApplySummary[] = [];
      let before = cursor === undefined ? null : cursorOf(cursor);
      // Applies out of scope are skipped, a page at a time.
      for (let isMore = true; isMore && items.length <= limit;) {
        const page = await applies.list({
          before,
          limit: limit + 1,
          workspace: workspace ?? null,
          group: group ?? null,
          state: state ?? null,
        });
        items.push(...page.filter((one) => reach.has(subjectOf(one))));
        const last = page.at(-1);
        isMore = page.length > limit && last !== undefined;
        if (last !== undefined) before = placeOf(last);
      }
      const shown = items.slice(0, limit);
      const last = shown.at(-1);
      const next = items.length > limit && last !== undefined ? `${placeOf(last).at}.${last.id}` : null;
      return reply(200, { items: shown, next });
    })
    .on(read, async ({ params, reach }) => {
      await found(params.id, reach);
      return reply(200, await applies.get(params.id));
    })
    .on(events, async (call) => {
      const subject = subjectOf(await found(call.params.id, call.reach));
      return stream(applies, call, reachOf(call.principal, "containers:logs").has(subject));
    })
    .on(cancel, async (call) => {
      await found(call.params.id, call.reach);
      return reply(200, await applies.ask(call.params.id, "cancel", applierOf(call)));
    })
    .on(resume, async (call) => {
      const { plan, steps } = workOf(await found(call.params.id, call.reach));
      if (isGrave(options, plan, steps)) await call.mustBeProved();
      return reply(200, await applies.resume(call.params.id, applierOf(call), call.body ?? {}));
    })
    .on(abandon, async (call) => {
      await found(call.params.id, call.reach);
      return reply(200, await applies.ask(call.params.id, "abandon", applierOf(call)));
    });
}

const placeOf = ({ createdAt, id }: ApplySummary) => ({ at: Date.parse(createdAt), id });

function cursorOf(text: string): { readonly at: number; readonly id: string } {
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text) ?? [];
  if (at === undefined || id === undefined) {
    throw new ServiceError("invalid_request", "The cursor is not one of ours", {
      errors: [{ path: "query.cursor", message: "Expected `next` of the page before" }],
    });
  }
  return { at: Number(at), id };
}

function stream(
  applies: Applies,
  { params, query, request, ending }: Call<
    { readonly id: string },
    { readonly after?: number | undefined },
    undefined
  >,
  maySeeLogs: boolean,
): Response {
  const last = request.headers.get("last-event-id");
  const after = query.after ?? (last !== null && /^\d{1,10}$/.test(last) ? Number(last) : 0);
  const isLines = request.headers.get("accept")?.includes("application/x-ndjson") === true;
  const left = new AbortController();
  const found = applies.follow(params.id, after, AbortSignal.any([ending, left.signal]));
  const write = isLines ? asLine : asEvent;
  const texts = async function* () {
    for await (const event of found) yield write(maySeeLogs ? event : withoutOutput(event));
  };
  return followedAnswer(texts(), {
    type: isLines ? "application/x-ndjson" : "text/event-stream",
    leave: () => left.abort(),
  });
}

/** Leaves out what containers and hooks said, with a remark in its place. */
function withoutOutput(event: ApplyEvent): ApplyEvent {
  return event.kind === "log"
    ? { ...event, lines: ['Output is shown to callers with the permission "containers:logs"'] }
    : event;
}

const asLine = (event: ApplyEvent): string => `${JSON.stringify(event)}\n`;

const asEvent = (event: ApplyEvent): string =>
  `${"id" in event ? `id: ${event.id}\n` : ""}event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
