/** Carries an apply out, from wherever its journal is: each step after those it comes after, several at a time. */

import { declaredNow, digestOf } from "../plan/looked.ts";
import type { Need, Step } from "../plan/plan_shape.ts";
import { type Holder, may } from "../../core/access.ts";
import type { ApplyRecord, ApplyState, ApplyWish } from "../../core/applies.ts";
import type { PullProgress, RegistryLogin } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { pause } from "../../core/pause.ts";
import type { ApplyResume } from "./apply_shape.ts";
import { carryOut } from "./carry_out.ts";
import { failed, type Hand, isAway } from "./hand.ts";
import { NotKnown } from "./hook.ts";
import { type Journal, LostApply, type Noted, progressOf, type StepProgress } from "./journal.ts";
import { type Ground, Orders } from "./orders.ts";
import { ownedActs } from "./owned_acts.ts";
import { tidyUp } from "./tidy_up.ts";
import { judgedActs } from "./judged_acts.ts";
import { Cut } from "./waiting.ts";
import { stepsOf, type Work, workOf } from "./work.ts";

/** Steps at a time, of one apply. */
const AT_ONCE = 6;
const AWAY_LOOK_MS = 500;
/** Lines of a container that is not sound. */
const LAST_LINES = 100;

export interface RunOptions {
  readonly journal: Journal;
  readonly ground: Ground;
  readonly store: Parameters<typeof progressOf>[0];
  /** What the applier holds now; null for nothing at all. */
  readonly rights: () => Promise<Holder | null>;
  /** Throws `LostApply` where another owner may have taken the apply over. */
  readonly assertHeld: () => Promise<void>;
  /** Whether it was carried out before, by this owner or another one. */
  readonly isAgain: boolean;
  /** What a person says of hooks of which nobody knows whether they ended. */
  readonly unknownHooks?: ApplyResume["hooks"];
  readonly stopping: AbortSignal;
  readonly progress: (step: number, frame: PullProgress) => void;
  readonly loginFor: (host: string) => RegistryLogin | undefined;
  /** Completes or undoes the swaps in hand: none stays so while the apply waits for a person. */
  readonly settle: (isAbandoned: boolean) => Promise<void>;
  /** Told of a defect; answers what may be said of it. */
  readonly unexpected: (error: unknown) => ServiceError;
  /** How long an engine may be away before a person has to say what to do. */
  readonly awayMs: number;
}

/** Why no further step is begun. */
type Halt =
  | { readonly kind: "failed"; readonly reason: string }
  /** `isHook`: only a person can say if a hook has run, so its swap stays in hand. */
  | { readonly kind: "paused"; readonly reason: string; readonly isHook?: true }
  | { readonly kind: "cancel" | "abandon" | "stopping" };

export class Run {
  readonly #work: Work;
  readonly #steps: readonly Step[];
  readonly #orders: Orders;
  readonly #cancelling = new AbortController();
  readonly #ending: AbortSignal;
  #progress = new Map<number, StepProgress>();
  readonly #done = new Set<number>();
  /** Pulls that brought another image, and changes in place that were refused. */
  readonly #changed = new Set<number>();
  #halt: Halt | null = null;
  /** Ports of a range are given out by the engine: two at a time may get one. */
  #ranges: Promise<unknown> = Promise.resolve();

  constructor(readonly apply: ApplyRecord, private readonly options: RunOptions) {
    this.#work = workOf(apply);
    this.#steps = stepsOf(this.#work);
    this.#orders = new Orders(options.ground);
    this.#ending = AbortSignal.any([this.#cancelling.signal, options.stopping]);
    if (apply.wish !== null) this.wish(apply.wish);
  }

  /** No new step: what is in hand is finished or turned back. */
  wish(wish: ApplyWish): void {
    if (this.#halt === null || this.#halt.kind === "failed") this.#halt = { kind: wish };
    this.#cancelling.abort();
  }

  /** To its end, or to where it waits for a person or for the next start. Throws what the store throws. */
  async go(): Promise<void> {
    const { journal, store, isAgain, ground } = this.options;
    if (isAgain) {
      this.#progress = await progressOf(store, this.apply.id);
      for (const [n, { state, noted }] of this.#progress) {
        if (state === "done" || state === "skipped") this.#done.add(n);
        if (noted["changed"] === true) this.#changed.add(n);
      }
      await journal.goesOn(null);
      await ground.runtime.settle(); // after a start, nothing is known of the engine yet
    }
    const declared = digestOf(declaredNow(ground), ground.digest);
    if (declared !== this.#work.plan.basis.declared) {
      await this.options.settle(false);
      return await journal.close("paused", "Its files were edited since: abandon it, and ask for a new plan");
    }
    const lacking = await this.#lacking(this.#cutSwaps());
    if (lacking !== null) {
      await this.options.settle(false);
      return await journal.close("paused", lacking);
    }
    await this.#carryOutAll();
    await this.#close();
  }

  async #carryOutAll(): Promise<void> {
    const inHand = new Map<number, Promise<void>>();
    let broken: unknown;
    for (;;) {
      if (this.options.stopping.aborted) this.#halt ??= { kind: "stopping" };
      for (const step of broken === undefined ? this.#ready(inHand) : []) {
        const job = this.#step(step)
          .catch((error) => void (broken ??= error))
          .finally(() => inHand.delete(step.n));
        inHand.set(step.n, job);
      }
      if (inHand.size === 0) break;
      await Promise.race(inHand.values());
    }
    if (broken !== undefined) throw broken;
  }

  /** What can be begun now. */
  #ready(inHand: ReadonlyMap<number, unknown>): Step[] {
    const open = this.#steps.filter(({ n }) => !this.#done.has(n) && !inHand.has(n));
    if (this.#halt !== null) {
      // A swap that was cut is finished or turned back, whatever else was asked.
      if (this.#halt.kind === "stopping" || this.#halt.kind === "paused") return [];
      return open.filter(({ n, kind }) => kind === "container.swap" && this.#isBegun(n));
    }
    // Nothing is touched before all images are there.
    const images = open.filter(({ kind }) => kind === "image.pull" || kind === "image.build");
    if (images.length > 0 || [...inHand.keys()].some((n) => this.#isImage(n))) {
      return images.slice(0, AT_ONCE - inHand.size);
    }
    const chosen = new Set(this.#work.steps);
    const ready = open.filter(({ after }) => after.every((n) => this.#done.has(n) || !chosen.has(n)));
    return ready.slice(0, AT_ONCE - inHand.size);
  }

  #isImage(n: number): boolean {
    return this.#steps.some((step) => step.n === n && step.kind.startsWith("image."));
  }

  get #isGivenUp(): boolean {
    return this.#halt?.kind === "cancel" || this.#halt?.kind === "abandon";
  }

  #isBegun(n: number): boolean {
    return this.#progress.get(n)?.state === "running";
  }

  /** Throws only what ends the run without a word in the journal: the store, or another owner. */
  async #step(step: Step): Promise<void> {
    const { journal } = this.options;
    const before = this.#progress.get(step.n);
    if (step.ifChanged !== undefined && !step.ifChanged.some((n) => this.#changed.has(n))) {
      return await this.#skip(step, "Nothing made it necessary");
    }
    if (step.within !== undefined) return await this.#skip(step, "There was nothing to stop or start");
    // A swap in hand is finished or undone, but no command runs without the permission for it.
    const inside = this.#inside(step).filter(({ n }) => !this.#done.has(n));
    const lacking = await this.#lacking(this.#isBegun(step.n) ? inside : [step, ...inside]);
    if (lacking !== null && !this.#isGivenUp) {
      this.#halt ??= { kind: "paused", reason: lacking };
      return;
    }
    const noted: { current: Noted } = { current: before?.noted ?? {} };
    if (before === undefined && step.kind === "wait") noted.current = { since: Date.now() };
    await journal.begin(step, noted.current);
    let awayUntil: number | null = null;
    for (let isAgain = before !== undefined;; isAgain = true) {
      try {
        const outcome = await this.#oneByOne(step, () => carryOut(this.#hand(step, noted, isAgain)));
        if (noted.current["changed"] === true) this.#changed.add(step.n);
        if (outcome !== undefined) return await this.#skip(step, outcome.skipped);
        await journal.end(step, { state: "done" });
        this.#done.add(step.n);
        return;
      } catch (error) {
        if (error instanceof NotKnown) {
          await journal.end(error.step, { state: "unknown", note: "Nobody knows whether it ended" });
          this.#halt ??= { kind: "paused", reason: error.message, isHook: true };
          return;
        }
        if (error instanceof Cut || this.#wasCut(error, step)) {
          if (!this.options.stopping.aborted) {
            await journal.end(step, { state: "unknown", note: "It was cut" });
          }
          return;
        }
        if (error instanceof LostApply || isOfStore(error)) throw error;
        if (!(error instanceof ServiceError)) return await this.#fail(step, this.options.unexpected(error));
        if (!isAway(this.#acts(), error)) return await this.#fail(step, error);
        awayUntil ??= performance.now() + this.options.awayMs;
        if (performance.now() > awayUntil) {
          this.#waitForPerson(step, error.message);
          return;
        }
        await pause(AWAY_LOOK_MS, this.options.stopping);
        if (this.options.stopping.aborted) return;
      }
    }
  }

  /** A swap in hand is not left half done, whatever else failed or was asked: only `abandon` leaves it. */
  #waitForPerson({ kind }: Step, reason: string): void {
    const halt = this.#halt?.kind ?? null;
    const isLeft = kind === "container.swap" && (halt === "failed" || halt === "cancel");
    if (halt === null || isLeft) this.#halt = { kind: "paused", reason };
  }

  async #skip(step: Step, note: string): Promise<void> {
    await this.options.journal.end(step, { state: "skipped", note });
    this.#done.add(step.n);
  }

  /** The swaps that an earlier owner left, but for those whose hooks only a person can judge. */
  #cutSwaps(): Step[] {
    return this.#steps.filter((step) =>
      step.kind === "container.swap" && this.#isBegun(step.n) &&
      this.#inside(step).every(({ n }) => this.#done.has(n))
    );
  }

  /** The hooks that a step carries out as a part of itself. */
  #inside({ n }: Step): Step[] {
    return this.#steps.filter(({ within }) => within === n);
  }

  /** Throws as `carryOut` does: what becomes of the whole step is not decided here. */
  async #hook(step: Step, { id, name }: InspectedContainer): Promise<void> {
    const { journal } = this.options;
    if (this.#done.has(step.n)) return;
    const lacking = await this.#lacking([step]);
    if (lacking !== null) throw failed(lacking);
    const before = this.#progress.get(step.n);
    const noted: { current: Noted } = { current: before?.noted ?? {} };
    await journal.begin(step, noted.current);
    try {
      const hand = this.#hand(step, noted, before !== undefined);
      const outcome = await carryOut({
        ...hand,
        note: hand.note,
        noted: noted.current,
        subject: { id, name },
      });
      if (outcome !== undefined) return await this.#skip(step, outcome.skipped);
      await journal.end(step, { state: "done" });
      this.#done.add(step.n);
    } catch (error) {
      if (error instanceof ServiceError && !isAway(this.#acts(), error) && !isOfStore(error)) {
        await journal.end(step, { state: "failed", error: { code: error.code, title: error.message } });
      }
      throw error;
    } finally {
      this.#progress.set(step.n, { state: "running", startedAt: 0, endedAt: null, noted: noted.current });
    }
  }

  /** An aborted pull fails like any other. */
  #wasCut(error: unknown, { kind }: Step): boolean {
    return kind === "image.pull" && this.#ending.aborted && error !== undefined;
  }

  async #fail(step: Step, { code, message }: ServiceError): Promise<void> {
    await this.options.journal.end(step, { state: "failed", error: { code, title: message } });
    this.#progress.delete(step.n); // it is not in hand any more: nobody finishes it once more
    if (this.#halt === null) this.#halt = { kind: "failed", reason: message };
  }

  /** Containers with ranges of ports start one after another. */
  async #oneByOne<T>(step: Step, work: () => Promise<T>): Promise<T> {
    const starts = step.kind === "container.start" || step.kind === "container.swap";
    if (!starts || !this.#orders.hasPortRange(step)) return await work();
    const before = this.#ranges;
    const done = before.then(work);
    this.#ranges = done.catch(() => {});
    return await done;
  }

  /** What the applier lacks for the steps by now, in words. */
  async #lacking(steps: readonly Step[]): Promise<string | null> {
    const holder = await this.options.rights();
    const missing = notHeld(holder, steps.flatMap(({ needs }) => needs));
    if (missing.length === 0) return null;
    const names = [...new Set(missing.map(({ permission }) => `"${permission}"`))].join(", ");
    return `Whoever applies it does not hold ${names} any more: resume it with the rights of somebody who does`;
  }

  #acts() {
    const { ground: { runtime, backend }, assertHeld } = this.options;
    return ownedActs(runtime.acts(backend), assertHeld);
  }

  #hand(step: Step, noted: { current: Noted }, isAgain: boolean): Hand {
    const { journal, stopping, progress, loginFor } = this.options;
    const { workspace } = this.apply;
    const lackingOf = async (needs: readonly Need[]) => notHeld(await this.options.rights(), needs);
    const acts = judgedActs(this.#acts(), { orders: this.#orders, step, workspace, lackingOf });
    return {
      apply: this.apply.id,
      step,
      work: this.#work,
      orders: this.#orders,
      siblings: () => this.#orders.containers(),
      acts,
      subject: this.#work.subjects[step.n] ?? null,
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
      unknownHooks: this.options.unknownHooks,
      isGivenUp: this.#isGivenUp,
      hooks: async (when, container) => {
        for (const one of this.#inside(step)) {
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

  async #close(): Promise<void> {
    const { journal } = this.options;
    const halt = this.#halt;
    const isWhole = this.#steps.every(({ n }) => this.#done.has(n));
    if (halt === null || isWhole) {
      await tidyUp(this.#orders, this.#acts(), this.apply.id, journal);
      return await journal.close("done", null);
    }
    if (halt.kind === "stopping") return; // the next start goes on
    if (halt.kind !== "paused" || !halt.isHook) await this.options.settle(halt.kind === "abandon");
    const ends: Readonly<Record<Exclude<Halt["kind"], "stopping">, Exclude<ApplyState, "running">>> = {
      failed: "failed",
      paused: "paused",
      cancel: "cancelled",
      abandon: "cancelled",
    };
    await journal.close(ends[halt.kind], "reason" in halt ? halt.reason : null);
  }
}

/** The store is away: nothing can be begun, and what was done is found by whoever goes on. */
const isOfStore = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "store_unavailable";

/** What is needed and not held. */
export function notHeld(holder: Holder | null, needs: readonly Need[]): Need[] {
  return needs.filter(({ permission, subject }) =>
    holder === null || !may<typeof permission>(holder, permission, subject)
  );
}
