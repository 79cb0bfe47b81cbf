/** What carries a step out has at hand: the engine, the order, what was noted before, and how to note more. */

import type { EngineActs, PullProgress, RegistryLogin } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { PlanHook, Step } from "../plan/plan_shape.ts";
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
  /** What earlier attempts noted; empty for the first. */
  readonly noted: Noted;
  /** Whether an earlier attempt may have done it, or a part of it. */
  readonly isAgain: boolean;
  /** Ends pulls and waits: the apply is cancelled, or the service stops. */
  readonly ending: AbortSignal;
  /** The service stops: another one goes on from the journal. */
  readonly stopping: AbortSignal;
  /** What a person says of a hook of which nobody knows whether it ended. */
  readonly unknownHooks: ApplyResume["hooks"];
  /** Whether the apply is to be over: nobody is asked then. */
  readonly isGivenUp: boolean;
  /** Carries out the hooks that are a part of this step, in their order. */
  hooks(when: PlanHook["when"], container: InspectedContainer): Promise<void>;
  /** Resolves once it is on disk. */
  note(noted: Noted): Promise<void>;
  /** What a container that is not sound said last goes into the journal. */
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

/** Whether the engine is away, or what it has is not seen for now: then nothing is known of what was asked. */
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

/** Whether this step of this apply made the object. */
export const isMine = (
  { apply, step }: Pick<Hand, "apply" | "step">,
  { labels }: { readonly labels: Readonly<Record<string, string>> },
) => labels[MARK] === markOf(apply, step.n);

export const isUp = ({ state }: Pick<InspectedContainer, "state">): boolean =>
  state === "running" || state === "restarting" || state === "paused";

/** How long a container may take to stop, in seconds; the engines give ten where nothing is said. */
export const graceOf = ({ stopTimeoutSeconds }: InspectedContainer): number => stopTimeoutSeconds || 10;

/** Returns true if the store is away: nothing can be begun, and the next owner finds what was done. */
export const isOfStore = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "store_unavailable";
