/** One engine, Docker or Podman: bounded calls over its socket, with answers and errors of our own types. */
import type { ServiceError } from "../../../core/error.ts";
import { type CalledAddress, hostText } from "./address.ts";
import { Cutoff } from "./cutoff.ts";
import { type Chunk, endable, readText } from "./body.ts";
import { failureOf, type Subject, unreachable } from "./failure.ts";
import { at, type EnginePath } from "./path.ts";
import { Slots } from "./slots.ts";
import { objectOf, textOf } from "./wire.ts";
import { engineError } from "./errors.ts";
import { exchange, type Exchanged } from "./exchange.ts";
import { Reads } from "./reads.ts";
import { close, Spare } from "./spare.ts";

/** The oldest and newest API versions that berth speaks. */
const OLDEST: ApiVersion = [1, 41];
const NEWEST: ApiVersion = [1, 52];

/**
 * The host in the URLs of unix sockets. A literal address needs no DNS look-up, and this one is reserved for
 * documentation, so that the permission for it opens nothing.
 */
export const UNIX_HOST = "192.0.2.1:80";

const FIRST_BYTE_MS = 10_000;
const PING_MS = 5_000;
const BODY_MS = 20_000;
const MAX_BODY = 64 * 1024 * 1024;

export type ApiVersion = readonly [major: number, minor: number];
export type EngineKind = "docker" | "podman";

/** What `/_ping` answered. */
export interface Greeting {
  readonly kind: EngineKind;
  readonly api: string;
  /** The time on the engine's own clock, in whole seconds; null where it does not say. */
  readonly time: number | null;
}

export interface EngineVersion {
  readonly version: string;
  readonly apiVersion: string;
  readonly os: string;
  readonly arch: string;
}

export interface EngineCall extends Subject {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON; bytes are sent as they are, and are a tar. */
  readonly body?: unknown;
  /** Only our own headers; none of a caller's request is forwarded. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends a read early. A change is never cancelled by it: a closed tab must not leave half a create. */
  readonly signal?: AbortSignal;
  /** How long the engine may take until its answer begins. */
  readonly firstByteMs?: number;
  readonly maxBytes?: number;
}

/** The answer to a change. `changed` is false after a 304: it was so already. */
export interface Done {
  readonly changed: boolean;
  readonly text: string;
}

/** A streamed answer; disposing it closes the connection. */
export interface EngineStream extends AsyncDisposable {
  /** Ends like a complete body when the call's signal aborts. */
  readonly body: ReadableStream<Chunk>;
}

/** PEM texts for mutual TLS. */
export interface Credentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

type ClientOptions = Deno.CreateHttpClientOptions & Partial<Deno.TlsCertifiedKeyPem>;

export class Engine implements Disposable {
  #clients: Clients | null;
  #credentials: Credentials | null = null;
  /** For changes over TLS; null for a unix socket. */
  readonly #spare: Spare | null;
  readonly #reads = new Reads(() => this.#connect());
  readonly #origin: string;
  /** Separate limits, so that calls and streams cannot block each other. */
  readonly #calls = new Slots(24, 1_000);
  readonly #streams = new Slots(512, 0);
  readonly #closing = new AbortController();
  /** Ends the reads that wait for an answer. */
  #answering = new AbortController();
  #silentSince: string | null = null;
  #greeting: Promise<Greeting> | null = null;

  /** `nameOf` names a container by its id: an engine's refusals tell ids, and people know names. */
  constructor(
    readonly name: string,
    readonly address: CalledAddress,
    private readonly nameOf: (id: string) => string | null = () => null,
  ) {
    this.#origin = address.kind === "unix"
      ? `http://${UNIX_HOST}`
      : `https://${hostText(address)}:${address.port}`;
    this.#clients = address.kind === "unix"
      ? new Clients({ proxy: { transport: "unix", path: address.path } })
      : null;
    this.#spare = address.kind === "unix" ? null : new Spare(() => this.#connect());
  }

  /** From now on it is called with these, which must come before the first call over TLS. Throws for unusable ones. */
  present(credentials: Credentials): void {
    const { ca, cert, key } = credentials;
    const clients = new Clients({ caCerts: [ca], cert, key });
    this.#clients?.[Symbol.dispose]();
    this.#clients = clients;
    this.#credentials = credentials;
    this.#reads.renew();
    this.#spare?.drop();
  }

  /** Opens a connection ahead, so that the next change need not wait for it. */
  prepare(): void {
    this.#spare?.prepare();
  }

  /** What an answer that is no success means. */
  refusal(status: number, body: string, subject: Subject): ServiceError {
    return failureOf(this.name, status, body, subject, this.nameOf);
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

  /** From now on every call is refused at once; reads that wait for an answer end. */
  silent(since: string): void {
    this.#silentSince = since;
    this.#spare?.drop();
    this.#answering.abort(this.#unanswered(`reach engine "${this.name}"`, since));
  }

  /** Throws `runtime_unavailable` while it is silent. `doing` follows "Cannot". */
  mustAnswer(doing: string): void {
    if (this.#silentSince !== null) throw this.#unanswered(doing, this.#silentSince);
  }

  /** From now on calls are sent again. */
  heard(): void {
    this.#silentSince = null;
    this.#answering = new AbortController();
    this.renew();
    this.forget();
  }

  /** Later reads go over new connections: the old ones may be half open. */
  renew(): void {
    this.#clients?.renew();
    this.#reads.renew();
    this.#spare?.drop();
  }

  /** The same, and reads that wait for an answer end. */
  drop(): void {
    this.#answering.abort(engineError(
      "runtime_unavailable",
      `Cannot reach engine "${this.name}": the connection to it was lost`,
    ));
    this.#answering = new AbortController();
    this.renew();
  }

  /** One ping on a connection of its own, also while calls are refused; answers the engine's time. */
  async probe(ms: number): Promise<number | null> {
    const subject: Subject = { doing: `reach engine "${this.name}"` };
    using cutoff = new Cutoff([this.#closing.signal]);
    const until = performance.now() + ms;
    const response = await this.#fetch("GET", "/_ping", subject, cutoff, ms, "probes");
    cutoff.expire(Math.max(0, until - performance.now()));
    try {
      await this.#text(response, subject, cutoff);
    } catch (error) {
      throw cutoff.failure(this.name, error, subject);
    }
    return timeOn(response);
  }

  /** `GET /version`. A slow Podman takes seconds, so nothing waits for it. */
  async version(): Promise<EngineVersion> {
    const answer = objectOf(
      await this.get(at`/version`, { doing: "read the engine's version", firstByteMs: 30_000 }),
    );
    return {
      version: textOf(answer.Version),
      apiVersion: textOf(answer.ApiVersion),
      os: textOf(answer.Os),
      arch: textOf(answer.Arch),
    };
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

  /** A streamed answer: events, pull, stats. Only its first byte has a time limit; `signal` ends it. */
  async stream(
    method: "GET" | "POST",
    path: EnginePath,
    call: EngineCall & { signal: AbortSignal },
  ): Promise<EngineStream> {
    this.mustAnswer(call.doing);
    const slot = await this.#streams.enter(call.signal);
    const cutoff = new Cutoff([call.signal, this.#closing.signal]);
    const end = () => {
      cutoff.abort();
      slot[Symbol.dispose]();
    };
    try {
      const target = await this.target(path, call.query);
      const response = await this.#fetch(method, target, call, cutoff, call.firstByteMs ?? FIRST_BYTE_MS);
      if (!response.ok || response.body === null) {
        throw this.refusal(response.status, await this.#text(response, call, cutoff), call);
      }
      return {
        body: endable(response.body, cutoff.signal),
        [Symbol.asyncDispose]: () => {
          end();
          return Promise.resolve();
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** A raw connection, for requests that are written by hand. The caller closes it. */
  async connect(subject: Subject): Promise<Deno.Conn> {
    this.mustAnswer(subject.doing);
    try {
      return await this.#connect();
    } catch (error) {
      throw unreachable(this.name, error, subject);
    }
  }

  async #connect(): Promise<Deno.Conn> {
    const { address } = this;
    if (address.kind === "unix") return await Deno.connect({ transport: "unix", path: address.path });
    if (this.#credentials === null) throw new Error("no certificate was read yet");
    const { ca, cert, key } = this.#credentials;
    const conn = await Deno.connectTls({
      hostname: address.host,
      port: address.port,
      caCerts: [ca],
      cert,
      key,
    });
    try {
      await conn.handshake();
      return conn;
    } catch (error) {
      close(conn);
      throw error;
    }
  }

  /** The request target: version, path and query. */
  async target(path: EnginePath, query: EngineCall["query"] = {}): Promise<string> {
    const { api } = await this.greet();
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(name, String(value));
    }
    return `/v${api}${path.text}${search.size === 0 ? "" : `?${search}`}`;
  }

  /** The Host header that goes with `target`. */
  get host(): string {
    return this.#origin.slice(this.#origin.indexOf("//") + 2);
  }

  [Symbol.dispose](): void {
    this.#closing.abort(engineError("stopping", "Cannot ask the engine: the service stops"));
    this.#clients?.[Symbol.dispose]();
    this.#reads[Symbol.dispose]();
    this.#spare?.[Symbol.dispose]();
  }

  #unanswered(doing: string, since: string): ServiceError {
    return engineError(
      "runtime_unavailable",
      `Cannot ${doing}: engine "${this.name}" has not answered since ${since}`,
    );
  }

  async #ping(): Promise<Greeting> {
    const subject: Subject = { doing: `reach engine "${this.name}"` };
    using cutoff = new Cutoff([this.#closing.signal, this.#answering.signal]);
    const response = await this.#fetch("GET", "/_ping", subject, cutoff, PING_MS);
    cutoff.expire(PING_MS);
    try {
      await this.#text(response, subject, cutoff);
    } catch (error) {
      throw cutoff.failure(this.name, error, subject);
    }
    if (!response.ok) throw this.refusal(response.status, "", subject);
    const kind = response.headers.has("libpod-api-version") ? "podman" : "docker";
    const api = negotiated(this.name, response.headers.get("api-version"));
    return { kind, api, time: timeOn(response) };
  }

  async #call(method: Method, path: EnginePath, call: EngineCall): Promise<Done> {
    this.mustAnswer(call.doing);
    const target = await this.target(path, call.query);
    const firstByteMs = call.firstByteMs ?? FIRST_BYTE_MS;
    const signals = [this.#closing.signal];
    if (method === "GET") signals.push(this.#answering.signal);
    if (call.signal !== undefined && method === "GET") signals.push(call.signal);
    using cutoff = new Cutoff(signals);
    cutoff.expire(firstByteMs);
    try {
      using _slot = await this.#calls.enter(cutoff.signal);
      const { status, text } = method === "GET"
        ? await this.#read(target, call, cutoff)
        : this.#spare !== null
        ? await this.#change(this.#spare, method, target, call, cutoff)
        : await this.#ask(method, target, call, cutoff, firstByteMs);
      if (status >= 200 && status < 300 || status === 304) return { changed: status !== 304, text };
      throw this.refusal(status, text, call);
    } catch (error) {
      throw cutoff.failure(this.name, error, call);
    }
  }

  /** The time limit for the first byte runs already. */
  async #read(target: string, call: EngineCall, cutoff: Cutoff): Promise<Exchanged> {
    return await this.#reads.get(target, this.host, {
      maxBytes: call.maxBytes ?? MAX_BODY,
      doing: call.doing,
      signal: cutoff.signal,
      begun: () => cutoff.expire(BODY_MS),
    });
  }

  async #ask(
    method: Exclude<Method, "GET">,
    target: string,
    call: EngineCall,
    cutoff: Cutoff,
    firstByteMs: number,
  ): Promise<Exchanged> {
    const response = await this.#fetch(method, target, call, cutoff, firstByteMs);
    cutoff.expire(BODY_MS);
    return { status: response.status, text: await this.#text(response, call, cutoff) };
  }

  /** A change over TLS, on a connection that nothing was sent on. */
  async #change(
    spare: Spare,
    method: Exclude<Method, "GET">,
    target: string,
    call: EngineCall,
    cutoff: Cutoff,
  ): Promise<Exchanged> {
    const { type, bytes } = bodyOf(call);
    const headers = new Headers(call.headers);
    headers.set("host", this.host);
    headers.set("connection", "close");
    if (bytes.length > 0) headers.set("content-type", type);
    headers.set("content-length", String(bytes.byteLength));
    const head = encoder.encode(
      `${method} ${target} HTTP/1.1\r\n${
        [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("")
      }\r\n`,
    );
    const request = new Uint8Array(head.length + bytes.length);
    request.set(head);
    request.set(bytes, head.length);
    const fresh = await spare.take();
    try {
      return await exchange(fresh.conn, fresh.bytes, request, {
        maxBytes: call.maxBytes ?? MAX_BODY,
        doing: call.doing,
        signal: cutoff.signal,
        begun: () => cutoff.expire(BODY_MS),
      }, fresh.first);
    } finally {
      close(fresh.conn);
      spare.prepare();
    }
  }

  /** One request; its answer must begin within `firstByteMs`. Redirects are never followed. */
  async #fetch(
    method: Method,
    target: string,
    call: Pick<EngineCall, "doing" | "body" | "headers">,
    cutoff: Cutoff,
    firstByteMs: number,
    kind: "reads" | "writes" | "probes" = method === "GET" ? "reads" : "writes",
  ): Promise<Response> {
    if (this.#clients === null) throw unreachable(this.name, new Error("no certificate was read yet"), call);
    const client = this.#clients[kind];
    const headers = new Headers(call.headers);
    const init: RequestInit & { client: Deno.HttpClient } = {
      method,
      headers,
      client,
      redirect: "manual",
      signal: cutoff.signal,
    };
    if (call.body !== undefined) {
      const { type, bytes } = bodyOf(call);
      headers.set("content-type", type);
      init.body = bytes;
    }
    cutoff.expire(firstByteMs);
    try {
      return await fetch(this.#origin + target, init);
    } catch (error) {
      throw cutoff.failure(this.name, error, call);
    } finally {
      cutoff.expire(null);
    }
  }

  async #text(
    response: Response,
    call: Pick<EngineCall, "doing" | "maxBytes">,
    cutoff: Cutoff,
  ): Promise<string> {
    return await readText(response, call.maxBytes ?? MAX_BODY, call.doing, cutoff.signal);
  }
}

type Method = "GET" | "POST" | "PUT" | "DELETE";

function bodyOf({ body }: Pick<EngineCall, "body">): { type: string; bytes: Uint8Array<ArrayBuffer> } {
  if (body instanceof Uint8Array) return { type: "application/x-tar", bytes: new Uint8Array(body) };
  const text = body === undefined ? "" : JSON.stringify(body);
  return { type: "application/json", bytes: encoder.encode(text) };
}

/** The connections of one way to an engine, by what they are for. */
class Clients implements Disposable {
  reads: Deno.HttpClient;
  readonly writes: Deno.HttpClient;
  readonly probes: Deno.HttpClient;

  /** Throws for options that cannot be used. */
  constructor(private readonly way: ClientOptions) {
    this.reads = this.#newReads();
    this.probes = Deno.createHttpClient({ ...way, poolMaxIdlePerHost: 1, poolIdleTimeout: 60_000 });
    // Deno silently repeats a POST or DELETE if a reused connection closes before the answer, so none is reused.
    this.writes = Deno.createHttpClient({ ...way, poolMaxIdlePerHost: 0 });
  }

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
    return Deno.createHttpClient({ ...this.way, poolMaxIdlePerHost: 24, poolIdleTimeout: 60_000 });
  }
}

const encoder = new TextEncoder();

/** Milliseconds, from the answer's head. */
function timeOn({ headers }: Response): number | null {
  const time = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(time) ? null : time;
}

/** The newest API version that both support. Throws `engine_failed` if there is none. */
function negotiated(engine: string, offered: string | null): string {
  const match = /^(\d{1,3})\.(\d{1,3})$/.exec(offered ?? "");
  if (match === null) {
    throw engineError(
      "engine_failed",
      `Cannot use engine "${engine}": its answer does not name an API version`,
    );
  }
  const theirs: ApiVersion = [Number(match[1]), Number(match[2])];
  if (older(theirs, OLDEST)) {
    throw engineError(
      "engine_failed",
      `Cannot use engine "${engine}": it has API version ${theirs.join(".")}, and berth needs at least ${
        OLDEST.join(".")
      }`,
    );
  }
  return (older(theirs, NEWEST) ? theirs : NEWEST).join(".");
}

function older([major, minor]: ApiVersion, [otherMajor, otherMinor]: ApiVersion): boolean {
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
