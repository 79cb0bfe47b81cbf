/** Streamed answers of pulls and builds that broke off in their middle. */
import { CutShort } from "../../../core/cut_short.ts";
import { ServiceError } from "../../../core/error.ts";
import { engineError } from "../../../engines/calls/errors.ts";

/** Returns the failure as an apply takes it: one whose connection broke off is tried again, as for an engine that is away. */
export function orUnavailable(error: unknown): unknown {
  if (!(error instanceof ServiceError) || !(error.cause instanceof CutShort)) return error;
  return engineError("runtime_unavailable", error.message, { cause: error.cause, discreet: error.discreet });
}
