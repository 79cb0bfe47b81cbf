/** One call of an engine: its words, path, body and limits. */
import type { Subject } from "./failure.ts";

export const FIRST_BYTE_MS = 10_000;
export const BODY_MS = 20_000;
export const MAX_BODY = 64 * 1024 * 1024;

/** The methods of a change. */
export type Change = "POST" | "PUT" | "DELETE";
export type Method = "GET" | Change;

export interface EngineCall extends Subject {
  /** A name with several values is sent once for each. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** Sent as JSON; bytes are sent as they are, and are a tar, as is a stream, which only a stream's call may have. */
  readonly body?: unknown;
  /** Only our own headers; none of a caller's request is forwarded. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends a read early. A change is never cancelled by it: a closed tab must not leave half a create. */
  readonly signal?: AbortSignal;
  /** True for a change whose caller looks at what became of it: it ends as a read does when its connection is in doubt. */
  readonly endsInDoubt?: true;
  /** Milliseconds until the engine must begin its answer. */
  readonly firstByteMs?: number;
  readonly maxBytes?: number;
}

export function bodyOf(
  { body }: Pick<EngineCall, "body">,
): { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> } {
  if (body instanceof Uint8Array) return { type: "application/x-tar", bytes: new Uint8Array(body) };
  const text = body === undefined ? "" : JSON.stringify(body);
  return { type: "application/json", bytes: encoder.encode(text) };
}

/** Returns the text of a request: what its refusal may repeat to its caller. */
export function askedIn({ doing, query = {}, body }: Pick<EngineCall, "doing" | "query" | "body">): string {
  const sent = body instanceof Uint8Array || body instanceof ReadableStream ? undefined : body;
  return `${doing} ${Object.values(query).join(" ")} ${JSON.stringify(sent) ?? ""}`;
}

const encoder = new TextEncoder();
