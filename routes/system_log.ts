/** berth's own log over HTTP: where it is, its last lines, and those to come. */
import * as z from "../core/schema.ts";
import { ServiceError } from "../core/error.ts";
import { LOG_LEVELS, type LogChunk, type LogQuery, type LogReader } from "../core/log.ts";
import { followedAnswer } from "../http/declare/followed_answer.ts";
import { count, flag } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, raw, reply, route, router } from "../http/declare/router.ts";

const LogLevel = z.enum(LOG_LEVELS).meta({ id: "LogLevel" });

const LogPath = z.object({
  path: z.string().describe("The file that lines go to"),
  size: z.int().describe("Bytes of the file that is written now"),
  rotated: z.array(z.string()).readonly().describe("Older files, newest first"),
}).meta({ id: "LogPath" });

const logPath = route({
  method: "get",
  path: "/system/log-path",
  summary: "Path of the log file",
  description:
    "Names the file that berth writes now, and the older files. 404 if berth logs to the console only.",
  permission: "system:logs",
  subject: "everything",
  answers: { 200: json(LogPath, "The log file and the older ones"), ...problems("not_found") },
});

const LogLine = z.union([
  z.looseObject({
    time: z.string().describe("When"),
    level: LogLevel.describe("Severity"),
    message: z.string().describe("The message"),
  }),
  z.object({ gap: z.string().describe("The reason that lines are missing here") }),
]).meta({ id: "LogLine" });

const logs = route({
  method: "get",
  path: "/system/logs",
  summary: "The last lines of the log",
  description:
    "Read from the end, across rotation. With `follow` the answer continues with every new line, and an empty one " +
    "every 15 s shows that it is alive.",
  permission: "system:logs",
  subject: "everything",
  hints: { tail: 'it is called "lines" here', n: 'it is called "lines" here' },
  query: z.object({
    lines: count(0, 10_000).default(200).describe("Maximum number of lines"),
    level: LogLevel.optional().describe("The least level shown"),
    q: z.string().min(1).max(200).optional().describe("Text that a line must hold, in any case"),
    follow: flag.default(false).describe("Goes on with lines as they are written"),
    format: z.enum(["text", "ndjson"]).optional().describe("`text` unless `Accept` asks for NDJSON"),
  }),
  answers: {
    200: raw("The lines, oldest first", { "text/plain": null, "application/x-ndjson": LogLine }),
    ...problems("not_found"),
  },
});

/** Null where the log goes to the console only. */
export function systemLog(file: LogReader | null): CoreRouter {
  const mustHaveFile = () => {
    if (file !== null) return file;
    throw new ServiceError(
      "not_found",
      'Cannot show the log: it goes to the console only, since "BERTH_LOG_FILE" is "none"',
    );
  };
  return router()
    .on(logPath, async () => reply(200, await mustHaveFile().files()))
    .on(logs, async ({ query, request, ending }) => {
      const reader = mustHaveFile();
      const format = query.format ?? formatOf(request.headers.get("accept"));
      const show = format === "ndjson" ? ndjson : text;
      const wanted: LogQuery = {
        lines: query.lines,
        ...(query.level === undefined ? {} : { level: query.level }),
        ...(query.q === undefined ? {} : { text: query.q }),
      };
      const type = format === "ndjson" ? "application/x-ndjson" : "text/plain; charset=utf-8";
      if (query.follow) {
        const left = new AbortController();
        const chunks = reader.follow(wanted, AbortSignal.any([ending, left.signal]));
        return followedAnswer(shownOf(chunks, show), { type, leave: () => left.abort() });
      }
      const chunks = await reader.tail(wanted);
      return new Response(chunks.map(show).join(""), {
        headers: { "content-type": type, "cache-control": "no-store" },
      });
    });
}

function formatOf(accept: string | null): "text" | "ndjson" {
  return accept?.includes("application/x-ndjson") ? "ndjson" : "text";
}

async function* shownOf(
  chunks: AsyncIterable<LogChunk>,
  show: (chunk: LogChunk) => string,
): AsyncGenerator<string> {
  for await (const chunk of chunks) yield show(chunk);
}

function ndjson(chunk: LogChunk): string {
  return "line" in chunk ? `${chunk.line}\n` : `${JSON.stringify(chunk)}\n`;
}

/** Lines are JSON already, with every control character escaped: what is text is safe to show as it is. */
function text(chunk: LogChunk): string {
  return "line" in chunk ? `${chunk.line}\n` : `--- ${chunk.gap} ---\n`;
}
