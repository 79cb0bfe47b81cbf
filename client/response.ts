/** The answer of every call, a response whose body has arrived, and the errors that hold one. */
import { isNamed } from "./brand.ts";
import type { Method } from "./endpoint.ts";
import { ClientError, type RequestLine } from "./errors.ts";
import { printable } from "./printable.ts";

/** The parts of an {@linkcode HttpResponse}. */
export interface HttpResponseParts extends RequestLine {
  /** The status code. */
  readonly statusCode: number;
  /** The body as text. */
  readonly text: string;
  /** The response headers. */
  readonly headers: Headers;
}

/** A response whose body has been read in full. */
export class HttpResponse<T = unknown> implements HttpResponseParts {
  /** The status code. */
  declare readonly statusCode: number;
  /** The body as text: UTF-8, without a byte order mark. */
  declare readonly text: string;
  /** The response headers; `getSetCookie()` keeps duplicates. */
  declare readonly headers: Headers;
  /** The request's method. */
  declare readonly method: Method;
  /** The request's URL, query included. */
  declare readonly url: string;

  /** Made by the client; public for tests. */
  constructor(parts: HttpResponseParts) {
    Object.assign(this, parts);
  }

  /** The body parsed as JSON. @throws {JsonError} when it is empty or not JSON. */
  json(): T {
    try {
      return JSON.parse(this.text);
    } catch {
      throw new JsonError(this);
    }
  }

  /** Pretty-prints the response to stdout, control characters spelled out. */
  show(): void {
    let { text } = this;
    try {
      text = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // not JSON: shown as it is
    }
    console.log(printable(`${this.method} ${this.url}\n${this.statusCode}\n${text}`));
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

/** Returns true for a {@linkcode StatusError} of this or another copy of the package. */
export function isStatusError(error: unknown): error is StatusError {
  return isNamed(error, "StatusError");
}

/** Returns true for a {@linkcode JsonError} of this or another copy of the package. */
export function isJsonError(error: unknown): error is JsonError {
  return isNamed(error, "JsonError");
}
