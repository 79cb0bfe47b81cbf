/** Notices: targets that are told of incidents, and the outbox of what they are still to be told. */
import type { AuditActor, NewAuditEntry } from "./audit_entry.ts";
import type { IncidentKind } from "./incidents.ts";
import type { MuteRecord } from "./mutes.ts";

export const NOTICE_KINDS = ["webhook", "ntfy", "mail", "slack", "apprise"] as const;
export type NoticeKind = typeof NOTICE_KINDS[number];

/** Hours of each day in which nothing is sent, by the clock of a time zone. */
export interface QuietHours {
  /** `22:00` */
  readonly from: string;
  readonly to: string;
  /** An IANA zone, as `Europe/Berlin`. */
  readonly zone: string;
}

export interface NoticeRecord {
  readonly id: string;
  readonly name: string;
  readonly kind: NoticeKind;
  /** The host of the address, which is all that is shown of it. */
  readonly host: string;
  readonly tells: readonly IncidentKind[];
  /** Scopes; empty for everything. */
  readonly on: readonly string[];
  /** An incident is told once it is open for this many seconds. */
  readonly afterS: number;
  readonly quiet: QuietHours | null;
  readonly by: Pick<AuditActor, "kind" | "id" | "name">;
  readonly at: number;
  /** The address and the secret. */
  readonly sealed: Uint8Array;
}

/** `waiting`: to be told; `told`: its end is still to be told; `dead`: the target refused it, or never took it. */
export type OutboxState = "waiting" | "told" | "dead";

/** Messages of one batch are one message, with one id however often it is sent. */
export interface Batch {
  readonly id: string;
  readonly notice: string;
  /** The ids of its incidents. */
  readonly incidents: readonly string[];
  readonly firstAt: number;
  readonly attempts: number;
  /** Answers that say that it will never be taken. */
  readonly refusals: number;
  readonly nextAt: number;
  readonly state: OutboxState;
  /** The reason why the last attempt failed, in words. */
  readonly problem: string | null;
}

export interface NoticeStore {
  /** Returns all of them, by name. */
  list(): Promise<NoticeRecord[]>;
  /** Throws `too_many_notices` beyond `most`. */
  add(record: NoticeRecord, most: number, entry: NewAuditEntry): Promise<void>;
  /** Returns false if there is none of this id. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean>;

  /** Returns the ids of the notices of which something is due, also where it is muted. */
  due(now: number): Promise<readonly string[]>;
  /** Returns the batch of a target that is under way, else one of all that is due, under the given id; null for none. */
  take(notice: string, now: number, batch: string, mutes: readonly MuteRecord[]): Promise<Batch | null>;
  /** Shortens waits that can only have been written by another clock: to `mostMs` by notice, and `retryMs` for a retry. */
  bound(
    now: number,
    notices: readonly { readonly id: string; readonly mostMs: number }[],
    retryMs: number,
  ): Promise<void>;
  /** The target has taken it. */
  sent(batch: string): Promise<void>;
  /** Another attempt at `nextAt`, or none any more. */
  failed(batch: Pick<Batch, "id" | "attempts" | "refusals" | "nextAt" | "state" | "problem">): Promise<void>;
  /** Returns batches that failed and were not sent since, the oldest first. */
  stuck(limit: number): Promise<Batch[]>;
  /** Sends a batch again from the beginning. Returns false if there is none. */
  retry(batch: string, now: number, entry: NewAuditEntry): Promise<boolean>;
  /** Gives a batch up. Returns false if there is none. */
  drop(batch: string, entry: NewAuditEntry): Promise<boolean>;
  /** Returns the number of rows by state. */
  counts(): Promise<Readonly<Record<OutboxState, number>>>;
  /** Forgets what died before. How many rows. */
  forgetDead(before: number): Promise<number>;
}
