/** Several projects: their plans, then their applies, four at a time. */
import { effect, type Signal, signal } from "@preact/signals";
import type { Apply, Plan, PlanRequest } from "../../client/berth/models.ts";
import { PROJECT_PLAN } from "../../client/berth/projects.ts";
import { ApplyFeed } from "./apply_feed.ts";
import { type Problem, problemOf } from "./problem.ts";
import { client } from "./session.ts";

/** Projects in hand at once. */
const AT_ONCE = 4;

export interface Planned {
  readonly id: string;
  readonly plan?: Plan;
  readonly apply?: Apply;
  /** The reason why it could not be planned, or not be begun. */
  readonly problem?: Problem | null;
  /** True while it is planned, or waits for its turn. */
  readonly isBusy: boolean;
}

export class PlanSet {
  readonly all: Signal<readonly Planned[]>;

  constructor(ids: readonly string[], private readonly asked: PlanRequest) {
    this.all = signal(ids.map((id) => ({ id, isBusy: false })));
  }

  /** Plans all anew, or this one alone. A project that is in hand keeps its plan and its apply. */
  async plan(ending: AbortSignal, alone?: string): Promise<void> {
    const chosen = this.all.peek().filter((one) => (alone ?? one.id) === one.id && !one.isBusy);
    const ids = new Set(chosen.map(({ id }) => id));
    this.all.value = this.all.peek().map((one) => ids.has(one.id) ? { id: one.id, isBusy: true } : one);
    await this.#inTurn(chosen, ending, async ({ id }) => {
      const asked = { params: { id }, payload: this.asked, signal: ending };
      return { plan: (await client.post(PROJECT_PLAN, asked)).json() };
    });
  }

  /** Carries these out. What was begun goes on in berth, whatever becomes of the page. */
  async apply(
    chosen: readonly Planned[],
    start: (plan: Plan) => Promise<Apply>,
    ending: AbortSignal,
  ): Promise<void> {
    for (const one of chosen) this.#set(one.id, { isBusy: true });
    await this.#inTurn(chosen, ending, async ({ id, plan }) => {
      const begun = await start(plan!); // only planned ones are chosen
      this.#set(id, { apply: begun });
      return await this.#ended(id, begun, ending);
    });
  }

  /** Waits until an apply is over, asks for a person, or nothing is told of it any more. */
  async #ended(id: string, begun: Apply, ending: AbortSignal): Promise<Partial<Planned>> {
    const own = new AbortController();
    const feed = new ApplyFeed(begun.id);
    const unwatch = effect(() => {
      const apply = feed.apply.value;
      if (apply === undefined) return;
      this.#set(id, { apply });
      if (apply.state !== "running") own.abort();
    });
    await feed.follow(AbortSignal.any([own.signal, ending]));
    unwatch();
    const apply = feed.apply.value ?? begun;
    return { apply, ...(apply.state === "running" && { problem: feed.problem.value }) };
  }

  async #inTurn(
    chosen: readonly Planned[],
    ending: AbortSignal,
    act: (one: Planned) => Promise<Partial<Planned>>,
  ): Promise<void> {
    const waiting = [...chosen];
    const work = async () => {
      for (let one = waiting.shift(); one !== undefined && !ending.aborted; one = waiting.shift()) {
        const { id } = one;
        try {
          this.#set(id, { ...await act(one), isBusy: false });
        } catch (error) {
          if (ending.aborted) return;
          const problem = problemOf(error);
          this.#set(id, { problem, isBusy: false });
          // The user gave up: what waits is not asked about again.
          if (problem === null) { for (const { id } of waiting.splice(0)) this.#set(id, { isBusy: false }); }
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  #set(id: string, changed: Partial<Planned>): void {
    this.all.value = this.all.peek().map((one) => one.id === id ? { ...one, ...changed } : one);
  }
}
