/** The client: one base URL, typed calls, and an end that frees everything. */
import type { Auth } from "./auth.ts";
import type { Args, Endpoint, EndpointTypes, Method, Options, ResponseOf, Statuses } from "./endpoint.ts";
import type { HttpResponse } from "./response.ts";
import { type AnyOptions, Sender } from "./sender.ts";
import type { Fetch } from "./transport.ts";

/** The options of a {@linkcode Client}. */
export interface ClientOptions {
  /** Absolute `http:` or `https:` URL; its path is kept as a prefix. */
  readonly baseUrl: string | URL;
  /** Credentials, sent to `baseUrl`'s origin only. */
  readonly auth?: Auth | undefined;
  /** True to verify TLS certificates. Default: `false`, except in a browser, which always verifies. */
  readonly verifyTls?: boolean | undefined;
  /** PEM certificates to trust in place of the runtime's. Turns verification on. */
  readonly caCerts?: readonly string[] | undefined;
  /** Seconds that a call may take in all: login, retry and body. Default: 15. */
  readonly timeoutS?: number | undefined;
  /** The longest body that is read, in bytes after decoding. Default: 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** The function to send with instead of the runtime's `fetch`. Excludes `verifyTls` and `caCerts`. */
  readonly fetch?: Fetch | undefined;
}

/** The sender of a client, for streams and sockets; not exported from the package. */
export let senderOf: (client: Client) => Sender;

/**
 * A REST client for one base URL.
 *
 * @example
 * ```ts
 * import { BearerAuth, Client, Endpoint } from "@berth/client";
 *
 * const USER = new Endpoint("Users({id})").typed<{ get: { response: { name: string } } }>();
 *
 * async function greet(token: string): Promise<string> {
 *   using client = new Client({ baseUrl: "https://nas.local/api", auth: new BearerAuth(token), verifyTls: true });
 *   return "Hello " + (await client.get(USER, { params: { id: 7 } })).json().name;
 * }
 * ```
 */
export class Client implements Disposable, AsyncDisposable {
  readonly #sender: Sender;

  static {
    senderOf = (client) => client.#sender;
  }

  /** Checks the options. @throws {TypeError} when one cannot be honoured. */
  constructor(options: ClientOptions) {
    this.#sender = new Sender(options);
  }

  /** GET; 200 is expected, or the endpoint's `statuses`. */
  get<P extends string, T extends EndpointTypes>(
    endpoint: Endpoint<P, T>,
    ...args: Args<Options<P, T, "get">>
  ): Promise<HttpResponse<ResponseOf<T, "get">>> {
    return this.#call("GET", [200], endpoint, args[0]);
  }

  /** POST; 200 and 201 are expected, or the endpoint's `statuses`. */
  post<P extends string, T extends EndpointTypes>(
    endpoint: Endpoint<P, T>,
    ...args: Args<Options<P, T, "post">>
  ): Promise<HttpResponse<ResponseOf<T, "post">>> {
    return this.#call("POST", [200, 201], endpoint, args[0]);
  }

  /** PUT; 200 and 201 are expected, or the endpoint's `statuses`. */
  put<P extends string, T extends EndpointTypes>(
    endpoint: Endpoint<P, T>,
    ...args: Args<Options<P, T, "put">>
  ): Promise<HttpResponse<ResponseOf<T, "put">>> {
    return this.#call("PUT", [200, 201], endpoint, args[0]);
  }

  /** DELETE; 200, 201 and 204 are expected, or the endpoint's `statuses`. */
  delete<P extends string, T extends EndpointTypes>(
    endpoint: Endpoint<P, T>,
    ...args: Args<Options<P, T, "delete">>
  ): Promise<HttpResponse<ResponseOf<T, "delete">>> {
    return this.#call("DELETE", [200, 201, 204], endpoint, args[0]);
  }

  /** Ends what is under way with a `ClosedError`, refuses later calls, and frees the connections. */
  close(): void {
    this.#sender.close();
  }

  /** {@linkcode Client.close}, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** {@linkcode Client.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.close());
  }

  async #call<T>(
    method: Method,
    expected: readonly number[],
    { path, statuses }: { readonly path: string; readonly statuses: Statuses },
    options: AnyOptions = {},
  ): Promise<HttpResponse<T>> {
    const sender = this.#sender;
    const own = statuses[method.toLowerCase() as Lowercase<Method>] ?? expected; // it is its lower case
    const call = sender.prepare(method, path, options, own, "application/json, */*;q=0.5");
    const deadline = sender.begin(call, options);
    try {
      return await deadline.until(async () =>
        sender.settle<T>(call, deadline, await sender.send(call, deadline))
      );
    } finally {
      deadline.end();
    }
  }
}
