/** The parts that an apply is carried out with. */

import type { Holder } from "../../core/access.ts";
import type { PullProgress, RegistryLogin } from "../../core/engine_acts.ts";
import type { ServiceError } from "../../core/error.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import type { ApplyResume } from "./apply_shape.ts";
import type { FailedDigest } from "./failed_updates.ts";
import type { Journal, progressOf } from "./journal.ts";
import type { Ground } from "./orders.ts";

export interface RunOptions {
  readonly journal: Journal;
  readonly ground: Ground;
  readonly store: Parameters<typeof progressOf>[0];
  /** Returns the rights that the applier holds now; null for none. */
  readonly rights: () => Promise<Holder | null>;
  /** Throws `LostApply` where another owner may have taken the apply over. */
  readonly assertHeld: () => Promise<void>;
  /** True if it was carried out before, by this owner or another one. */
  readonly isAgain: boolean;
  /** Remembers newer images that did not run. */
  readonly noteFailed: (failed: readonly FailedDigest[], reason: string) => Promise<void>;
  /** The answer of a person about hooks that may or may not have ended. */
  readonly unknownHooks?: ApplyResume["hooks"];
  readonly stopping: AbortSignal;
  readonly progress: (step: number, frame: PullProgress) => void;
  readonly loginFor: (host: string) => RegistryLogin | undefined;
  /** Encrypts the definitions that services of a swarm, and networks, had before. */
  readonly seal: TextSeal;
  /**
   * Completes or undoes the swaps in hand: none stays so while the apply waits for a person. Returns why the engine
   * cannot.
   */
  readonly settle: (isAbandoned: boolean) => Promise<ServiceError | null>;
  /** The same, of an engine that is waited for. */
  readonly settleWaiting: () => Promise<void>;
  /** Told of a defect; answers what may be said of it. */
  readonly unexpected: (error: unknown) => ServiceError;
  /** The milliseconds that an engine may be away before a person has to decide. */
  readonly awayMs: number;
  /** The milliseconds that a started container must run. */
  readonly judgedMs: number;
}
