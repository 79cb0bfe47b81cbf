/** Newer images: whether berth looks for them, and what registries answered for each reference. */
import type { NewAuditEntry } from "./audit_entry.ts";

export interface UpdateRules {
  /** Off until somebody switches it on: until then no registry is asked. */
  readonly enabled: boolean;
  /** The cool-down of a new digest in days, counted from when berth first saw it. */
  readonly coolDownDays: number;
}

/** The last answer for a reference, in the words of `projects/updates/`; JSON of a few hundred bytes. */
export interface CheckRecord {
  /** In full, with registry and tag. */
  readonly reference: string;
  readonly body: string;
  /** When it is asked for again. */
  readonly nextAt: number;
}

/** Answers of registries are housekeeping; only the rules are somebody's word. */
export interface UpdateStore {
  /** `revision` is another one after every change, also of what is checked. */
  rules(): Promise<UpdateRules & { readonly revision: number }>;
  setRules(rules: UpdateRules, entry: NewAuditEntry): Promise<void>;
  /** Returns all of them, by reference. */
  checks(): Promise<CheckRecord[]>;
  /** Adds them, in place of those of the same references; new ones only while there are fewer than `most`. */
  putChecks(checks: readonly CheckRecord[], most: number): Promise<void>;
  forgetChecks(references: readonly string[]): Promise<void>;
  /** Brings what is asked for at `at` or later forward to that time. */
  hasten(at: number): Promise<void>;
}
