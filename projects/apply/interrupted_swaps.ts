/** The swaps that interrupted applies have in hand: settled as soon as their engine answers, and told by health until then. */

import type { ApplyRecord, ApplyStore } from "../../core/applies.ts";
import type { ActingRuntime } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { Journal } from "./journal.ts";
import { ownedActs } from "./owned_acts.ts";

export interface InterruptedSwapsOptions {
  readonly store: ApplyStore;
  readonly runtime: () => ActingRuntime | null;
  readonly journalOf: (record: ApplyRecord) => Journal;
  readonly assertHeld: (record: ApplyRecord) => Promise<void>;
  readonly stopping: AbortSignal;
}

/** Paused applies that a start looks at. */
const MOST_PAUSED = 200;

export class InterruptedSwaps {
  /** The projects of applies whose swap the engine could not settle, by the apply. */
  readonly #open = new Map<string, string>();

  constructor(private readonly options: InterruptedSwapsOptions) {}

  /** Finds the swaps that were in hand before this start. */
  async remember(): Promise<void> {
    const { store } = this.options;
    const { swapsInHand } = await import("./settle.ts");
    const asked = {
      before: null,
      limit: MOST_PAUSED,
      workspace: null,
      group: null,
      state: "paused" as const,
    };
    for (const record of await store.list(asked)) {
      if ((await swapsInHand(record, store)).length > 0) this.#open.set(record.id, record.project);
    }
  }

  /** Completes or undoes the swaps of an apply, whatever became of files and rights. Returns why the engine cannot. */
  async settle(record: ApplyRecord, isAbandoned: boolean): Promise<ServiceError | null> {
    const { store, journalOf, assertHeld, stopping } = this.options;
    const { settleSwaps, swapsInHand } = await import("./settle.ts");
    const names = await swapsInHand(record, store);
    if (names.length === 0) {
      this.#open.delete(record.id);
      return null;
    }
    const runtime = this.options.runtime();
    await runtime?.settle(); // after a start, nothing is known of the engine yet
    const isKnown = runtime?.backends().some(({ name }) => name === record.backend) === true;
    if (runtime === null || !isKnown) return this.#left(record, notReached(record, names));
    const acts = ownedActs(runtime.acts(record.backend), () => assertHeld(record));
    try {
      await settleSwaps({ record, journal: journalOf(record), store, runtime, acts, stopping, isAbandoned });
      this.#open.delete(record.id);
      return null;
    } catch (error) {
      const isAway = error instanceof ServiceError &&
        (error.code === "engine_unavailable" || acts.isAway(error));
      if (!isAway) throw error;
      return this.#left(record, error);
    }
  }

  /** Returns why applies wait with a container stopped in the middle of a swap; null while none does. */
  failure(): string | null {
    if (this.#open.size === 0) return null;
    const names = [...new Set(this.#open.values())].map((name) => `"${name}"`).join(", ");
    return `A swap in ${names} was interrupted and waits: resume or abandon its apply`;
  }

  /** Tells of a swap that waits for a person, if there is one in hand. */
  async leave(record: ApplyRecord): Promise<void> {
    const { swapsInHand } = await import("./settle.ts");
    if ((await swapsInHand(record, this.options.store)).length > 0) this.#open.set(record.id, record.project);
  }

  /** A person said what to do. */
  forget(id: string): void {
    this.#open.delete(id);
  }

  #left({ id, project }: ApplyRecord, error: ServiceError): ServiceError {
    this.#open.set(id, project);
    return error;
  }
}

const notReached = ({ backend }: ApplyRecord, names: readonly string[]): ServiceError =>
  new ServiceError(
    "engine_unavailable",
    `Cannot settle the interrupted swap of "${
      names.join('", "')
    }": the engine "${backend}" is not configured`,
  );
