/** What happens on the engines, as it happens: the newest in bounded memory, resumed behind the last one seen. */
import { signal } from "@preact/signals";
import { TERMINAL_COMPOSE_LOGS, type TerminalMessage } from "../../client/berth/terminal.ts";
import { connect } from "../../client/connect.ts";
import { isStatusError } from "../../client/mod.ts";
import { type Problem, problemOf } from "./problem.ts";
import { client } from "./session.ts";

export type EngineEvent = Extract<TerminalMessage, { type: "event" }>;
export type EventKind = EngineEvent["kind"];

/** An event, an engine that came or went, or that what was before is not known. */
export type Happening =
  & { readonly number: number }
  & (
    | EngineEvent
    | { readonly type: "engine"; readonly at: number; readonly backend: string; readonly state: string }
    | { readonly type: "lost"; readonly at: number }
  );

export interface Wanted {
  readonly kinds: readonly EventKind[];
  readonly action: string | null;
}

const MOST = 1_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** They will not be allowed a moment later either. */
const FINAL = [400, 403, 404];

export class Events {
  /** Newest first. */
  readonly items = signal<readonly Happening[]>([]);
  readonly state = signal<"connecting" | "live" | "lost">("connecting");
  readonly problem = signal<Problem | null>(null);
  readonly #ending = new AbortController();
  /** The first question is for all that is still known. */
  #seen = 0;
  #number = 0;

  constructor(wanted: Wanted) {
    void this.#follow(wanted);
  }

  end(): void {
    this.#ending.abort();
  }

  async #follow({ kinds, action }: Wanted): Promise<void> {
    const { signal } = this.#ending;
    let pause = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        const query = { kind: kinds, since: this.#seen, ...(action === null ? {} : { action }) };
        await using socket = await connect(client, TERMINAL_COMPOSE_LOGS, { query, signal });
        for await (const message of socket) {
          if (message instanceof Uint8Array) continue;
          pause = FIRST_PAUSE_MS;
          this.#take(message);
        }
      } catch (error) {
        if (!signal.aborted && isStatusError(error) && FINAL.includes(error.response.statusCode)) {
          this.problem.value = problemOf(error);
          return;
        }
      }
      if (signal.aborted) return;
      this.state.value = "lost";
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  #take(message: TerminalMessage): void {
    switch (message.type) {
      case "hello":
        this.state.value = "live";
        // A berth that was started anew counts from the beginning.
        this.#seen = Math.min(this.#seen, message.seq);
        return;
      case "event":
        this.#seen = Math.max(this.#seen, message.seq);
        return this.#add({ ...message, number: this.#number++ });
      case "resync":
        // Before the first event there was nothing to lose.
        if (this.items.value.length === 0) return;
        return this.#add({ type: "lost", at: Date.now(), number: this.#number++ });
      case "backend": {
        const { backend, state } = message;
        return this.#add({ type: "engine", at: Date.now(), backend, state, number: this.#number++ });
      }
    }
  }

  #add(one: Happening): void {
    this.items.value = [one, ...this.items.value.slice(0, MOST - 1)];
  }
}
