/** The part of a failed apply of a stack that is to be taken back. */

import type { Step } from "../plan/plan_shape.ts";
import type { StepProgress } from "./journal.ts";
import { wordsOfBack } from "./network_back.ts";
import { stepsOf, type Work } from "./work.ts";

/** Names in a sentence. */
const MOST_NAMES = 5;

/** Returns true if the way back undoes what such a step does. */
export const isTakenBack = ({ kind }: Pick<Step, "kind">): boolean =>
  kind.endsWith(".create") || /^service\.(?:update|remove)$/.test(kind);

/** Returns why an earlier attempt failed, if what it has done is to be taken back: then nothing goes forward. */
export function failureToTakeBack(
  { onFailure }: Work,
  progress: ReadonlyMap<number, StepProgress>,
): string | null {
  if (onFailure !== "rollback") return null;
  const all = [...progress.values()];
  const failure = all.find(({ state }) => state === "failed");
  if (failure !== undefined) return failure.error?.title ?? "A step failed";
  // The failed step itself was taken back, and others were not.
  return all.some(({ state }) => state === "undone") ? "A step failed" : null;
}

/** Returns why a step failed of which no person was asked since: no other step is begun then. */
export function failureOf(progress: ReadonlyMap<number, StepProgress>): string | null {
  const failure = [...progress.values()].find(({ state, isAsked }) => state === "failed" && isAsked !== true);
  return failure === undefined ? null : failure.error?.title ?? "A step failed";
}

/**
 * Returns the reason of an apply that was given up instead of taken back, or what became of its networks; null where
 * nothing was to be.
 */
export function wordsOfGivenUp(work: Work, progress: ReadonlyMap<number, StepProgress>): string | null {
  const failure = failureToTakeBack(work, progress);
  if (failure === null) return wordsOfLeft(work, progress);
  const left = stepsOf(work).filter((step) => {
    const state = progress.get(step.n)?.state ?? "skipped";
    return isTakenBack(step) && state !== "undone" && state !== "skipped";
  }).map(({ target }) => `"${target}"`);
  if (left.length === 0) return `${failure}. What was done was taken back`;
  return `${failure}. It was cancelled before all of it was taken back: ${
    namesOf(left)
  } stay as they are now`;
}

function namesOf(targets: readonly string[]): string {
  const more = targets.length > MOST_NAMES ? ` and ${targets.length - MOST_NAMES} more` : "";
  return `${targets.slice(0, MOST_NAMES).join(", ")}${more}`;
}

/** Returns the steps with whose containers the step's own one shares namespaces, and which it must follow. */
export const parentsOf = ({ kind, why }: Pick<Step, "kind" | "why">): number[] =>
  kind !== "container.swap" && kind !== "container.restart"
    ? []
    : why.flatMap((one) => one.code === "followsFrom" && one.how === "namespace" ? [one.step] : []);

/** Returns what became of the networks that came back, and the containers that are without theirs; null for neither. */
export function wordsOfLeft(work: Work, progress: ReadonlyMap<number, StepProgress>): string | null {
  const back = wordsOfBack(work, progress);
  const steps = stepsOf(work);
  // A network that came back has started its containers again, and those that share their namespaces.
  const counts = ({ kind }: Step) => back === null || kind !== "container.start";
  const done = new Set(
    steps.filter((step) => counts(step) && progress.get(step.n)?.state === "done").map(({ n }) => n),
  );
  const stranded = steps.filter((step) => {
    const state = progress.get(step.n)?.state;
    return state !== "done" && state !== "skipped" && parentsOf(step).some((n) => done.has(n));
  }).map(({ target }) => `"${target}"`);
  if (stranded.length === 0) return back;
  const words = `Without the network or another namespace that it shared with a replaced container: ` +
    `${namesOf([...new Set(stranded)])}. Ask for a new plan, or restart what it does not name`;
  return back === null ? words : `${back}. ${words}`;
}
