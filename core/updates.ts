/** Newer images: whether berth looks for them, and what registries answered for each reference. */
import type { AuditActor, NewAuditEntry } from "./audit_entry.ts";

/** The hint that references are due earlier than they were. */
export const DUE_UPDATES = "updates";

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

/** A daily time in which updates may begin by themselves; it may go over midnight. */
export interface UpdateWindow {
  /** As `02:00`. */
  readonly from: string;
  readonly to: string;
  /** As `Europe/Berlin`. */
  readonly timeZone: string;
}

/** The project of a workspace. */
export interface UpdatedProject {
  readonly workspace: string;
  readonly group: string;
}

/** What a person wants of the newer images of one project. */
export interface ProjectUpdates extends UpdatedProject {
  /** True if berth updates it by itself, with that person's rights. */
  readonly automatic: boolean;
  /** Null for any time. */
  readonly window: UpdateWindow | null;
  /** Null for the days of all projects. */
  readonly coolDownDays: number | null;
  readonly by: Pick<AuditActor, "kind" | "id" | "name">;
  readonly at: number;
  /** The reason that its automatic update waits; null for none. */
  readonly waits: string | null;
  /** When an automatic update of it last went back to the old image. */
  readonly wentBackAt: number | null;
}

/** An image whose container went back to the old one: it is not tried again by itself. */
export interface FailedUpdate extends UpdatedProject {
  /** The unit's id. */
  readonly unit: string;
  /** The digest; for an image that the files name anew also that name, in full. */
  readonly digest: string;
  readonly apply: string;
  readonly reason: string;
  readonly at: number;
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
  /** Brings what is asked for at `at` or later forward to that time, and tells every replica by `DUE_UPDATES`. */
  hasten(at: number): Promise<void>;
  /** Returns what people want of single projects, by workspace and group. */
  projects(): Promise<ProjectUpdates[]>;
  /** Null forgets it, so that the rules of all projects count. */
  setProject(of: UpdatedProject, wanted: ProjectUpdates | null, entry: NewAuditEntry): Promise<void>;
  /** Notes how its automatic update stands; of one that is not there any more, nothing. */
  noteProject(of: UpdatedProject, stands: Pick<ProjectUpdates, "waits" | "wentBackAt">): Promise<void>;
  failures(): Promise<FailedUpdate[]>;
  /** Adds them, and forgets the oldest beyond `most`. One of a workspace that is gone is none. */
  addFailures(failures: readonly FailedUpdate[], most: number): Promise<void>;
}
