/** A request's JSON body, read within its bounds of size and time. */
import { ServiceError } from "../../core/error.ts";

export const BODY_LIMIT_BYTES = 1024 * 1024;
/** The limit of a caller without a credential, whose body is one. */
export const OPEN_BODY_LIMIT_BYTES = 16 * 1024;
const BODY_TIMEOUT_MS = 30_000;
const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i;
/** Lone surrogates: UTF-8 cannot hold them, so the store would return another text. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;
/** `JSON.stringify` escapes a surrogate only when it stands alone. */
const LONE_SURROGATE = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;

/** Returns the bytes that a body may take. Throws `body_too_large` for one that says it has more than the limit. */
export function bodySize(request: Request, limitBytes: number): number {
  if (request.body === null) return 0;
  const declared = request.headers.get("content-length");
  if (declared === null || request.headers.has("transfer-encoding")) return limitBytes;
  if (!(Number(declared) <= limitBytes)) throw tooLarge(limitBytes);
  return Number(declared);
}

/** The parsed body, or undefined when there is none. */
export async function readJson(
  request: Request,
  limitBytes = BODY_LIMIT_BYTES,
  timeoutMs = BODY_TIMEOUT_MS,
): Promise<unknown> {
  if (request.body === null) return undefined;
  const text = textOf(await readAll(request.body, limitBytes, timeoutMs));
  if (text === "") return undefined;
  const type = request.headers.get("content-type") ?? "";
  if (!JSON_TYPE.test(type)) {
    throw new ServiceError(
      "unsupported_media_type",
      "Body is not JSON; send it with `Content-Type: application/json`",
    );
  }
  try {
    const value: unknown = JSON.parse(text);
    if (!ESCAPED_SURROGATE.test(text) || !LONE_SURROGATE.test(JSON.stringify(value))) return value;
  } catch (cause) {
    throw new ServiceError("malformed_json", "Body is not valid JSON", { cause });
  }
  throw new ServiceError("malformed_json", "Body holds half of a surrogate pair; send whole characters");
}

/** The body as it was sent; empty when there is none. */
export async function readBytes(
  request: Request,
  limitBytes = BODY_LIMIT_BYTES,
  timeoutMs = BODY_TIMEOUT_MS,
): Promise<Uint8Array<ArrayBuffer>> {
  return request.body === null ? new Uint8Array() : await readAll(request.body, limitBytes, timeoutMs);
}

async function readAll(
  body: ReadableStream<Uint8Array>,
  limitBytes: number,
  timeoutMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {}); // nobody waits for it once the body is read
  const timer = setTimeout(
    () =>
      late.reject(
        new ServiceError(
          "body_too_slow",
          `Body took longer than ${timeoutMs / 1000} s to arrive; send it faster`,
        ),
      ),
    timeoutMs,
  );
  try {
    const parts: Uint8Array[] = [];
    let size = 0;
    while (true) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) return joined(parts, size);
      size += value.byteLength;
      if (size > limitBytes) throw tooLarge(limitBytes);
      parts.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // the sender is told by the answer, not by this
    if (error instanceof ServiceError) throw error;
    throw cutShort(error);
  } finally {
    clearTimeout(timer);
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw cutShort(error);
  }
}

const cutShort = (cause: unknown): ServiceError =>
  new ServiceError("malformed_json", "Body is not UTF-8, or was cut short; send it again", { cause });

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError("body_too_large", `Body is larger than ${limitBytes} bytes; send less at a time`);
}
