/** The outermost ring: what every request meets before any route, and every answer on its way out. */
import { Hono } from "hono";
import { ServiceError } from "../core/error.ts";
import type { AccessLine } from "../core/log.ts";
import type { RequestScope } from "./call.ts";
import { withHonestLength } from "./head.ts";
import { hostOf } from "./host.ts";
import { mount, type Mounting } from "./pipeline.ts";
import { isProbe } from "./probe.ts";
import { problemResponse } from "./problem.ts";
import { requestIdOf } from "./request_id.ts";
import type { Entry } from "./router.ts";

export interface EdgeOptions extends Mounting {
  readonly entries: readonly Entry[];
  /** The authorities this service answers to, in lower case: `127.0.0.1:8700`, `berth.example`. */
  readonly hosts: { has(authority: string): boolean };
  readonly stopping: AbortSignal;
  /** The caller's address when the socket's peer is a trusted proxy, else the socket's peer. */
  readonly peerOf?: (request: Request, socketPeer: string) => string;
  readonly onAccess: (access: AccessLine) => void;
  /** Says why a path that no route has is absent on purpose, as of a plugin that is switched off. */
  readonly explainMissing?: (path: string) => ServiceError | null;
}

export type Edge = (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

const METHODS = ["GET", "POST", "PUT", "DELETE"];
const URL_LIMIT = 8 * 1024;

/** The whole service as one function from request to answer; it never throws. */
export function createEdge(options: EdgeOptions): Edge {
  const app = new Hono<{ Bindings: RequestScope }>();
  mount(app, options.entries, options);
  app.notFound((c) => {
    const error = missing(app, options, c.req.method, c.req.path);
    c.env.code = error.code;
    return options.responder.withHeaders(problemResponse(error, c.env.requestId), c.env.requestId);
  });
  app.onError((error, c) => { // routes answer their own errors: what arrives here is a fault of the router
    options.onBug(error, c.env.requestId);
    c.env.code = "internal";
    const problem = new ServiceError(
      "internal",
      "Cannot finish the request: berth failed, and its log says why",
    );
    return options.responder.withHeaders(problemResponse(problem, c.env.requestId), c.env.requestId);
  });

  return async (request, info) => {
    const started = performance.now();
    const requestId = requestIdOf(request);
    const socketPeer = "hostname" in info.remoteAddr ? info.remoteAddr.hostname : "unix";
    const scope: RequestScope = {
      requestId,
      peer: options.peerOf?.(request, socketPeer) ?? socketPeer,
      stopping: options.stopping,
      caller: null,
      code: null,
    };
    const refused = refuse(request, options.hosts);
    let response: Response;
    if (refused === null) {
      response = await app.fetch(request, scope);
      if (request.method === "HEAD") response = withHonestLength(response);
    } else {
      scope.code = refused.code;
      response = options.responder.withHeaders(problemResponse(refused, requestId), requestId);
    }
    options.onAccess({
      method: request.method,
      path: pathOf(request.url),
      status: response.status,
      ms: performance.now() - started,
      requestId,
      peer: scope.peer,
      caller: scope.caller === null ? null : `${scope.caller.principal.kind}:${scope.caller.principal.id}`,
      code: scope.code,
    });
    return response;
  };
}

/** Exactly one Host, equal to the request target's authority, and one of ours: else only the probes see the request. */
function refuse(request: Request, hosts: EdgeOptions["hosts"]): ServiceError | null {
  if (isProbe(request)) return null;
  const host = hostOf(request);
  if (host === null) return new ServiceError("bad_host", "Cannot answer: the request has no Host header");
  const { url } = request;
  const known = host.toLowerCase();
  if (!hosts.has(known)) {
    return host.includes(",")
      ? new ServiceError("bad_host", "Cannot answer: the request has more than one Host header")
      : new ServiceError(
        "wrong_host",
        'Cannot answer: this service does not go by that host name; add it with "BERTH_BASE_URL"',
      );
  }
  const start = url.indexOf("//") + 2;
  const authority = url.slice(start, start + known.length);
  const next = url[start + known.length];
  if (authority !== known || (next !== "/" && next !== "?" && next !== undefined)) {
    // a default port is left out of the URL that Deno makes, but may stand in the header
    if (new URL(url).host !== new URL(`${url.slice(0, start)}${known}`).host) {
      return new ServiceError("bad_host", "Cannot answer: the Host header differs from the request's target");
    }
  }
  if (url.length > URL_LIMIT) {
    return new ServiceError("uri_too_long", "Cannot answer: the address is too long");
  }
  return null;
}

function missing(app: Hono<{ Bindings: RequestScope }>, options: EdgeOptions, method: string, path: string) {
  const others = METHODS.filter((other) => other !== method && app.router.match(other, path)[0].length > 0);
  if (others.length > 0) {
    if (others.includes("GET")) others.splice(1, 0, "HEAD");
    return new ServiceError("method_not_allowed", `Cannot ${method} here`, {
      headers: { allow: others.join(", ") },
    });
  }
  return options.explainMissing?.(path) ??
    new ServiceError(
      "not_found",
      'Cannot find that: there is no such route; "/api/docs" shows those there are',
    );
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
