/** The logs of all tasks of a service, resumed behind the last line of each. */
import { SERVICE_LOGS } from "../../client/berth/services.ts";
import { stream } from "../../client/stream.ts";
import { isStatusError } from "../../client/mod.ts";
import { KnownLines } from "./known_lines.ts";
import { LogFeed } from "./log_feed.ts";
import { problemOf } from "./problem.ts";
import { client, somebody } from "./session.ts";
import { words } from "../words/en_later.ts";

const TAIL = 200;
const PAUSE_MS = 1_000;
const FINAL = [400, 403, 404];
const MOST_CHARACTERS = 4 * 1024 * 1024;

export class TaskLog extends LogFeed {
  readonly #id: string;
  readonly #numbers = new Map<string, number>();
  /** Words about tasks that cannot be read for now, by their ids. */
  readonly #waiting = new Map<string, string>();
  readonly #known = new KnownLines();
  #cursor: string | null = null;

  constructor(id: string) {
    super();
    this.#id = id;
    this.earlier.value = "none"; // earlier lines are read of containers
  }

  override get keys(): readonly string[] {
    return [...this.#numbers.keys()];
  }

  protected override sourceOf(key: string): number {
    return this.#numbers.get(key) ?? 0;
  }

  #source(key: string, name: string, node: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.sources.push({ key, name, backend: node });
    this.#numbers.set(key, this.sources.length - 1);
    return this.sources.length - 1;
  }

  override async follow(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      try {
        await this.#read(ending);
      } catch (error) {
        if (ending.aborted) return;
        const problem = isStatusError(error) ? problemOf(error) : null;
        if (FINAL.includes(problem?.status ?? 0)) {
          this.problem.value = problem;
          this.state.value = "ended";
          return;
        }
        const isSignedOut = problem?.status === 401;
        this.#waiting.clear();
        this.waits(isSignedOut ? null : problem);
        if (isSignedOut) await somebody(ending);
      }
      this.state.value = "waiting";
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const from = this.#cursor === null ? { tail: TAIL } : { cursor: this.#cursor };
    this.#known.resume(this.#cursor !== null);
    const items = stream(client, SERVICE_LOGS, {
      as: "ndjson",
      params: { id: this.#id },
      query: { follow: true, format: "ndjson", ...from },
      maxItemBytes: MOST_CHARACTERS,
      signal,
    });
    const asked = this.asks();
    for (const task of [...this.#waiting.keys()]) this.#waits(task, null);
    try {
      for await (const item of items) {
        this.heard();
        if ("cursor" in item) {
          this.#cursor = item.cursor || null; // too many tasks have none
          this.#known.mark();
        } else if ("waits" in item) this.#waits(item.taskId, words.swarm.logWaits(item.task, item.node));
        else if ("line" in item) {
          this.#waits(item.taskId, null);
          const { isNew, gap } = this.#known.take(item.taskId, item.stream, item.time);
          if (!isNew) continue;
          const source = this.#source(item.taskId, item.task, item.node);
          if (gap !== null) this.gap(gap, source);
          this.lines.add(Date.parse(item.time), item.stream, source, item.line);
        } else if ("gap" in item && this.#known.takeGap(item.taskId, item.gap)) {
          this.gap(item.gap, this.#source(item.taskId, item.task, item.node));
        }
      }
    } finally {
      asked.end();
    }
  }

  /** Tells of one task that cannot be read for now, until it is read again. */
  #waits(task: string, title: string | null): void {
    if (title !== null) this.#waiting.set(task, title);
    else if (!this.#waiting.delete(task)) return;
    const [told] = this.#waiting.values();
    this.problem.value = told === undefined
      ? null
      : { title: told, code: "waits", status: 0, requestId: null, errors: [] };
  }
}
