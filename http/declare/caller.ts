/** The contract of the router with the authentication: identify the caller, and record the act. */
import type { Principal } from "../../core/access.ts";
import type { AuditChain, NewAuditEntry } from "../../core/store.ts";
import type { CredentialRef } from "../../core/credential.ts";

/** Somebody whose credential was checked for this one request. */
export interface Caller {
  readonly principal: Principal;
  /** The credential; null for a caller whom an open route let in. */
  readonly source: CredentialRef | null;
  /** The end of the credential, in milliseconds since 1970; `Infinity` for none. */
  readonly expiresAt?: number;
  /** Aborted within five seconds of the credential losing its rights; what open streams end by. */
  revoked(): AbortSignal;
}

export interface Guard {
  /**
   * Returns the caller, or null without a credential. Throws `unauthenticated` for an invalid one,
   * `two_credentials` for several.
   */
  authenticate(request: Request, peer: string): Caller | null | Promise<Caller | null>;
  /**
   * The same for a WebSocket, before its 101: the Origin is checked too, and the credential may stand in the
   * offered subprotocol `berth.bearer.<token>`.
   */
  admit(request: Request, peer: string): Caller | null | Promise<Caller | null>;
  /**
   * Returns the caller where no credential is needed; null for anybody without a good one, whose request is counted.
   * Throws `too_many_requests`, and rejects with `store_unavailable` where nobody can say.
   */
  recognise(request: Request, peer: string): Caller | null | Promise<Caller | null>;
  /** Throws `sign_in_again` for a session whose holder has not proved who they are for a while. */
  demandProof(caller: Caller): Promise<void>;
}

/** Makes the entries of the audit log, and has them written. */
export interface Auditor {
  entry(about: {
    readonly chain?: AuditChain;
    /** Null for somebody who showed no credential. */
    readonly caller: Caller | null;
    /** The route's method and template, as `POST /api/workspaces`. */
    readonly action: string;
    readonly target: string | null;
    readonly particulars?: Readonly<Record<string, string>>;
    readonly result?: string;
    readonly requestId: string;
    readonly peer: string;
  }): NewAuditEntry;
  /** Resolves once the entry is in the store. Throws `store_unavailable`. */
  first(entry: NewAuditEntry): Promise<void>;
  /** Has the entry written soon. */
  record(entry: NewAuditEntry): void;
}
