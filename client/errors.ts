/**
 * The failures of a call without a response, each with the facts that a caller needs, and none with a
 * credential.
 */
import { BRAND, isNamed } from "./brand.ts";
import type { Method } from "./endpoint.ts";
import { printable } from "./printable.ts";

/** The request. */
export interface RequestLine {
  /** The request's method. */
  readonly method: Method;
  /** The request's URL. */
  readonly url: string;
}

/** The base of every error a call ends in, save bad arguments, an abort by the caller and an `Auth`'s own. */
export class ClientError extends Error {
  static {
    Object.defineProperty(this.prototype, BRAND, { value: 1 });
  }
  /** The class's name. */
  override readonly name: string = "ClientError";
  /** The request's method. */
  readonly method: Method;
  /** The request's URL. */
  readonly url: string;

  /** Made by the client. */
  constructor(message: string, { method, url }: RequestLine, options?: ErrorOptions) {
    super(printable(`${method} ${url.split("?", 1)[0]}: ${message}`), options);
    this.method = method;
    this.url = url;
  }
}

/** The call took longer than `timeoutS`, login, retry and body included. */
export class TimeoutError extends ClientError {
  /** The class's name. */
  override readonly name: string = "TimeoutError";
}

/** No usable response: DNS, connection, TLS or a body cut short. The runtime's error is its `cause`. */
export class NetworkError extends ClientError {
  /** The class's name. */
  override readonly name: string = "NetworkError";
}

/** The client was closed before or during the call. */
export class ClosedError extends ClientError {
  /** The class's name. */
  override readonly name: string = "ClosedError";
}

/** The body was longer than `maxBodyBytes`. */
export class BodyLimitError extends ClientError {
  /** The class's name. */
  override readonly name: string = "BodyLimitError";
}

/** Returns true for a {@linkcode ClientError} of this or another copy of the package. */
export function isClientError(error: unknown): error is ClientError {
  return isNamed(error);
}

/** Returns true for a {@linkcode TimeoutError} of this or another copy of the package. */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isNamed(error, "TimeoutError");
}

/** Returns true for a {@linkcode NetworkError} of this or another copy of the package. */
export function isNetworkError(error: unknown): error is NetworkError {
  return isNamed(error, "NetworkError");
}

/** Returns true for a {@linkcode ClosedError} of this or another copy of the package. */
export function isClosedError(error: unknown): error is ClosedError {
  return isNamed(error, "ClosedError");
}

/** Returns true for a {@linkcode BodyLimitError} of this or another copy of the package. */
export function isBodyLimitError(error: unknown): error is BodyLimitError {
  return isNamed(error, "BodyLimitError");
}
