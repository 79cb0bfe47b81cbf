/** Every failure a caller may be told about, by the code that programs branch on. */

/** The codes of all errors that leave the service; `http/problem.ts` says which status each one has. */
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
  | "key_exceeds_creator"
  // workspaces and artifacts
  | "workspace_not_found"
  | "workspace_exists"
  | "workspace_unavailable"
  | "artifact_not_found"
  | "ambiguous_name"
  | "path_refused"
  | "path_unreadable"
  // engines
  | "backend_not_found"
  | "no_engine"
  | "runtime_unavailable"
  | "engine_timeout"
  | "engine_failed"
  | "engine_busy"
  | "container_not_found"
  | "image_not_found"
  | "volume_not_found"
  | "network_not_found"
  | "ambiguous_id"
  | "conflict"
  | "in_use"
  | "name_taken"
  | "pull_refused"
  | "pull_failed"
  | "plan_not_found"
  | "exec_failed"
  // the service
  | "plugin_disabled"
  | "plugin_failed"
  | "store_unavailable"
  | "stopping"
  | "internal";

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
  readonly errors: readonly InputError[] | undefined;
  /** Extra response headers, as `Retry-After` or `Allow`. */
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly errors?: readonly InputError[];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.errors = options.errors;
    this.headers = options.headers;
  }
}
