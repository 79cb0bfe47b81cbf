/** The steps of a request once its route is known: caller, input, handler, answer, audit log. */
import type * as z from "../../core/schema.ts";
import { type Permission, Reach, reachOf } from "../../core/access.ts";
import { noteAsked } from "../../core/asked.ts";
import { ServiceError } from "../../core/error.ts";
import { reachOfRunning } from "../../core/runtime.ts";
import { Cached, Reply } from "../declare/answer.ts";
import { BODY_LIMIT_BYTES, bodySize, OPEN_BODY_LIMIT_BYTES, readBytes, readJson } from "./body.ts";
import type { BodyBudget, BodyPart } from "./body_budget.ts";
import { BYTES } from "../declare/bytes.ts";
import { Call, type RequestScope } from "../declare/call.ts";
import type { Auditor, Caller, Guard } from "../declare/caller.ts";
import { checked, NO_PARAMETERS } from "../declare/checked.ts";
import { mustBeHandshake } from "./handshake.ts";
import { headOf } from "../site/head.ts";
import { asServiceError, problemResponse, statusOf } from "../declare/problem.ts";
import { queryRecord } from "../declare/query.ts";
import type { Responder } from "./responder.ts";
import { type Asked, type Entry, nameOf } from "../declare/router.ts";
import { type Audited, Trail } from "../declare/trail.ts";

/** The parts that a request passes: the callers, the audit log, and the answers. */
export interface Pipeline {
  readonly guard: Guard;
  readonly auditor: Auditor;
  readonly responder: Responder;
  readonly bodies: BodyBudget;
  /** Told of everything thrown that is nobody's fault but ours. */
  readonly onBug: (error: unknown, requestId: string) => void;
  /** Told of every answer of a route; for tests that hold the API document to what is answered. */
  readonly onAnswer?: OnAnswer;
}

/** The code is that of a refusal. */
export type OnAnswer = (entry: Entry, response: Response, code: string | null) => void;

/** Answers a request whose route is known; never throws. */
export async function respond(
  entry: Entry,
  request: Request,
  params: Record<string, string>,
  scope: RequestScope,
  { guard, auditor, responder, bodies, onBug, onAnswer }: Pipeline,
): Promise<Response> {
  let caller: Caller | null = null;
  let status: number;
  let code: string | null = null;
  let made: string | undefined;
  let response: Response;
  let isStream = false;
  const audited = auditedOf(entry);
  const trail = new Trail(auditor, scope, scope.route ?? nameOf(entry.route), request.url);
  try {
    if (entry.route.permission !== "open") {
      const found = authorise(entry, request, scope, guard);
      caller = found instanceof Promise ? await found : found;
    } else if (!("body" in entry.route)) {
      // The body of this route is a credential, and has limits of its own.
      const counted = countStranger(request, scope, guard);
      if (counted !== null) await counted;
    }
    noteAsked(scope.startedMs);
    using _reserved = reserve(entry, request, scope, bodies);
    const parsed = parse(entry, request, params, scope, caller, trail);
    const call = parsed instanceof Promise ? await parsed : parsed;
    if (entry.route.proof === true && caller !== null) await guard.demandProof(caller);
    // Last: browsers hide why a handshake was refused, so the same request as a plain one is told it.
    if (entry.kind === "socket") mustBeHandshake(request);
    if (audited === "act") await trail.begin(entry.route.particulars?.(call as Erased) ?? {});
    const answer = await entry.handler(call);
    if (call.ignoredReach) {
      throw new Error(`${nameOf(entry.route)} does not ask what its caller's scopes reach`);
    }
    caller ??= scope.caller; // set by an open route, as for a sign-in
    if (answer instanceof Reply) made = locationOf(answer);
    response = answer instanceof Reply
      ? responder.reply(answer, scope.requestId)
      : answer instanceof Cached
      ? responder.cached(answer, request, scope.requestId)
      : responder.withHeaders(answer as Response, scope.requestId); // `on` lets handlers return nothing else
    status = response.status;
    isStream = answer instanceof Response;
  } catch (thrown) {
    const error = asServiceError(thrown);
    if (error.code === "internal") onBug(thrown, scope.requestId);
    caller ??= scope.caller;
    code = error.code;
    status = statusOf(error);
    response = responder.withHeaders(
      problemResponse(error, scope.requestId, seesAll(entry, caller)),
      scope.requestId,
    );
  }
  onAnswer?.(entry, response, code);
  if (request.method === "HEAD") response = await headOf(response, !isStream);
  scope.code = code;
  trail.finish(audited, status, code, made);
  return response;
}

function locationOf({ headers }: Reply): string | undefined {
  const location = headers?.["location"];
  return typeof location === "string" ? location : undefined;
}

// deno-lint-ignore no-explicit-any -- what was typed at `route` is erased in the list
type Erased = Asked<any, any, any>;

function auditedOf(entry: Entry): Audited {
  return entry.route.audited ?? (entry.kind === "route" && entry.route.method !== "get" ? "act" : false);
}

/** Reserves memory for the body until it is answered, before a byte of it is read. */
function reserve(
  { kind, route }: Entry,
  request: Request,
  { peer }: RequestScope,
  bodies: BodyBudget,
): Disposable | null {
  if (kind !== "route" || route.body === undefined || request.body === null) return null;
  const limit = bodyLimitOf(route);
  return bodies.reserve(partOf(route.permission, limit), peer, bodySize(request, limit));
}

function partOf(permission: string, limit: number): BodyPart {
  return permission !== "open" ? "known" : limit > OPEN_BODY_LIMIT_BYTES ? "hook" : "signIn";
}

function bodyLimitOf({ bodyLimit, permission }: { bodyLimit?: number; permission: string }): number {
  return bodyLimit ?? (permission === "open" ? OPEN_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES);
}

/** Waits only where the guard has to: a caller who is known costs no turn of the event loop. */
function authorise(
  entry: Entry,
  request: Request,
  scope: RequestScope,
  guard: Guard,
): Caller | Promise<Caller> {
  // Without an upgrade it opens no socket, whoever asks: it is a call like any other, and is told what is wrong.
  const found = entry.kind === "socket" && request.headers.has("upgrade")
    ? guard.admit(request, scope.peer)
    : guard.authenticate(request, scope.peer);
  return found instanceof Promise
    ? found.then((caller) => permitted(entry, caller, scope))
    : permitted(entry, found, scope);
}

/** Counts a request that needs no credential and has no good one. Throws `too_many_requests`. */
export function countStranger(request: Request, scope: RequestScope, guard: Guard): Promise<void> | null {
  const found = scope.recognised = guard.recognise(request, scope.peer);
  return found instanceof Promise
    ? found.then(() => {}, (thrown) => {
      // Anything else concerns those who ask for the caller.
      if (thrown instanceof ServiceError && thrown.code === "too_many_requests") throw thrown;
    })
    : null;
}

function permitted(entry: Entry, caller: Caller | null, scope: RequestScope): Caller {
  if (caller === null) {
    throw new ServiceError(
      "unauthenticated",
      "Authentication required: send `Authorization: Bearer <key or token>`",
    );
  }
  scope.caller = caller;
  const { permission, subject = "everything" } = entry.route; // "open" was answered before
  if (permission === "any") return caller;
  const reach = reachOf<Permission>(caller.principal, permission);
  if (reach.nowhere) {
    throw new ServiceError("forbidden", `Permission "${permission}" required: use a key or role that has it`);
  }
  if (subject === "everything" && !reach.everywhere) {
    throw new ServiceError(
      "forbidden",
      `Permission "${permission}" required everywhere: use a key or role that has it without a scope`,
    );
  }
  return caller;
}

/** Open routes show what everybody may see, and those for any caller ask for no permission. */
function reachFor({ route: { permission } }: Entry, caller: Caller | null): Reach {
  return caller === null || permission === "open" || permission === "any"
    ? Reach.EVERYWHERE
    : reachOf<Permission>(caller.principal, permission);
}

/** Returns true if no running container is hidden from the caller. */
function seesAll(entry: Entry, caller: Caller | null): boolean {
  return caller !== null && reachFor(entry, caller).everywhere && reachOfRunning(caller.principal).everywhere;
}

/** The parsed empty query of each schema. Most addresses have no query, so all their callers share one result. */
const meantByNone = new WeakMap<z.ZodType, unknown>();

function queryOf({ query: schema, hints }: Entry["route"], url: string): unknown {
  if (url.includes("?")) {
    const query = checked(schema ?? NO_PARAMETERS, queryRecord(url), "query", hints);
    return schema === undefined ? undefined : query;
  }
  if (schema === undefined) return undefined;
  let query = meantByNone.get(schema);
  if (query === undefined) {
    query = Object.freeze(checked(schema, queryRecord(url), "query", hints));
    meantByNone.set(schema, query);
  }
  return query;
}

type AnyCall = Call<unknown, unknown, unknown>;

/** Waits only where a body has to be read. */
function parse(
  entry: Entry,
  request: Request,
  params: Record<string, string>,
  scope: RequestScope,
  caller: Caller | null,
  trail: Trail,
): AnyCall | Promise<AnyCall> {
  const { route } = entry;
  const path = route.params === undefined ? undefined : checked(route.params, params, "path");
  const query = queryOf(route, request.url);
  const reach = reachFor(entry, caller);
  const withBody = (body?: unknown) => new Call(request, scope, caller, trail, reach, path, query, body);
  const reading = bodyOf(entry, request);
  return reading === null ? withBody() : reading.then(withBody);
}

/** Null where there is none to be waited for. */
function bodyOf({ kind, route }: Entry, request: Request): Promise<unknown> | null {
  if (kind === "socket") return null;
  if (route.body === BYTES) return readBytes(request, bodyLimitOf(route), route.bodyTimeoutMs);
  if (route.body !== undefined) {
    const { body } = route;
    return readJson(request, bodyLimitOf(route), route.bodyTimeoutMs).then((given) =>
      checked(body, given, "body")
    );
  }
  return request.body === null ? null : request.body.cancel(); // nothing here reads one
}
