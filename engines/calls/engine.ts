/** One engine, Docker or Podman: bounded calls over its socket, with answers and errors of our own types. */
import type { ServiceError } from "../../core/error.ts";
import type { CalledAddress } from "./address.ts";
import { askedIn, type EngineCall, FIRST_BYTE_MS, type Method } from "./call.ts";
import { Connections } from "./connections.ts";
import { Cutoff } from "./cutoff.ts";
import { engineError } from "./errors.ts";
import { failureOf, type Subject } from "./failure.ts";
import { type EngineVersion, type Greeting, greetingOf, identityIn, timeOn, versionOf } from "./greeting.ts";
import type { Credentials, RawConnection } from "./kept_connection.ts";
import { at, type EnginePath } from "./path.ts";
import { Requests, textOf } from "./requests.ts";
import { Silence } from "./silence.ts";
import { Slots } from "./slots.ts";
import { type EngineStream, type StreamCall, Streams } from "./streams.ts";

const PING_MS = 5_000;

/** The answer to a change. `changed` is false after a 304: it was so already. */
export interface Done {
  readonly changed: boolean;
  readonly text: string;
}

export class Engine implements Disposable {
  readonly #connections: Connections;
  readonly #requests: Requests;
  readonly #silence: Silence;
  /** Calls and streams have separate limits, so that they cannot block each other. */
  readonly #calls = new Slots(24, 1_000);
  readonly #streams: Streams;
  readonly #closing = new AbortController();
  #greeting: Promise<Greeting> | null = null;

  /** `nameOf` names a container by its id: an engine's refusals tell ids, and people know names. */
  constructor(
    readonly name: string,
    readonly address: CalledAddress,
    private readonly nameOf: (id: string) => string | null = () => null,
  ) {
    this.#connections = new Connections(address);
    this.#requests = new Requests(name, this.#connections);
    this.#silence = new Silence(name);
    this.#streams = new Streams(this.#requests, this.refusal.bind(this), this.#closing.signal);
  }

  /** From now on it is called with these, which must come before the first call over TLS. Throws for unusable ones. */
  present(credentials: Credentials): void {
    this.#connections.present(credentials);
  }

  /** Opens a connection ahead, so that the next change need not wait for it. */
  prepare(): void {
    this.#connections.spare?.prepare();
  }

  /** Returns the error that stands for an answer without success. */
  refusal(status: number, body: string, subject: Subject & Pick<EngineCall, "query" | "body">): ServiceError {
    return failureOf(this.name, status, body, subject, this.nameOf, askedIn(subject));
  }

  /** Asks for kind and version, once until `forget`. */
  greet(): Promise<Greeting> {
    this.#greeting ??= this.#ping().catch((error) => {
      this.#greeting = null;
      throw error;
    });
    return this.#greeting;
  }

  /** Called when the connection is lost: the engine may be upgraded or replaced when it comes back. */
  forget(): void {
    this.#greeting = null;
  }

  /** Aborts when the connections that are open now may be half open: reads and streams over them end. */
  get doubt(): AbortSignal {
    return this.#silence.signal;
  }

  /** From now on every call is refused at once; open reads and streams end. */
  silent(since: string): void {
    this.#connections.spare?.drop();
    this.#silence.begin(since);
  }

  /** Throws `runtime_unavailable` while it is silent. `doing` follows "Cannot". */
  mustAnswer(doing: string): void {
    this.#silence.mustBeOver(doing);
  }

  /** From now on calls are sent again. */
  heard(): void {
    this.#silence.end();
    this.renew();
    this.forget();
  }

  /** Later reads go over new connections: the old ones may be half open. */
  renew(): void {
    this.#connections.renew();
  }

  /** The same, and open reads and streams end: each resumes over a new connection. */
  drop(): void {
    this.#silence.interrupt();
    this.renew();
  }

  /** One ping on a connection of its own, also while calls are refused; answers the engine's time. */
  async probe(ms: number): Promise<number | null> {
    using cutoff = new Cutoff([this.#closing.signal]);
    return timeOn(await this.#pinged(ms, cutoff, "probes"));
  }

  /** `GET /version`. A slow Podman takes seconds, so nothing waits for it. */
  async version(): Promise<EngineVersion> {
    return versionOf(
      await this.get(at`/version`, { doing: "read the engine's version", firstByteMs: 30_000 }),
    );
  }

  /** A text that only this Docker has, by whatever address. Machines that were copied have one id, and other names. */
  async identity(): Promise<string | null> {
    return identityIn(await this.get(at`/info`, { doing: "read the engine's id" }));
  }

  /** A read: the parsed JSON of a 2xx answer, or a `ServiceError`. */
  async get(path: EnginePath, call: EngineCall): Promise<unknown> {
    const text = await this.text(path, call);
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw engineError(
        "engine_failed",
        `Cannot ${call.doing}: engine "${this.name}" sent an answer that is not JSON`,
        { cause },
      );
    }
  }

  /** A read: the text of a 2xx answer, or a `ServiceError`. */
  async text(path: EnginePath, call: EngineCall): Promise<string> {
    return (await this.#call("GET", path, call)).text;
  }

  /** A change, sent exactly once. 304 is a success that changed nothing. */
  post(path: EnginePath, call: EngineCall): Promise<Done> {
    return this.#call("POST", path, call);
  }

  put(path: EnginePath, call: EngineCall): Promise<Done> {
    return this.#call("PUT", path, call);
  }

  delete(path: EnginePath, call: EngineCall): Promise<Done> {
    return this.#call("DELETE", path, call);
  }

  /** A streamed answer: events, pull, stats. Only its first byte has a time limit; `signal` and doubt end it. */
  async stream(method: "GET" | "POST", path: EnginePath, call: StreamCall): Promise<EngineStream> {
    this.mustAnswer(call.doing);
    const target = await this.target(path, call.query);
    return await this.#streams.open(method, target, call, this.doubt);
  }

  /** A raw connection, for requests that are written by hand. The caller closes it. */
  async connect(subject: Subject): Promise<RawConnection> {
    this.mustAnswer(subject.doing);
    using cutoff = new Cutoff([this.#closing.signal, this.doubt]);
    cutoff.expire(FIRST_BYTE_MS);
    try {
      return await this.#connections.openKept(cutoff.signal);
    } catch (error) {
      throw cutoff.failure(this.name, error, subject);
    }
  }

  /** The request target: version, path and query. */
  async target(path: EnginePath, query: EngineCall["query"] = {}): Promise<string> {
    const { api } = await this.greet();
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const one of value === undefined ? [] : [value].flat()) search.append(name, String(one));
    }
    return `/v${api}${path.text}${search.size === 0 ? "" : `?${search}`}`;
  }

  /** The Host header that goes with `target`. */
  get host(): string {
    return this.#connections.host;
  }

  [Symbol.dispose](): void {
    this.#closing.abort(engineError("stopping", "Cannot ask the engine: the service stops"));
    this.#connections[Symbol.dispose]();
  }

  async #ping(): Promise<Greeting> {
    using cutoff = new Cutoff([this.#closing.signal, this.#silence.signal]);
    const response = await this.#pinged(PING_MS, cutoff, "reads");
    if (!response.ok) throw this.refusal(response.status, "", this.#reaching);
    return greetingOf(this.name, response);
  }

  /** The answer to a ping, read to its end. */
  async #pinged(ms: number, cutoff: Cutoff, kind: "reads" | "probes"): Promise<Response> {
    const subject = this.#reaching;
    const until = performance.now() + ms;
    const response = await this.#requests.fetch(
      "GET",
      "/_ping",
      { ...subject, firstByteMs: ms },
      cutoff,
      kind,
    );
    cutoff.expire(Math.max(0, until - performance.now()));
    try {
      await textOf(response, subject, cutoff);
      return response;
    } catch (error) {
      throw cutoff.failure(this.name, error, subject);
    }
  }

  get #reaching(): Subject {
    return { doing: `reach engine "${this.name}"` };
  }

  async #call(method: Method, path: EnginePath, call: EngineCall): Promise<Done> {
    this.mustAnswer(call.doing);
    const target = await this.target(path, call.query);
    const signals = [this.#closing.signal];
    if (method === "GET" || call.endsInDoubt) signals.push(this.#silence.signal);
    if (method === "GET" && call.signal !== undefined) signals.push(call.signal);
    using cutoff = new Cutoff(signals);
    cutoff.expire(call.firstByteMs ?? FIRST_BYTE_MS);
    try {
      using _slot = await this.#calls.enter(cutoff.signal);
      const { status, text } = method === "GET"
        ? await this.#requests.read(target, call, cutoff)
        : await this.#requests.change(method, target, call, cutoff);
      if (status >= 200 && status < 300 || status === 304) return { changed: status !== 304, text };
      throw this.refusal(status, text, call);
    } catch (error) {
      throw cutoff.failure(this.name, error, call);
    }
  }
}
