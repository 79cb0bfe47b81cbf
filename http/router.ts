/** Routes as values: what is declared here is what is checked, answered and documented. */
import type { Hono } from "hono";
import type { z } from "zod";
import { may, type Permission } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import {
  type Answer,
  type EmptyAnswer,
  Finisher,
  type JsonAnswer,
  Kept,
  type RawAnswer,
  Reply,
} from "./answer.ts";
import { readJson } from "./body.ts";
import { checked, NO_PARAMETERS } from "./checked.ts";
import { Call, type RequestScope } from "./call.ts";
import type { Auditor, Caller, Guard } from "./caller.ts";
import { mustBeHandshake } from "./handshake.ts";
import { headOf } from "./head.ts";
import { asServiceError, problemResponse, statusOf } from "./problem.ts";
import { queryRecord } from "./query.ts";
import { type Audited, type Particulars, Trail } from "./trail.ts";

export { empty, json, kept, problems, raw, reply } from "./answer.ts";

export type Method = "get" | "post" | "put" | "delete";

/**
 * A route's declaration. `permission` is written on every one of them; "open" says it in so many words, and "any" lets
 * in whoever has a good credential, whatever it may do.
 */
export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answers = Readonly<Record<number, Answer>>,
> {
  readonly method: Method;
  /** Below `/api`, with `{name}` for a segment and `{name...}` for the rest of the path. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission | "open" | "any";
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Bytes of body that are read at most; 1 MiB unless told otherwise. */
  readonly bodyLimit?: number;
  /** How long it may take to arrive; 30 s unless told otherwise. */
  readonly bodyTimeoutMs?: number;
  /** What is no `get` is an act unless it says otherwise; a change that changes nothing (`validate`) says false. */
  readonly audited?: Audited;
  /** What the audit log tells of an act besides its path; nothing secret. */
  readonly particulars?: (asked: Asked<Params, Query, Body>) => Particulars;
  readonly answers: Answers;
}

/** A WebSocket's declaration. Who may not, or asks wrongly, is answered before the 101. */
export interface SocketRoute<Params extends z.ZodType = z.ZodType, Query extends z.ZodType = z.ZodType> {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly params?: Params;
  readonly query?: Query;
  /** An act of everybody who may run commands; of nobody else. */
  readonly particulars?: (asked: Asked<Params, Query, z.ZodUndefined>) => Particulars;
}

/** What was asked, parsed. */
export interface Asked<Params, Query, Body> {
  readonly params: Parsed<Params>;
  readonly query: Parsed<Query>;
  readonly body: Parsed<Body>;
}

type ReplyFor<Answers> = {
  [Status in keyof Answers & number]: Answers[Status] extends JsonAnswer<infer Schema>
    ? Reply<Status, z.input<Schema>> | (Status extends 200 ? Kept : never)
    : Answers[Status] extends EmptyAnswer ? Reply<Status, undefined>
    : Answers[Status] extends RawAnswer ? Response
    : never;
}[keyof Answers & number];

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What a handler gets: the parts that were declared, parsed; nothing else was let in. */
export type CallOf<R> = R extends
  Route<infer Params, infer Query, infer Body> | SocketRoute<infer Params, infer Query>
  ? Call<Parsed<Params>, Parsed<Query>, Parsed<Body>>
  : never;

// deno-lint-ignore no-explicit-any -- what was typed at `on` is erased in the list
type AnyHandler = (call: Call<any, any, any>) => unknown;

/** A route with its handler, as the app mounts it, the API document lists it and the tests walk it. */
export type Entry =
  | { readonly kind: "route"; readonly route: Route; readonly handler: AnyHandler }
  | { readonly kind: "socket"; readonly route: SocketRoute; readonly handler: AnyHandler };

/** Declares a route; the query becomes strict, so that an unknown parameter is an error. */
export function route<
  const Answers,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodObject = never,
  Body extends z.ZodType = z.ZodUndefined,
>(declared: Route<Params, Query, Body, Answers>): Route<Params, Query, Body, Answers> {
  return declared.query === undefined ? declared : { ...declared, query: declared.query.strict() as Query };
}

export function socketRoute<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodObject = never,
>(declared: SocketRoute<Params, Query>): SocketRoute<Params, Query> {
  return declared.query === undefined ? declared : { ...declared, query: declared.query.strict() as Query };
}

export class Router {
  readonly entries: Entry[] = [];

  on<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType, Answers>(
    route: Route<Params, Query, Body, Answers>,
    handler: (
      call: Call<Parsed<Params>, Parsed<Query>, Parsed<Body>>,
    ) => ReplyFor<Answers> | Promise<ReplyFor<Answers>>,
  ): this {
    this.entries.push({ kind: "route", route: route as unknown as Route, handler });
    return this;
  }

  /** The handler opens the socket itself (`http/socket.ts`) and returns its 101. */
  socket<Params extends z.ZodType, Query extends z.ZodType>(
    route: SocketRoute<Params, Query>,
    handler: (call: Call<Parsed<Params>, Parsed<Query>, undefined>) => Response | Promise<Response>,
  ): this {
    this.entries.push({ kind: "socket", route: route as unknown as SocketRoute, handler });
    return this;
  }

  /** Takes over another router's routes. */
  add(other: Router): this {
    this.entries.push(...other.entries);
    return this;
  }
}

export function router(): Router {
  return new Router();
}

/** What mounting needs from those who know callers and shape answers. */
export interface Mounting {
  readonly guard: Guard;
  readonly auditor: Auditor;
  readonly finisher: Finisher;
  /** Told of everything thrown that is nobody's fault but ours. */
  readonly onBug: (error: unknown, requestId: string) => void;
}

/** Mounts every entry on the app below `/api`. */
export function mount(
  app: Hono<{ Bindings: RequestScope }>,
  entries: readonly Entry[],
  mounting: Mounting,
): void {
  for (const entry of entries) {
    const path = "/api" +
      entry.route.path.replace(/\{(\w+)\.\.\.\}/g, ":$1{.+}").replace(/\{(\w+)\}/g, ":$1");
    const method = entry.kind === "socket" ? "GET" : entry.route.method.toUpperCase();
    app.on(method, path, (c) => respond(entry, c.req.raw, c.req.param(), c.env, mounting));
  }
}

async function respond(
  entry: Entry,
  request: Request,
  params: Record<string, string>,
  scope: RequestScope,
  { guard, auditor, finisher, onBug }: Mounting,
): Promise<Response> {
  let caller: Caller | null = null;
  let status: number;
  let code: string | null = null;
  let made: string | undefined;
  let response: Response;
  let isStream = false;
  const audited = auditedOf(entry);
  const trail = new Trail(auditor, scope, actionOf(entry), request.url);
  try {
    if (entry.route.permission !== "open") {
      const found = authorise(entry, request, scope, guard);
      caller = found instanceof Promise ? await found : found;
    }
    const call = await parse(entry, request, params, scope, caller, trail);
    if (audited === "act") await trail.begin(entry.route.particulars?.(call as Erased) ?? {});
    const answer = await entry.handler(call);
    caller ??= scope.caller; // whom an open route just let in
    if (answer instanceof Reply) made = answer.headers?.["location"];
    response = answer instanceof Reply
      ? finisher.reply(answer, scope.requestId)
      : answer instanceof Kept
      ? finisher.kept(answer, request, scope.requestId)
      : finisher.dress(answer as Response, scope.requestId); // `on` lets handlers return nothing else
    status = response.status;
    isStream = answer instanceof Response;
  } catch (thrown) {
    const error = asServiceError(thrown);
    if (error.code === "internal") onBug(thrown, scope.requestId);
    caller ??= scope.caller;
    code = error.code;
    status = statusOf[error.code];
    response = finisher.dress(problemResponse(error, scope.requestId), scope.requestId);
  }
  if (request.method === "HEAD") response = await headOf(response, !isStream);
  scope.code = code;
  trail.finish(audited, status, code, made);
  return response;
}

// deno-lint-ignore no-explicit-any -- what was typed at `route` is erased in the list
type Erased = Asked<any, any, any>;

function auditedOf(entry: Entry): Audited {
  if (entry.kind === "socket") return entry.route.permission === "containers:exec" ? "act" : false;
  return entry.route.audited ?? (entry.route.method === "get" ? false : "act");
}

function actionOf({ kind, route }: Entry): string {
  return `${kind === "socket" ? "WS" : route.method.toUpperCase()} /api${route.path}`;
}

/** Waits only where the guard has to: a caller who is known costs no turn of the event loop. */
function authorise(
  entry: Entry,
  request: Request,
  scope: RequestScope,
  guard: Guard,
): Caller | Promise<Caller> {
  const found = entry.kind === "socket"
    ? guard.admit(request, scope.peer)
    : guard.authenticate(request, scope.peer);
  return found instanceof Promise
    ? found.then((caller) => permitted(entry, caller, scope))
    : permitted(entry, found, scope);
}

function permitted(entry: Entry, caller: Caller | null, scope: RequestScope): Caller {
  if (caller === null) {
    throw new ServiceError(
      "unauthenticated",
      `Cannot go on: this needs a credential in "Authorization: Bearer ..."`,
    );
  }
  scope.caller = caller;
  const permission = entry.route.permission as Permission | "any"; // "open" was answered before
  if (permission !== "any" && !may(caller.principal, permission)) {
    throw new ServiceError("forbidden", `Cannot go on: this needs the permission "${permission}"`);
  }
  return caller;
}

async function parse(
  entry: Entry,
  request: Request,
  params: Record<string, string>,
  scope: RequestScope,
  caller: Caller | null,
  trail: Trail,
): Promise<Call<unknown, unknown, unknown>> {
  if (entry.kind === "socket") mustBeHandshake(request);
  const { route } = entry;
  const path = route.params === undefined ? undefined : checked(route.params, params, "path");
  let query: unknown;
  if (route.query !== undefined) query = checked(route.query, queryRecord(request.url), "query");
  else if (request.url.includes("?")) checked(NO_PARAMETERS, queryRecord(request.url), "query");
  let body: unknown;
  if (entry.kind === "route") {
    if (entry.route.body !== undefined) {
      body = checked(
        entry.route.body,
        await readJson(request, entry.route.bodyLimit, entry.route.bodyTimeoutMs),
        "body",
      );
    } else if (request.body !== null) {
      await request.body.cancel(); // nothing here reads one
    }
  }
  return new Call(request, scope, caller, trail, path, query, body);
}
