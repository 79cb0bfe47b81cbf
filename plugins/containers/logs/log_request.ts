/** Requests for a log, by a container or by a service. */
import * as z from "../../../core/schema.ts";
import { flag, text } from "../../../http/declare/query.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import type { LogFormat } from "./log_formats.ts";
import type { LogPosition } from "./log_position.ts";
import { compareLogTimes, engineTime, type LogTime, readCallersTime } from "./log_time.ts";

export interface LogRequest {
  readonly follow: boolean;
  readonly tail: number | null;
  readonly since: LogTime | null;
  readonly until: LogTime | null;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/** The parameters that all logs have. */
export const LOG_QUERY = {
  since: text(64).optional().describe(
    "Only lines from then on: a time as `2026-01-31T12:00:00Z`, seconds since 1970, or a span as `10m`",
  ),
  until: text(64).optional().describe("Only lines up to then, written as for `since`"),
  timestamps: flag.default(false).describe("Puts its time before each line of text"),
  stdout: flag.default(true).describe("True to receive lines of the standard output"),
  stderr: flag.default(true).describe("True to receive lines of the standard error"),
  q: text(256).optional().describe("Only lines that hold this text, in any case"),
  format: z.enum(["text", "ndjson", "sse"])
    .meta({ id: "LogFormat", description: "A form of a log: lines of text, or records" }).optional()
    .describe("Instead of what the header `Accept` asks for"),
};

type Asked = Pick<LogRequest, "follow" | "tail" | "stdout" | "stderr"> & {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** Throws `invalid_request`. */
export function wantedOf({ follow, tail, stdout, stderr, since, until }: Asked, doing: string): LogRequest {
  if (!stdout && !stderr) {
    throw engineError("invalid_request", `Cannot ${doing}: stdout and stderr are both switched off`, {
      errors: [{ path: "query.stdout", message: "Expected stdout, stderr or both" }],
    });
  }
  const at = (time: string | undefined) => time === undefined ? null : readCallersTime(time);
  return { follow, tail, stdout, stderr, since: at(since), until: at(until) };
}

export function formatOf({ query, request }: {
  readonly query: { readonly format?: LogFormat | undefined };
  readonly request: Request;
}): LogFormat {
  if (query.format !== undefined) return query.format;
  const accept = request.headers.get("accept") ?? "";
  if (accept.includes("text/event-stream")) return "sse";
  return accept.includes("application/x-ndjson") ? "ndjson" : "text";
}

/**
 * Returns the start of a request to the engine: as the caller asked at first, after the latest line from then on.
 * `openedAt` is the time of the first request; null for that one.
 */
export function startOf(
  { since, tail }: LogRequest,
  position: LogPosition,
  openedAt: LogTime | null,
): { readonly since: string | undefined; readonly tail: number | undefined } {
  if (!position.empty) return { since: position.resume(), tail: undefined };
  if (openedAt !== null && tail === 0) {
    // The caller wanted no earlier line, and none has come since: those that were written meanwhile are wanted
    const from = since !== null && compareLogTimes(since, openedAt) > 0 ? since : openedAt;
    return { since: engineTime(from), tail: undefined };
  }
  return { since: since === null ? undefined : engineTime(since), tail: tail ?? undefined };
}
