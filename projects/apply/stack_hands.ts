/** Hands the steps of a stack what they work with: each act asserts the lease, and each need the applier's rights of now. */

import type { ApplyRecord } from "../../core/applies.ts";
import { ServiceError } from "../../core/error.ts";
import type { Need, Step } from "../plan/plan_shape.ts";
import { failed } from "./hand.ts";
import { type Noted, progressOf, type StepLine } from "./journal.ts";
import { notHeld } from "./not_held.ts";
import { ownedStackActs } from "./owned_acts.ts";
import type { StackHand } from "./stack_hand.ts";
import { StackOrders } from "./stack_orders.ts";
import type { RunOptions } from "./run_options.ts";
import type { Work } from "./work.ts";

/** An attempt at a step. */
interface Attempt extends Pick<StackHand, "isAgain" | "ending"> {
  readonly noted: { current: Noted };
  /** The line of a step that is taken back: a note leaves it so. */
  readonly line?: Omit<StepLine, "noted">;
}

export class StackHands {
  readonly #orders: StackOrders;

  constructor(
    private readonly apply: ApplyRecord,
    private readonly options: RunOptions,
    private readonly work: Work,
    cluster: string,
  ) {
    this.#orders = new StackOrders(options.ground, cluster, apply.workspace);
  }

  /** Returns true if the swarm is away: then the result of the call is not known. */
  isAway(error: ServiceError): boolean {
    if (error.code === "engine_unavailable") return true;
    try {
      return this.#orders.acts().isAway(error);
    } catch (gone) {
      if (!(gone instanceof ServiceError)) throw gone;
      return true; // it has just left those that berth knows
    }
  }

  hand(step: Step, { noted, line, isAgain, ending }: Attempt): StackHand {
    const { journal, store, rights, seal, loginFor, assertHeld, ground } = this.options;
    const place = `apply ${this.apply.id} step ${step.n}`;
    return {
      apply: this.apply.id,
      step,
      work: this.work,
      orders: this.#orders,
      acts: ownedStackActs(this.#orders.acts(), assertHeld),
      subject: this.work.subjects[step.n] ?? null,
      get noted() {
        return noted.current;
      },
      isAgain,
      ending,
      notedBy: async (n) => (await progressOf(store, this.apply.id)).get(n)?.noted ?? {},
      note: async (more) => {
        await journal.note(step, more, line);
        noted.current = { ...noted.current, ...more };
      },
      holder: rights,
      refuse: async (needs) => {
        const [first] = notHeld(await rights(), needs);
        if (first !== undefined) throw lacked(step, first);
      },
      seal: async (definition) => (await seal.seal(definition, place)).toBase64(),
      open: (sealed) => seal.open(Uint8Array.fromBase64(sealed), place),
      keepLastWords: async ({ name, container }, lines) => {
        if (container === null || container.backend === null) return;
        const said = await ground.runtime.acts(container.backend).lastWords(container.id, lines);
        if (said.length > 0) await journal.log(step, { container: name, lines: said });
      },
      loginFor,
    };
  }
}

function lacked({ kind, target }: Step, { permission, field, why, at }: Need): ServiceError {
  const place = at === undefined ? "" : ` (${at.file}:${at.range.start.line})`;
  const because = field === undefined ? "it" : `${field} ${why ?? ""}${place}, which`;
  return failed(
    `Cannot carry out ${kind} of "${target}": ${because} needs the permission "${permission}". Ask somebody who holds ` +
      "it to apply a new plan",
  );
}
