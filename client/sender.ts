/** The steps of every request, with a text or a stream as answer: credentials, sending, the 401 rule. */
import { address, parseBase } from "./address.ts";
import type { Auth } from "./auth.ts";
import { readText } from "./body.ts";
import { Deadline } from "./deadline.ts";
import type { Method, Query } from "./endpoint.ts";
import { BodyLimitError, NetworkError, type RequestLine } from "./errors.ts";
import { type Login, loginOf, type Ticket } from "./login.ts";
import { HttpResponse, StatusError } from "./response.ts";
import { Running } from "./running.ts";
import { type Transport, transportFor, type TransportOptions } from "./transport.ts";

/** The options of a sender. */
export interface SenderOptions extends TransportOptions {
  readonly baseUrl: string | URL;
  readonly auth?: Auth | undefined;
  readonly timeoutS?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
}

/** The options of a call, without their types. */
export interface AnyOptions {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Query | undefined;
  readonly payload?: unknown;
  readonly expectedStatus?: number | Iterable<number> | undefined;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly timeoutS?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A checked call, ready to be sent, and sent again. */
export interface Call extends RequestLine {
  readonly body: string | undefined;
  readonly expected: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends the calls of one client. */
export class Sender {
  readonly base: URL;
  readonly login: Login | undefined;
  /** True if TLS settings differ from the runtime's own, which sockets cannot change. */
  readonly ownTls: boolean;
  readonly #maxBodyBytes: number;
  readonly #transport: Transport;
  readonly #running: Running<Deadline>;
  #closed = false;

  constructor(options: SenderOptions) {
    const { baseUrl, auth, timeoutS = 15, maxBodyBytes = 2 ** 26 } = options;
    this.base = parseBase(baseUrl);
    if (!(timeoutS > 0 && maxBodyBytes > 0)) throw new TypeError("timeoutS and maxBodyBytes must be above 0");
    this.#running = new Running(msOf(timeoutS));
    this.#maxBodyBytes = maxBodyBytes;
    this.login = auth && loginOf(auth);
    this.ownTls = !!options.caCerts || options.verifyTls === false;
    this.#transport = transportFor(this.base, options);
  }

  /** Checks a call. @throws {TypeError} before anything is sent. */
  prepare(
    method: Method,
    path: string,
    options: AnyOptions,
    expectedStatus: Iterable<number>,
    accept: string,
  ): Call {
    const { params, query, payload, ifMatch, ifNoneMatch, expectedStatus: own = expectedStatus } = options;
    const expected = typeof own === "number" ? [own] : [...own];
    if (!expected.length || !expected.every(Number.isInteger)) {
      throw new TypeError("expectedStatus holds no integers");
    }
    const url = address(this.base, path, params, query);
    const body = JSON.stringify(payload) as string | undefined; // undefined for what JSON cannot say
    if (payload !== undefined && (body === undefined || method === "GET")) {
      throw new TypeError("the payload is not JSON, or not for GET");
    }
    const headers: Record<string, string> = { accept };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (ifMatch !== undefined) headers["if-match"] = ifMatch;
    if (ifNoneMatch !== undefined) headers["if-none-match"] = ifNoneMatch;
    return { method, url, body, expected, headers };
  }

  /** Starts the clock of a call. */
  begin(call: Call, { signal, timeoutS }: Pick<AnyOptions, "signal" | "timeoutS">): Deadline {
    const deadline = new Deadline(call, this.#running, signal);
    if (timeoutS) deadline.arm(msOf(timeoutS));
    if (this.#closed) deadline.close();
    return deadline;
  }

  /** Sends it, with credentials and the one retry after a 401; the body is still to come. */
  async send(call: Call, deadline: Deadline): Promise<Response> {
    let ticket: Ticket | undefined = await this.login?.ticket();
    let response = await this.#transmit(call, deadline, ticket);
    if (ticket && response.status === 401) {
      await this.read(call, deadline, response);
      ticket = await this.login!.renew(ticket);
      response = await this.#transmit(call, deadline, ticket);
    }
    return response;
  }

  /** Reads the body. */
  async read<T>(call: Call, deadline: Deadline, response: Response): Promise<HttpResponse<T>> {
    const { method, url } = call;
    const { status: statusCode, headers } = response;
    try {
      const text = await readText(response, this.#maxBodyBytes, () => {
        deadline.abort(new BodyLimitError(`the body is longer than ${this.#maxBodyBytes} bytes`, call));
      });
      return new HttpResponse<T>({ statusCode, text, headers, method, url });
    } catch (cause) {
      throw new NetworkError(reason(cause), call, { cause });
    }
  }

  /** Reads the body and judges the status. */
  async settle<T>(call: Call, deadline: Deadline, response: Response): Promise<HttpResponse<T>> {
    const read = await this.read<T>(call, deadline, response);
    if (!call.expected.includes(read.statusCode)) throw new StatusError(read, call.expected);
    return read;
  }

  /** Ends what is under way, refuses what comes, and frees the connections. */
  close(): void {
    this.#closed = true;
    for (const deadline of this.#running) deadline.close();
    this.#transport.close();
  }

  async #transmit(call: Call, { signal }: Deadline, ticket: Ticket | undefined): Promise<Response> {
    signal.throwIfAborted(); // the login may have outlasted the call
    const { method, url, body } = call;
    const headers = { ...ticket?.headers, ...call.headers };
    const init = { method, headers, body: body ?? null, signal, redirect: "manual" } as const;
    let response: Response;
    try {
      response = await this.#transport.send(url, init);
    } catch (cause) {
      throw new NetworkError(reason(cause), call, { cause });
    }
    if (response.type === "opaqueredirect") {
      throw new NetworkError("redirected, and a browser does not tell where to", call);
    }
    return response;
  }
}

/** Above 2^31 - 1 timers fire at once, and some refuse fractions. */
const msOf = (seconds: number): number => Math.min(Math.ceil(seconds * 1000), 2 ** 31 - 1);

/** The innermost reason: "fetch failed" alone helps nobody. */
function reason(error: unknown): string {
  let inner = error as { message?: string; code?: string; cause?: unknown; errors?: unknown[] };
  for (let depth = 0, next: unknown; depth < 9 && (next = inner.cause ?? inner.errors?.[0]); depth++) {
    inner = next as typeof inner;
  }
  return (inner.message || inner.code || String(inner)).slice(0, 200);
}
