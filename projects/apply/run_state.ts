/** The progress of a run: shared by the loop that begins steps, by the steps, and by the judgement at the end. */

import type { Permission } from "../../core/access.ts";
import type { Step } from "../plan/plan_shape.ts";
import type { StepProgress } from "./journal.ts";
import { parentsOf } from "./left_behind.ts";
import { stepsOf, type Work } from "./work.ts";

/** The reason for beginning no further step. */
type Halt =
  | { readonly kind: "failed"; readonly reason: string }
  /** `isHook`: only a person can say if a hook has run, so its swap stays in hand. */
  | { readonly kind: "paused"; readonly reason: string; readonly isHook?: true }
  | { readonly kind: "cancel" | "abandon" | "stopping" };

/** A container that a step has started. */
export interface Started {
  readonly id: string;
  /** The time by this process's monotonic clock. */
  readonly at: number;
}

export class RunState {
  readonly steps: readonly Step[];
  /** The permissions that the steps ask for. */
  readonly named: ReadonlySet<Permission>;
  readonly done = new Set<number>();
  /** Done steps that had nothing to do, and waits that failed and stop nothing. */
  readonly skipped = new Set<number>();
  /** Pulls that brought another image, and changes in place that were refused. */
  readonly changed = new Set<number>();
  /** The images that names stood for before a pull, by the number of the step. */
  readonly before = new Map<number, string>();
  /** The containers that were started, by the number of the step. */
  readonly started = new Map<number, Started>();
  /** Progress of the steps that earlier attempts began. */
  progress = new Map<number, StepProgress>();
  halt: Halt | null = null;

  constructor(readonly work: Work) {
    this.steps = stepsOf(work);
    this.named = new Set(this.steps.flatMap(({ needs }) => needs.map(({ permission }) => permission)));
  }

  /** Takes over the progress of earlier attempts; a container that they started counts from now on. */
  resume(progress: Map<number, StepProgress>): void {
    this.progress = progress;
    for (const [n, { state, noted }] of progress) {
      if (state === "done" || state === "skipped") this.done.add(n);
      if (state === "skipped") this.skipped.add(n);
      if (noted["changed"] === true) this.changed.add(n);
      const id = noted["container"];
      if (state === "done" && typeof id === "string") this.started.set(n, { id, at: performance.now() });
    }
  }

  get isWhole(): boolean {
    return this.steps.every(({ n }) => this.done.has(n));
  }

  get isGivenUp(): boolean {
    return this.halt?.kind === "cancel" || this.isAbandoned;
  }

  get isAbandoned(): boolean {
    return this.halt?.kind === "abandon";
  }

  isBegun(n: number): boolean {
    return this.progress.get(n)?.state === "running";
  }

  /**
   * Returns true if a step is carried out although the apply ends: a swap that was cut, and, unless it is abandoned, a
   * step that gives a container the namespaces back which a finished one has taken from it.
   */
  goesOnAtEnd(step: Step): boolean {
    if (this.halt === null || this.halt.kind === "paused") return false;
    if (step.kind === "container.swap" && this.isBegun(step.n)) return true;
    if (this.halt.kind !== "failed" && this.halt.kind !== "cancel") return false;
    const isFresh = !this.progress.has(step.n) || this.isBegun(step.n);
    const isDone = (n: number) => this.done.has(n) && !this.skipped.has(n);
    return isFresh && parentsOf(step).some(isDone) && step.after.every((n) => this.#isMet(n));
  }

  /** Nobody waits at the end: a container without its network serves nobody. */
  #isMet(n: number): boolean {
    const step = this.steps.find((one) => one.n === n);
    return step === undefined || this.done.has(n) ||
      (step.kind === "wait" && step.after.every((before) => this.done.has(before)));
  }

  /** Returns the swaps that an earlier owner left, but for those whose hooks only a person can judge. */
  cutSwaps(): Step[] {
    return this.steps.filter((step) =>
      step.kind === "container.swap" && this.isBegun(step.n) &&
      this.inside(step).every(({ n }) => this.done.has(n))
    );
  }

  /** Returns the hooks that a step carries out as a part of itself. */
  inside({ n }: Step): Step[] {
    return this.steps.filter(({ within }) => within === n);
  }
}
