/** One request as its handler sees it. */
import type { Principal } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { Caller } from "./caller.ts";

/** What the edge knows of a request before any route does; handed through Hono as its bindings. */
export interface RequestScope {
  readonly requestId: string;
  /** The other side's address, or the one a trusted proxy names. */
  readonly peer: string;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** Filled in by the router, for the access log. */
  caller: Caller | null;
  code: string | null;
  /** Set where a read shows what is normally masked: it then stands in the audit log like a change. */
  audited: boolean;
}

export class Call<Params = undefined, Query = undefined, Body = undefined> {
  readonly #scope: RequestScope;
  readonly #caller: Caller | null;

  constructor(
    readonly request: Request,
    scope: RequestScope,
    caller: Caller | null,
    readonly params: Params,
    readonly query: Query,
    readonly body: Body,
  ) {
    this.#scope = scope;
    this.#caller = caller;
  }

  get requestId(): string {
    return this.#scope.requestId;
  }

  get peer(): string {
    return this.#scope.peer;
  }

  /** Who calls. Only an open route has nobody, and must not ask. */
  get principal(): Principal {
    if (this.#caller === null) throw new ServiceError("unauthenticated", "Cannot go on: nobody is signed in");
    return this.#caller.principal;
  }

  /** Says who it was that an open route let in, for the logs. */
  letIn(principal: Principal): void {
    this.#scope.caller = { principal, revoked: () => NEVER };
  }

  /** Has this call audited, although it changes nothing. */
  audit(): void {
    this.#scope.audited = true;
  }

  /** Aborted when the caller leaves. Never bind a change to it: a closed tab must not cancel half of one. */
  get left(): AbortSignal {
    return this.request.signal;
  }

  /** What a stream ends by: the caller left, lost the right, or the service stops. */
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
