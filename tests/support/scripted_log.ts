/** The log of a container on a scripted engine, in frames as Docker writes them. */
import { logTime } from "./scripted_engine.ts";

const LINES_AT_ONCE = 1_000;
const encoder = new TextEncoder();

export interface LogOptions {
  /** Returns the text of the line with this number, counted from 1. */
  readonly text?: (number: number) => string;
  /** As fast as it is read unless given. */
  readonly perSecond?: number;
  /** The lines before it are lost. */
  readonly first?: number;
  /** The last line that may be written for now, as soon as there is one more. */
  readonly until?: () => Promise<number>;
}

/** Lines that come no faster than they are read; at the last one the log ends. */
export class FastLog {
  written: number;
  bytes = 0;
  readonly #text: (number: number) => string;
  readonly #perSecond: number;
  readonly #first: number;
  readonly #until: () => Promise<number>;

  constructor(readonly most: number, options: LogOptions = {}) {
    const { text = (number) => `line ${number} of a log`, perSecond = Infinity, first = 1 } = options;
    this.#text = text;
    this.#perSecond = perSecond;
    this.#first = first;
    this.#until = options.until ?? (() => Promise.resolve(most));
    this.written = first - 1;
  }

  answer(): Response {
    const began = performance.now();
    return new Response(
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: async (controller) => {
          const aheadMs = (this.written - this.#first) * 1_000 / this.#perSecond -
            (performance.now() - began);
          if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
          if (this.written >= this.most) return controller.close();
          const left = await this.#until() - this.written;
          const amount = Math.ceil(Math.min(LINES_AT_ONCE, this.#perSecond / 20, left));
          const all = this.#frames(amount);
          this.bytes += all.byteLength;
          controller.enqueue(all);
        },
      }, { highWaterMark: 0 }),
      { headers: { "content-type": "application/vnd.docker.raw-stream" } },
    );
  }

  /** Eight bytes before each line, of which the last four are its length. */
  #frames(amount: number): Uint8Array<ArrayBuffer> {
    const frames: Uint8Array[] = [];
    for (let at = 0; at < amount; at++) {
      const text = encoder.encode(`${logTime(++this.written * 1_000)} ${this.#text(this.written)}\n`);
      const frame = new Uint8Array(8 + text.byteLength);
      frame[0] = 1;
      new DataView(frame.buffer).setUint32(4, text.byteLength);
      frame.set(text, 8);
      frames.push(frame);
    }
    const all = new Uint8Array(frames.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let to = 0;
    for (const frame of frames) {
      all.set(frame, to);
      to += frame.byteLength;
    }
    return all;
  }
}
