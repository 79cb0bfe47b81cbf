/** `/api/services/{id}/logs` and `/api/tasks/{id}/logs`: what the tasks of a swarm's service write, on all nodes. */
import * as z from "../../../../core/schema.ts";
import type { Principal } from "../../../../core/access.ts";
import { ServiceError } from "../../../../core/error.ts";
import { later } from "../../../../core/later.ts";
import { engineError } from "../../../../engines/calls/errors.ts";
import type { Call } from "../../../../http/declare/call.ts";
import { countOrAll, flag, text } from "../../../../http/declare/query.ts";
import { raw, route, type Router, router } from "../../../../http/declare/router.ts";
import { problems } from "../../backends/problems.ts";
import type { Engines } from "../../backends/seen.ts";
import type { StreamLimit } from "../../backends/stream_limit.ts";
import type { Awaken } from "../awaken.ts";
import { LogGap } from "../log_gap.ts";
import { CONTENT_TYPE } from "../log_formats.ts";
import { formatOf, LOG_QUERY, wantedOf } from "../log_request.ts";
import { MOST_CURSOR, readCursor } from "./cursors.ts";
import { serviceLog } from "./service_log.ts";
import { tasksOf } from "./service_tasks.ts";
import { findService, findTask } from "./task_logs.ts";

const TaskLogRecord = later(() => {
  const OfTask = z.object({
    task: z.string().describe("The task, as `shop_web.2`"),
    taskId: z.string().describe("The task's id"),
    node: z.string().describe("The node it is on"),
    via: z.enum(["node", "manager"]).describe("From where it was read: the node's engine, or a manager"),
  });
  return z.union([
    OfTask.extend({
      time: z.string().describe("When it was written"),
      stream: z.enum(["stdout", "stderr"]).describe("Which output"),
      line: z.string().describe("The text of the line"),
      cut: z.literal(true).optional().describe("The line was longer than 256 KiB"),
    }),
    OfTask.extend({ gap: LogGap }),
    OfTask.extend({
      waits: z.object({ reason: z.string().describe("The code of the failure") })
        .meta({
          id: "TaskLogWaits",
          description: "Its log cannot be read for now, and is tried again while it is followed",
        }),
    }),
    z.object({
      cursor: z.string().describe(
        "Resumes all tasks behind the lines up to here; empty where they are too many",
      ),
    }),
    z.object({
      end: z.object({ reason: z.enum(["stopping", "not_allowed"]).describe("The reason of the end") })
        .meta({ id: "ServiceLogEnd", description: "The reason why no more lines follow" }),
    }),
  ]).meta({ id: "TaskLogRecord" });
});

const Query = z.object({
  follow: flag.default(false).describe(
    "Goes on with lines as they are written, also of tasks that start later",
  ),
  tail: countOrAll(1_000_000).default(null).describe("Number of the last lines of each task, or `all`"),
  history: flag.default(false).describe("Also of tasks that were replaced and that the swarm remembers"),
  ...LOG_QUERY,
  cursor: text(MOST_CURSOR).optional().describe("The latest `cursor` received: all tasks resume behind it"),
});
type Query = z.output<typeof Query>;

const FAILURES = [
  "ambiguous_id",
  "invalid_request",
  "runtime_unavailable",
  "engine_failed",
  "too_many_streams",
] as const;
const LINES = raw("The log", () => ({
  "text/plain": null,
  "application/x-ndjson": TaskLogRecord(),
  "text/event-stream": TaskLogRecord(),
}));

const ofService = route({
  method: "get",
  path: "/services/{id}/logs",
  summary: "Read or follow the logs of all tasks of a service",
  description:
    "Lines of different nodes are sorted when they come within 250 ms. They are read from each node's engine; where berth " +
    "does not know it, from a manager, which keeps no line for a slow reader: then a `gap` says so. Resumes behind " +
    "`cursor` or `Last-Event-ID` without loss or repeats.",
  headers: ["Last-Event-ID"],
  permission: "containers:logs",
  subject: "found",
  params: z.object({ id: text(255).describe("The service's id, the beginning of it, or its name") }),
  query: Query,
  answers: { 200: LINES, ...problems("service_not_found", ...FAILURES) },
});

const ofTask = route({
  method: "get",
  path: "/tasks/{id}/logs",
  summary: "Read or follow the log of one task of a service",
  description: "As those of a service. Of a name, the task that is to run is meant, else the newest.",
  headers: ["Last-Event-ID"],
  permission: "containers:logs",
  subject: "found",
  params: z.object({ id: text(255).describe("The task's id, or its name as `shop_web.2`") }),
  query: Query.omit({ history: true }),
  answers: { 200: LINES, ...problems("task_not_found", ...FAILURES) },
});

export const ROUTES = [ofService, ofTask];

const MISSING: ReadonlySet<string> = new Set(["service_not_found", "task_not_found"]);

interface Parts {
  readonly engines: Engines;
  readonly streamLimit: StreamLimit;
  readonly awaken: Awaken;
}

type LogCall = Call<{ id: string }, Omit<Query, "history">, undefined>;

export function serviceLogs(parts: Parts): Router {
  const { engines } = parts;
  return router()
    .on(ofService, async (call) => {
      const doing = `read the logs of service "${call.params.id}"`;
      const { reach, query } = call;
      const { service } = await onceRead(
        engines,
        doing,
        () => findService(engines, reach, call.params.id, doing),
      );
      return answer(call, parts, doing, tasksOf({ engines, reach, service, isAll: query.history }));
    })
    .on(ofTask, async (call) => {
      const doing = `read the logs of task "${call.params.id}"`;
      const { reach } = call;
      const { known: { service }, task } = await onceRead(
        engines,
        doing,
        () => findTask(engines, reach, call.params.id, doing),
      );
      return answer(call, parts, doing, tasksOf({ engines, reach, service, isAll: true, only: task.id }));
    });
}

/** Waits for the first look at swarms. Where one was not read, nobody can say that it has no such service. */
async function onceRead<Found>({ swarmsRead }: Engines, doing: string, find: () => Found): Promise<Found> {
  const isRead = await swarmsRead?.() ?? true;
  try {
    return find();
  } catch (error) {
    const isMissing = error instanceof ServiceError && MISSING.has(error.code);
    if (isRead || !isMissing) throw error;
    throw engineError(
      "runtime_unavailable",
      `Cannot ${doing}: a swarm was not read yet, as no manager answers`,
    );
  }
}

function answer(
  call: LogCall,
  { engines, streamLimit, awaken }: Parts,
  doing: string,
  tasks: Parameters<typeof serviceLog>[0]["tasks"],
): Response {
  const { query, request } = call;
  const wanted = wantedOf(query, doing);
  const cursors = readCursor(query.cursor ?? request.headers.get("last-event-id") ?? "");
  const format = formatOf(call);
  const viewer = streamLimit.enter(call.principal satisfies Principal, "logs");
  const body = serviceLog({
    engines,
    awaken,
    tasks,
    request: wanted,
    search: query.q,
    timestamps: query.timestamps,
    cursors,
    format,
    doing,
    signal: call.ending,
    reason: () => call.stopping.aborted ? "stopping" : "not_allowed",
    onEnd: () => viewer[Symbol.dispose](),
  });
  return new Response(body, {
    headers: [["content-type", CONTENT_TYPE[format]], ["cache-control", "no-store, no-transform"], [
      "x-accel-buffering",
      "no",
    ]],
  });
}
