/** What callers meet while the house is still being put up: health is answered, everybody else waits a moment. */
import type { HealthReport } from "../core/health.ts";
import type { Access } from "../core/log.ts";
import { Finisher, reply } from "./answer.ts";
import { hostOf } from "./host.ts";
import { isProbe, LIVE, word } from "./probe.ts";
import { requestIdOf } from "./request_id.ts";

export type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

export interface DoorwayOptions {
  /** The authorities this service answers to. */
  readonly hosts: { has(authority: string): boolean };
  readonly finisher: Finisher;
  readonly health: () => Promise<HealthReport>;
  readonly onAccess: (access: Access) => void;
}

export class Doorway {
  readonly #options: DoorwayOptions;
  readonly #opened = Promise.withResolvers<Handler>();
  #inside: Handler | null = null;

  constructor(options: DoorwayOptions) {
    this.#options = options;
    this.#opened.promise.catch(() => {}); // nobody may be waiting when it is closed
  }

  /** From now on the whole service answers, also those who waited. */
  open(inside: Handler): void {
    this.#inside = inside;
    this.#opened.resolve(inside);
  }

  /** Sends those away who wait for a service that will not be; does nothing once it is open. */
  close(): void {
    this.#opened.reject(new Error("the start failed"));
  }

  /** A bound handler; after `open` it costs one comparison. */
  readonly handle: Handler = (request, info) => {
    if (this.#inside !== null) return this.#inside(request, info);
    if (isProbe(request) && request.method === "GET") return this.#answerProbe(request, info);
    if (isHealth(request) && this.#options.hosts.has(hostOf(request)?.toLowerCase() ?? "")) {
      return this.#answerHealth(request, info);
    }
    return this.#opened.promise.then((inside) => inside(request, info));
  };

  /** It lives, and cannot serve yet. */
  #answerProbe(request: Request, info: Deno.ServeHandlerInfo): Promise<Response> {
    const started = performance.now();
    const requestId = requestIdOf(request);
    const isLive = request.url.endsWith(LIVE);
    this.#tell(request, info, requestId, { status: isLive ? 200 : 503, started });
    const answer = isLive ? word(200, "live") : word(503, "starting");
    return Promise.resolve(this.#options.finisher.dress(answer, requestId));
  }

  async #answerHealth(request: Request, info: Deno.ServeHandlerInfo): Promise<Response> {
    const started = performance.now();
    const requestId = requestIdOf(request);
    const report = await this.#options.health();
    const status = report.status === "failed" ? 503 : 200;
    this.#tell(request, info, requestId, { status, started });
    return this.#options.finisher.reply(reply(status, report), requestId);
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
