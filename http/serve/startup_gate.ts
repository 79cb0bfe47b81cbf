/**
 * Answers while the service starts: health at once, and with 503; every other request as soon as the start is done. The
 * first of those loads the whole edge; until then health is answered by a small one.
 */
import type { AccessLine } from "../../core/log.ts";
import { reply } from "../declare/answer.ts";
import { hostOf } from "./host.ts";
import type { Handler } from "./listener.ts";
import { isProbe, LIVE, word } from "./probe.ts";
import type { Responder } from "./responder.ts";
import { requestIdOf } from "./request_id.ts";

interface StartupGateOptions {
  /** The authorities this service answers to. */
  readonly hosts: { has(authority: string): boolean };
  readonly responder: Responder;
  readonly onAccess: (access: AccessLine) => void;
}

/** The edges of a started service. */
interface Service {
  /** Answers health and probes. */
  readonly healthEdge: Handler;
  /** Loads the edge that answers everything. */
  loadEdge(): Promise<Handler>;
}

export class StartupGate {
  readonly #options: StartupGateOptions;
  readonly #opened = Promise.withResolvers<Service>();
  #health: Handler | null = null;
  #edge: Handler | null = null;
  #loading: Promise<Handler> | null = null;

  constructor(options: StartupGateOptions) {
    this.#options = options;
    this.#opened.promise.catch(() => {}); // nobody may be waiting when it is closed
  }

  /** Hands all requests, those that wait too, to the started service. */
  open(service: Service): void {
    this.#health = service.healthEdge;
    this.#opened.resolve(service);
  }

  /** Fails the requests that wait when the start failed; does nothing once the gate is open. */
  close(): void {
    this.#opened.reject(new Error("the start failed"));
  }

  /** A bound handler; once the edge is loaded it costs one comparison. */
  readonly handle: Handler = (request, info) =>
    this.#edge === null ? this.#early(request, info) : this.#edge(request, info);

  async #early(request: Request, info: Deno.ServeHandlerInfo): Promise<Response> {
    const isForProbe = isProbe(request) && request.method === "GET";
    if (this.#health !== null && (isForProbe || isHealth(request))) return await this.#health(request, info);
    if (isForProbe) return this.#answerProbe(request, info);
    if (isHealth(request) && this.#options.hosts.has(hostOf(request)?.toLowerCase() ?? "")) {
      return this.#answerHealth(request, info);
    }
    return await (await this.#whole())(request, info);
  }

  /** Loads the edge once for all who wait; a failure is told to them, and the next request tries again. */
  async #whole(): Promise<Handler> {
    const service = await this.#opened.promise;
    this.#loading ??= service.loadEdge();
    try {
      return this.#edge = await this.#loading;
    } catch (error) {
      this.#loading = null;
      throw error;
    }
  }

  /** It lives, and cannot serve yet. */
  #answerProbe(request: Request, info: Deno.ServeHandlerInfo): Response {
    const started = performance.now();
    const requestId = requestIdOf(request);
    const isLive = request.url.endsWith(LIVE);
    this.#tell(request, info, requestId, { status: isLive ? 200 : 503, started });
    const answer = isLive ? word(200, "live") : word(503, "starting");
    return this.#options.responder.withHeaders(answer, requestId);
  }

  /** Never 200: a start that goes on may still fail. */
  #answerHealth(request: Request, info: Deno.ServeHandlerInfo): Response {
    const started = performance.now();
    const requestId = requestIdOf(request);
    this.#tell(request, info, requestId, { status: 503, started });
    // Nobody is known yet, so every caller gets the word alone.
    return this.#options.responder.reply(reply(503, { status: "starting" }), requestId);
  }

  #tell(
    { method, url }: Request,
    info: Deno.ServeHandlerInfo,
    requestId: string,
    { status, started }: { readonly status: number; readonly started: number },
  ): void {
    this.#options.onAccess({
      method,
      path: url.slice(url.indexOf("/", url.indexOf("//") + 2)),
      status,
      ms: performance.now() - started,
      requestId,
      peer: "hostname" in info.remoteAddr ? info.remoteAddr.hostname : "unix",
      caller: null,
      code: null,
    });
  }
}

const HEALTH = "/api/health";

/** Exactly that, without a query: whatever is unusual is for the whole service to judge. */
function isHealth({ method, url }: Request): boolean {
  return method === "GET" && url.endsWith(HEALTH) &&
    url.indexOf("/", url.indexOf("//") + 2) === url.length - HEALTH.length;
}
