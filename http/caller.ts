/** What the router asks of those who know callers: who is it, and remember what they did. */
import type { Principal } from "../core/access.ts";

/** Somebody whose credential was checked for this one request. */
export interface Caller {
  readonly principal: Principal;
  /** Aborted within five seconds of the credential losing its rights; what open streams end by. */
  revoked(): AbortSignal;
}

export interface Guard {
  /**
   * Who calls, or null when no credential was brought.
   * Fails as `unauthenticated` when one was brought and is not good, as `two_credentials` when several were.
   */
  authenticate(request: Request, peer: string): Caller | null | Promise<Caller | null>;
  /**
   * The same for a WebSocket, before its 101: the Origin is checked too, and the credential may stand in the
   * offered subprotocol `berth.bearer.<token>`.
   */
  admit(request: Request, peer: string): Caller | null | Promise<Caller | null>;
}

/** One line of the audit log: every change, and every refusal. */
export interface AuditEvent {
  /** Null for somebody who showed no credential. */
  readonly actor: Principal | null;
  /** The route's method and template, as `POST /api/workspaces`. */
  readonly action: string;
  readonly target: string;
  /** The status, and the code of a refusal. */
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string;
  readonly peer: string;
}

export interface Auditor {
  record(entry: AuditEvent): void;
}
