/** The one table from error codes to statuses. */
import type { ErrorCode, ServiceError } from "../../core/error.ts";

const statusByCode = {
  invalid_request: 400,
  malformed_json: 400,
  unsupported_media_type: 415,
  body_too_large: 413,
  body_too_slow: 408,
  uri_too_long: 414,
  headers_too_large: 431,
  bad_host: 400,
  wrong_host: 421,
  not_found: 404,
  method_not_allowed: 405,
  upgrade_required: 426,
  too_many_requests: 429,
  too_many_streams: 429,
  unauthenticated: 401,
  two_credentials: 400,
  forbidden: 403,
  origin_refused: 403,
  login_refused: 401,
  refresh_refused: 401,
  identity_provider_not_configured: 404,
  identity_provider_unavailable: 503,
  setup_refused: 403,
  setup_done: 410,
  last_admin: 409,
  sign_in_again: 403,
  too_many_keys: 409,
  person_exists: 409,
  not_local: 409,
  key_exceeds_creator: 403,
  workspace_not_found: 404,
  workspace_exists: 409,
  workspace_unavailable: 409,
  artifact_not_found: 404,
  ambiguous_name: 409,
  project_declared: 409,
  too_many_ignored: 409,
  path_refused: 403,
  path_unreadable: 422,
  file_not_found: 404,
  file_changed: 412,
  file_exists: 412,
  file_not_written: 409,
  file_version_not_found: 404,
  tag_required: 428,
  mask_moved: 422,
  not_editable: 409,
  disk_full: 507,
  registry_refused: 422,
  registry_unavailable: 502,
  registry_not_found: 404,
  token_service_unconfirmed: 409,
  too_many_registries: 409,
  git_failed: 502,
  source_not_found: 404,
  source_refused: 422,
  source_moved: 409,
  source_conflict: 409,
  engine_unavailable: 503,
  plan_not_found: 404,
  plan_blocked: 409,
  plan_stale: 409,
  apply_not_found: 404,
  incident_not_found: 404,
  apply_running: 409,
  apply_over: 409,
  apply_failed: 409,
  plugin_disabled: 404,
  plugin_failed: 503,
  store_unavailable: 503,
  stopping: 503,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

/** The status that a failure is answered with. */
export function statusOf({ code, status }: ServiceError): number {
  return status ?? statusByCode[code as ErrorCode]; // who gives no status gave one of these codes
}

/** The status of one of the service's own codes. */
export function statusOfCode(code: ErrorCode): number {
  return statusByCode[code];
}

export const CORE_CODES: readonly string[] = Object.keys(statusByCode);
