/** Several projects: their plans, then their applies, four at a time. */
import { effect, type Signal, signal } from "@preact/signals";
import type { Apply, Plan, PlanRequest } from "../../client/berth/models.ts";
import { PROJECT_PLAN } from "../../client/berth/projects.ts";
import { ApplyFeed } from "./apply_feed.ts";
import { type Problem, problemOf } from "./problem.ts";
import { client, isLeft } from "./session.ts";

/** Projects in hand at once. */
const AT_ONCE = 4;

/** Applies that were asked for: those that wait for their turn, and how many are being begun. */
interface Queue {
  readonly waiting: Planned[];
  beginning: number;
}

/** Of all screens, also of those that were left. */
const queues = new Set<Queue>();

/** A browser asks before it closes what is not begun. */
addEventListener("beforeunload", (event) => {
  const isWaiting = [...queues].some(({ waiting, beginning }) => waiting.length + beginning > 0);
  if (isWaiting && !isLeft()) event.preventDefault();
});

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
    await this.#inTurn([...chosen], ending, async ({ id }) => {
      const asked = { params: { id }, payload: this.asked, signal: ending };
      return { plan: (await client.post(PROJECT_PLAN, asked)).json() };
    });
  }

  /**
   * Carries these out, all of them: after `ending`, with which the screen is left, too. They are followed until then,
   * and while one still waits for its turn.
   */
  async apply(
    chosen: readonly Planned[],
    start: (plan: Plan) => Promise<Apply>,
    ending: AbortSignal,
  ): Promise<void> {
    for (const one of chosen) this.#set(one.id, { isBusy: true });
    const queue: Queue = { waiting: [...chosen], beginning: 0 };
    queues.add(queue);
    const followed = new AbortController();
    const leave = () => {
      if (ending.aborted && queue.waiting.length === 0) followed.abort();
    };
    ending.addEventListener("abort", leave);
    await this.#inTurn(queue.waiting, new AbortController().signal, async ({ id, plan }) => {
      leave();
      queue.beginning++;
      // Only planned ones are chosen.
      const begun = await start(plan!).finally(() => queue.beginning--);
      this.#set(id, { apply: begun });
      return await this.#ended(id, begun, followed.signal);
    });
    ending.removeEventListener("abort", leave);
    queues.delete(queue);
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

  /** Takes what waits from its list, until that is empty. */
  async #inTurn(
    waiting: Planned[],
    ending: AbortSignal,
    act: (one: Planned) => Promise<Partial<Planned>>,
  ): Promise<void> {
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
