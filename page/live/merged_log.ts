/** The logs of several containers in one: of a project, a workspace, or chosen ones, with those that come later. */
import { effect, signal } from "@preact/signals";
import { follow, link } from "./live.ts";
import { type From, type LinePlace, LogFeed } from "./log_feed.ts";
import { problemOf } from "./problem.ts";
import { words } from "../words/en_later.ts";

export interface Chosen {
  readonly project?: string;
  readonly workspace?: string;
  /** All that may be read. */
  readonly all?: true;
  /** Each `<engine>/<name or id>`. */
  readonly containers?: readonly string[];
}

export class MergedLog extends LogFeed {
  /** The number of containers in scope that are not shown: not permitted, or too many. */
  readonly leftOut = signal(0);
  readonly #chosen: Chosen;
  readonly #from: From;
  readonly #at: LinePlace | null;
  readonly #numbers = new Map<string, number>();
  /** Reasons of containers that cannot be read for now, as codes. */
  readonly #waiting = new Map<string, string>();
  /** Containers that exist now. */
  readonly #readable = new Set<string>();

  constructor(chosen: Chosen, from: From, at: LinePlace | null = null) {
    super();
    this.#chosen = chosen;
    this.#from = from;
    this.#at = at;
  }

  override get keys(): readonly string[] {
    return [...this.#readable];
  }

  /** Each source is taken up again behind its own last line. */
  override async follow(ending: AbortSignal): Promise<void> {
    try {
      await this.#follow(this.#at === null ? this.#from : await this.fromOf(this.#at, ending), ending);
    } catch (error) {
      if (ending.aborted) return;
      this.problem.value = problemOf(error);
      this.state.value = "ended";
    }
  }

  #follow(from: From, ending: AbortSignal): Promise<void> {
    const end = follow("logs", { ...this.#chosen, ...from }, {
      message: (message) => {
        this.state.value = "following";
        if (message.type === "sources") {
          this.leftOut.value = message.leftOut;
          for (const { source, name, state, reason = "" } of message.items) {
            this.#name(source, name);
            if (state === "waiting") this.#waiting.set(source, reason);
            else this.#waiting.delete(source);
            if (state === "following") this.#readable.add(source);
            else this.#readable.delete(source);
          }
          return this.#tellWaiting();
        }
        this.#tellWaiting();
        for (const [key, cursor] of Object.entries(message.firsts ?? {})) this.begins(key, cursor);
        for (const item of message.items) {
          const source = this.sourceOf(item.source);
          if ("gap" in item) this.gap(item.gap, source);
          else this.lines.add(Date.parse(item.time), item.stream, source, item.line);
        }
      },
      ended: (problem) => this.#fail("ended", problem),
      failed: (problem) => this.#fail("waiting", problem),
    });
    const unwatch = effect(() => {
      if (link.value?.live === false && this.state.peek() === "following") {
        this.state.value = "waiting";
        this.#waiting.clear(); // all are told of anew
      }
    });
    return new Promise((resolve) =>
      ending.addEventListener("abort", () => {
        unwatch();
        end();
        resolve();
      }, { once: true })
    );
  }

  /** Tells of the containers that cannot be read for now, until they are read again. */
  #tellWaiting(): void {
    const [told] = this.#waiting;
    if (told === undefined) {
      this.problem.value = null;
      return;
    }
    const [key, code] = told;
    const { name, backend } = this.sources[this.sourceOf(key)]!; // it was named when it was told of
    const title = words.log.unread(name, backend, code, this.#waiting.size - 1);
    if (this.problem.peek()?.title === title) return;
    this.problem.value = { title, code, status: 0, requestId: null, errors: [] };
  }

  #fail(state: "ended" | "waiting", problem: { code: string; title: string; status: number }): void {
    this.#waiting.clear();
    this.state.value = state;
    this.problem.value = { ...problem, requestId: null, errors: [] };
  }

  #name(key: string, name: string | undefined): void {
    const number = this.sourceOf(key);
    if (name !== undefined) this.sources[number] = { ...this.sources[number]!, name };
  }

  protected override sourceOf(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const at = key.indexOf("/");
    const number = this.sources.push({ key, name: key.slice(at + 1), backend: key.slice(0, at) }) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}
