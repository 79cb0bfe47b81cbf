/** What routes answer with: declared shapes on the one side, one finished `Response` on the other. */
import type { z } from "zod";
import type { ErrorCode } from "../core/error.ts";
import { takesGzip } from "./gzip.ts";
import { statusOf } from "./status.ts";

/** A declared answer with a JSON body. */
export interface JsonAnswer<Schema extends z.ZodType = z.ZodType> {
  readonly kind: "json";
  readonly schema: Schema;
  readonly description: string;
}
/** A declared answer whose bytes the handler makes itself: text, streams. */
export interface RawAnswer {
  readonly kind: "raw";
  readonly description: string;
  /** By media type; null where there is no schema to show. */
  readonly content: Readonly<Record<string, z.ZodType | null>>;
}
/** A declared answer without a body. */
export interface EmptyAnswer {
  readonly kind: "empty";
  readonly description: string;
}
export interface ProblemAnswer {
  readonly kind: "problem";
  readonly codes: readonly ErrorCode[];
}
export type Answer = JsonAnswer | RawAnswer | EmptyAnswer | ProblemAnswer;

export function json<Schema extends z.ZodType>(schema: Schema, description: string): JsonAnswer<Schema> {
  return { kind: "json", schema, description };
}

/** `raw("The log", { "text/plain": null, "application/x-ndjson": LogLine })` */
export function raw(description: string, content: Readonly<Record<string, z.ZodType | null>>): RawAnswer {
  return { kind: "raw", description, content };
}

export function empty(description: string): EmptyAnswer {
  return { kind: "empty", description };
}

/** The failures of its own that a route may answer with; spread into `answers`. */
export function problems(...codes: ErrorCode[]): Readonly<Record<never, never>> {
  const byStatus: Record<number, ProblemAnswer> = {};
  for (const code of codes) {
    const status = statusOf[code];
    byStatus[status] = { kind: "problem", codes: [...byStatus[status]?.codes ?? [], code] };
  }
  return byStatus;
}

export type ExtraHeaders = Readonly<Record<string, string>>;

/** A value to be answered as JSON under a declared status. */
export class Reply<Status extends number = number, Value = unknown> {
  constructor(readonly status: Status, readonly value: Value, readonly headers?: ExtraHeaders) {}
}

export function reply<const Status extends number>(status: Status): Reply<Status, undefined>;
export function reply<const Status extends number, Value>(
  status: Status,
  value: Value,
  headers?: ExtraHeaders,
): Reply<Status, Value>;
export function reply<const Status extends number, Value>(
  status: Status,
  value?: Value,
  headers?: ExtraHeaders,
): Reply<Status, Value | undefined> {
  return new Reply(status, value, headers);
}

/** JSON text that was serialised before, with its entity tag and, where it was made, its compressed twin. */
export class Kept {
  constructor(readonly text: string, readonly etag: string, readonly gzip?: Uint8Array<ArrayBuffer>) {}
}

/** Answers 200 with kept text, or 304 where the caller has it already. */
export function kept(text: string, etag: string = etagOf(text), gzip?: Uint8Array<ArrayBuffer>): Kept {
  return new Kept(text, etag, gzip);
}

/** A strong entity tag: two FNV-1a hashes of the text with its length. */
export function etagOf(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  return `"${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}-${text.length.toString(36)}"`;
}

/** Whether the caller's `If-None-Match` names this tag. */
export function holds(request: Request, etag: string): boolean {
  const known = request.headers.get("if-none-match");
  if (known === null) return false;
  if (known === etag || known === "*") return true;
  return known.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
}

// As pairs, in one piece with the rest of the headers: appending them one by one costs more than all else here.
const SECURITY_HEADERS: readonly [string, string][] = [
  [
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
  ],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
];
/** Deno would compress kept text again on every request, and weaken its tag: told not to. */
const CACHING: readonly [string, string][] = [
  ["vary", "accept-encoding"],
  ["cache-control", "private, no-cache, no-transform"],
];
const HSTS: [string, string] = ["strict-transport-security", "max-age=31536000"];

/** Makes finished responses: every header that all answers share is written in one go. */
export class Finisher {
  readonly #shared: readonly [string, string][];
  readonly #json: readonly [string, string][];

  constructor(options: { readonly tls: boolean }) {
    this.#shared = options.tls ? [...SECURITY_HEADERS, HSTS] : SECURITY_HEADERS;
    this.#json = [["content-type", "application/json"], ...this.#shared];
  }

  reply(given: Reply, requestId: string): Response {
    const headers: [string, string][] = [
      ...(given.value === undefined ? this.#shared : this.#json),
      ["x-request-id", requestId],
    ];
    if (given.headers !== undefined) {
      for (const name in given.headers) headers.push([name, given.headers[name]!]); // its own names only
    }
    const body = given.value === undefined ? null : JSON.stringify(given.value);
    return new Response(body, { status: given.status, headers });
  }

  kept(given: Kept, request: Request, requestId: string): Response {
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
  dress(response: Response, requestId: string): Response {
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
