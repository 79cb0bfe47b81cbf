/**
 * Authentication: the router's question, answered from `Authorization` and, for sockets, from the
 * subprotocol.
 */
import type { Credentials } from "../../auth/sessions/credentials.ts";
import type { FreshProof } from "../../auth/people/fresh_proof.ts";
import { peerGroup, type RateLimit } from "../../auth/rate_limit.ts";
import { ServiceError } from "../../core/error.ts";
import { bearerOf, socketCredential } from "./admission.ts";
import type { Caller, Guard } from "../declare/caller.ts";

interface GuardOptions {
  readonly credentials: Pick<Credentials, "check">;
  readonly freshProof: Pick<FreshProof, "demand">;
  /** The origins our own pages have, as `http://127.0.0.1:8700`. */
  readonly origins: { has(origin: string): boolean };
  /** The limit for an address without a valid credential; null for no limit. */
  readonly strangers: RateLimit | null;
}

export function createGuard({ credentials, freshProof, origins, strangers }: GuardOptions): Guard {
  function callerOf(token: string | null, peer: string): Caller | null | Promise<Caller> {
    if (token === null) {
      strangers?.spend(peerGroup(peer));
      return null;
    }
    try {
      const found = credentials.check(token, peer);
      return found instanceof Promise ? found.catch((thrown) => refuse(thrown, peer)) : found;
    } catch (thrown) {
      return refuse(thrown, peer);
    }
  }

  /** A caller with an invalid credential counts as unknown, too. */
  function refuse(thrown: unknown, peer: string): never {
    if (thrown instanceof ServiceError && thrown.code === "unauthenticated") {
      strangers?.spend(peerGroup(peer));
    }
    throw thrown;
  }

  /** Counts everybody whose credential is not known to be good, also while the store cannot be asked. */
  async function recognised(headers: Headers, peer: string): Promise<Caller | null> {
    try {
      const bearer = bearerOf(headers);
      if (bearer !== null) return await credentials.check(bearer, peer);
    } catch (thrown) {
      strangers?.spend(peerGroup(peer));
      const isBad = thrown instanceof ServiceError &&
        (thrown.code === "unauthenticated" || thrown.code === "two_credentials");
      if (isBad) return null;
      throw thrown;
    }
    strangers?.spend(peerGroup(peer));
    return null;
  }

  return {
    authenticate: (request, peer) => callerOf(bearerOf(request.headers), peer),
    admit: (request, peer) =>
      callerOf(socketCredential(request.headers, (origin) => origins.has(origin)), peer),
    demandProof: ({ source }) => freshProof.demand(source),
    recognise(request, peer) {
      if (request.headers.has("authorization")) return recognised(request.headers, peer);
      strangers?.spend(peerGroup(peer));
      return null;
    },
  };
}
