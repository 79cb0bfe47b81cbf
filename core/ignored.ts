/** Projects and containers that people have put aside: they run, no file declares them, and that is known. */
import type { AuditActor, NewAuditEntry } from "./audit_entry.ts";

export const IGNORED_KINDS = ["project", "container"] as const;
type IgnoredKind = typeof IGNORED_KINDS[number];

/** A Compose project, or a container that belongs to none, by its name on an engine. */
export interface IgnoredKey {
  readonly engine: string;
  readonly kind: IgnoredKind;
  readonly name: string;
}

export interface IgnoredRecord extends IgnoredKey {
  readonly by: Pick<AuditActor, "kind" | "id" | "name">;
  readonly at: number;
}

export interface IgnoredStore {
  /** Returns all of them, by engine, kind and name. */
  list(): Promise<IgnoredRecord[]>;
  /** Returns false if it is ignored already. Throws `too_many_ignored` when there are `most` already. */
  add(record: IgnoredRecord, most: number, entry: NewAuditEntry): Promise<boolean>;
  /** Returns false if it was not ignored. */
  remove(key: IgnoredKey, entry: NewAuditEntry): Promise<boolean>;
}
