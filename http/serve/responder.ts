/** Turns what a handler returned into a finished `Response`, with the headers that all answers share. */
import type { Cached, Reply } from "../declare/answer.ts";
import { holds } from "../declare/etag.ts";
import { takesGzip } from "../declare/gzip.ts";
import { securityHeaders } from "../site/security_headers.ts";

/** Deno would compress cached text again on every request, and weaken its tag: told not to. */
const CACHING: readonly [string, string][] = [
  ["vary", "accept-encoding"],
  ["cache-control", "private, no-cache, no-transform"],
];

/** Makes finished responses: every header that all answers share is written in one go. */
export class Responder {
  readonly #shared: readonly [string, string][];
  readonly #json: readonly [string, string][];

  constructor(options: { readonly tls: boolean }) {
    this.#shared = securityHeaders(options);
    this.#json = [["content-type", "application/json"], ...this.#shared];
  }

  reply(given: Reply, requestId: string): Response {
    const headers: [string, string][] = [
      ...(given.value === undefined ? this.#shared : this.#json),
      ["x-request-id", requestId],
    ];
    if (given.headers !== undefined) {
      for (const name in given.headers) { // its own names only
        const value = given.headers[name]!;
        if (typeof value === "string") headers.push([name, value]);
        else for (const one of value) headers.push([name, one]);
      }
    }
    const body = given.value === undefined ? null : JSON.stringify(given.value);
    return new Response(body, { status: given.status, headers });
  }

  cached(given: Cached, request: Request, requestId: string): Response {
    if (holds(request, given.etag)) {
      return new Response(null, {
        status: 304,
        headers: [...this.#shared, ["x-request-id", requestId], ["etag", given.etag], ...CACHING],
      });
    }
    const headers: [string, string][] = [
      ...this.#json,
      ["x-request-id", requestId],
      ["etag", given.etag],
      ...CACHING,
    ];
    const zipped = given.gzip !== undefined && takesGzip(request);
    if (zipped) headers.push(["content-encoding", "gzip"]);
    return new Response(zipped ? given.gzip : given.text, { headers });
  }

  /** The headers that all answers share, added to a response that was made elsewhere. */
  withHeaders(response: Response, requestId: string): Response {
    try {
      for (const [name, value] of this.#shared) {
        if (!response.headers.has(name)) response.headers.append(name, value);
      }
      response.headers.set("x-request-id", requestId);
      return response;
    } catch { // an upgrade's response cannot be changed
      return response;
    }
  }
}
