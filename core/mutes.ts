/** Mutes: incidents of which nobody is told until a time, as during a backup. */
import { Reach } from "./access.ts";
import type { AuditActor, NewAuditEntry } from "./audit_entry.ts";
import { type Incident, type IncidentKind, scopesOf } from "./incidents.ts";

export interface MuteRecord {
  readonly id: string;
  /** A scope; null where it is one incident that is muted. */
  readonly on: string | null;
  /** Only this unit of the scope, by its id. */
  readonly unit: string | null;
  readonly incident: string | null;
  /** Only incidents of these kinds; empty for all. */
  readonly kinds: readonly IncidentKind[];
  /** Milliseconds since 1970, as `at`. */
  readonly until: number;
  readonly by: Pick<AuditActor, "kind" | "id" | "name">;
  readonly at: number;
}

export interface MuteStore {
  /** Returns those that have not ended, the earliest end first. */
  list(now: number): Promise<MuteRecord[]>;
  /** Forgets those that have ended. Throws `too_many_mutes` beyond `most`. */
  add(mute: MuteRecord, most: number, now: number, entry: NewAuditEntry): Promise<void>;
  /** Returns false if there is none of this id. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean>;
}

/** Returns the time until which an incident is muted; null if it is not. */
export function mutedUntil(
  incident: Pick<Incident, "id" | "subject" | "kind" | "elsewhere">,
  mutes: readonly MuteRecord[],
): number | null {
  const { id, subject: { unit }, kind } = incident;
  const scopes = scopesOf(incident);
  const on = mutes.filter((mute) =>
    (mute.kinds.length === 0 || mute.kinds.includes(kind)) &&
    (mute.incident === null
      ? (mute.unit === null || mute.unit === unit) && new Reach([mute.on!]).has(scopes) // it has one of them
      : mute.incident === id)
  );
  return on.length === 0 ? null : Math.max(...on.map(({ until }) => until));
}
