/**
 * Reads the body of an engine's answer so that it can be ended. Deno holds the signal of a request only weakly once the
 * response is there: after a garbage collection an abort ends nothing, so the reader is cancelled.
 */
import type { ServiceError } from "../../core/error.ts";
import { engineError } from "./errors.ts";

export type Chunk = Uint8Array<ArrayBuffer>;

/** The body, which ends as soon as `signal` aborts. */
export function endable(body: ReadableStream<Chunk>, signal: AbortSignal): ReadableStream<Chunk> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  return new ReadableStream<Chunk>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      signal.removeEventListener("abort", cancel);
      controller.close();
    },
    cancel() {
      signal.removeEventListener("abort", cancel);
      return reader.cancel();
    },
  }, { highWaterMark: 0 });
}

/** The whole body as text. Throws when it is longer than `maxBytes`. */
export async function readText(
  response: Response,
  maxBytes: number,
  doing: string,
  signal: AbortSignal,
): Promise<string> {
  if (response.body === null) return "";
  const announced = response.headers.get("content-length");
  if (Number(announced ?? "0") > maxBytes) {
    await response.body.cancel();
    throw tooLong(maxBytes, doing);
  }
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    let text = "";
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw signal.reason;
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        cancel();
        throw tooLong(maxBytes, doing);
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function tooLong(maxBytes: number, doing: string): ServiceError {
  return engineError(
    "engine_failed",
    `Cannot ${doing}: the engine answered more than ${maxBytes} bytes`,
  );
}
