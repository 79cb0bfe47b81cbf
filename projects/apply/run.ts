/** Carries an apply out, from wherever its journal is: each step after those it comes after, several at a time. */

import { isStillDeclared } from "../plan/looked.ts";
import type { Step } from "../plan/plan_shape.ts";
import type { ApplyRecord, ApplyWish } from "../../core/applies.ts";
import { ServiceError } from "../../core/error.ts";
import { failedUpdates } from "./failed_updates.ts";
import { isAway } from "./hand.ts";
import { progressOf } from "./journal.ts";
import { judgeStarts, unjudged, wordsOf } from "./judgement.ts";
import type { Unstable } from "./apply_shape.ts";
import { failureOf, failureToTakeBack, wordsOfGivenUp, wordsOfLeft } from "./left_behind.ts";
import { type BackOptions, failureOfBack, networksBack } from "./network_back.ts";
import { Patience, patiently } from "./patience.ts";
import { RunState } from "./run_state.ts";
import type { RunOptions } from "./run_options.ts";
import { StepRunner } from "./step_runner.ts";
import { type Kept, tidyUp, wordsOfKept } from "./tidy_up.ts";
import { Cut } from "./waiting.ts";
import { workOf } from "./work.ts";

/** Steps of one apply at a time; Compose has no limit. */
const AT_ONCE = 16;
/** Waits have places of their own: the steps that they wait for are begun beside them. */
const WAITS_AT_ONCE = 64;
/** A registry and the engine's disk are shared with others. */
const PULLS_AT_ONCE = 6;
/** Characters of the reason that an update went back. */
const MOST_REASON = 500;

export class Run {
  readonly #state: RunState;
  readonly #runner: StepRunner;
  readonly #cancelling = new AbortController();
  readonly #ending: AbortSignal;
  /** The steps that were begun by this run: each of them tries again by itself. */
  readonly #given = new Set<number>();

  constructor(readonly apply: ApplyRecord, private readonly options: RunOptions) {
    this.#state = new RunState(workOf(apply));
    this.#ending = AbortSignal.any([this.#cancelling.signal, options.stopping]);
    this.#runner = new StepRunner(apply, options, this.#state, this.#ending);
    if (apply.wish !== null) this.wish(apply.wish);
  }

  /** No new step: what is in hand is finished or turned back. */
  wish(wish: ApplyWish): void {
    const { halt } = this.#state;
    if (halt === null || halt.kind === "failed") this.#state.halt = { kind: wish };
    this.#cancelling.abort();
  }

  /** To its end, or to where it waits for a person or for the next start. Throws what the store throws. */
  async go(): Promise<void> {
    const { journal, store, isAgain, ground } = this.options;
    if (isAgain) {
      this.#state.resume(await progressOf(store, this.apply.id));
      await journal.goesOn(null);
      await ground.runtime.settle(); // after a start, nothing is known of the engine yet
      const unknown = await this.#unknownEngine();
      if (unknown !== null && this.options.stopping.aborted) return; // the next start goes on
      if (unknown !== null) return await journal.close("paused", unknown.discreet);
    }
    const { plan: { basis: { declared } }, countsSettings } = this.#state.work;
    const mayBeOlder = isAgain && countsSettings !== true;
    // A run whose steps are all done only judges: it reads no file.
    if (!this.#state.isWhole && !isStillDeclared(ground, declared, mayBeOlder)) {
      await this.options.settleWaiting();
      // Edited in the moment of its begin: nothing was done that a person must decide about.
      const failure = failureToTakeBack(this.#state.work, this.#state.progress);
      const before = failure === null ? "" : `${failure}. The rest of what was done is not taken back. `;
      if (!isAgain) return await journal.close("failed", "Its files were edited since: ask for a new plan");
      return await journal.close(
        "paused",
        `${before}Its files were edited since: abandon it, and ask for a new plan`,
      );
    }
    const { work, progress } = this.#state;
    const failure = isAgain
      ? failureToTakeBack(work, progress) ?? failureOfBack(work, progress) ?? failureOf(progress)
      : null;
    if (failure !== null && this.#state.halt === null) this.#state.halt = { kind: "failed", reason: failure };
    const lacking = await this.#runner.lacking(this.#state.cutSwaps());
    if (lacking !== null) {
      await this.options.settleWaiting();
      return await journal.close("paused", lacking);
    }
    await this.#carryOutAll();
    await this.#close();
  }

  /** Waits for an engine that berth has not found yet. Returns why it cannot be asked; null where it is known. */
  async #unknownEngine(): Promise<ServiceError | null> {
    if (this.#state.work.cluster !== undefined) return null;
    return await patiently(() => this.#runner.acts(), this.#patience(this.#ending, () => true));
  }

  #patience(ending: AbortSignal, isAway = (error: ServiceError) => this.#runner.isAway(error)) {
    return { patience: new Patience(this.options.awayMs), ending, isAway };
  }

  async #carryOutAll(): Promise<void> {
    const inHand = new Map<number, Promise<void>>();
    let broken: unknown;
    for (;;) {
      if (this.options.stopping.aborted) this.#state.halt ??= { kind: "stopping" };
      for (const step of broken === undefined ? this.#ready(inHand) : []) {
        const job = this.#runner.run(step)
          .catch((error) => void (broken ??= error))
          .finally(() => inHand.delete(step.n));
        inHand.set(step.n, job);
        this.#given.add(step.n);
      }
      if (inHand.size === 0) break;
      await Promise.race(inHand.values());
    }
    if (broken !== undefined) throw broken;
  }

  /** Returns the steps that can begin now. */
  #ready(inHand: ReadonlyMap<number, unknown>): Step[] {
    const { steps, done, halt, work } = this.#state;
    if (this.options.stopping.aborted) return [];
    const open = steps.filter(({ n }) => !done.has(n) && !inHand.has(n) && !this.#given.has(n));
    if (halt !== null) return open.filter((step) => this.#state.goesOnAtEnd(step));
    // Nothing is touched before all images are there.
    const images = open.filter(({ kind }) => kind === "image.pull" || kind === "image.build");
    if (images.length > 0 || [...inHand.keys()].some((n) => this.#isImage(n))) {
      return images.slice(0, PULLS_AT_ONCE - inHand.size);
    }
    const chosen = new Set(work.steps);
    const ready = open.filter(({ after }) => after.every((n) => done.has(n) || !chosen.has(n)));
    const isWait = ({ kind }: Step) => kind === "wait";
    const waits = steps.filter((step) => isWait(step) && inHand.has(step.n)).length;
    return [
      ...ready.filter((step) => !isWait(step)).slice(0, AT_ONCE - inHand.size + waits),
      ...ready.filter(isWait).slice(0, WAITS_AT_ONCE - waits),
    ];
  }

  #isImage(n: number): boolean {
    return this.#state.steps.some((step) => step.n === n && step.kind.startsWith("image."));
  }

  async #close(): Promise<void> {
    const { journal } = this.options;
    const unstable = await this.#judge();
    const { halt, isWhole } = this.#state;
    if (unstable !== null) {
      const kept = this.#state.work.cluster === undefined ? await this.#tidyUp() : [];
      if (kept === null) return;
      const words = [wordsOf(unstable), wordsOfKept(kept)].filter((one) => one !== null);
      return await journal.close("done", words.length === 0 ? null : words.join(". "), { unstable });
    }
    if (halt === null || halt.kind === "stopping") return; // the next start goes on
    if (halt.kind !== "paused" || !halt.isHook) {
      const away = await this.options.settle(halt.kind === "abandon") ??
        (halt.kind === "paused" ? null : await this.#networksBack());
      if (this.options.stopping.aborted && away !== null) return; // the next start goes on
      // A swap in hand waits for its engine: only `abandon` leaves it.
      if (away !== null && (halt.kind === "failed" || halt.kind === "cancel")) {
        const before = "reason" in halt ? `${halt.reason}. ` : "";
        return await journal.close("paused", `${before}${away.discreet}`);
      }
    }
    if (halt.kind !== "paused") await this.#nameBack();
    if (halt.kind === "failed") {
      const failed = failedUpdates(this.#state.steps, await progressOf(this.options.store, this.apply.id));
      if (failed.length > 0) await this.options.noteFailed(failed, halt.reason.slice(0, MOST_REASON));
    }
    if (!("reason" in halt)) return await this.#giveUp(isWhole ? UNJUDGED : null);
    if (halt.kind === "failed" && this.#state.work.onFailure === "rollback") {
      return await this.#takeBack(halt.reason);
    }
    const words = wordsOfLeft(this.#state.work, await progressOf(this.options.store, this.apply.id));
    await journal.close(halt.kind, words === null ? halt.reason : `${halt.reason}. ${words}`);
  }

  /** Brings networks back whose replacement is not done. Returns why the engine cannot. */
  async #networksBack(): Promise<ServiceError | null> {
    const { journal, store, seal } = this.options;
    const back: BackOptions = {
      apply: this.apply.id,
      work: this.#state.work,
      journal,
      seal,
      progress: () => progressOf(store, this.apply.id),
      actsOf: (step) => this.#runner.actsOf(step),
      siblings: () => this.#runner.orders.containers(),
      isAway: (error) => this.#runner.isAway(error),
    };
    return await patiently(() => networksBack(back), this.#patience(this.#ending));
  }

  /**
   * Removes what the apply has left. Returns what the engine keeps; null where the apply is paused, as its engine stays
   * away, or goes on later.
   */
  async #tidyUp(): Promise<readonly Kept[] | null> {
    const { journal, stopping } = this.options;
    const { orders } = this.#runner;
    let kept: readonly Kept[] = [];
    const away = await patiently(
      async () => kept = await tidyUp(orders, this.#runner.acts(), this.apply.id, journal),
      this.#patience(stopping),
    );
    if (away !== null && !stopping.aborted) {
      const left = "All steps are done, but what they left is not removed";
      await journal.close("paused", `${left}. ${away.discreet}`);
    }
    return away === null ? kept : null;
  }

  /** Closes an apply that somebody has ended, and says what of a failure was not taken back. */
  async #giveUp(words: string | null): Promise<void> {
    const { journal, store } = this.options;
    const progress = await progressOf(store, this.apply.id);
    await journal.close("cancelled", wordsOfGivenUp(this.#state.work, progress) ?? words);
  }

  /** Takes back what was done to a stack. The apply waits where its swarm is away. */
  async #takeBack(reason: string): Promise<void> {
    const { journal, store, stopping, awayMs } = this.options;
    const { NotAllowed, takeBackPatiently } = await import("./stack_back.ts");
    const { steps } = this.#state;
    const options = {
      steps,
      journal,
      handOf: (step: Step) => this.#runner.handBack(step),
      progress: async () => this.#state.progress = await progressOf(store, this.apply.id),
      isAway: (error: ServiceError) => this.#runner.isAway(error),
      patience: new Patience(awayMs),
      ending: this.#ending,
    };
    try {
      const left = await takeBackPatiently(options);
      const words = left === null
        ? `${reason}. What was done was taken back`
        : `${reason}. Not all of what was done could be taken back: ${left}`;
      await journal.close("failed", words);
    } catch (error) {
      if (error instanceof Cut && stopping.aborted) return; // the next start goes on
      const isAway = error instanceof ServiceError && this.#runner.isAway(error);
      const isLeft = error instanceof Cut || error instanceof NotAllowed || isAway;
      if (isLeft && this.#cancelling.signal.aborted) return await this.#giveUp(null);
      if (error instanceof NotAllowed) return await journal.close("paused", `${reason}. ${error.message}`);
      if (!isAway) throw error;
      await journal.close("paused", `${reason}. It cannot be taken back now: ${error.discreet}`);
    }
  }

  /** Gives the name of an updated image back to the one before, where no container was made from the new one. */
  async #nameBack(): Promise<void> {
    const { steps, done, progress } = this.#state;
    for (const step of steps) {
      const before = this.#state.before.get(step.n) ?? progress.get(step.n)?.noted["before"];
      if (step.digest === undefined || typeof before !== "string") continue;
      if (steps.some(({ n, ifChanged = [] }) => ifChanged.includes(step.n) && done.has(n))) continue;
      try {
        await this.#runner.acts().tag(before, this.#runner.orders.reference(step));
      } catch (error) {
        // The next plan shows what the name stands for.
        if (!(error instanceof ServiceError)) throw error;
      }
    }
  }

  /** Returns the containers that do not stay up; null where steps are left, and where it was cut. */
  async #judge(): Promise<Unstable[] | null> {
    const { journal, awayMs, judgedMs } = this.options;
    if (!this.#state.isWhole) return null;
    const started = unjudged(this.#state);
    if (started.size === 0) return [];
    const acts = this.#runner.acts();
    const given = { acts, journal, awayMs, judgedMs, ending: this.#ending };
    try {
      return await judgeStarts(started, given);
    } catch (error) {
      if (error instanceof Cut) {
        if (this.options.stopping.aborted) this.#state.halt ??= { kind: "stopping" };
        return null;
      }
      if (!(error instanceof ServiceError) || !isAway(acts, error)) throw error;
      this.#state.halt ??= { kind: "paused", reason: error.discreet };
      return null;
    }
  }
}

const UNJUDGED =
  "All steps are done. It was cancelled before berth knew whether the started containers stay up";
