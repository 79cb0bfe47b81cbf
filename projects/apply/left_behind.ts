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
  if (failure === null) return wordsOfBack(work, progress);
  const left = stepsOf(work).filter((step) => {
    const state = progress.get(step.n)?.state ?? "skipped";
    return isTakenBack(step) && state !== "undone" && state !== "skipped";
  }).map(({ target }) => `"${target}"`);
  if (left.length === 0) return `${failure}. What was done was taken back`;
  const more = left.length > MOST_NAMES ? ` and ${left.length - MOST_NAMES} more` : "";
  const names = `${left.slice(0, MOST_NAMES).join(", ")}${more}`;
  return `${failure}. It was cancelled before all of it was taken back: ${names} stay as they are now`;
}
