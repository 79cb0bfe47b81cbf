/** Distinguishes an engine that refuses a call from one that does not answer: only the latter is away. */
import { ServiceError } from "../../core/error.ts";

export function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code !== "runtime_unavailable" &&
    error.code !== "engine_timeout" &&
    error.code !== "stopping";
}
