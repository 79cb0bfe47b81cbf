/**
 * Answers that go on: NDJSON, server-sent events and text as async iterators.
 *
 * @example Progress of something long, as lines of JSON
 * ```ts
 * import { Client, Endpoint } from "@berth/client";
 * import { stream } from "@berth/client/stream";
 *
 * const JOB = new Endpoint("jobs/{id}/progress").typed<{ get: { item: { percent: number } } }>();
 *
 * async function follow(client: Client): Promise<void> {
 *   for await (const { percent } of stream(client, JOB, { as: "ndjson", params: { id: 7 }, idleTimeoutS: 60 })) {
 *     if (percent > 50) break; // ends the request, too
 *   }
 * }
 * ```
 *
 * @module
 */
import { type Client, senderOf } from "./client.ts";
import type { Deadline } from "./deadline.ts";
import type { Endpoint, EndpointTypes, Method, Options, TypesOf } from "./endpoint.ts";
import { BodyLimitError, NetworkError } from "./errors.ts";
import type { AnyOptions, Call } from "./sender.ts";
import { EventDecoder, type ServerSentEvent } from "./sse.ts";

export type { ServerSentEvent } from "./sse.ts";

/** The format of a body: lines of JSON, server-sent events, or pieces of text as they arrive. */
export type StreamFormat = "ndjson" | "sse" | "text";

/** The methods whose answers can be streams, as they are named in an endpoint's types. */
export type StreamMethod = "get" | "post" | "put" | "delete";

/** The items of a stream: the endpoint's `item` for NDJSON, events for SSE, strings for text. */
export type ItemOf<Types extends EndpointTypes, M extends StreamMethod, As extends StreamFormat> = As extends
  "ndjson" ? TypesOf<Types, M> extends { item: infer Item } ? Item : unknown
  : As extends "sse" ? ServerSentEvent
  : string;

/** The options of `stream()`, beside those of a call. */
export interface StreamOptions<M extends StreamMethod, As extends StreamFormat> {
  /** The format to read the body in. Sets `accept`; another content type is a `NetworkError`. */
  readonly as: As;
  /** The method. Default: `get`. */
  readonly method?: M | undefined;
  /** Seconds between two arrivals before the stream ends with a `TimeoutError`. Default: as long as it takes. */
  readonly idleTimeoutS?: number | undefined;
  /** The longest line or event, in characters. Default: 1 MiB. */
  readonly maxItemBytes?: number | undefined;
}

const FORMATS = {
  ndjson: { accept: "application/x-ndjson", type: /^application\/(x-)?(ndjson|jsonl)\b/i },
  sse: { accept: "text/event-stream", type: /^text\/event-stream\b/i },
  text: { accept: "text/plain, text/*;q=0.5", type: /^text\//i },
} as const;

/** Takes text as it comes and gives the items that are complete. */
interface Decoder {
  readonly pending: number;
  push(text: string): Iterable<unknown>;
  end(): Iterable<unknown>;
}

const RETURNED = Symbol("returned");

/**
 * The answer's items as they arrive. Nothing is sent before the first is asked for; `break`, `return()`, the signal and
 * the client's `close()` end the request. `timeoutS` bounds the time until the headers, `idleTimeoutS` the silences after.
 * Streams are not resumed by themselves: ask again with the cursor of the last item in `query`.
 *
 * @throws {StatusError} and all other errors of a call.
 */
export function stream<
  P extends string,
  T extends EndpointTypes,
  As extends StreamFormat,
  M extends StreamMethod = "get",
>(
  client: Client,
  endpoint: Endpoint<P, T>,
  options: Options<P, T, M> & StreamOptions<M, As>,
): AsyncGenerator<ItemOf<T, M, As>, void, undefined> {
  const state: { deadline?: Deadline } = {};
  const items = run(client, endpoint.path, options, state);
  const finish = items.return.bind(items);
  // An async generator queues return() behind a next() that waits, perhaps for ever: end that first.
  items.return = (value) => {
    state.deadline?.abort(RETURNED);
    return finish(value);
  };
  // The decoder gives what the endpoint's types promise; nothing checks what a server sends.
  return items as AsyncGenerator<ItemOf<T, M, As>, void, undefined>;
}

async function* run(
  client: Client,
  path: string,
  options: AnyOptions & StreamOptions<StreamMethod, StreamFormat>,
  state: { deadline?: Deadline },
): AsyncGenerator<unknown, void, undefined> {
  const { as, method = "get", idleTimeoutS, maxItemBytes = 2 ** 20 } = options;
  const format = FORMATS[as];
  if (!format || !(maxItemBytes > 0) || idleTimeoutS !== undefined && !(idleTimeoutS > 0)) {
    throw new TypeError("as is ndjson, sse or text; idleTimeoutS and maxItemBytes are above 0");
  }
  const sender = senderOf(client);
  // The methods' names in types are the protocol's in lower case.
  const call = sender.prepare(method.toUpperCase() as Method, path, options, [200], format.accept);
  const idleMs = idleTimeoutS && Math.min(Math.ceil(idleTimeoutS * 1000), 2 ** 31 - 1);
  const deadline = state.deadline = sender.begin(call, options);
  let finished = false;
  try {
    const response = await deadline.until(async () => {
      const response = await sender.send(call, deadline);
      if (!call.expected.includes(response.status)) await sender.settle(call, deadline, response);
      return response;
    });
    const type = response.headers.get("content-type") ?? "nothing";
    if (!format.type.test(type)) throw failure(call, `the answer is ${type}, not ${format.accept}`);
    const decoder = decoderFor(as, call);
    const utf8 = new TextDecoder();
    const reader = response.body?.getReader();
    while (reader && !finished) {
      deadline.arm(idleMs);
      const { done, value } = await next(reader, deadline, call);
      deadline.arm();
      yield* decoder.push(utf8.decode(value, { stream: !done }));
      if (done) {
        finished = true;
        yield* decoder.end();
      } else if (decoder.pending > maxItemBytes) {
        throw new BodyLimitError(`an item is longer than ${maxItemBytes} bytes`, call);
      }
    }
  } catch (error) {
    if (error !== RETURNED) throw error;
  } finally {
    deadline.end();
    // A stream that was left early is closed, so that the server sees the connection close.
    if (!finished) deadline.abort(RETURNED);
  }
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>, deadline: Deadline, call: Call) {
  try {
    return await deadline.until(() => reader.read());
  } catch (cause) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw failure(call, "the stream broke off", cause);
  }
}

function failure(call: Call, message: string, cause?: unknown): NetworkError {
  return new NetworkError(message, call, { cause });
}

function decoderFor(as: StreamFormat, call: Call): Decoder {
  if (as === "sse") return new EventDecoder();
  if (as === "text") return { pending: 0, push: (text) => text ? [text] : [], end: () => [] };
  let rest = "";
  const parse = (line: string): unknown => {
    try {
      return JSON.parse(line);
    } catch (cause) {
      throw failure(call, "a line of the stream is not JSON: " + line.slice(0, 200), cause);
    }
  };
  return {
    get pending() {
      return rest.length;
    },
    *push(text) {
      if (!text.includes("\n")) {
        rest += text;
        return;
      }
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim()) yield parse(line);
    },
    *end() {
      if (rest.trim()) yield parse(rest);
    },
  };
}
