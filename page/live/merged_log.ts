/** The logs of several containers in one: of a project, a workspace, or chosen ones, with those that come later. */
import { effect, signal } from "@preact/signals";
import { follow, link } from "./live.ts";
import { LogFeed } from "./log_feed.ts";

export interface Chosen {
  readonly project?: string;
  readonly workspace?: string;
  /** Each `<engine>/<name or id>`. */
  readonly containers?: readonly string[];
}

export class MergedLog extends LogFeed {
  /** How many containers are in sight that are not shown: one may not read them, or they are too many. */
  readonly leftOut = signal(0);
  readonly #chosen: Chosen;
  readonly #tail: number;
  readonly #numbers = new Map<string, number>();

  constructor(chosen: Chosen, tail: number) {
    super();
    this.#chosen = chosen;
    this.#tail = tail;
  }

  /** Each source is taken up again behind its own last line. */
  override follow(ending: AbortSignal): Promise<void> {
    const end = follow("logs", { ...this.#chosen, tail: this.#tail }, {
      message: (message) => {
        this.problem.value = null;
        this.state.value = "following";
        if (message.type === "sources") {
          this.leftOut.value = message.leftOut;
          for (const { source, name } of message.items) this.#name(source, name);
          return;
        }
        for (const item of message.items) {
          const source = this.#numberOf(item.source);
          if ("gap" in item) this.gap(item.gap, source);
          else this.lines.add(Date.parse(item.time), item.stream, source, item.line);
        }
      },
      ended: (problem) => this.#fail("ended", problem),
      failed: (problem) => this.#fail("waiting", problem),
    });
    const unwatch = effect(() => {
      if (link.value?.live === false && this.state.peek() === "following") this.state.value = "waiting";
    });
    return new Promise((resolve) =>
      ending.addEventListener("abort", () => {
        unwatch();
        end();
        resolve();
      }, { once: true })
    );
  }

  #fail(state: "ended" | "waiting", problem: { code: string; title: string; status: number }): void {
    this.state.value = state;
    this.problem.value = { ...problem, requestId: null, errors: [] };
  }

  #name(key: string, name: string | undefined): void {
    const number = this.#numberOf(key);
    if (name !== undefined) this.sources[number] = { ...this.sources[number]!, name };
  }

  #numberOf(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const at = key.indexOf("/");
    const number = this.sources.push({ key, name: key.slice(at + 1), backend: key.slice(0, at) }) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}
