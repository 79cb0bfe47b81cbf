/** The API's group `tasks`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { LogFormat, TaskLogRecord } from "./models.ts";

/** GET: Read or follow the log of one task of a service. */
export const TASK_LOGS: Endpoint<"/api/tasks/{id}/logs", {
  get: {
    item: TaskLogRecord;
    query: {
      /** Goes on with lines as they are written, also of tasks that start later. */
      follow?: boolean;
      /** Number of the last lines of each task, or `all`. */
      tail?: number | "all";
      /** Only lines from then on: a time as `2026-01-31T12:00:00Z`, seconds since 1970, or a span as `10m`. */
      since?: string;
      /** Only lines up to then, written as for `since`. */
      until?: string;
      /** Puts its time before each line of text. */
      timestamps?: boolean;
      /** True to receive lines of the standard output. */
      stdout?: boolean;
      /** True to receive lines of the standard error. */
      stderr?: boolean;
      /** Only lines that hold this text, in any case. */
      q?: string;
      /** Instead of what the header `Accept` asks for. */
      format?: LogFormat;
      /** The latest `cursor` received: all tasks resume behind it. */
      cursor?: string;
    };
  };
}> = new Endpoint("/api/tasks/{id}/logs");
