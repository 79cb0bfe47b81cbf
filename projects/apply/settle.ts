/**
 * Completes or undoes the swaps that an interrupted apply has in hand, from the journal and the engine alone: neither
 * files nor rights decide about a container that is stopped already.
 */

import { nameWithoutAside } from "../../core/applies.ts";
import type { ApplyRecord, ApplyStore } from "../../core/applies.ts";
import type { ActingRuntime, EngineActs } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { Step } from "../plan/plan_shape.ts";
import { bindsIn } from "../specs/bind_sources.ts";
import { failed, graceOf, isAway, isMine, isUp, rename, unlessDone } from "./hand.ts";
import { containersOf } from "./heard.ts";
import { type Journal, type Noted, progressOf, type StepProgress } from "./journal.ts";
import { isCutOff, sharersOf } from "./sharers.ts";
import { goBack, removeOld, type SettlingHand, takeName } from "./swap.ts";
import { waitForSound } from "./waiting.ts";
import { nameOf, stepsOf, type Work, workOf } from "./work.ts";

/** The last lines of a container that is taken away. */
const LAST_LINES = 100;

export interface SettleOptions {
  readonly record: ApplyRecord;
  readonly journal: Journal;
  readonly store: ApplyStore;
  readonly runtime: ActingRuntime;
  readonly acts: EngineActs;
  readonly stopping: AbortSignal;
  /** True if no swap may be completed: each goes back, as long as there is an old container. */
  readonly isAbandoned: boolean;
}

/** Settles every swap in hand. Throws what the store throws, and `engine_unavailable` where the engine is away. */
export async function settleSwaps(options: SettleOptions): Promise<void> {
  const work = workOf(options.record);
  const progress = await progressOf(options.store, options.record.id);
  let away: ServiceError | null = null;
  for (const step of stepsOf(work)) {
    const at = progress.get(step.n);
    if (step.kind !== "container.swap" || at === undefined || !isInHand(at)) continue;
    const hooks = stepsOf(work).filter(({ within }) => within === step.n);
    const areHooksDone = hooks.every(({ n }) => ["done", "skipped"].includes(progress.get(n)?.state ?? ""));
    try {
      await new Settling(options, work, step, at.noted, areHooksDone).settle();
    } catch (error) {
      if (!(error instanceof ServiceError) || !isAway(options.acts, error)) throw error;
      away ??= error; // one that is stuck keeps no other from serving
    }
  }
  for (const step of stepsOf(work)) {
    if (progress.get(step.n)?.state === "done") await removeLeft(options, work, step);
  }
  if (away !== null) throw away;
}

const isInHand = ({ state }: StepProgress): boolean => state === "running" || state === "unknown";

/** Removes an old container that Podman kept while another one, which is replaced by now, shared its namespaces. */
async function removeLeft({ acts, record, journal }: SettleOptions, work: Work, step: Step): Promise<void> {
  const subject = work.subjects[step.n];
  if (step.kind !== "container.swap" || subject === undefined) return;
  const old = await acts.find(subject.id);
  const isAside = old?.name.endsWith(nameOf("", "old", record.id)) === true;
  if (old === null || !isAside || isUp(old)) return;
  const isGone = async () => await acts.find(old.id) === null;
  try {
    await journal.tidy(old.name, () => unlessDone(acts, () => acts.remove(old.id), isGone));
  } catch (error) {
    if (!(error instanceof ServiceError) || isAway(acts, error)) throw error; // somebody shares them still
  }
}

/**
 * Returns the names of containers whose swap is in hand, and of those that share the namespaces of a container that was
 * replaced and were not replaced themselves.
 */
export async function swapsInHand(
  record: Pick<ApplyRecord, "id" | "work">,
  store: Pick<ApplyStore, "lines">,
): Promise<readonly string[]> {
  const progress = await progressOf(store, record.id);
  const steps = stepsOf(workOf(record)).filter(({ kind }) => kind === "container.swap");
  const isDone = (n: number) => progress.get(n)?.state === "done" && steps.some((step) => step.n === n);
  return steps.filter(({ n, why }) => {
    const at = progress.get(n);
    if (at !== undefined) return isInHand(at);
    return why.some((one) => one.code === "followsFrom" && one.how === "namespace" && isDone(one.step));
  }).map(({ target }) => target);
}

/** Returns the swaps in hand that were begun. */
export async function swapsBegun(
  record: Pick<ApplyRecord, "id" | "work">,
  store: Pick<ApplyStore, "lines">,
): Promise<readonly Step[]> {
  const progress = await progressOf(store, record.id);
  return stepsOf(workOf(record)).filter(({ n, kind }) => {
    const at = progress.get(n);
    return kind === "container.swap" && at !== undefined && isInHand(at);
  });
}

const NEVER_STARTED = failed(
  "It was interrupted, its old container is gone, and its new one was never started",
);

class Settling {
  readonly #hand: SettlingHand;
  readonly #own: string;

  constructor(
    private readonly options: SettleOptions,
    private readonly work: Work,
    private readonly step: Step,
    noted: Noted,
    private readonly areHooksDone: boolean,
  ) {
    const { record, journal, acts } = options;
    const subject = work.subjects[step.n] ?? null;
    this.#own = typeof noted["own"] === "string"
      ? noted["own"]
      : nameWithoutAside(subject?.name ?? step.target);
    this.#hand = {
      acts,
      apply: record.id,
      step,
      subject,
      noted,
      isAbandoned: options.isAbandoned,
      keepWords: async ({ id, name }) => {
        await journal.log(step, { container: name, lines: await acts.lastWords(id, LAST_LINES) });
      },
      siblings: () => this.#containers(),
    };
  }

  async settle(): Promise<void> {
    const { acts, subject } = this.#hand;
    const old = subject === null ? null : await acts.find(subject.id);
    const fresh = await this.#fresh();
    const { journal } = this.options;
    if (fresh !== null && (old === null || await this.#mayComplete(old, fresh))) {
      await this.#complete(old, fresh);
      // Nobody has judged where its mounts lead now: the next plan starts it.
      if (fresh.state !== "created" || old !== null) {
        return await journal.end(this.step, {
          state: "done",
          note: "It was completed after an interruption",
        });
      }
    }
    const error = fresh !== null && old === null ? NEVER_STARTED : await this.#undone(old);
    const noted = { back: null, first: null };
    await journal.end(this.step, {
      state: "failed",
      error: { code: error.code, title: error.discreet },
      noted,
    });
  }

  /** The new container, of which an earlier attempt may have noted nothing yet. */
  async #fresh(): Promise<InspectedContainer | null> {
    for (const name of [nameOf(this.#own, "new", this.#hand.apply), this.#own]) {
      const found = await this.#hand.acts.find(name);
      if (found !== null && isMine(this.#hand, found)) return found;
    }
    return null;
  }

  /** An old container that serves is left to serve: no command of it is run without the rights to it. */
  async #mayComplete(old: InspectedContainer, fresh: InspectedContainer): Promise<boolean> {
    const { noted } = this.#hand;
    if (noted["back"] === true || !this.areHooksDone) return false;
    if (await isCutOff(this.#hand, old)) return await this.#mayStart(old, fresh);
    if (this.options.isAbandoned || isUp(old) || fresh.state === "created") return false;
    // They live in the old one's namespaces, and only the steps behind the swap start them again.
    if ((await sharersOf(this.#hand, old.id)).length > 0) return false;
    return await this.#isSound(fresh);
  }

  /**
   * Starts the new container where the old one cannot come back, since the one whose namespaces it shares was replaced.
   * One with folders of the host is left to the next plan: nobody has judged where they lead now.
   */
  async #mayStart(old: InspectedContainer, fresh: InspectedContainer): Promise<boolean> {
    const { acts } = this.#hand;
    if (fresh.state === "created") {
      if (bindsIn(fresh).length > 0 || await isCutOff(this.#hand, fresh)) return false;
      if (isUp(old)) await acts.stop(old.id, graceOf(old));
      await acts.start(fresh.id);
    }
    return await this.#isSound(fresh);
  }

  async #isSound({ id }: InspectedContainer): Promise<boolean> {
    const { noted, acts } = this.#hand;
    try {
      const hand = { acts, work: this.work, stopping: this.options.stopping };
      await waitForSound(hand, id, noted["running"] === false);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError) || isAway(acts, error)) throw error;
      return false;
    }
  }

  async #complete(old: InspectedContainer | null, fresh: InspectedContainer): Promise<void> {
    const { apply } = this.#hand;
    const pair = { hand: this.#hand, own: this.#own, old };
    if (old !== null && old.name === this.#own) {
      await rename(this.#hand, old.id, nameOf(this.#own, "old", apply));
    }
    await takeName(pair, fresh);
    if (old !== null) await removeOld(pair, old);
  }

  /** Returns why the step failed, once the old container is what it was. */
  async #undone(old: InspectedContainer | null): Promise<ServiceError> {
    const why = "It was interrupted";
    // Nothing was asked of the engine before this was noted.
    if ((this.#hand.noted["running"] ?? undefined) === undefined) {
      return failed(`${why} before anything was changed`);
    }
    if (old === null) {
      return failed(`${why}, and neither its old container nor its new one is there any more`);
    }
    try {
      return await goBack({ hand: this.#hand, own: this.#own, old }, failed(why));
    } catch (error) {
      if (!(error instanceof ServiceError) || isAway(this.#hand.acts, error)) throw error;
      return error;
    }
  }

  async #containers(): Promise<readonly RunningContainer[]> {
    const { record, runtime } = this.options;
    return await containersOf(runtime, record);
  }
}
