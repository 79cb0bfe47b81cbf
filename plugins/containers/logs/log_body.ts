/** A log as the body of an answer, read from the engine as fast as the caller reads. */
import { asServiceError } from "../../../http/declare/problem.ts";
import type { ByteWriter } from "./byte_writer.ts";
import { FrameReader } from "../../../engines/frames/frames.ts";
import { type LogWriter, RawTextWriter } from "./log_formats.ts";
import type { LogSource } from "./log_source.ts";
import type { EngineConnection } from "../../../engines/frames/connection.ts";

const HEARTBEAT_MS = 15_000;
/** When a caller reads nothing for this long, the engine's stream is closed; reading goes on at the same line later. */
const IDLE_LIMIT_MS = 5_000;

export interface LogBodyOptions {
  readonly source: LogSource;
  readonly writer: LogWriter;
  /** Aborts when the caller leaves, loses the permission, or the service stops. */
  readonly ending: AbortSignal;
  /** Returns the reason that berth ended the stream. */
  readonly reason: () => string;
  /** Called once, at the end. */
  readonly onEnd: () => void;
  readonly heartbeatMs?: number;
  readonly idleLimitMs?: number;
}

export function logBody(options: LogBodyOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(new LogBody(options), { highWaterMark: 0 });
}

class LogBody implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #options: LogBodyOptions;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null;
  #isPulled = false;
  #over = false;
  #lastAt = performance.now();
  #pulledAt = performance.now();
  #beat: ReturnType<typeof setInterval> | undefined;
  #readerTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LogBodyOptions) {
    this.#options = options;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.#controller = controller;
    const { ending, writer, heartbeatMs = HEARTBEAT_MS } = this.#options;
    ending.addEventListener("abort", this.#onEnding);
    if (writer.heartbeat() !== null) {
      this.#beat = setInterval(() => this.#heartbeat(heartbeatMs), heartbeatMs / 3);
    }
    this.#watchReader();
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    const { source, writer, reason } = this.#options;
    if (source.isLate(this.#pulledAt)) source.pause();
    this.#isPulled = true;
    try {
      let goesOn = true;
      while (goesOn && writer.output.isEmpty) goesOn = await source.read();
      if (goesOn) return this.#flush(controller);
      if (source.end === "removed") writer.note({ end: { reason: "removed" } });
      this.#flush(controller);
      this.#finish(() => controller.close());
    } catch (error) {
      this.#fail(controller, error, reason());
    } finally {
      this.#isPulled = false;
      this.#pulledAt = this.#lastAt = performance.now();
      if (!this.#over) this.#watchReader();
    }
  }

  cancel(): void {
    this.#finish(() => {});
  }

  #fail(
    controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>,
    error: unknown,
    reason: string,
  ): void {
    if (this.#over) return;
    const { writer, ending } = this.#options;
    if (ending.aborted) writer.note({ end: { reason } });
    else {
      const { code, discreet } = asServiceError(error);
      writer.note({ error: { code, title: discreet } });
    }
    const isTold = writer.heartbeat() !== null;
    this.#flush(controller);
    // Text has no place for an end or an error, so the body breaks off and cannot be mistaken for a complete one
    this.#finish(() => isTold ? controller.close() : controller.error(brokenOff()));
  }

  #flush(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    const { output } = this.#options.writer;
    if (output.isEmpty || this.#over) return;
    controller.enqueue(output.take());
  }

  #heartbeat(heartbeatMs: number): void {
    const beat = this.#options.writer.heartbeat();
    if (beat === null || !this.#isPulled || this.#over || performance.now() - this.#lastAt < heartbeatMs) {
      return;
    }
    this.#lastAt = performance.now();
    this.#controller?.enqueue(beat);
  }

  /** One timer for many pulls: one for each would slow a fast reader. */
  #watchReader(idleMs = 0): void {
    const { idleLimitMs = IDLE_LIMIT_MS } = this.#options;
    this.#readerTimer ??= setTimeout(() => this.#checkReader(idleLimitMs), idleLimitMs - idleMs);
  }

  #checkReader(idleLimitMs: number): void {
    this.#readerTimer = undefined;
    if (this.#isPulled || this.#over) return; // `pull` waits again when it has given something
    const idleMs = performance.now() - this.#pulledAt;
    if (idleMs < idleLimitMs - 1) this.#watchReader(idleMs);
    else this.#options.source.pause();
  }

  readonly #onEnding = () => {
    // A caller who waits for data is told by `pull`; one who reads nothing cannot be told
    if (!this.#isPulled) this.#finish(() => this.#controller?.error(brokenOff()));
  };

  #finish(act: () => void): void {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#beat);
    clearTimeout(this.#readerTimer);
    this.#options.ending.removeEventListener("abort", this.#onEnding);
    this.#options.source.close();
    this.#options.onEnd();
    act();
  }
}

/** Plain text of a log that is not followed: the payload of its frames, without a way to resume. */
export function rawLogBody(
  answer: EngineConnection,
  options: { readonly terminal: boolean; readonly ending: AbortSignal; readonly onEnd: () => void },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const writer = new RawTextWriter();
  const frames = new FrameReader(writer, { framed: !options.terminal, framing: answer.framing });
  const output: ByteWriter = writer.output;
  const end = () => {
    answer.close();
    options.onEnd();
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        while (output.isEmpty && !frames.complete) {
          if (answer.isEmpty && !await answer.readMuch()) break;
          answer.giveTo(frames);
        }
      } catch {
        end();
        return controller.error(brokenOff());
      }
      if (!output.isEmpty) return controller.enqueue(output.take());
      end();
      if (frames.cut || options.ending.aborted) controller.error(brokenOff());
      else controller.close();
    },
    cancel: end,
  }, { highWaterMark: 0 });
}

/** Without the engine's words or a stack: the runtime prints it. */
export function brokenOff(): Error {
  const error = new Error("A log was broken off");
  error.stack = error.message;
  return error;
}
