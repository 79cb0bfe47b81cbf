/** The stored applies: each with its owner, and a journal of the steps that were begun and done. */
import type { AuditActor, NewAuditEntry } from "./audit_entry.ts";

/** `paused`: it waits for a person's word. The last three are the end. */
export const APPLY_STATES = ["running", "paused", "done", "failed", "cancelled"] as const;
export type ApplyState = typeof APPLY_STATES[number];

/**
 * The beginning of the id of the apply for which a container is aside: put there by a swap, until the new one is sound.
 * Null for every other container.
 */
export const asideFor = (name: string): string | null =>
  /\.(?:new|old)-([0-9a-f]{8})$/.exec(name)?.[1] ?? null;

/** Returns the name of a container without the suffix it has while it is replaced. */
export const nameWithoutAside = (name: string): string => name.replace(/\.(?:new|old)-[0-9a-f]{8}$/, "");

/** A user's request to an apply that is under way. */
export type ApplyWish = "cancel" | "abandon";

/** Times are milliseconds since 1970. */
export interface ApplyRecord {
  readonly id: string;
  readonly workspace: string;
  readonly group: string;
  readonly project: string;
  readonly backend: string;
  readonly state: ApplyState;
  /** Why it is paused or failed, in words. */
  readonly reason: string | null;
  readonly wish: ApplyWish | null;
  /** The plan, what was asked, and which objects its steps are about, as JSON. No secret is in it. */
  readonly work: string;
  /** With whose rights it goes on. */
  readonly by: AuditActor;
  readonly credential: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** The replica that carries it out, as of `epoch`, until `leaseUntil` unless it says more. */
  readonly owner: string;
  readonly epoch: number;
  readonly leaseUntil: number;
}

/** An apply as a store tells of it to those who inspect it; its work and its journal only while it is paused. */
export interface KnownApply extends Pick<ApplyRecord, "id" | "project" | "state"> {
  readonly work: string | null;
  readonly lines: readonly JournalEntry[];
}

export type NewApply = Omit<ApplyRecord, "state" | "reason" | "wish" | "endedAt" | "epoch">;

/** One line of a journal. Its body is JSON. */
export interface JournalEntry {
  /** From 1, without a gap. */
  readonly seq: number;
  readonly at: number;
  readonly kind: "step" | "log" | "state";
  /** The step it is about. */
  readonly step: number | null;
  readonly body: string;
}

export type NewJournalEntry = Omit<JournalEntry, "seq">;

export interface ApplyQuery {
  /** Only applies that began before this, and at the same moment those with a smaller id. */
  readonly before: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
  readonly workspace: string | null;
  readonly group: string | null;
  readonly state: ApplyState | null;
}

/** The new owner of an apply. */
interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** The change of an apply's state that its last line of a journal brings. */
interface ApplyEnd {
  readonly state: Exclude<ApplyState, "running">;
  readonly reason: string | null;
  readonly at: number;
  /** The wish that led to it. A wish that nobody has heeded keeps an apply from pausing. */
  readonly heeded?: ApplyWish | null;
}

export interface ApplyStore {
  /** The clock that leases count by where several replicas share the store: their own may differ. */
  readonly now?: () => Promise<number>;
  /** Throws `apply_running`, with the other's id, while one of the project on that engine is running or paused. */
  add(apply: NewApply, entry: NewAuditEntry): Promise<void>;
  get(id: string): Promise<ApplyRecord | null>;
  /** Newest first. */
  list(query: ApplyQuery): Promise<ApplyRecord[]>;
  /**
   * Appends to the journal of an apply that is `running` in this epoch, and with `end` moves it on; all of it with its
   * entries of the audit log, or nothing. Null where it is somebody else's by now; the wish where it was to be paused
   * and somebody has asked for something else meanwhile.
   */
  write(
    id: string,
    epoch: number,
    lines: readonly NewJournalEntry[],
    entries: readonly NewAuditEntry[],
    end?: ApplyEnd,
  ): Promise<JournalEntry[] | ApplyWish | null>;
  /** The lines behind the place `after`, in order. */
  lines(id: string, after: number, limit: number): Promise<JournalEntry[]>;
  /**
   * Notes a wish for an apply that is running; returns false where it is not. A paused one is ended by `resume`. To cancel
   * does not replace the wish to abandon.
   */
  wish(id: string, wish: ApplyWish, entry: NewAuditEntry): Promise<boolean>;
  /** Lets a paused one go on, with the rights of whoever says so. Null where none is paused. */
  resume(
    id: string,
    by: { readonly by: AuditActor; readonly credential: string | null; readonly wish: ApplyWish | null },
    lease: Lease,
    entry: NewAuditEntry,
  ): Promise<ApplyRecord | null>;
  /** Says that the owner is alive, and what is its own. */
  renew(lease: Lease): Promise<ApplyRecord[]>;
  /** Takes over what is running and whose owner has not been heard of since; each goes to one of all who ask. */
  takeOver(now: number, lease: Lease): Promise<{ readonly apply: ApplyRecord; readonly since: number }[]>;
  /**
   * Gives up what the owner has, so that the next start takes it over at once; with `behind` only leases that end later.
   * A lease that has ended already keeps its end.
   */
  release(owner: string, now: number, behind?: number): Promise<void>;
  /** Forgets those that ended before. How many. */
  forget(before: number): Promise<number>;
}
