/** What every call answers with: a response whose body is already here. */
import type { Method } from "./endpoint.ts";
import { JsonError, type RequestLine } from "./errors.ts";
import { printable } from "./printable.ts";

/** What an {@linkcode HttpResponse} is made of. */
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
