/**
 * Judges the containers that an apply has started, once for all of them when its last step is done: an engine answers
 * a start before it knows whether the container stays up.
 */

import type { EngineActs } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { Step } from "../plan/plan_shape.ts";
import type { Unstable } from "./apply_shape.ts";
import { isAway, isUp } from "./hand.ts";
import type { Journal } from "./journal.ts";
import type { RunState, Started } from "./run_state.ts";
import { Cut } from "./waiting.ts";

const AWAY_LOOK_MS = 500;
/** Lines of a container that does not stay up. */
const LAST_LINES = 100;

interface JudgementOptions {
  readonly acts: EngineActs;
  readonly journal: Pick<Journal, "log">;
  /** Ends the judgement: the apply is cancelled, or the service stops. */
  readonly ending: AbortSignal;
  /** The time that the engine may be away before a person has to say what to do. */
  readonly awayMs: number;
  /** The time that a container must run. */
  readonly judgedMs: number;
}

const ENDING: readonly Step["kind"][] = ["container.stop", "container.remove", "container.swap"];

/**
 * Returns the started containers that nobody has judged yet: a completed job was waited for by its own step, and one that
 * a later step has stopped or replaced is not to stay up.
 */
export function unjudged({ steps, started, done, skipped, work }: RunState): Map<Step, Started> {
  const completed = new Set(
    steps.filter(({ n, kind, target }) =>
      kind === "wait" && done.has(n) && !skipped.has(n) && target.endsWith("service_completed_successfully")
    ).map(({ unit }) => unit),
  );
  const found = new Map<string, readonly [Step, Started]>();
  for (const step of steps) {
    const one = started.get(step.n);
    if (one === undefined || completed.has(step.unit)) continue;
    const isEnded = steps.some(({ n, kind }) =>
      n > step.n && ENDING.includes(kind) && done.has(n) && !skipped.has(n) && work.subjects[n]?.id === one.id
    );
    if (!isEnded) found.set(one.id, [step, one]);
  }
  return new Map(found.values());
}

/**
 * Judges them beside each other, and returns those that do not stay up. Throws `Cut`, what the engine answers, and
 * `engine_unavailable` if it stays away.
 */
export async function judgeStarts(
  started: ReadonlyMap<Step, Started>,
  options: JudgementOptions,
): Promise<Unstable[]> {
  const found = await Promise.all([...started].map(async ([step, one]) => {
    const unstable = await judge(step, one, options);
    if (unstable === null) return [];
    const { acts, journal } = options;
    if (unstable.problem !== "gone") {
      const lines = await acts.lastWords(one.id, LAST_LINES).catch(() => []);
      if (lines.length > 0) await journal.log(step, { container: unstable.container, lines });
    }
    return [unstable];
  }));
  return found.flat();
}

async function judge(
  { n, target }: Step,
  { id, at }: Started,
  options: JudgementOptions,
): Promise<Unstable | null> {
  const { ending, judgedMs } = options;
  const unstable = (problem: Unstable["problem"], one: InspectedContainer | null): Unstable => ({
    step: n,
    container: one?.name ?? target,
    problem,
    exitCode: one === null || isUp(one) && one.state !== "restarting" ? null : one.exitCode,
  });
  let restarts = 0;
  for (let due = at + judgedMs, looks = 1;; due = performance.now() + judgedMs, looks++) {
    await pause(Math.max(0, due - performance.now()), ending);
    const one = await look(id, options);
    if (one === null) return unstable("gone", null);
    const isDown = !isUp(one);
    if (isDown && !isStartedAgain(one)) {
      const isFine = one.exitCode === 0 && one.state === "exited" && !isServer(one);
      return isFine ? null : unstable("ended", one);
    }
    // One restart may have been enough: only the second look tells.
    if (one.state === "restarting" || (one.restartCount > restarts && looks > 1)) {
      return unstable("restarting", one);
    }
    if (!isDown && one.restartCount === restarts) return null;
    if (isDown && looks > 1) return unstable(one.restartCount > 0 ? "restarting" : "ended", one);
    restarts = one.restartCount;
  }
}

async function look(
  id: string,
  { acts, ending, awayMs }: JudgementOptions,
): Promise<InspectedContainer | null> {
  const until = performance.now() + awayMs;
  for (;;) {
    if (ending.aborted) throw new Cut();
    try {
      return await acts.find(id);
    } catch (error) {
      if (!(error instanceof ServiceError) || !isAway(acts, error) || performance.now() > until) throw error;
      await pause(AWAY_LOOK_MS, ending);
    }
  }
}

const isServer = ({ restart }: InspectedContainer): boolean =>
  restart.name === "always" || restart.name === "unless-stopped";

/** Returns true if the engine will start a container again that has ended. */
function isStartedAgain(one: InspectedContainer): boolean {
  if (isServer(one)) return true;
  const { name, maximumRetries } = one.restart;
  return name === "on-failure" && one.exitCode !== 0 &&
    (maximumRetries === 0 || one.restartCount < maximumRetries);
}

/** Returns the result in words, as in `1 container keeps restarting`; null if all containers stay up. */
export function wordsOf(unstable: readonly Unstable[]): string | null {
  const parts = Object.entries(WORDS).flatMap(([problem, [one, several]]) => {
    const count = unstable.filter((each) => each.problem === problem).length;
    return count === 0 ? [] : [count === 1 ? `1 container ${one}` : `${count} containers ${several}`];
  });
  return parts.length === 0 ? null : parts.join(", and ");
}

const WORDS: Readonly<Record<Unstable["problem"], readonly [string, string]>> = {
  restarting: ["keeps restarting", "keep restarting"],
  ended: ["has ended", "have ended"],
  gone: ["is gone", "are gone"],
};
