/** The first and last steps of every request: Host, request id, access log. */
import { ServiceError } from "../../core/error.ts";
import type { AccessLine } from "../../core/log.ts";
import { BodyBudget } from "./body_budget.ts";
import type { RequestScope } from "../declare/call.ts";
import { headOf } from "../site/head.ts";
import { hostOf } from "./host.ts";
import type { Handler } from "./listener.ts";
import { countStranger, type Pipeline, respond } from "./pipeline.ts";
import { isProbe } from "./probe.ts";
import { asServiceError, problemResponse } from "../declare/problem.ts";
import { requestIdOf } from "./request_id.ts";
import { type FoundRoute, pathOf, RouteTable } from "./route_table.ts";
import type { Entry } from "../declare/router.ts";
import type { StaticSite } from "../site/static_site.ts";

export interface EdgeOptions extends Omit<Pipeline, "bodies"> {
  readonly entries: readonly Entry[];
  /** The authorities this service answers to, in lower case: `127.0.0.1:8700`, `berth.example`. */
  readonly hosts: { has(authority: string): boolean };
  readonly stopping: AbortSignal;
  /** The caller's address when the socket's peer is a trusted proxy, else the socket's peer. */
  readonly peerOf?: (request: Request, socketPeer: string) => string;
  /** Returns why a request that came through a proxy is refused. */
  readonly checkProxy?: (request: Request, socketPeer: string) => ServiceError | null;
  /** `route` is the name of the one that answered; null where none is at that path. */
  readonly onAccess: (access: AccessLine, route: string | null) => void;
  /** Answers paths outside `/api`. */
  readonly site?: StaticSite;
  /** Says why a path that no route has is absent on purpose, as of a plugin that is switched off. */
  readonly explainMissing?: (path: string) => ServiceError | null;
}

const URL_LIMIT = 8 * 1024;

/** The whole service as one function from request to answer; it never throws. */
export function createEdge(options: EdgeOptions): Handler {
  const table = new RouteTable(options.entries);
  const pipeline: Pipeline = { ...options, bodies: new BodyBudget() };
  return async (request, info) => {
    const startedMs = performance.now();
    const requestId = requestIdOf(request);
    const socketPeer = "hostname" in info.remoteAddr ? info.remoteAddr.hostname : "unix";
    const peer = options.peerOf?.(request, socketPeer) ?? socketPeer;
    const scope: RequestScope = {
      requestId,
      startedMs,
      peer,
      stopping: options.stopping,
      caller: null,
      code: null,
      route: null,
      demandProof: options.guard.demandProof,
      recognised: null,
    };
    const refused = refuseProxied(request, socketPeer, options) ?? refuse(request, options.hosts);
    const response = refused === null
      ? await answer(request, scope, table, options, pipeline)
      : await failed(refused, request, scope, options);
    options.onAccess({
      method: request.method,
      path: writtenPathOf(request.url),
      status: response.status,
      ms: performance.now() - startedMs,
      requestId,
      peer: scope.peer,
      caller: scope.caller === null ? null : `${scope.caller.principal.kind}:${scope.caller.principal.id}`,
      code: scope.code,
    }, scope.route);
    return response;
  };
}

async function answer(
  request: Request,
  scope: RequestScope,
  table: RouteTable,
  options: EdgeOptions,
  pipeline: Pipeline,
): Promise<Response> {
  try {
    const path = pathOf(request);
    const found = table.find(request.method, path) ?? withoutSlash(table, request.method, path);
    if (found !== null) {
      scope.route = found.name;
      return await respond(found.entry, request, found.params, scope, pipeline);
    }
    const counted = countStranger(request, scope, options.guard);
    if (counted !== null) await counted;
    const page = await options.site?.answer(request, path, scope.requestId) ?? null;
    if (page !== null) scope.route = "page";
    return page ?? await failed(missing(table, options, request.method, path), request, scope, options);
  } catch (thrown) {
    const error = asServiceError(thrown);
    // Routes answer their own errors: what arrives here is a fault of the edge, or a stranger who asks too often.
    if (error.code === "internal") options.onBug(thrown, scope.requestId);
    return await failed(error, request, scope, options);
  }
}

async function failed(
  error: ServiceError,
  request: Request,
  scope: RequestScope,
  { responder }: EdgeOptions,
): Promise<Response> {
  scope.code = error.code;
  const response = responder.withHeaders(problemResponse(error, scope.requestId), scope.requestId);
  return request.method === "HEAD" ? await headOf(response, true) : response;
}

function refuseProxied(
  request: Request,
  socketPeer: string,
  { checkProxy }: EdgeOptions,
): ServiceError | null {
  return checkProxy === undefined || isProbe(request) ? null : checkProxy(request, socketPeer);
}

/** Exactly one Host, equal to the request target's authority, and one of ours: else only the probes see the request. */
function refuse(request: Request, hosts: EdgeOptions["hosts"]): ServiceError | null {
  if (isProbe(request)) return null;
  const host = hostOf(request);
  if (host === null) return new ServiceError("bad_host", "The request has no Host header; send exactly one");
  const { url } = request;
  const known = host.toLowerCase();
  if (!hosts.has(known)) {
    return host.includes(",")
      ? new ServiceError("bad_host", "The request has more than one Host header; send exactly one")
      : new ServiceError(
        "wrong_host",
        'Unknown host name; add it with "BERTH_BASE_URL"',
      );
  }
  const start = url.indexOf("//") + 2;
  const authority = url.slice(start, start + known.length);
  const next = url[start + known.length];
  if (authority !== known || (next !== "/" && next !== "?" && next !== undefined)) {
    // a default port is left out of the URL that Deno makes, but may stand in the header
    if (new URL(url).host !== new URL(`${url.slice(0, start)}${known}`).host) {
      return new ServiceError(
        "bad_host",
        "The Host header differs from the address of the request; send the same host in both",
      );
    }
  }
  if (url.length > URL_LIMIT) {
    return new ServiceError("uri_too_long", `The address is too long; send at most ${URL_LIMIT / 1024} KiB`);
  }
  return null;
}

/** A slash too many at the end is understood: nothing else can be meant. */
function withoutSlash(table: RouteTable, method: string, path: string): FoundRoute | null {
  return /^\/api\/.*[^/]\/$/.test(path) ? table.find(method, path.slice(0, -1)) : null;
}

function missing(table: RouteTable, options: EdgeOptions, method: string, path: string): ServiceError {
  const allowed = table.methodsOf(path.replace(/(?<=.)\/$/, ""));
  if (allowed.length > 0) {
    return new ServiceError(
      "method_not_allowed",
      `${method} is not supported here; use ${allowed.join(", ")}`,
      {
        headers: { allow: allowed.join(", ") },
      },
    );
  }
  return options.explainMissing?.(path) ?? new ServiceError("not_found", "No such route; see /api/docs");
}

/** The path as it stands in the address, for the access log. */
function writtenPathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
