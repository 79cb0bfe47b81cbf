/** Waits until all tasks of a service run as it was posted, or tells in the task's own words why they do not. */

import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import type { HeldService, HeldTask, HeldTasks } from "../../core/stack_acts.ts";
import { failed } from "./hand.ts";
import type { StackHand } from "./stack_hand.ts";
import { Cut, SOUND_MS } from "./waiting.ts";

const LOOK_MS = 400;
/** The milliseconds without any change after which nobody waits any longer. */
const QUIET_MS = 5 * 60_000;
const MOST_MS = 60 * 60_000;
/** The milliseconds after which tasks of the definition before count: a swarm keeps those that fit the new one, too. */
const KEPT_MS = 10_000;
/** A task that ends so often in one place does not stay up. */
const MOST_ENDS = 3;
/** Lines of a task that does not stay up. */
const LAST_LINES = 100;
/** Tasks that had failed before. */
const MOST_SEEN = 500;

/** The times of a definition, in nanoseconds, as a manager writes them. */
interface Timed {
  readonly UpdateConfig?: { readonly Delay?: number; readonly Monitor?: number } | null;
  readonly RollbackConfig?: Timed["UpdateConfig"];
  readonly TaskTemplate?: {
    readonly ContainerSpec?: {
      readonly Healthcheck?: Checked | null;
      readonly StopGracePeriod?: number;
    };
  };
}

/** The engine's own interval and timeout of a check, in nanoseconds. */
const USUAL_CHECK = 30e9;
const USUAL_RETRIES = 3;

/** The times of a health check; 0 for the engine's own. */
interface Checked {
  readonly StartPeriod?: number;
  readonly Interval?: number;
  readonly Timeout?: number;
  readonly Retries?: number;
}

/** Returns why the service is not the one that was posted; null while it is. */
type Judge = (held: HeldService) => Promise<ServiceError | null>;

interface Awaited {
  readonly judge: Judge;
  /** True if the swarm's own rollback leads to it, too. */
  readonly isBefore?: true;
}

/** Throws `Cut`, and `apply_failed` with the last words of a task. */
export async function waitForService(hand: StackHand, { judge, isBefore }: Awaited): Promise<void> {
  const { acts, step: { target } } = hand;
  const watch = new Watch(hand);
  const judged: { text: string; why: ServiceError | null } = { text: "", why: null };
  for (;; await pause(LOOK_MS, hand.ending)) {
    if (hand.ending.aborted) throw new Cut();
    const held = await acts.service(target);
    if (held === null) throw failed(`Service "${target}" was removed by somebody else`);
    const told = await acts.tasks(held.id);
    await watch.begin(told);
    const state = stateOf(held, isBefore === true);
    if (state === "rollback_started") watch.look(told, state);
    else if (state.startsWith("rollback")) {
      throw await watch.ended(told, "was rolled back by the swarm", held);
    } else {
      if (judged.text !== held.definition) {
        judged.why = await judge(held);
        judged.text = held.definition;
      }
      if (judged.why !== null) throw judged.why;
      if (state === "paused") {
        throw await watch.ended(told, "is only half updated: the swarm paused it", held);
      }
      if (await watch.isReached(told, state)) return;
    }
    await watch.mustGoOn(told, slownessOf(held));
  }
}

/** Returns the state of the update; of a rollback that leads to what is waited for in the same words. */
function stateOf({ update }: HeldService, isBefore: boolean): string {
  const state = update?.state ?? "";
  if (!isBefore) return state;
  const same: Readonly<Record<string, string>> = {
    rollback_started: "updating",
    rollback_completed: "completed",
    rollback_paused: "paused",
  };
  return same[state] ?? state;
}

class Watch {
  readonly #since = performance.now();
  #changedAt = performance.now();
  #signature = "";
  /** Since when all tasks run, and which. */
  #reached: { readonly at: number; readonly which: string } | null = null;
  #seen: ReadonlySet<string> | null = null;

  constructor(private readonly hand: StackHand) {}

  /** Remembers the tasks that had failed before, also for an attempt that comes after this one. */
  async begin({ tasks }: HeldTasks): Promise<void> {
    if (this.#seen !== null) return;
    const { noted, note } = this.hand;
    if (typeof noted["failed"] !== "string") {
      const ids = tasks.filter(hasFailed).map(({ id }) => id).slice(0, MOST_SEEN);
      await note({ failed: ids.join(" ") });
    }
    this.#seen = new Set(String(this.hand.noted["failed"] ?? "").split(" "));
  }

  look({ tasks }: HeldTasks, state: string): void {
    const signature = JSON.stringify([
      state,
      tasks.map(({ id, state, desired }) => [id, state, desired]).sort(),
    ]);
    if (signature === this.#signature) return;
    this.#signature = signature;
    this.#changedAt = performance.now();
  }

  /** Returns true once all tasks are there and stay. Throws where one of them never will. */
  async isReached(told: HeldTasks, state: string): Promise<boolean> {
    this.look(told, state);
    const failing = this.#failed(told).filter(({ current, isOfRun }) => current && isOfRun);
    const ends = Map.groupBy(failing, ({ slot, node }) => slot ?? node?.id ?? "");
    for (const [, list] of ends) {
      if (list.length >= MOST_ENDS) throw await this.ended(told, `has tasks that end again and again`);
    }
    if (told.isOnce && failing.some(({ isNewest }) => isNewest)) {
      throw await this.ended(told, "has a task that failed, and is not started again");
    }
    const up = upIn(told);
    if (up === null || state === "updating") {
      this.#reached = null;
      return false;
    }
    if (told.isJob) return true;
    const which = up.map(({ id }) => id).sort().join(" ");
    if (this.#reached?.which !== which) this.#reached = { at: performance.now(), which };
    // A swarm without any word of an update begins none, or has not begun it yet.
    const isNew = state === "completed" || up.length > 0 && up.every(({ current }) => current);
    // Also after a completed update: the swarm watches a task for as long as its file says, which may be no time at all.
    return performance.now() - this.#reached.at >= (isNew ? SOUND_MS : KEPT_MS);
  }

  /** Throws where nothing changes any more. `slowMs` is what the definition itself asks for at one task. */
  async mustGoOn(told: HeldTasks, slowMs: number): Promise<void> {
    const { healthy, completed } = this.hand.work.timeouts;
    const asked = told.isJob ? completed : healthy;
    const usualMs = told.isJob ? MOST_MS : Math.max(QUIET_MS, slowMs);
    const quietMs = asked === undefined ? usualMs : asked * 1_000;
    const now = performance.now();
    const isQuiet = now - this.#changedAt > quietMs;
    const mostMs = Math.max(MOST_MS, quietMs, slowMs * (told.wanted ?? told.tasks.length));
    if (!isQuiet && now - this.#since <= mostMs) return;
    const seconds = Math.round((isQuiet ? quietMs : now - this.#since) / 1_000);
    throw await this.ended(
      told,
      `is still not running as declared after ${seconds} s${isQuiet ? " without any change" : ""}`,
    );
  }

  /** Returns the failure, with the reason of a task, whose last lines go into the journal. */
  async ended(
    told: HeldTasks,
    what: string,
    held: Pick<HeldService, "update"> | null = null,
  ): Promise<ServiceError> {
    const { hand } = this;
    const worst = this.#failed(told).sort(byTime).at(-1) ??
      told.tasks.filter(({ isNewest, desired, state }) => isNewest && desired && state !== "running").at(-1);
    if (worst !== undefined) await hand.keepLastWords(worst, LAST_LINES).catch(nothing);
    const reason = worst?.reason ?? held?.update?.message ?? null;
    const who = worst === undefined
      ? ""
      : `${worst.name}${worst.node === null ? "" : ` on ${worst.node.name}`}: `;
    return failed(`Service "${hand.step.target}" ${what}${reason === null ? "" : `. ${who}${reason}`}`);
  }

  #failed({ tasks }: HeldTasks): HeldTask[] {
    return tasks.filter((one) => hasFailed(one) && this.#seen?.has(one.id) !== true);
  }
}

/** Returns the milliseconds that an update may stand still between two tasks because its definition says so, with a minute more. */
function slownessOf({ definition }: HeldService): number {
  const { UpdateConfig, RollbackConfig, TaskTemplate } = JSON.parse(definition) as Timed;
  const { Healthcheck, StopGracePeriod = 0 } = TaskTemplate?.ContainerSpec ?? {};
  const between = [UpdateConfig, RollbackConfig].map((one) => (one?.Delay ?? 0) + (one?.Monitor ?? 0));
  return (Math.max(...between) + checkedWithin(Healthcheck) + StopGracePeriod) / 1e6 + 60_000;
}

/** Returns the nanoseconds in which a task is healthy or has failed: its last check may be the first good one. */
function checkedWithin(check: Checked | null | undefined): number {
  if (check === null || check === undefined) return 0;
  const every = (check.Interval || USUAL_CHECK) + (check.Timeout || USUAL_CHECK);
  return (check.StartPeriod ?? 0) + every * (check.Retries || USUAL_RETRIES);
}

const hasFailed = ({ state }: HeldTask): boolean => state === "failed";

const byTime = (one: HeldTask, other: HeldTask): number => (one.at ?? "") < (other.at ?? "") ? -1 : 1;

/** Returns the tasks by which a service is what it should be; null while some are missing. */
function upIn({ tasks, wanted, isJob, mayEnd }: HeldTasks): readonly HeldTask[] | null {
  const newest = tasks.filter(({ isNewest, isOfRun }) => isNewest && isOfRun);
  const isUp = ({ state, desired }: HeldTask) =>
    state === "running" && desired && !isJob || state === "completed" && mayEnd;
  const up = isJob ? tasks.filter((one) => one.isOfRun && isUp(one)) : newest.filter(isUp);
  if (wanted !== null) return up.length >= wanted ? up : null;
  const meant = newest.filter(({ desired, state }) => desired || state === "failed" || state === "completed");
  if (isJob && meant.length === 0) return null;
  return meant.every(isUp) ? up : null;
}

/** Takes lines that cannot be read for none. */
function nothing(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
