/** The plugin's own error codes, each with its HTTP status, and how they are raised and declared. */
import {
  type DeclaredCodes,
  type ErrorCode,
  type ErrorOptions,
  failure,
  type ServiceError,
} from "../../core/error.ts";

export const CODES = {
  backend_not_found: 404,
  no_engine: 503,
  runtime_unavailable: 503,
  engine_timeout: 504,
  engine_failed: 502,
  engine_busy: 503,
  container_not_found: 404,
  image_not_found: 404,
  volume_not_found: 404,
  network_not_found: 404,
  ambiguous_id: 409,
  conflict: 409,
  in_use: 409,
  kept_by_service: 409,
  node_not_connected: 409,
  service_not_found: 404,
  task_not_found: 404,
  name_taken: 409,
  pull_refused: 403,
  pull_failed: 502,
  build_failed: 502,
  exec_failed: 409,
} as const satisfies DeclaredCodes;

/** A code of the plugin's own or of the core. */
export type EngineErrorCode = ErrorCode | keyof typeof CODES;

export function engineError(code: EngineErrorCode, message: string, options?: ErrorOptions): ServiceError {
  return failure(CODES, code, message, options);
}
