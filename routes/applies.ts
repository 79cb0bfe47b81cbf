/** Applies: plans that are carried out, how far each of them is, and what a person says to it. */
import { z } from "zod";
import { may, type Principal, type Reach, reachOf } from "../core/access.ts";
import { APPLY_STATES, type ApplyRecord } from "../core/applies.ts";
import { ServiceError } from "../core/error.ts";
import type { Scope } from "../core/scope.ts";
import type { Call } from "../http/declare/call.ts";
import { count, text } from "../http/declare/query.ts";
import {
  type CoreRouter,
  json,
  particularsOf,
  problems,
  raw,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import { type Applier, type Applies, unknownApply } from "../projects/apply/applies.ts";
import { Apply, ApplyEvent, ApplyRequest, ApplyResume, ApplySummary } from "../projects/apply/apply_shape.ts";
import { type Work, workOf } from "../projects/apply/work.ts";
import type { Need } from "../projects/plan/plan_shape.ts";
import { assertStill, type KnownPlan, noPlan, Plans } from "../projects/plan/plans.ts";
import { askedOf, mayRead, type PlansOptions } from "./plans.ts";

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
    202: json(Apply, "It has begun"),
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
    "there as `id`, and `Last-Event-ID` or `after` resumes behind it without loss.",
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
    answers: { 200: json(Apply, "The apply, as it is now"), ...problems("apply_not_found", "apply_over") },
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

export interface AppliesRoutes extends PlansOptions {
  readonly applies: Applies;
  readonly plans: Plans;
}

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
      const apply = await beginApply(options, call, ApplyRequest.parse(call.body ?? {}));
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
      await found(call.params.id, call.reach);
      return stream(applies, call);
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

const subjectOf = (
  { workspace, project, backend }: Pick<ApplyRecord, "workspace" | "project" | "backend">,
) => ({
  workspace,
  project,
  engine: backend,
});

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

/** The entry of the audit log names the apply. */
function applierOf(call: Call<unknown, unknown, unknown>): Applier {
  const { principal: { kind, id, name }, source } = call;
  return {
    by: { kind, id, name },
    credential: source,
    entry: (apply) => call.entry({ particulars: { apply } }),
  };
}

async function beginApply(
  options: AppliesRoutes,
  call: Call<{ readonly id: string }, unknown, unknown>,
  request: ApplyRequest,
): Promise<Apply> {
  const { principal, reach } = call;
  const known = await options.plans.get(call.params.id, Date.now());
  const { plan, looked } = known;
  if (!mayRead(known, reachOf(principal, "projects:plan"), principal)) throw noPlan();
  if (!reach.has(subjectOf(plan))) {
    throw new ServiceError(
      "forbidden",
      `Cannot apply: this needs "projects:apply" on the project "${plan.project}"`,
      {
        remedies: [{ kind: "permission", permission: "projects:apply", scope: `project:${plan.project}` }],
      },
    );
  }
  if (plan.blocked.length > 0) {
    throw new ServiceError(
      "plan_blocked",
      `Cannot apply: ${plan.blocked.map(({ message }) => message).join("; ")}`,
      { remedies: plan.blocked.flatMap(({ remedies = [] }) => remedies) },
    );
  }
  assertBasis(known, request);
  const steps = chosen(known, request);
  assertHeld(known, steps, principal);
  if (isGrave(options, plan, steps)) await call.mustBeProved();
  assertConfirmed(known, steps, request);
  const again = {
    id: plan.workspace,
    name: plan.group,
    request: { ...known.request, backend: plan.backend },
  };
  const still = async () => {
    const { movedSince } = await import("../projects/plan/make_plan.ts");
    assertStill(await movedSince(await askedOf(options, again, reach, principal), looked));
  };
  // Before the look: whoever takes another's place after it is noticed by its id.
  const subjects = await subjectsOf(options, known);
  await still();
  assertSeen(known, steps, subjects);
  const work: Work = {
    plan: { ...plan, id: known.id },
    request: known.request,
    steps,
    subjects,
    timeouts: request.timeouts,
  };
  return await options.applies.begin(work, request.registries, applierOf(call), still);
}

/** Returns true if one of the steps needs a recent sign-in, as a shell does: a stolen session must not be enough. */
function isGrave(
  { runtime }: AppliesRoutes,
  { steps }: KnownPlan["plan"],
  chosen: readonly number[],
): boolean {
  const grave = ["projects:host", "projects:destroy", runtime()?.permissionFor("runCommand")];
  return steps.some(({ n, needs }) =>
    chosen.includes(n) && needs.some(({ permission }) => grave.includes(permission))
  );
}

/** Throws `plan_stale` where another plan was read than the one of this id. */
function assertBasis({ plan: { basis } }: KnownPlan, { basis: read }: ApplyRequest): void {
  if (read === undefined) return;
  if (read.declared === basis.declared && read.observed === basis.observed) return;
  throw new ServiceError("plan_stale", "The digests are not those of this plan: read it again");
}

/** The numbers of the steps that are asked for. Throws `invalid_request`. */
function chosen({ plan }: KnownPlan, { steps }: ApplyRequest): number[] {
  if (steps === undefined) return plan.steps.map(({ n }) => n);
  const wanted = new Set(steps);
  const unknown = steps.filter((n) => !plan.steps.some((step) => step.n === n));
  const broken = plan.steps.filter(({ n, after }) =>
    wanted.has(n) && after.some((before) => !wanted.has(before))
  );
  const errors = [
    ...unknown.map((n) => `There is no step ${n}`),
    ...broken.map(({ n, after }) => `Step ${n} comes after ${after.join(", ")}, and one of them is left out`),
  ].map((message) => ({ path: "body.steps", message }));
  if (errors.length === 0) return plan.steps.filter(({ n }) => wanted.has(n)).map(({ n }) => n);
  throw new ServiceError("invalid_request", "Cannot apply: these steps cannot be done alone", { errors });
}

/** Throws `engine_unavailable` where the engine was away for a moment, so that what is to be replaced was not seen. */
function assertSeen({ plan }: KnownPlan, steps: readonly number[], subjects: Work["subjects"]): void {
  const unseen = plan.steps.find(({ n, kind }) =>
    kind === "container.swap" && steps.includes(n) && subjects[n] === undefined
  );
  if (unseen === undefined) return;
  throw new ServiceError(
    "engine_unavailable",
    `Cannot apply: container "${unseen.target}" was not seen on engine "${plan.backend}"; try again`,
  );
}

/** Throws `forbidden` with all that the caller lacks. */
function assertHeld({ plan }: KnownPlan, steps: readonly number[], principal: Principal): void {
  const needs = plan.steps.filter(({ n }) => steps.includes(n)).flatMap(({ needs }) => needs);
  const missing = needs.filter(({ permission, subject }) =>
    !may<typeof permission>(principal, permission, subject)
  );
  const words = new Set(
    missing.map(({ permission, subject, field, why, at }) => {
      const { project, workspace, engine } = subject;
      const on = project !== null
        ? `the project "${project}"`
        : workspace !== null
        ? `the workspace "${workspace}"`
        : `the engine "${engine}"`;
      const because = field === undefined ? "" : `: ${field} ${why} (${at?.file}:${at?.range.start.line})`;
      return `"${permission}" on ${on}${because}`;
    }),
  );
  if (words.size > 0) {
    const lacks = new Map(
      missing.map((
        { permission, subject },
      ) => [`${permission} ${scopeOf(subject)}`, { permission, subject }]),
    );
    throw new ServiceError("forbidden", `Cannot apply: this needs ${[...words].join(", ")}`, {
      remedies: [...lacks.values()].map(({ permission, subject }) => ({
        kind: "permission",
        permission,
        scope: scopeOf(subject),
      })),
    });
  }
}

/** Returns the narrowest scope that covers what a step needs. */
const scopeOf = ({ project, workspace, engine }: Need["subject"]): Scope =>
  project !== null
    ? `project:${project}`
    : workspace !== null
    ? `workspace:${workspace}`
    : `engine:${engine}`;

/** Data goes only by its own word. */
function assertConfirmed({ plan }: KnownPlan, steps: readonly number[], { confirm }: ApplyRequest): void {
  const lost = plan.steps.filter(({ n, risk, target }) =>
    steps.includes(n) && risk === "dataLoss" && !confirm.includes(target)
  );
  if (lost.length === 0) return;
  throw new ServiceError("invalid_request", "Cannot apply: data would be lost that nobody confirmed", {
    errors: lost.map(({ target }) => ({ path: "body.confirm", message: `Expected "${target}" among them` })),
  });
}

/** The containers that steps are about, as they are called now. */
async function subjectsOf({ runtime }: AppliesRoutes, { plan }: KnownPlan): Promise<Work["subjects"]> {
  const all = await runtime()?.containers() ?? [];
  const own = new Map(
    all.filter(({ backend, compose }) => backend === plan.backend && compose?.project === plan.project)
      .map(({ id, name }) => [name, id]),
  );
  const about = plan.steps.flatMap(({ n, kind, target }) => {
    const isAbout = kind.startsWith("container.") || kind === "network.connect" || kind === "hook.run";
    const id = isAbout ? own.get(target) : undefined;
    return id === undefined ? [] : [[n, { id, name: target }] as const];
  });
  return Object.fromEntries(about);
}

function stream(
  applies: Applies,
  { params, query, request, ending }: Call<
    { readonly id: string },
    { readonly after?: number | undefined },
    undefined
  >,
): Response {
  const last = request.headers.get("last-event-id");
  const after = query.after ?? (last !== null && /^\d{1,10}$/.test(last) ? Number(last) : 0);
  const isLines = request.headers.get("accept")?.includes("application/x-ndjson") === true;
  const left = new AbortController();
  const found = applies.follow(params.id, after, AbortSignal.any([ending, left.signal]));
  const encoder = new TextEncoder();
  const write = isLines ? asLine : asEvent;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await found.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(write(next.value)));
    },
    async cancel() {
      left.abort();
      await found.return(undefined);
    },
  }, { highWaterMark: 0 });
  return new Response(body, {
    headers: {
      "content-type": isLines ? "application/x-ndjson" : "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

const asLine = (event: ApplyEvent): string => `${JSON.stringify(event)}\n`;

const asEvent = (event: ApplyEvent): string =>
  `${"id" in event ? `id: ${event.id}\n` : ""}event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
