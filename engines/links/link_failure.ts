/** The reason that an engine is down, from the error that ended its connection. */
import { ServiceError } from "../../core/error.ts";
import { reasonOf } from "../calls/failure.ts";
import type { Failure } from "./link_state.ts";
import type { WayFailure } from "./way.ts";

export function isAway(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "runtime_unavailable";
}

/** `failure`: the reason that the way to it gives, if any. `hasGreeted`: it answered as an engine before. */
export function failureOf(error: unknown, failure: WayFailure | null, hasGreeted: boolean): Failure {
  const reason = failure?.message ?? wordsOf(error);
  if (failure?.kind === "refused" || isAway(error) && reason.includes("may not open")) {
    return { state: "refused", reason };
  }
  const isNoEngine = !hasGreeted && error instanceof ServiceError && error.code === "engine_failed";
  return { state: isNoEngine ? "unsupported" : "away", reason };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return "berth could not talk to it";
  return error.code === "runtime_unavailable" ? reasonOf(error.cause ?? error) : error.discreet;
}
