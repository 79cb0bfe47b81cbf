/** One apply's journal: what is begun is on disk before an engine hears of it, and what is done right after. */

import type {
  ApplyRecord,
  ApplyState,
  ApplyStore,
  ApplyWish,
  JournalEntry,
  NewJournalEntry,
} from "../../core/applies.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import type { Step } from "../plan/plan_shape.ts";
import type { StepState, Unstable } from "./apply_shape.ts";

/**
 * The notes that a swap needs to come back, and other steps to resume: ids, names and times, nothing secret. The definition
 * that a service or a network had before is sealed.
 */
export type Noted = Readonly<Record<string, string | number | boolean | null>>;

/** The body of a line about a step. */
export interface StepLine {
  readonly state: Exclude<StepState, "waiting">;
  readonly error?: { readonly code: string; readonly title: string };
  readonly note?: string;
  readonly noted?: Noted;
  /** The container that the step has started, if it does not stay up. */
  readonly unstable?: Unstable;
}

export interface LogLine {
  readonly container: string;
  readonly lines: readonly string[];
}

export interface StateLine {
  readonly state: ApplyState;
  readonly reason: string | null;
}

/** The progress of a step, by its lines. */
export interface StepProgress extends StepLine {
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly noted: Noted;
  /** The apply has waited for a person since, who had it go on. */
  readonly isAsked?: true;
}

/** Returns what is said of a step, without its times and notes. */
export const lineOf = ({ state, error, note }: StepProgress): Omit<StepLine, "noted"> => ({
  state,
  ...(error !== undefined && { error }),
  ...(note !== undefined && { note }),
});

/** Lines that are read at a time. */
const PAGE = 500;

/** Every line behind `after`. */
export async function* linesOf(
  store: Pick<ApplyStore, "lines">,
  id: string,
  after = 0,
): AsyncGenerator<JournalEntry> {
  for (let from = after;;) {
    const page = await store.lines(id, from, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    from = page.at(-1)!.seq; // it is full
  }
}

/** Returns the progress of each step that was begun. */
export async function progressOf(
  store: Pick<ApplyStore, "lines">,
  id: string,
): Promise<Map<number, StepProgress>> {
  const found = new Map<number, StepProgress>();
  for await (const { kind, step, at, body } of linesOf(store, id)) {
    if (kind === "state" && (JSON.parse(body) as StateLine).state === "paused") {
      for (const [n, one] of found) found.set(n, { ...one, isAsked: true });
    }
    if (kind !== "step" || step === null) continue;
    const line: StepLine = JSON.parse(body);
    const before = found.get(step);
    found.set(step, {
      ...line,
      startedAt: before?.startedAt ?? at,
      // A later note, and the judgement of its container, say the state once more.
      endedAt: line.state === "running" ? null : line.state === before?.state ? before.endedAt : at,
      noted: { ...before?.noted, ...line.noted },
    });
  }
  return found;
}

/** Somebody else carries the apply out by now. */
export class LostApply extends Error {}

/** Somebody asked the apply to end in the moment in which it was to be paused: nothing of the pause is written. */
export class Unheeded extends Error {
  constructor(readonly wish: ApplyWish) {
    super(`Somebody asks it to ${wish}`);
  }
}

/** The act of an audit log's entry; tidying up belongs to no step. */
export type Act = Pick<Step, "kind" | "target" | "hook"> & { readonly n: number | null };

interface ApplyClose {
  readonly unstable?: readonly Unstable[];
  /** The wish that led to the end. */
  readonly heeded?: ApplyWish | null;
}

interface JournalOptions {
  readonly store: ApplyStore;
  readonly now: () => number;
  /** The entry of the audit log for an act, before it and after it. */
  readonly entryOf: (apply: ApplyRecord, act: Act, result: string) => NewAuditEntry;
  /** Told after each write. */
  readonly written: () => void;
}

export class Journal {
  constructor(readonly apply: ApplyRecord, private readonly options: JournalOptions) {}

  /** The step is begun; what it noted before stays. */
  async begin(step: Step, noted: Noted): Promise<void> {
    const entries = isAct(step) ? [this.options.entryOf(this.apply, step, "begun")] : [];
    await this.#write([this.#step(step, { state: "running", noted })], entries);
  }

  /**
   * Writes the notes that a step needs when it is taken up again; on disk before the engine is asked. `line` is what is
   * said of a step that is not in hand.
   */
  async note(step: Step, noted: Noted, line: Omit<StepLine, "noted"> = { state: "running" }): Promise<void> {
    await this.#write([this.#step(step, { ...line, noted })], []);
  }

  async end(step: Step, line: StepLine): Promise<void> {
    const result = line.state === "done" ? "done" : line.error?.code ?? line.state;
    const entries = isAct(step) && line.state !== "skipped"
      ? [this.options.entryOf(this.apply, step, result)]
      : [];
    await this.#write([this.#step(step, line)], entries);
  }

  /**
   * Takes a step back; told in the audit log before and after, as every act is. `kind` is null where nothing is sent.
   * `isUnclear` tells the failures after which nobody knows what became of it.
   */
  async undo(
    step: Step,
    kind: Step["kind"] | null,
    work: () => Promise<void>,
    isUnclear: (error: unknown) => boolean,
  ): Promise<void> {
    const entries = (result: string) =>
      kind === null
        ? []
        : [this.options.entryOf(this.apply, { n: step.n, kind, target: step.target }, result)];
    await this.#write([], entries("begun"));
    let result = "failed";
    let lines: NewJournalEntry[] = [];
    try {
      await work();
      [result, lines] = ["done", [this.#step(step, { state: "undone" })]];
    } catch (error) {
      if (isUnclear(error)) result = "unknown";
      throw error;
    } finally {
      await this.#write(lines, entries(result));
    }
  }

  /** Removes what is left of the apply; told in the audit log before and after, as every act is. */
  async tidy(container: string, work: () => Promise<void>): Promise<void> {
    const act = { n: null, kind: "container.remove", target: container } as const;
    await this.#write([], [this.options.entryOf(this.apply, act, "begun")]);
    let result = "failed";
    try {
      await work();
      result = "done";
    } finally {
      await this.#write([], [this.options.entryOf(this.apply, act, result)]);
    }
  }

  async log(step: Step, said: LogLine): Promise<void> {
    await this.#write([this.#line("log", step.n, said)], []);
  }

  /** Goes on after a pause, or under another owner. */
  async goesOn(reason: string | null): Promise<void> {
    await this.#write([this.#line("state", null, { state: "running", reason })], []);
  }

  /**
   * `unstable` are the containers that do not stay up. Their steps stay done. Throws `Unheeded` where it was to be paused
   * and somebody wishes something else than what led to it.
   */
  async close(
    state: Exclude<ApplyState, "running">,
    reason: string | null,
    { unstable = [], heeded = null }: ApplyClose = {},
  ): Promise<void> {
    const judged = unstable.map((one) =>
      this.#line("step", one.step, { state: "done", note: noteOf(one), unstable: one })
    );
    const end = { state, reason, at: this.options.now(), heeded };
    const left = state === "paused" || state === "done" ? [] : await this.#leftInHand();
    await this.#write([...left, ...judged, this.#line("state", null, { state, reason })], [], end);
  }

  /** Returns a last line for each step that was in hand when its replica was lost, so that no follower waits for it. */
  async #leftInHand(): Promise<NewJournalEntry[]> {
    const progress = await progressOf(this.options.store, this.apply.id);
    return [...progress].filter(([, { state }]) => state === "running")
      .map(([n]) => this.#line("step", n, { state: "unknown", note: "Nobody knows whether it ended" }));
  }

  #step(step: Step, line: StepLine): NewJournalEntry {
    return this.#line("step", step.n, line);
  }

  #line(
    kind: JournalEntry["kind"],
    step: number | null,
    body: StepLine | LogLine | StateLine,
  ): NewJournalEntry {
    return { at: this.options.now(), kind, step, body: JSON.stringify(body) };
  }

  async #write(
    lines: readonly NewJournalEntry[],
    entries: readonly NewAuditEntry[],
    end?: Parameters<ApplyStore["write"]>[4],
  ): Promise<void> {
    const { store, written } = this.options;
    const done = await store.write(this.apply.id, this.apply.epoch, lines, entries, end);
    if (done === null) throw new LostApply();
    if (typeof done === "string") throw new Unheeded(done);
    written();
  }
}

/** A wait changes nothing. */
const isAct = ({ kind }: Step): boolean => kind !== "wait" && kind !== "service.wait";

function noteOf({ container, problem, exitCode }: Unstable): string {
  const code = exitCode === null ? "" : `, with code ${exitCode}`;
  return `Container "${container}" ${PROBLEMS[problem]}${code}`;
}

const PROBLEMS: Readonly<Record<Unstable["problem"], string>> = {
  restarting: "keeps restarting",
  ended: "has ended",
  gone: "is gone",
};
