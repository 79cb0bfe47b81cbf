/** The parts that a step works with: the engine, the order, earlier notes, and a way to add notes. */

import type { EngineActs, PullProgress, RegistryLogin } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import { pause } from "../../core/pause.ts";
import type { InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import type { PlanHook, Step } from "../plan/plan_shape.ts";
import { removesItself } from "../specs/removes_itself.ts";
import type { ApplyResume } from "./apply_shape.ts";
import type { Noted } from "./journal.ts";
import type { Orders } from "./orders.ts";
import { MARK, markOf, type Subject, type Work } from "./work.ts";

export interface Hand {
  readonly apply: string;
  readonly step: Step;
  readonly work: Work;
  readonly orders: Orders;
  readonly acts: EngineActs;
  /** The container that was there when the apply began; null for steps about others. */
  readonly subject: Subject | null;
  /** Returns the containers of the project that are there now. */
  readonly siblings: () => Promise<readonly RunningContainer[]>;
  /** Notes of earlier attempts; empty for the first. */
  readonly noted: Noted;
  /** True if an earlier attempt may have done it, or a part of it. */
  readonly isAgain: boolean;
  /** Ends pulls and waits: the apply is cancelled, or the service stops. */
  readonly ending: AbortSignal;
  /** The service stops: another one goes on from the journal. */
  readonly stopping: AbortSignal;
  /** The answer of a person about a hook that may or may not have ended. */
  readonly unknownHooks: ApplyResume["hooks"];
  /** True if the apply is to end: no person is asked then. */
  readonly isGivenUp: boolean;
  /** True if the apply is to end whatever became of its swaps. */
  readonly isAbandoned: boolean;
  /** Carries out the hooks that are a part of this step, in their order. */
  hooks(when: PlanHook["when"], container: InspectedContainer): Promise<void>;
  /** Encrypts what a note may not show. */
  readonly seal: TextSeal;
  /** Resolves once it is on disk. */
  note(noted: Noted): Promise<void>;
  /** Writes the last words of an unhealthy container into the journal. */
  keepWords(container: InspectedContainer): Promise<void>;
  /** And what was said in it. */
  keepLines(container: string, lines: readonly string[]): Promise<void>;
  readonly progress: (frame: PullProgress) => void;
  readonly loginFor: (host: string) => RegistryLogin | undefined;
}

/** The step failed; nobody else has to. */
export const failed = (message: string): ServiceError => new ServiceError("apply_failed", message);

export const touched = (name: string, what: string): ServiceError =>
  failed(`Container "${name}" was ${what} by somebody else: ask for a new plan`);

/** Returns true if the engine is away or cannot be seen for now: then the result of the call is not known. */
export const isAway = (acts: EngineActs, error: ServiceError): boolean =>
  error.code === "engine_unavailable" || acts.isAway(error);

/**
 * Asks the engine. What it refuses may be so already: an earlier attempt, that nobody waited for to its end, was only
 * slower.
 */
export async function unlessDone(
  acts: EngineActs,
  act: () => Promise<unknown>,
  isDone: (refusal: ServiceError) => Promise<boolean>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ServiceError) || acts.isAway(error) || !await isDone(error)) throw error;
  }
}

/** Under another name, unless it has that already. */
export async function rename({ acts }: Pick<Hand, "acts">, id: string, name: string): Promise<void> {
  await unlessDone(acts, () => acts.rename(id, name), async () => (await acts.find(id))?.name === name);
}

/** Returns true if this step of this apply made the object. */
export const isMine = (
  { apply, step }: Pick<Hand, "apply" | "step">,
  { labels }: { readonly labels: Readonly<Record<string, string>> },
) => labels[MARK] === markOf(apply, step.n);

/** The milliseconds in which an engine removes a container of `--rm` that has stopped. */
const GONE_MS = 10_000;
const LOOK_MS = 50;

/** Waits for the engine, which answers a stop before it removes a container of `--rm`. Returns true once that is gone. */
export async function isRemovedByItself(
  acts: Pick<EngineActs, "find">,
  container: InspectedContainer,
): Promise<boolean> {
  if (!removesItself(container) || container.state === "created") return false;
  const end = performance.now() + GONE_MS;
  for (;;) {
    if (await acts.find(container.id) === null) return true;
    if (performance.now() > end) return false;
    await pause(LOOK_MS);
  }
}

export const isUp = ({ state }: Pick<InspectedContainer, "state">): boolean =>
  state === "running" || state === "restarting" || state === "paused";

/** Returns the seconds that a container may take to stop; the engines give ten without a value. */
export const graceOf = ({ stopTimeoutSeconds }: InspectedContainer): number => stopTimeoutSeconds || 10;
