/** The log of one container in bounded memory: followed, resumed at its own cursor, gaps and all. */
import { signal } from "@preact/signals";
import { CONTAINER_LOGS } from "../../client/berth/containers.ts";
import { isStatusError } from "../../client/mod.ts";
import { stream } from "../../client/stream.ts";
import { type Problem, problemOf } from "./problem.ts";
import { client } from "./session.ts";

export interface LogLine {
  /** Counts on from 0 over everything that was read. */
  readonly number: number;
  readonly time: string;
  readonly kind: "stdout" | "stderr" | "gap";
  readonly text: string;
}

/** What a log may take: beyond either the oldest lines go. */
const MOST_LINES = 200_000;
const MOST_CHARACTERS = 32 * 1024 * 1024;
const FIRST_LINES = 1_000;
const PAUSE_MS = 1_000;

/** Lines in the order they came. Those that arrive between two frames are told of once. */
export class Log {
  readonly state = signal<"reading" | "following" | "waiting" | "ended">("reading");
  /** Why it ended: `removed`, `not_allowed`, or the problem's code. */
  readonly reason = signal<string | null>(null);
  readonly problem = signal<Problem | null>(null);
  /** Counts up when there are further lines. */
  readonly version = signal(0);
  /** How many were let go. */
  dropped = 0;
  #lines: LogLine[] = [];
  /** Lines before it are let go, and cut off now and then. */
  #start = 0;
  #characters = 0;
  #number = 0;
  #cursor: string | null = null;
  #isTold = false;

  get length(): number {
    return this.#lines.length - this.#start;
  }

  at(index: number): LogLine | undefined {
    return this.#lines[this.#start + index];
  }

  slice(from: number, to: number): readonly LogLine[] {
    return this.#lines.slice(this.#start + from, this.#start + to);
  }

  /** The indexes of lines that hold the text, in any case. */
  matches(text: string): number[] {
    const wanted = text.toLowerCase();
    const found: number[] = [];
    for (let index = 0; index < this.length; index++) {
      if (this.at(index)!.text.toLowerCase().includes(wanted)) found.push(index);
    }
    return found;
  }

  /** Follows until the signal; a lost connection is taken up again behind the last line. */
  async follow(backend: string, id: string, ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      try {
        const isOver = await this.#read(backend, id, ending);
        if (isOver) return;
        this.state.value = "waiting";
      } catch (error) {
        if (ending.aborted) return;
        const status = isStatusError(error) ? error.response.statusCode : 0;
        if ([401, 403, 404].includes(status)) {
          this.problem.value = problemOf(error);
          this.state.value = "ended";
          return;
        }
        this.state.value = "waiting";
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #read(backend: string, id: string, signal: AbortSignal): Promise<boolean> {
    const from = this.#cursor === null ? { tail: FIRST_LINES } : { cursor: this.#cursor };
    const query = { follow: true, format: "ndjson", backend, ...from } as const;
    const items = stream(client, CONTAINER_LOGS, { as: "ndjson", params: { id }, query, signal });
    this.state.value = "following";
    for await (const item of items) {
      if ("end" in item) {
        if (item.end.reason === "stopping") return false;
        this.reason.value = item.end.reason;
        this.state.value = "ended";
        return true;
      }
      if ("error" in item) return false;
      if ("gap" in item) this.#add(item.gap.after, "gap", item.gap.before ?? "");
      else {
        this.#cursor = item.cursor;
        this.#add(item.time, item.stream, item.line);
      }
    }
    return false;
  }

  #add(time: string, kind: LogLine["kind"], text: string): void {
    this.#lines.push({ number: this.#number++, time, kind, text });
    this.#characters += text.length;
    while (this.length > MOST_LINES || this.#characters > MOST_CHARACTERS && this.length > 1) {
      this.#characters -= this.at(0)!.text.length;
      this.#start++;
      this.dropped++;
    }
    if (this.#start > 4_096) {
      this.#lines = this.#lines.slice(this.#start);
      this.#start = 0;
    }
    if (this.#isTold) return;
    this.#isTold = true;
    requestAnimationFrame(() => {
      this.#isTold = false;
      this.version.value++;
    });
  }
}
