/** One engine, Docker or Podman: bounded calls over its socket, whose answers and refusals are our own types. */
import { ServiceError } from "../../../core/error.ts";
import { type EngineAddress, hostText } from "./address.ts";
import { Cutoff } from "./cutoff.ts";
import { type Chunk, endable, readText } from "./body.ts";
import { failureOf, type Subject, unreachable } from "./failure.ts";
import { at, type EnginePath } from "./path.ts";
import { Slots } from "./slots.ts";
import { objectOf, textOf } from "./wire.ts";

/** The oldest and newest API versions that berth speaks. */
const OLDEST: ApiVersion = [1, 41];
const NEWEST: ApiVersion = [1, 52];

/**
 * The host in the URLs of unix sockets. A literal needs no look-up on every connect, and this one (kept for
 * documentation) is nobody's, so that the permission to ask it opens nothing.
 */
export const UNIX_HOST = "192.0.2.1:80";

const FIRST_BYTE_MS = 10_000;
const PING_MS = 5_000;
const BODY_MS = 20_000;
const MAX_BODY = 64 * 1024 * 1024;

export type ApiVersion = readonly [major: number, minor: number];
export type EngineKind = "docker" | "podman";

/** What `/_ping` settled. */
export interface Greeting {
  readonly kind: EngineKind;
  readonly api: string;
}

export interface EngineVersion {
  readonly version: string;
  readonly apiVersion: string;
  readonly os: string;
  readonly arch: string;
}

export interface EngineCall extends Subject {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Built by us; nothing of a caller's request is forwarded. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends reads early. A mutation is never tied to it: a closed tab must not cancel half a create. */
  readonly signal?: AbortSignal;
  /** How long the engine may take until its answer begins. */
  readonly firstByteMs?: number;
  readonly maxBytes?: number;
}

/** A finished mutation: 304 tells that it was so already. */
export interface Done {
  readonly changed: boolean;
  readonly text: string;
}

/** A streamed answer; disposing it ends the engine's side too. */
export interface EngineStream extends AsyncDisposable {
  /** Ends as if it were done when the call's signal aborts. */
  readonly body: ReadableStream<Chunk>;
}

export class Engine implements Disposable {
  readonly #reads: Deno.HttpClient;
  readonly #writes: Deno.HttpClient;
  readonly #origin: string;
  /** Plain calls and streams never starve each other. */
  readonly #calls = new Slots(24, 1_000);
  readonly #streams = new Slots(512, 0);
  readonly #closing = new AbortController();
  #greeting: Promise<Greeting> | null = null;

  constructor(readonly name: string, readonly address: EngineAddress) {
    this.#origin = address.kind === "unix"
      ? `http://${UNIX_HOST}`
      : `https://${hostText(address)}:${address.port}`;
    const way: Deno.CreateHttpClientOptions & Partial<Deno.TlsCertifiedKeyPem> = address.kind === "unix"
      ? { proxy: { transport: "unix", path: address.path } }
      : { caCerts: [address.ca], cert: address.cert, key: address.key };
    this.#reads = Deno.createHttpClient({ ...way, poolMaxIdlePerHost: 24, poolIdleTimeout: 60_000 });
    // On a reused connection that closes before answering, Deno repeats POST and DELETE without a word.
    this.#writes = Deno.createHttpClient({ ...way, poolMaxIdlePerHost: 0 });
  }

  /** Settles kind and version; settled once per connection, again after `forget`. */
  greet(): Promise<Greeting> {
    this.#greeting ??= this.#ping().catch((error) => {
      this.#greeting = null;
      throw error;
    });
    return this.#greeting;
  }

  /** The connection was lost: another engine, or another version of it, may be behind the socket now. */
  forget(): void {
    this.#greeting = null;
  }

  /** `GET /version`, which a slow Podman takes seconds for: nothing waits for it. */
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
    const text = await this.#call("GET", path, call);
    try {
      return JSON.parse(text.text);
    } catch (cause) {
      throw new ServiceError(
        "engine_failed",
        `Cannot ${call.doing}: engine "${this.name}" answered no JSON`,
        { cause },
      );
    }
  }

  /** A mutation, sent exactly once. 304 is success that changed nothing. */
  post(path: EnginePath, call: EngineCall): Promise<Done> {
    return this.#call("POST", path, call);
  }

  delete(path: EnginePath, call: EngineCall): Promise<Done> {
    return this.#call("DELETE", path, call);
  }

  /** An answer of unknown length: events, pull, stats. Bounded in its first byte only; ends with `signal`. */
  async stream(
    method: "GET" | "POST",
    path: EnginePath,
    call: EngineCall & { signal: AbortSignal },
  ): Promise<EngineStream> {
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
        throw failureOf(this.name, response.status, await this.#text(response, call, cutoff), call);
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

  /** A raw connection, for streams that speak HTTP themselves. The caller closes it. */
  async connect(subject: Subject): Promise<Deno.Conn> {
    const address = this.address;
    try {
      return address.kind === "unix"
        ? await Deno.connect({ transport: "unix", path: address.path })
        : await Deno.connectTls({
          hostname: address.host,
          port: address.port,
          caCerts: [address.ca],
          cert: address.cert,
          key: address.key,
        });
    } catch (error) {
      throw unreachable(this.name, error, subject);
    }
  }

  /** The request target of a path: version, path and query. */
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
    this.#closing.abort(new ServiceError("stopping", "Cannot ask the engine: the service stops"));
    this.#reads.close();
    this.#writes.close();
  }

  async #ping(): Promise<Greeting> {
    const subject: Subject = { doing: `reach engine "${this.name}"` };
    using cutoff = new Cutoff([this.#closing.signal]);
    const response = await this.#fetch("GET", "/_ping", subject, cutoff, PING_MS);
    cutoff.expire(PING_MS);
    try {
      await this.#text(response, subject, cutoff);
    } catch (error) {
      throw cutoff.failure(this.name, error, subject);
    }
    if (!response.ok) throw failureOf(this.name, response.status, "", subject);
    const kind = response.headers.has("libpod-api-version") ? "podman" : "docker";
    return { kind, api: negotiated(this.name, response.headers.get("api-version")) };
  }

  async #call(method: "GET" | "POST" | "DELETE", path: EnginePath, call: EngineCall): Promise<Done> {
    const target = await this.target(path, call.query);
    const firstByteMs = call.firstByteMs ?? FIRST_BYTE_MS;
    const signals = [this.#closing.signal];
    if (call.signal !== undefined && method === "GET") signals.push(call.signal);
    using cutoff = new Cutoff(signals);
    cutoff.expire(firstByteMs);
    try {
      using _slot = await this.#calls.enter(cutoff.signal);
      const response = await this.#fetch(method, target, call, cutoff, firstByteMs);
      cutoff.expire(BODY_MS);
      const text = await this.#text(response, call, cutoff);
      if (response.ok || response.status === 304) return { changed: response.status !== 304, text };
      throw failureOf(this.name, response.status, text, call);
    } catch (error) {
      throw cutoff.failure(this.name, error, call);
    }
  }

  /** One request; its answer must begin within `firstByteMs`. Redirects are never followed. */
  async #fetch(
    method: "GET" | "POST" | "DELETE",
    target: string,
    call: Pick<EngineCall, "doing" | "body" | "headers">,
    cutoff: Cutoff,
    firstByteMs: number,
  ): Promise<Response> {
    const headers = new Headers(call.headers);
    const init: RequestInit & { client: Deno.HttpClient } = {
      method,
      headers,
      client: method === "GET" ? this.#reads : this.#writes,
      redirect: "manual",
      signal: cutoff.signal,
    };
    if (call.body !== undefined) {
      headers.set("content-type", "application/json");
      init.body = JSON.stringify(call.body);
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

/** The newest version that both speak. Throws `engine_failed` with words that a person can act on. */
function negotiated(engine: string, offered: string | null): string {
  const match = /^(\d{1,3})\.(\d{1,3})$/.exec(offered ?? "");
  if (match === null) {
    throw new ServiceError(
      "engine_failed",
      `Cannot use engine "${engine}": it does not say which API version it speaks`,
    );
  }
  const theirs: ApiVersion = [Number(match[1]), Number(match[2])];
  if (older(theirs, OLDEST)) {
    throw new ServiceError(
      "engine_failed",
      `Cannot use engine "${engine}": it speaks API version ${theirs.join(".")}, and berth needs at least ${
        OLDEST.join(".")
      }`,
    );
  }
  return (older(theirs, NEWEST) ? theirs : NEWEST).join(".");
}

function older([major, minor]: ApiVersion, [otherMajor, otherMinor]: ApiVersion): boolean {
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
