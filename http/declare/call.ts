/** One request as its handler sees it. */
import type { Principal, Reach } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import type { CredentialRef } from "../../core/credential.ts";
import type { Caller } from "./caller.ts";
import type { Outcome, Particulars, Trail } from "./trail.ts";

/** The facts that the edge knows of a request before any route does; handed through Hono as its bindings. */
export interface RequestScope {
  readonly requestId: string;
  /** As `performance.now()` told it. */
  readonly startedMs: number;
  /** The other side's address, or the one a trusted proxy names. */
  readonly peer: string;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** Filled in by the router, for the access log. */
  caller: Caller | null;
  code: string | null;
  /** The name of the route that was found; null for none. */
  route: string | null;
  /** Throws `sign_in_again` for a caller who has not proved who they are for a while. */
  readonly demandProof: (caller: Caller) => Promise<void>;
  /** The caller of an open route without a body; null for anybody without a good credential. */
  recognised: Caller | null | Promise<Caller | null>;
}

export class Call<Params = undefined, Query = undefined, Body = undefined> {
  readonly #scope: RequestScope;
  readonly #caller: Caller | null;
  readonly #trail: Trail;
  readonly #reach: Reach;
  #isReachUsed = false;

  constructor(
    readonly request: Request,
    scope: RequestScope,
    caller: Caller | null,
    trail: Trail,
    reach: Reach,
    readonly params: Params,
    readonly query: Query,
    readonly body: Body,
  ) {
    this.#scope = scope;
    this.#caller = caller;
    this.#trail = trail;
    this.#reach = reach;
  }

  get requestId(): string {
    return this.#scope.requestId;
  }

  get peer(): string {
    return this.#scope.peer;
  }

  /** The caller. An open route has none, and must not ask. */
  get principal(): Principal {
    if (this.#caller === null) {
      throw new ServiceError(
        "unauthenticated",
        "Authentication required: send `Authorization: Bearer <key or token>`",
      );
    }
    return this.#caller.principal;
  }

  /** The scope of the route's permission in the hands of the caller: nothing else may be shown or touched. */
  get reach(): Reach {
    this.#isReachUsed = true;
    return this.#reach;
  }

  /** True if the handler may have shown something out of scope, because it did not ask for the scope. */
  get ignoredReach(): boolean {
    return !this.#reach.everywhere && !this.#isReachUsed;
  }

  /** The credential of the caller. */
  get source(): CredentialRef | null {
    return this.#caller?.source ?? null;
  }

  /** Says who it was that an open route let in, for the logs. */
  setPrincipal(principal: Principal): void {
    this.#scope.caller = { principal, source: null, revoked: () => NEVER };
  }

  /**
   * Returns the caller of an open route without a body who has a good credential; null for anybody else. Throws
   * `store_unavailable` where nobody can say.
   */
  async recognised(): Promise<Caller | null> {
    return await this.#scope.recognised;
  }

  /** For a route that only sometimes asks what a stolen session must not be enough for. Throws `sign_in_again`. */
  async mustBeProved(): Promise<void> {
    if (this.#caller !== null) await this.#scope.demandProof(this.#caller);
  }

  /**
   * The entry of the audit log for what this call changes: the store takes it with the change, and commits both or
   * neither. Whoever makes the thing adds what only they know, as its id.
   */
  entry(over: { readonly target?: string; readonly particulars?: Particulars } = {}): NewAuditEntry {
    return this.#trail.entry(over);
  }

  /**
   * Resolves once it is in the audit log that this call shows what is normally masked. Throws `store_unavailable`:
   * then it must not be shown.
   */
  shows(particulars: Particulars): Promise<void> {
    return this.#trail.show(particulars);
  }

  /** Tells the audit log that something was refused for lack of rights after the answer, as over a socket. */
  refused(code: string, particulars: Particulars): void {
    this.#trail.refuse(code, particulars);
  }

  /** Says that the act goes on after the answer; its end is told to what this gives, once. */
  goesOn(): (outcome: Outcome) => void {
    return this.#trail.goOn();
  }

  /** Aborted when the caller leaves. Never bind a change to it: a closed tab must not cancel half of one. */
  get left(): AbortSignal {
    return this.request.signal;
  }

  /** The signal that ends a stream: the caller left or lost the right, or the service stops. */
  get ending(): AbortSignal {
    const signals = [this.request.signal, this.#scope.stopping];
    if (this.#caller !== null) signals.push(this.#caller.revoked());
    return AbortSignal.any(signals);
  }

  get stopping(): AbortSignal {
    return this.#scope.stopping;
  }

  /** Aborted when the caller's credential loses its rights. */
  get revoked(): AbortSignal {
    return this.#caller?.revoked() ?? NEVER;
  }
}

const NEVER = new AbortController().signal;
