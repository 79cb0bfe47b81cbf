/** One apply as it goes on: its steps, what a container said that is not sound, and how far pulls are. */
import { type Signal, signal } from "@preact/signals";
import { APPLY, APPLY_EVENTS, type ApplyEvent } from "../../client/berth/applies.ts";
import type { Apply } from "../../client/berth/models.ts";
import { stream } from "../../client/stream.ts";
import { type Problem, problemOf } from "./problem.ts";
import { client, somebody } from "./session.ts";

export type Said = Extract<ApplyEvent, { kind: "log" }>;
export type Pulled = Extract<ApplyEvent, { kind: "progress" }>;

const AGAIN_MS = 1_000;

/** True for a refusal that stays one; too many requests (429) are fewer a moment later. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 429;

export class ApplyFeed {
  readonly apply: Signal<Apply | undefined> = signal(undefined);
  readonly said: Signal<readonly Said[]> = signal([]);
  readonly pulled: Signal<ReadonlyMap<number, Pulled>> = signal(new Map());
  readonly problem: Signal<Problem | null> = signal(null);
  #place = 0;

  constructor(readonly id: string) {}

  /** To the end of the apply or of the signal; a connection that breaks goes on behind the last event. */
  async follow(ending: AbortSignal): Promise<void> {
    const { id } = this;
    while (!ending.aborted) {
      try {
        await this.read(ending);
        const events = stream(client, APPLY_EVENTS, {
          as: "ndjson",
          params: { id },
          query: { after: this.#place },
          signal: ending,
        });
        for await (const event of events) {
          if ("id" in event) this.#place = event.id;
          if (await this.#take(event, ending)) return;
        }
      } catch (error) {
        const problem = problemOf(error);
        if (ending.aborted || problem === null) return;
        this.problem.value = problem;
        if (problem.status === 401) await somebody(ending);
        else if (isFinal(problem.status)) return;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  async read(signal?: AbortSignal): Promise<void> {
    const asked = { params: { id: this.id }, ...(signal === undefined ? {} : { signal }) };
    this.apply.value = (await client.get(APPLY, asked)).json();
    this.problem.value = null;
  }

  /** Returns true once the apply has ended. */
  async #take(event: ApplyEvent, ending: AbortSignal): Promise<boolean> {
    const apply = this.apply.value;
    if (event.kind === "log") this.said.value = [...this.said.value, event];
    if (event.kind === "progress") this.pulled.value = new Map(this.pulled.value).set(event.step, event);
    if (event.kind === "step" && apply !== undefined) {
      const { step, state, error, note } = event;
      const steps = apply.steps.map((one) => one.n === step ? { ...one, state, error, note } : one);
      this.apply.value = { ...apply, steps };
    }
    if (event.kind === "state" || event.kind === "end") await this.read(ending);
    return event.kind === "end";
  }
}
