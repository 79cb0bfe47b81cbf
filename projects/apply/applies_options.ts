/** The parts that applies are given, and those that they give to the audit log. */

import type { Holder } from "../../core/access.ts";
import type { ApplyRecord, ApplyStore } from "../../core/applies.ts";
import type { ActingSwarmRuntime } from "../../core/stack_acts.ts";
import type { Log } from "../../core/log.ts";
import type { AuditActor, NewAuditEntry } from "../../core/store.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import type { FailedUpdate } from "../../core/updates.ts";
import type { Act } from "./journal.ts";
import type { Sources } from "./orders.ts";

/** The parts of the audit log's entry for an act of an apply. */
interface Told {
  readonly actor: AuditActor;
  readonly credential: string | null;
  readonly action: string;
  readonly target: string;
  readonly particulars: Readonly<Record<string, string>>;
  readonly result: string;
}

export interface ApplyTimes {
  /** The milliseconds that an apply stays its owner's after a heartbeat. */
  readonly leaseMs?: number;
  /** The milliseconds that an engine may be away before a person has to decide. */
  readonly awayMs?: number;
  /** The milliseconds that a started container must run before it is known to stay up. */
  readonly judgedMs?: number;
}

export interface AppliesOptions extends ApplyTimes {
  readonly store: ApplyStore;
  readonly runtime: () => ActingSwarmRuntime | null;
  /** Returns what the files of a group say now; null where it is gone. */
  readonly sources: (workspace: string, group: string) => Promise<Sources | null>;
  /** Returns the rights that somebody holds now; null for a person or key that is gone or disabled. */
  readonly rights: (actor: AuditActor) => Promise<Holder | null>;
  readonly entryOf: (told: Told) => NewAuditEntry;
  /** Remembers newer images whose containers went back to the old ones on this engine. */
  readonly noteFailed: (failed: readonly FailedUpdate[], engine: string) => Promise<void>;
  /** Encrypts the definitions that services of a swarm, and networks, had before an apply. */
  readonly seal: TextSeal;
  readonly composeVersion: string;
  readonly log: Log;
  readonly now: () => number;
}

/** The caller, as the audit log knows them. */
export interface Applier {
  readonly by: AuditActor;
  readonly credential: string | null;
  readonly entry: (id: string) => NewAuditEntry;
}

/** Returns the parts of the audit log's entry for an act of an apply. */
export const toldOf = (
  { by, credential, id, project, backend }: ApplyRecord,
  { n, kind, target, hook }: Act,
  result: string,
): Told => ({
  actor: by,
  credential,
  action: `apply ${kind}`,
  target,
  particulars: {
    apply: id,
    ...(n !== null && { step: String(n) }),
    project,
    backend,
    ...(hook !== undefined && { command: hook.command.join(" ") }),
  },
  result,
});
