/** Answers a pull with its result as JSON, or with its progress as NDJSON or server-sent events. */
import { Latch } from "../../../core/signal.ts";
import * as z from "../../../core/schema.ts";
import { followedAnswer } from "../../../http/declare/followed_answer.ts";
import { asServiceError, StreamFailure } from "../../../http/declare/problem.ts";
import { PullProgress, PullResult } from "./pull.ts";

/** One line or event of a streamed pull; the last one is `done` or `error`. */
export const PullFrame = z.union([
  PullProgress,
  z.object({ done: PullResult.describe("The result") }),
  z.object({ error: StreamFailure }),
]).meta({ id: "PullFrame" });

/** Frames queued for a slow reader before progress is skipped; the last frame always arrives. */
const WAITING_FRAMES = 256;

type PullFormat = "application/x-ndjson" | "text/event-stream";

/** The format that the caller accepts; null for JSON at the end. */
export function pullFormat(accept: string | null): PullFormat | null {
  if (accept?.includes("application/x-ndjson")) return "application/x-ndjson";
  if (accept?.includes("text/event-stream")) return "text/event-stream";
  return null;
}

/**
 * Answers at the first progress; an earlier failure is thrown, so that it gets its own status. The last frame is
 * `{ done }` or `{ error }`. `leave` is called when the reader disconnects.
 */
export async function streamPull(
  format: PullFormat,
  run: (progress: (frame: PullProgress) => void) => Promise<PullResult>,
  leave: () => void,
): Promise<Response> {
  const write = format === "text/event-stream" ? asEvent : asLine;
  const began = new Latch();
  let left = false;
  let body: ReadableStreamDefaultController<string> | undefined;
  const stream = new ReadableStream<string>({
    start: (controller) => void (body = controller),
  }, { highWaterMark: WAITING_FRAMES });
  const end = (kind: string, frame: unknown) => {
    if (left) return;
    body?.enqueue(write(kind, frame));
    body?.close();
  };
  const finished = run((frame) => {
    began.open();
    if (!left && (body?.desiredSize ?? 0) > 0) body?.enqueue(write("progress", frame));
  });
  finished.then((done) => end("done", { done }), (thrown) => {
    const { code, discreet } = asServiceError(thrown);
    end("error", { error: { code, title: discreet } });
  });
  await Promise.race([began.opened, finished]);
  return followedAnswer(stream.values(), {
    type: format,
    leave: () => {
      left = true;
      leave();
      try {
        body?.close(); // ends the wait for the next frame
      } catch {
        // It has ended by itself.
      }
    },
  });
}

function asLine(_kind: string, frame: unknown): string {
  return `${JSON.stringify(frame)}\n`;
}

function asEvent(kind: string, frame: unknown): string {
  return `event: ${kind}\ndata: ${JSON.stringify(frame)}\n\n`;
}
