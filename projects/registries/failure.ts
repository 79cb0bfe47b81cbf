/** What is said of a registry that cannot be used, or does not answer. */
import { ServiceError } from "../../core/error.ts";

export function refused(host: string, why: string, cause?: unknown): ServiceError {
  return new ServiceError("registry_refused", `Cannot use the registry "${host}": ${why}`, { cause });
}

export function unavailable(host: string, why: string, cause?: unknown): ServiceError {
  return new ServiceError("registry_unavailable", `Cannot ask the registry "${host}": ${why}`, { cause });
}
