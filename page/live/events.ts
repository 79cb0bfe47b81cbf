/** The events of the engines: the newest ones in bounded memory, resumed behind the last one received. */
import { signal } from "@preact/signals";
import type { Ending, ToldBy } from "../../client/live.ts";
import { follow, link } from "./live.ts";
import type { Problem } from "./problem.ts";

type Told = ToldBy<"events">["items"][number];
export type EngineEvent = Extract<Told, { type: "event" }>;
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
  readonly actions: readonly string[] | null;
  /** The number of past events that come first. */
  readonly earlier?: number;
}

const MOST = 1_000;

export class Events {
  /** Newest first. */
  readonly items = signal<readonly Happening[]>([]);
  readonly state = signal<"connecting" | "live" | "lost">("connecting");
  readonly problem = signal<Problem | null>(null);
  readonly #ends: readonly (() => void)[];
  #number = 0;

  constructor({ kinds, actions, earlier = MOST }: Wanted) {
    const fail = ({ code, title, status }: Ending) =>
      this.problem.value = { code, title, status, requestId: null, errors: [] };
    const asked = { kinds, earlier, ...(actions === null ? {} : { actions }) };
    this.#ends = [
      follow("events", asked, {
        message: ({ items }) => {
          this.state.value = "live";
          this.problem.value = null;
          this.#add(items);
        },
        ended: fail,
        failed: fail,
      }),
      link.subscribe((now) => {
        if (now?.live === false && this.state.peek() === "live") this.state.value = "lost";
      }),
    ];
  }

  end(): void {
    for (const end of this.#ends) end();
  }

  #add(items: readonly Told[]): void {
    if (items.length === 0) return;
    const found = items.flatMap((one) => this.#happeningOf(one) ?? []);
    this.items.value = [...found.reverse(), ...this.items.value].slice(0, MOST);
  }

  #happeningOf(one: Told): Happening | null {
    const number = this.#number++;
    if (one.type === "event") return { ...one, number };
    if (one.type === "backend") {
      return { type: "engine", at: Date.now(), backend: one.backend, state: one.state, number };
    }
    // Before the first event there was nothing to lose.
    return this.items.peek().length === 0 ? null : { type: "lost", at: Date.now(), number };
  }
}
