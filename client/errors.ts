/** Every way a call can fail, each with what a caller needs to act on, and none with a credential. */
import type { Method } from "./endpoint.ts";
import { printable } from "./printable.ts";
import type { HttpResponse } from "./response.ts";

// Shared by all copies of this package, so that the guards hold across them, where `instanceof` fails.
const BRAND: unique symbol = Symbol.for("@berth/client");

/** What was asked for. */
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

/** The status was not among those expected. */
export class StatusError extends ClientError {
  /** The class's name. */
  override readonly name: string = "StatusError";
  /** The response, body included. */
  readonly response: HttpResponse;
  /** The statuses that were expected. */
  readonly expectedStatus: readonly number[];

  /** Made by the client. */
  constructor(response: HttpResponse, expectedStatus: readonly number[]) {
    const { statusCode, headers, text } = response;
    const location = statusCode > 299 && statusCode < 400 && headers.get("location");
    const what = (location ? "redirects to " + location : text).slice(0, 200);
    super(`status ${statusCode}, expected ${expectedStatus.join(" or ")}${what && ": " + what}`, response);
    this.response = response;
    this.expectedStatus = expectedStatus;
  }
}

/** `json()` was called on a body that is not JSON. */
export class JsonError extends ClientError {
  /** The class's name. */
  override readonly name: string = "JsonError";
  /** The response, body included. */
  readonly response: HttpResponse;

  /** Made by the client. */
  constructor(response: HttpResponse) {
    const { statusCode, text } = response;
    super(`status ${statusCode} ${text ? "is not JSON: " + text.slice(0, 200) : "has no body"}`, response);
    this.response = response;
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

function named(error: unknown, name?: string): boolean {
  // Any value may be thrown; looking up a symbol in one is safe but for null and undefined.
  const it = error as { [BRAND]?: number; name?: string } | null | undefined;
  return it?.[BRAND] === 1 && (!name || it.name === name);
}

/** Whether it is a {@linkcode ClientError} of this or another copy of the package. */
export function isClientError(error: unknown): error is ClientError {
  return named(error);
}

/** Whether it is a {@linkcode StatusError} of this or another copy of the package. */
export function isStatusError(error: unknown): error is StatusError {
  return named(error, "StatusError");
}

/** Whether it is a {@linkcode JsonError} of this or another copy of the package. */
export function isJsonError(error: unknown): error is JsonError {
  return named(error, "JsonError");
}

/** Whether it is a {@linkcode TimeoutError} of this or another copy of the package. */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return named(error, "TimeoutError");
}

/** Whether it is a {@linkcode NetworkError} of this or another copy of the package. */
export function isNetworkError(error: unknown): error is NetworkError {
  return named(error, "NetworkError");
}

/** Whether it is a {@linkcode ClosedError} of this or another copy of the package. */
export function isClosedError(error: unknown): error is ClosedError {
  return named(error, "ClosedError");
}

/** Whether it is a {@linkcode BodyLimitError} of this or another copy of the package. */
export function isBodyLimitError(error: unknown): error is BodyLimitError {
  return named(error, "BodyLimitError");
}
