/** Log lines on the console: never waited for, never more than a bounded amount of memory. */
import type { LogLevel } from "../core/log.ts";
import { Latch } from "../core/signal.ts";
import { visible } from "./line.ts";

const MAX_WAITING = 1_048_576;
/** Lines for a collector leave together: a write of its own for each would cost more than its request. */
const TICK_MS = 50;

/** The destination of lines: standard error, or a test's own collector. */
export interface ConsoleStream {
  write(bytes: Uint8Array): Promise<number>;
  isTerminal(): boolean;
}

export class Console {
  readonly pretty: boolean;
  readonly #stream: ConsoleStream;
  readonly #encoder = new TextEncoder();
  #waiting: string[] = [];
  #waitingLength = 0;
  #lost = 0;
  #writing: Promise<void> | null = null;
  #leave: () => void = () => {};

  constructor(stream: ConsoleStream) {
    this.#stream = stream;
    this.pretty = stream.isTerminal();
  }

  /** When the console's reader stalls, lines are dropped and the service goes on. */
  write(line: string): void {
    if (this.#waitingLength > MAX_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting.push(line);
    this.#waitingLength += line.length + 1;
    this.#writing ??= this.#drain();
  }

  /** Waits for what was written so far, but not for ever. */
  async flush(timeoutMs = 1_000): Promise<void> {
    if (this.#writing === null) return;
    this.#leave();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, timeoutMs));
    await Promise.race([this.#writing, late]);
    clearTimeout(timer);
  }

  /** The lines of a burst leave together: for people within a turn of the loop, for a collector within a tick. */
  #burst(): Promise<void> {
    if (this.pretty) return Promise.resolve();
    const burst = new Latch();
    const timer = setTimeout(() => burst.open(), TICK_MS);
    this.#leave = () => {
      clearTimeout(timer);
      burst.open();
    };
    return burst.opened;
  }

  async #drain(): Promise<void> {
    await this.#burst();
    try {
      while (this.#waiting.length > 0) {
        if (this.#lost > 0) {
          this.#waiting.push(`{"level":"warn","message":"Console lines were lost","lost":${this.#lost}}`);
        }
        this.#lost = 0;
        let bytes = this.#encoder.encode(this.#waiting.join("\n") + "\n");
        this.#waiting = [];
        this.#waitingLength = 0;
        while (bytes.length > 0) bytes = bytes.subarray(await this.#stream.write(bytes));
        if (this.#waiting.length > 0) await this.#burst();
      }
    } catch {
      // The console is gone (a closed pipe): the file still has every line.
      this.#waiting = [];
      this.#waitingLength = 0;
    } finally {
      this.#writing = null;
    }
  }
}

const COLOURS: Record<LogLevel, string> = { debug: "90", info: "36", warn: "33", error: "31" };

/** The line for people: time of day, level, message, then the other fields as they are. */
export function prettyLine(line: string): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line);
  } catch {
    return visible(line);
  }
  const { time, level, message, ...fields } = record;
  const colour = Deno.noColor ? null : COLOURS[level as LogLevel] ?? null;
  const name = String(level).padEnd(5);
  const shownLevel = colour === null ? name : `\x1b[${colour}m${name}\x1b[0m`;
  const shownFields = Object.entries(fields)
    .map(([key, value]) =>
      `${visible(key)}=${visible(typeof value === "string" ? value : JSON.stringify(value))}`
    );
  return [String(time).slice(11, 23), shownLevel, visible(String(message)), ...shownFields].join(" ");
}
