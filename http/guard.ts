/** Who calls: the router's question, answered from `Authorization` and, for sockets, from the subprotocol. */
import type { Credentials } from "../auth/credentials.ts";
import { bearerOf, socketCredential } from "./admission.ts";
import type { Caller, Guard } from "./caller.ts";

export interface GuardOptions {
  readonly credentials: Pick<Credentials, "check">;
  /** The origins our own pages have, as `http://127.0.0.1:8700`. */
  readonly origins: { has(origin: string): boolean };
}

export function createGuard({ credentials, origins }: GuardOptions): Guard {
  return {
    authenticate(request: Request): Caller | null | Promise<Caller> {
      const token = bearerOf(request.headers);
      return token === null ? null : credentials.check(token);
    },
    admit(request: Request): Caller | null | Promise<Caller> {
      const token = socketCredential(request.headers, (origin) => origins.has(origin));
      return token === null ? null : credentials.check(token);
    },
  };
}
