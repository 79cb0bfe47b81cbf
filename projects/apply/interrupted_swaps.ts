/**
 * The swaps that interrupted applies have in hand: settled as soon as their engine answers, and told by health until then.
 * A network that is being replaced is told, too, and comes back where its apply ends.
 */

import type { ApplyRecord, ApplyStore, ApplyWish } from "../../core/applies.ts";
import type { ActingRuntime } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import { isAway } from "./hand.ts";
import { containersOf } from "./heard.ts";
import { type Journal, progressOf } from "./journal.ts";
import { networksBack, networksInHand } from "./network_back.ts";
import { ownedActs } from "./owned_acts.ts";
import { isReadable, workOf } from "./work.ts";

interface InterruptedSwapsOptions {
  readonly store: ApplyStore;
  readonly runtime: () => ActingRuntime | null;
  readonly journalOf: (record: ApplyRecord) => Journal;
  readonly assertHeld: (record: ApplyRecord) => Promise<void>;
  /** Opens the definitions that networks had before. */
  readonly seal: TextSeal;
  readonly stopping: AbortSignal;
  /** The milliseconds that an engine is waited for which does not answer. */
  readonly awayMs: number;
}

/** The milliseconds between two tries at an engine that does not answer. */
const RETRY_MS = 1_000;
/** Paused applies that are looked at. */
const MOST_PAUSED = 200;

/** A paused apply, of which nothing changes before its next epoch. */
interface Paused {
  readonly epoch: number;
  readonly project: string;
  /** Null where nothing is. */
  readonly inHand: "swap" | "network" | null;
}

export class InterruptedSwaps {
  #paused: ReadonlyMap<string, Paused> = new Map();
  /** Projects of the applies that wait for an engine, by their ids. */
  readonly #waiting = new Map<string, string>();
  readonly #begunAt = performance.now();

  constructor(private readonly options: InterruptedSwapsOptions) {}

  /** Finds the paused applies that have a swap in hand, whichever replica left them so. */
  async look(): Promise<void> {
    const { store } = this.options;
    const asked = {
      before: null,
      limit: MOST_PAUSED,
      workspace: null,
      group: null,
      state: "paused" as const,
    };
    const found = new Map<string, Paused>();
    for (const record of await store.list(asked)) {
      const { id, epoch, project } = record;
      const known = this.#paused.get(id);
      const inHand = known?.epoch === epoch ? known.inHand : await inHandOf(record, store);
      found.set(id, { epoch, project, inHand });
    }
    this.#paused = found;
  }

  /**
   * Completes or undoes the swaps of an apply, whatever became of files and rights, and removes what finished ones have
   * left. Returns why the engine cannot. Only `isAbandoned` leaves those of an engine that berth does not know, once it
   * had the time to find it.
   */
  async settle(record: ApplyRecord, isAbandoned: boolean): Promise<ServiceError | null> {
    const { store, journalOf, assertHeld, stopping } = this.options;
    const names = await namesInHand(record, store);
    const runtime = this.options.runtime();
    await runtime?.settle(); // after a start, nothing is known of the engine yet
    const isInHand = names.length > 0;
    if (runtime === null || !knows(runtime, record)) {
      if (!isInHand) return null;
      if (runtime === null || !isAbandoned || this.#mayFind(runtime)) return this.#notReached(record, names);
      const lack = runtime.findsEngines === true ? "was not found" : "is not configured any more";
      await leaveSwaps(record, store, journalOf(record), lack);
      return null;
    }
    const acts = ownedActs(runtime.acts(record.backend), () => assertHeld(record));
    const { settleSwaps } = await import("./settle.ts");
    try {
      await settleSwaps({ record, journal: journalOf(record), store, runtime, acts, stopping, isAbandoned });
      return null;
    } catch (error) {
      if (!(error instanceof ServiceError) || !isAway(acts, error)) throw error;
      return isInHand ? error : null;
    }
  }

  /**
   * Settles all of an apply that ends, and brings the networks back whose replacement is not done. Returns why the engine
   * cannot.
   */
  async end(record: ApplyRecord, isAbandoned: boolean): Promise<ServiceError | null> {
    const away = await this.settle(record, isAbandoned);
    const { store, journalOf, assertHeld, seal } = this.options;
    const networks = away === null ? await networksOf(record, store) : [];
    if (networks.length === 0) return away;
    const runtime = this.options.runtime();
    if (runtime === null || !knows(runtime, record)) {
      const isLeft = isAbandoned && (runtime === null || !this.#mayFind(runtime));
      return isLeft ? null : this.#notReached(record, networks);
    }
    const acts = ownedActs(runtime.acts(record.backend), () => assertHeld(record));
    const progress = () => progressOf(store, record.id);
    try {
      await networksBack({
        apply: record.id,
        work: workOf(record),
        journal: journalOf(record),
        seal,
        progress,
        actsOf: () => acts,
        siblings: () => containersOf(runtime, record),
        isAway: (error) => isAway(acts, error),
      });
      return null;
    } catch (error) {
      if (!(error instanceof ServiceError) || !isAway(acts, error)) throw error;
      return error;
    }
  }

  /**
   * Settles them as soon as the engine answers: after a start of the host it may stand up later than berth. Throws when
   * berth stops meanwhile, so that the next start goes on. Returns why the engine cannot, after a while or when somebody
   * asks the apply to end.
   */
  async settleWaiting(record: ApplyRecord): Promise<ServiceError | null> {
    return await this.#wait(record, null, this.options.awayMs, () => this.settle(record, false));
  }

  /** Ends an apply as `end` does, once berth had the time to find its engine. Throws when berth stops meanwhile. */
  async endWaiting(record: ApplyRecord, wish: ApplyWish): Promise<ServiceError | null> {
    return await this.#wait(record, wish, 0, () => this.end(record, wish === "abandon"));
  }

  /** Does the work again while its engine may be found or may still start, and for `knownMs` while a known one is away. */
  async #wait(
    record: ApplyRecord,
    wish: ApplyWish | null,
    knownMs: number,
    work: () => Promise<ServiceError | null>,
  ): Promise<ServiceError | null> {
    const { store, stopping, awayMs } = this.options;
    const { id, project } = record;
    const end = performance.now() + knownMs;
    try {
      for (;;) {
        const runtime = this.options.runtime();
        const mayFind = runtime !== null && this.#mayFind(runtime);
        const away = await work();
        if (away === null || runtime === null) return away;
        if (!mayFind && (!knows(runtime, record) || performance.now() > end)) return away;
        if ((await store.get(id))?.wish !== wish) return away;
        this.#waiting.set(id, project);
        await pause(Math.min(RETRY_MS, awayMs), stopping);
        if (stopping.aborted) throw away;
      }
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Returns true while an engine whose socket is not there yet may still be found: after a start of the host, one is late. */
  #mayFind({ findsEngines }: ActingRuntime): boolean {
    return findsEngines === true && performance.now() < this.#begunAt + this.options.awayMs;
  }

  #notReached({ backend }: ApplyRecord, names: readonly string[]): ServiceError {
    const runtime = this.options.runtime();
    const yet = runtime !== null && this.#mayFind(runtime) ? " yet" : "";
    const lack = runtime?.findsEngines === true ? `was not found${yet}` : "is not configured";
    return new ServiceError(
      "engine_unavailable",
      `Cannot settle what was interrupted of "${names.join('", "')}": the engine "${backend}" ${lack}`,
    );
  }

  /** Returns why applies wait with containers stopped in the middle of a swap, or without their network; null while none does. */
  failure(): string | null {
    for (const [kind, what] of [["swap", "A swap"], ["network", "The replacement of a network"]] as const) {
      const paused = [...this.#paused.values()].filter(({ inHand }) => inHand === kind);
      if (paused.length === 0) continue;
      const names = quoted(paused.map(({ project }) => project));
      return `${what} in ${names} was interrupted and waits: resume or abandon its apply`;
    }
    if (this.#waiting.size === 0) return null;
    return `A swap in ${quoted(this.#waiting.values())} was interrupted and waits for its engine`;
  }
}

const quoted = (names: Iterable<string>): string => [...new Set(names)].map((name) => `"${name}"`).join(", ");

async function inHandOf(record: ApplyRecord, store: ApplyStore): Promise<Paused["inHand"]> {
  if (!isReadable(record) || (await namesInHand(record, store)).length > 0) return "swap";
  return (await networksOf(record, store)).length > 0 ? "network" : null;
}

const networksOf = async (record: ApplyRecord, store: ApplyStore): Promise<readonly string[]> =>
  networksInHand(workOf(record), await progressOf(store, record.id));

/** Loaded with the first apply that needs it. */
const namesInHand = async (record: ApplyRecord, store: ApplyStore): Promise<readonly string[]> =>
  await (await import("./settle.ts")).swapsInHand(record, store);

const knows = (runtime: ActingRuntime, { backend }: ApplyRecord): boolean =>
  runtime.backends().some(({ name }) => name === backend);

/** Gives up the swaps of an engine that nobody can ask: what becomes of them stays unknown. */
async function leaveSwaps(
  record: ApplyRecord,
  store: ApplyStore,
  journal: Journal,
  lack: string,
): Promise<void> {
  const { swapsBegun } = await import("./settle.ts");
  const note = `The engine "${record.backend}" ${lack}`;
  for (const step of await swapsBegun(record, store)) await journal.end(step, { state: "unknown", note });
}
