/** An entry of the audit log, as whoever acts hands it over. */

/** `changes`: what was begun or done. `refusals`: what was refused before it began. Each is kept in its own time. */
export const AUDIT_CHAINS = ["changes", "refusals"] as const;
export type AuditChain = typeof AUDIT_CHAINS[number];

export interface AuditActor {
  readonly kind: "user" | "apiKey" | "anonymous" | "system";
  readonly id: string;
  readonly name: string;
}

export interface NewAuditEntry {
  readonly chain: AuditChain;
  readonly at: number;
  readonly actor: AuditActor;
  /** The credential that was used: `key:<id>` or `session:<id>`; null if none was needed. */
  readonly credential: string | null;
  /** The act: `session.reuse`, or the method and path template of a route. */
  readonly action: string;
  readonly target: string | null;
  /** Further details, such as a command and its user; nothing secret. */
  readonly particulars: Readonly<Record<string, string>>;
  /** `begun` before an act on an engine, then `done`; or the code of the refusal or failure. */
  readonly result: string;
  readonly requestId: string | null;
  readonly peer: string | null;
  /** The number of times; only refusals to unknown callers are counted. */
  readonly count: number;
}
