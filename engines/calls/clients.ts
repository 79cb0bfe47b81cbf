/** The runtime's HTTP clients for one way to an engine, by what they are for. */

type ClientOptions = Deno.CreateHttpClientOptions & Partial<Deno.TlsCertifiedKeyPem>;

export class Clients implements Disposable {
  reads: Deno.HttpClient;
  readonly writes: Deno.HttpClient;
  readonly probes: Deno.HttpClient;

  readonly #way: ClientOptions;

  /** Throws for options that cannot be used. */
  constructor(options: ClientOptions) {
    // Over HTTP/2 all requests would share one connection, and wait with it when it is half open.
    const way = this.#way = { ...options, http2: false };
    this.reads = this.#newReads();
    this.probes = Deno.createHttpClient({ ...way, poolMaxIdlePerHost: 1, poolIdleTimeout: 60_000 });
    // Deno silently repeats a POST or DELETE if a reused connection closes before the answer, so none is reused.
    this.writes = Deno.createHttpClient({ ...way, poolMaxIdlePerHost: 0 });
  }

  /** Later reads go over new connections. */
  renew(): void {
    this.reads.close();
    this.reads = this.#newReads();
  }

  [Symbol.dispose](): void {
    this.reads.close();
    this.writes.close();
    this.probes.close();
  }

  #newReads(): Deno.HttpClient {
    return Deno.createHttpClient({ ...this.#way, poolMaxIdlePerHost: 24, poolIdleTimeout: 60_000 });
  }
}
