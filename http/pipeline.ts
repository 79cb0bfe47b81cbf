/** What happens to a request once its route is known: the caller, the input, the handler, the answer, the audit log. */
import type { Hono } from "hono";
import { may, type Permission } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { Cached, Reply } from "./answer.ts";
import { readJson } from "./body.ts";
import { Call, type RequestScope } from "./call.ts";
import type { Auditor, Caller, Guard } from "./caller.ts";
import { checked, NO_PARAMETERS } from "./checked.ts";
import { mustBeHandshake } from "./handshake.ts";
import { headOf } from "./head.ts";
import { asServiceError, problemResponse, statusOf } from "./problem.ts";
import { queryRecord } from "./query.ts";
import type { Responder } from "./responder.ts";
import type { Asked, Entry } from "./router.ts";
import { type Audited, Trail } from "./trail.ts";

/** What mounting needs from those who know callers and shape answers. */
export interface Mounting {
  readonly guard: Guard;
  readonly auditor: Auditor;
  readonly responder: Responder;
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
  { guard, auditor, responder, onBug }: Mounting,
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
    status = statusOf[error.code];
    response = responder.withHeaders(problemResponse(error, scope.requestId), scope.requestId);
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
