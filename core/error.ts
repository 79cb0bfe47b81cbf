/** Every failure a caller may be told about, by the code that programs branch on. */

import type { Remedy } from "./remedy.ts";

/** The codes of all errors that leave the service; `http/declare/problem.ts` says which status each one has. */
export type ErrorCode =
  // the request
  | "invalid_request"
  | "malformed_json"
  | "unsupported_media_type"
  | "body_too_large"
  | "body_too_slow"
  | "uri_too_long"
  | "headers_too_large"
  | "bad_host"
  | "wrong_host"
  | "not_found"
  | "method_not_allowed"
  | "upgrade_required"
  | "too_many_requests"
  | "too_many_streams"
  // who calls
  | "unauthenticated"
  | "two_credentials"
  | "forbidden"
  | "origin_refused"
  | "login_refused"
  | "refresh_refused"
  | "identity_provider_not_configured"
  | "identity_provider_unavailable"
  | "setup_refused"
  | "setup_done"
  | "last_admin"
  | "sign_in_again"
  | "too_many_keys"
  | "person_exists"
  | "not_local"
  | "key_exceeds_creator"
  // workspaces and artifacts
  | "workspace_not_found"
  | "workspace_exists"
  | "workspace_unavailable"
  | "artifact_not_found"
  | "ambiguous_name"
  | "project_declared"
  | "too_many_ignored"
  | "draft_stale"
  | "adoption_blocked"
  | "already_claimed"
  | "too_many_claims"
  | "claim_not_found"
  | "cannot_settle"
  | "line_refused"
  | "path_refused"
  | "path_unreadable"
  | "file_not_found"
  | "file_changed"
  | "file_exists"
  | "file_not_written"
  | "file_version_not_found"
  | "tag_required"
  | "mask_moved"
  | "not_editable"
  | "disk_full"
  // image registries
  | "registry_refused"
  | "registry_unavailable"
  | "registry_not_found"
  | "token_service_unconfirmed"
  | "too_many_registries"
  | "updates_disabled"
  | "update_not_found"
  | "image_not_editable"
  // Git
  | "git_failed"
  | "source_not_found"
  | "source_refused"
  | "source_moved"
  | "source_conflict"
  | "hook_refused"
  | "secret_in_commit"
  // projects
  | "engine_unavailable"
  | "plan_not_found"
  | "plan_blocked"
  | "plan_stale"
  | "apply_not_found"
  | "incident_not_found"
  | "ending_not_found"
  | "notice_not_found"
  | "notice_refused"
  | "too_many_notices"
  | "mute_not_found"
  | "mute_refused"
  | "too_many_mutes"
  | "apply_running"
  | "apply_over"
  | "apply_failed"
  // the service
  | "plugin_disabled"
  | "plugin_failed"
  | "store_unavailable"
  | "stopping"
  | "internal";

/** Codes that a plugin declares, each with the HTTP status that it is answered with. */
export type DeclaredCodes = Readonly<Record<string, number>>;

/** One thing wrong with the input: where (`body.name`, `query.limit`) and what. */
export interface InputError {
  readonly path: string;
  readonly message: string;
}

/**
 * A failure that the caller may read. The message is a title for people: "Cannot do what: why", and never
 * holds the text of another error, which goes into `cause` and from there into the log alone.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: string;
  /** The status of a plugin's own code; undefined for the codes above. */
  readonly status: number | undefined;
  readonly errors: readonly InputError[] | undefined;
  /** Extra response headers, as `Retry-After` or `Allow`. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The message for callers who do not see everything that runs, and for what is kept or streamed. */
  readonly discreet: string;
  /** What the caller can do about it; names only what they see. */
  readonly remedies: readonly Remedy[];

  constructor(code: ErrorCode | DeclaredCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = typeof code === "string" ? code : code.code;
    this.status = typeof code === "string" ? undefined : code.status;
    this.errors = options.errors;
    this.headers = options.headers;
    this.discreet = options.discreet ?? message;
    this.remedies = options.remedies ?? [];
  }
}

/** Returns true if the store is away or takes nothing: nothing was written. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "store_unavailable";

interface DeclaredCode {
  readonly code: string;
  readonly status: number;
}

export interface ErrorOptions {
  readonly cause?: unknown;
  readonly errors?: readonly InputError[];
  /** Extra response headers, as `Retry-After` or `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The message for callers who do not see everything that runs. */
  readonly discreet?: string | undefined;
  readonly remedies?: readonly Remedy[];
}

/** A failure with a code of a plugin's own, or of the core: `failure(CODES, "units_unavailable", "Cannot ...")`. */
export function failure<Codes extends DeclaredCodes>(
  codes: Codes,
  code: ErrorCode | keyof Codes & string,
  message: string,
  options?: ErrorOptions,
): ServiceError {
  const status = codes[code];
  return new ServiceError(status === undefined ? code as ErrorCode : { code, status }, message, options);
}
