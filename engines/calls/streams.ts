/** Answers that go on, as events, pulls and measurements do: bounded in number, each ended by its caller. */
import type { ServiceError } from "../../core/error.ts";
import { type Chunk, endable } from "./body.ts";
import type { EngineCall } from "./call.ts";
import { Cutoff } from "./cutoff.ts";
import type { Subject } from "./failure.ts";
import { type Requests, textOf } from "./requests.ts";
import { Slots } from "./slots.ts";

const MOST_STREAMS = 512;

/** A streamed answer; disposing it closes the connection. */
export interface EngineStream extends AsyncDisposable {
  /** Ends like a complete body when the call's signal aborts. */
  readonly body: ReadableStream<Chunk>;
}

export type StreamCall = EngineCall & { readonly signal: AbortSignal };

export class Streams {
  readonly #slots = new Slots(MOST_STREAMS, 0);

  /** `refusal` is what an answer that is no success means; `closing` ends all of them. */
  constructor(
    private readonly requests: Requests,
    private readonly refusal: (status: number, body: string, subject: Subject) => ServiceError,
    private readonly closing: AbortSignal,
  ) {}

  /** `doubt` ends a read like a complete body; it does not end a change. */
  async open(
    method: "GET" | "POST",
    target: string,
    call: StreamCall,
    doubt: AbortSignal,
  ): Promise<EngineStream> {
    const slot = await this.#slots.enter(call.signal);
    const cutoff = new Cutoff([call.signal, this.closing, ...method === "GET" ? [doubt] : []]);
    const end = () => {
      cutoff.abort();
      slot[Symbol.dispose]();
    };
    try {
      const response = await this.requests.fetch(method, target, call, cutoff);
      if (!response.ok || response.body === null) {
        throw this.refusal(response.status, await textOf(response, call, cutoff), call);
      }
      return {
        body: endable(response.body, cutoff.signal),
        [Symbol.asyncDispose]: () => {
          end();
          return Promise.resolve();
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  }
}
