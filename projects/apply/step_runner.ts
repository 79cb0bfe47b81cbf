/** Carries one step of an apply out: begun in the journal first, tried again while its engine is away, ended in the journal. */

import type { ApplyRecord } from "../../core/applies.ts";
import type { EngineActs } from "../../core/engine_acts.ts";
import { isStoreAway, ServiceError } from "../../core/error.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { Need, Step } from "../plan/plan_shape.ts";
import { carryOut } from "./carry_out.ts";
import { failed, type Hand, isAway } from "./hand.ts";
import { NotKnown } from "./hook.ts";
import { lineOf, LostApply, type Noted, type StepProgress } from "./journal.ts";
import { judgedActs } from "./judged_acts.ts";
import { Orders } from "./orders.ts";
import { notHeld } from "./not_held.ts";
import { ownedActs } from "./owned_acts.ts";
import { Patience } from "./patience.ts";
import type { RunOptions } from "./run_options.ts";
import type { RunState } from "./run_state.ts";
import type { StackHand } from "./stack_hand.ts";
import { StackHands } from "./stack_hands.ts";
import { carryOutOnSwarm } from "./stack_steps.ts";
import { Cut } from "./waiting.ts";

/** Returns the notes of earlier attempts. A hook that failed is known to have ended. */
const notesOf = (before: StepProgress | undefined): Noted =>
  before?.state === "failed" && before.noted["started"] === true
    ? { ...before.noted, started: false }
    : before?.noted ?? {};

/** Lines of a container that is not sound. */
const LAST_LINES = 100;

export class StepRunner {
  readonly orders: Orders;
  /** The work on a swarm; null for the project of an engine. */
  readonly #stack: StackHands | null;
  readonly #state: RunState;
  readonly #ending: AbortSignal;
  /** Ends waits of a stack's steps, and what it did is taken back: a step has failed. */
  readonly #failing = new AbortController();
  readonly #endingOfStack: AbortSignal;
  /** Ports of a range are given out by the engine: two at a time may get one. */
  #ranges: Promise<unknown> = Promise.resolve();

  constructor(
    readonly apply: ApplyRecord,
    private readonly options: RunOptions,
    state: RunState,
    /** Ends pulls and waits: the apply is cancelled, or the service stops. */
    ending: AbortSignal,
  ) {
    this.orders = new Orders(options.ground);
    const { cluster } = state.work;
    this.#stack = cluster === undefined ? null : new StackHands(apply, options, state.work, cluster);
    this.#state = state;
    this.#ending = ending;
    this.#endingOfStack = AbortSignal.any([ending, this.#failing.signal]);
  }

  /** Throws only what ends the run without a word in the journal: the store, or another owner. */
  async run(step: Step): Promise<void> {
    const { journal } = this.options;
    const before = this.#state.progress.get(step.n);
    if (step.ifChanged !== undefined && !step.ifChanged.some((n) => this.#state.changed.has(n))) {
      return await this.#skip(step, "Nothing made it necessary");
    }
    if (step.within !== undefined) return await this.#skip(step, "There was nothing to stop or start");
    // A swap in hand is finished or undone, but no command runs without the permission for it.
    const inside = this.#state.inside(step).filter(({ n }) => !this.#state.done.has(n));
    const isBegun = this.#state.isBegun(step.n);
    const lacking = await this.lacking(isBegun ? inside : [step, ...inside]);
    if (lacking !== null && !(isBegun && this.#state.isGivenUp)) {
      this.#state.halt ??= { kind: "paused", reason: lacking };
      return;
    }
    const noted: { current: Noted } = { current: notesOf(before) };
    await journal.begin(step, noted.current);
    const patience = new Patience(this.options.awayMs);
    for (let isAgain = before !== undefined;; isAgain = true) {
      try {
        const outcome = this.#stack === null
          ? await this.#oneByOne(step, () => carryOut(this.#hand(step, noted, isAgain)))
          : await carryOutOnSwarm(this.#stack.hand(step, { noted, isAgain, ending: this.#endingOfStack }));
        if (noted.current["changed"] === true) this.#state.changed.add(step.n);
        const image = noted.current["before"];
        if (step.kind === "image.pull" && typeof image === "string") this.#state.before.set(step.n, image);
        if (outcome !== undefined && "skipped" in outcome) return await this.#skip(step, outcome.skipped);
        await this.#done(step, outcome?.started);
        return;
      } catch (error) {
        if (error instanceof NotKnown) {
          await journal.end(error.step, { state: "unknown", note: "Nobody knows whether it ended" });
          this.#askOfHook(error.message);
          return;
        }
        if (error instanceof Cut || this.#wasCut(error, step)) {
          if (!this.options.stopping.aborted) {
            await journal.end(step, { state: "unknown", note: "It was cut" });
          }
          return;
        }
        if (error instanceof LostApply || isStoreAway(error)) throw error;
        if (!(error instanceof ServiceError)) return await this.#fail(step, this.options.unexpected(error));
        if (!this.isAway(error)) return await this.#fail(step, error);
        if (!await patience.goesOn(this.options.stopping, error)) {
          this.#waitForPerson(step, error.discreet);
          return;
        }
        // An engine that hangs may do so for ever. Only a swap is not left half done.
        const isLeft = error.code === "engine_timeout" && this.#state.isGivenUp &&
          step.kind !== "container.swap";
        if (this.options.stopping.aborted || isLeft) return;
      }
    }
  }

  /** The swap of a hook in doubt waits for a person, whatever else failed or waits: only a wish ends it. */
  #askOfHook(question: string): void {
    const { halt } = this.#state;
    if (halt !== null && (!("reason" in halt) || halt.kind === "paused" && halt.isHook)) return;
    const reason = halt === null ? question : `${halt.reason}. ${question}`;
    this.#state.halt = { kind: "paused", reason, isHook: true };
  }

  /** A swap in hand is not left half done, whatever else failed or was asked: only `abandon` leaves it. */
  #waitForPerson({ kind }: Step, reason: string): void {
    const halt = this.#state.halt?.kind ?? null;
    const isLeft = kind === "container.swap" && (halt === "failed" || halt === "cancel");
    if (halt === null || isLeft) this.#state.halt = { kind: "paused", reason };
  }

  /** `container` is the id of the one that the step has started: it is judged at the end. */
  async #done(step: Step, container?: string): Promise<void> {
    const noted = container === undefined ? {} : { noted: { container } };
    await this.options.journal.end(step, { state: "done", ...noted });
    this.#state.done.add(step.n);
    if (container !== undefined) this.#state.started.set(step.n, { id: container, at: performance.now() });
  }

  async #skip(step: Step, note: string): Promise<void> {
    await this.options.journal.end(step, { state: "skipped", note });
    this.#state.done.add(step.n);
    this.#state.skipped.add(step.n);
  }

  /** Throws as `carryOut` does: what becomes of the whole step is not decided here. */
  async #hook(step: Step, { id, name }: InspectedContainer): Promise<void> {
    const { journal } = this.options;
    if (this.#state.done.has(step.n)) return;
    const lacking = await this.lacking([step]);
    if (lacking !== null) throw failed(lacking);
    const before = this.#state.progress.get(step.n);
    if (before?.state === "failed" && before.isAsked !== true) {
      throw failed(before.error?.title ?? "It failed"); // and berth was killed before it acted upon that
    }
    const noted: { current: Noted } = { current: notesOf(before) };
    await journal.begin(step, noted.current);
    try {
      const hand = this.#hand(step, noted, before !== undefined);
      const outcome = await carryOut({
        ...hand,
        note: hand.note,
        noted: noted.current,
        subject: { id, name },
      });
      if (outcome !== undefined && "skipped" in outcome) return await this.#skip(step, outcome.skipped);
      await this.#done(step);
    } catch (error) {
      if (error instanceof ServiceError && !isAway(this.acts(), error) && !isStoreAway(error)) {
        await journal.end(step, {
          state: "failed",
          error: { code: error.code, title: error.discreet },
        });
      }
      throw error;
    } finally {
      this.#state.progress.set(step.n, {
        state: "running",
        startedAt: 0,
        endedAt: null,
        noted: noted.current,
      });
    }
  }

  /** An aborted pull or build fails like any other. */
  #wasCut(error: unknown, { kind }: Step): boolean {
    return (kind === "image.pull" || kind === "image.build") && this.#ending.aborted && error !== undefined;
  }

  async #fail(step: Step, { code, discreet }: ServiceError): Promise<void> {
    await this.options.journal.end(step, { state: "failed", error: { code, title: discreet } });
    this.#state.progress.delete(step.n); // it is not in hand any more: nobody finishes it once more
    if (this.#state.halt === null) this.#state.halt = { kind: "failed", reason: discreet };
    if (this.#state.work.onFailure === "rollback") this.#failing.abort();
  }

  /** Containers with ranges of ports start one after another. */
  async #oneByOne<T>(step: Step, work: () => Promise<T>): Promise<T> {
    const starts = step.kind === "container.start" || step.kind === "container.swap";
    if (!starts || !this.orders.hasPortRange(step)) return await work();
    const before = this.#ranges;
    const done = before.then(work);
    this.#ranges = done.catch(() => {});
    return await done;
  }

  /** Returns what the applier lacks for the steps by now, in words; null for nothing. */
  async lacking(steps: readonly Step[]): Promise<string | null> {
    const holder = await this.options.rights();
    const missing = notHeld(holder, steps.flatMap(({ needs }) => needs));
    if (missing.length === 0) return null;
    const names = [...new Set(missing.map(({ permission }) => `"${permission}"`))].join(", ");
    return `Whoever applies it does not hold ${names} any more: resume it with the rights of somebody who does`;
  }

  /** Returns true if the engine or the swarm is away: then the result of the call is not known. */
  isAway(error: ServiceError): boolean {
    if (this.#stack === null) return isAway(this.acts(), error);
    return this.#stack.isAway(error);
  }

  /** Returns the acts on the engine, each of which asserts the lease first. */
  acts() {
    const { ground: { runtime, backend }, assertHeld } = this.options;
    return ownedActs(runtime.acts(backend), assertHeld);
  }

  /** Returns the same for a step: each act is judged, too. */
  actsOf(step: Step): EngineActs {
    const { workspace } = this.apply;
    const lackingOf = async (needs: readonly Need[]) => notHeld(await this.options.rights(), needs);
    const { named } = this.#state;
    return judgedActs(this.acts(), { orders: this.orders, step, workspace, lackingOf, named });
  }

  /** Returns the hand of a step of a stack that is taken back. */
  handBack(step: Step): StackHand {
    if (this.#stack === null) throw failed(`Cannot take "${step.target}" back: it is on no swarm`);
    const before = this.#state.progress.get(step.n);
    const noted = { current: before?.noted ?? {} };
    const line = before === undefined ? {} : { line: lineOf(before) };
    return this.#stack.hand(step, { noted, ...line, isAgain: true, ending: this.#ending });
  }

  #hand(step: Step, noted: { current: Noted }, isAgain: boolean): Hand {
    const { journal, stopping, progress, loginFor, seal } = this.options;
    const acts = this.actsOf(step);
    return {
      apply: this.apply.id,
      step,
      work: this.#state.work,
      orders: this.orders,
      siblings: () => this.orders.containers(),
      acts,
      subject: this.#state.work.subjects[step.n] ?? null,
      get noted() {
        return noted.current;
      },
      isAgain,
      ending: this.#ending,
      stopping,
      note: async (more) => {
        await journal.note(step, more);
        noted.current = { ...noted.current, ...more };
      },
      seal,
      unknownHooks: this.options.unknownHooks,
      isGivenUp: this.#state.isGivenUp,
      isAbandoned: this.#state.isAbandoned,
      hooks: async (when, container) => {
        for (const one of this.#state.inside(step)) {
          if (one.hook?.when === when) await this.#hook(one, container);
        }
      },
      keepLines: (container, lines) => journal.log(step, { container, lines }),
      keepWords: async ({ id, name }) => {
        await journal.log(step, { container: name, lines: await acts.lastWords(id, LAST_LINES) });
      },
      progress: (frame) => progress(step.n, frame),
      loginFor,
    };
  }
}
