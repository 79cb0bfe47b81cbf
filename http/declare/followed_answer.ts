/** Streams an answer that is followed, and sends a sign of life while there is nothing to tell. */

/** Proxies cut what is silent for longer, and only a byte that is sent finds out that its reader has vanished. */
const BEAT_MS = 15_000;

type FollowedType = "application/x-ndjson" | "text/event-stream" | "text/plain; charset=utf-8";

/**
 * Reads on only when the caller has taken what was there: a slow one holds back the source, not our memory. While it waits
 * for the next item, a line without content (a comment among events) is sent every 15 s, which readers pass over; none
 * where the answer `ends` by itself. `leave` is called when the caller leaves, before the items are ended: it has to end a
 * wait for the next one.
 */
export function followedAnswer(
  items: AsyncIterator<string, unknown>,
  { type, ends = false, leave = () => {} }: {
    readonly type: FollowedType;
    readonly ends?: boolean;
    readonly leave?: () => void;
  },
): Response {
  const encoder = new TextEncoder();
  const beat = encoder.encode(type === "text/event-stream" ? ":\n\n" : "\n");
  let next: Promise<IteratorResult<string, unknown>> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      next ??= items.next();
      const silence = new Promise<null>((resolve) => timer = setTimeout(() => resolve(null), BEAT_MS));
      const found = await (ends ? next : Promise.race([next, silence])).finally(() => clearTimeout(timer));
      if (found === null) return controller.enqueue(beat);
      next = null;
      if (found.done) controller.close();
      else controller.enqueue(encoder.encode(found.value));
    },
    async cancel() {
      clearTimeout(timer);
      leave();
      await items.return?.();
    },
  }, { highWaterMark: 0 });
  return new Response(body, {
    headers: {
      "content-type": type,
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}
