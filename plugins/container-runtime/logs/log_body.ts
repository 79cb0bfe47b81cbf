/** A log as the body of an answer: read from the engine only as fast as the caller reads it. */
import { asServiceError } from "../../../http/problem.ts";
import type { ByteWriter } from "./byte_writer.ts";
import { FrameReader } from "../frames/frames.ts";
import { type LogWriter, RawTextWriter } from "./log_formats.ts";
import type { LogSource } from "./log_source.ts";
import type { EngineConnection } from "../frames/connection.ts";

const HEARTBEAT_MS = 15_000;
/** A caller who reads nothing for so long costs the engine nothing more, and goes on at the same line later. */
const PATIENCE_MS = 5_000;

export interface LogBodyOptions {
  readonly source: LogSource;
  readonly writer: LogWriter;
  /** Aborted when the caller left, lost the right, or the service stops. */
  readonly ending: AbortSignal;
  /** Why a stream ended that was cut short from our side. */
  readonly reason: () => string;
  /** Told once when nothing more will come. */
  readonly onEnd: () => void;
  readonly heartbeatMs?: number;
  readonly patienceMs?: number;
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
  #patience: ReturnType<typeof setTimeout> | undefined;

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
    this.#waitPatiently();
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
      if (!this.#over) this.#waitPatiently();
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
    if (ending.aborted) {
      writer.note({ end: { reason } });
      this.#flush(controller);
      return this.#finish(() => controller.close());
    }
    const { code, message } = asServiceError(error);
    writer.note({ error: { code, title: message } });
    const isTold = writer.heartbeat() !== null;
    this.#flush(controller);
    // Text has no place for an error: only a body that breaks off is not mistaken for a whole one
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

  /** One timer for very many pulls: a caller who reads fast would pay for one each. */
  #waitPatiently(idleMs = 0): void {
    const { patienceMs = PATIENCE_MS } = this.#options;
    this.#patience ??= setTimeout(() => this.#lookWhoWaits(patienceMs), patienceMs - idleMs);
  }

  #lookWhoWaits(patienceMs: number): void {
    this.#patience = undefined;
    if (this.#isPulled || this.#over) return; // whoever reads is waited for again when it was given something
    const idleMs = performance.now() - this.#pulledAt;
    if (idleMs < patienceMs - 1) this.#waitPatiently(idleMs);
    else this.#options.source.pause();
  }

  readonly #onEnding = () => {
    // Whoever is being read to hears of it in `pull`; whoever reads nothing cannot be told anything
    if (!this.#isPulled) this.#finish(() => this.#controller?.error(brokenOff()));
  };

  #finish(act: () => void): void {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#beat);
    clearTimeout(this.#patience);
    this.#options.ending.removeEventListener("abort", this.#onEnding);
    this.#options.source.close();
    this.#options.onEnd();
    act();
  }
}

/** Text without times of a log that does not go on: its frames' bytes as they are, and nothing to find again. */
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
          if (answer.isEmpty && !await answer.read()) break;
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

/** The runtime prints what a body fails with: neither the engine's words nor a stack belong there. */
function brokenOff(): Error {
  const error = new Error("A log was broken off");
  error.stack = error.message;
  return error;
}
