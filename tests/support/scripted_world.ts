/** A whole scripted engine over HTTP: some containers, an event stream, and whatever else a test wants to go wrong. */

export interface World {
  /** The version that `/_ping` tells; null leaves the header out. */
  apiVersion?: string | null;
  podman?: boolean;
  /** Every container as `inspect` answers it, by id; the list is made of them. */
  containers?: Map<string, unknown>;
  /** Answers before everything else when it returns a response. */
  override?: (request: Request, path: string) => Response | undefined | Promise<Response | undefined>;
}

export class ScriptedWorld implements AsyncDisposable {
  /** Every request but pings and questions about past events, as `GET /containers/json`, with the version that was asked for. */
  readonly calls: string[] = [];
  readonly versions = new Set<string>();
  readonly #server: Deno.HttpServer<Deno.UnixAddr>;
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  /** Whatever was told, for those who ask for the past. */
  readonly #told: { readonly timeNano?: number }[] = [];

  constructor(readonly world: World, readonly socket = `${Deno.makeTempDirSync({ prefix: "bw" })}/s`) {
    this.#server = Deno.serve(
      {
        transport: "unix",
        path: socket,
        onListen: () => {},
        onError: () => new Response(null, { status: 500 }),
      },
      (request) => this.#answer(request),
    );
  }

  /** The number of open event streams. */
  get watchers(): number {
    return this.#streams.size;
  }

  /** Tells every watcher, as JSON lines. */
  tell(...events: unknown[]): void {
    for (const event of events) if (typeof event === "object" && event !== null) this.#told.push(event);
    this.tellRaw(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  }

  tellRaw(text: string | Uint8Array): void {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    for (const stream of this.#streams) stream.enqueue(bytes);
  }

  /** From now on the open event streams are half open: nothing comes, not even an end. */
  fallSilent(): void {
    this.#streams.clear();
  }

  /** Ends the event streams, as an engine that stops does. */
  hangUp(): void {
    for (const stream of this.#streams) stream.close();
    this.#streams.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp();
    await this.#server.shutdown();
    await Deno.remove(this.socket).catch(() => {});
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const path = url.pathname.replace(/^\/v(\d+\.\d+)/, (_, version: string) => {
      this.versions.add(version);
      return "";
    });
    const own = await this.world.override?.(request, path);
    if (own !== undefined) return own;
    if (path === "/_ping") {
      const headers = new Headers();
      if (this.world.apiVersion !== null) headers.set("api-version", this.world.apiVersion ?? "1.41");
      if (this.world.podman) headers.set("libpod-api-version", "4.3.1");
      return new Response("OK", { headers });
    }
    const until = url.searchParams.get("until") ?? (url.searchParams.has("stream") ? Infinity : null);
    if (path === "/events" && until !== null) {
      return this.#past(Number(url.searchParams.get("since")), Number(until));
    }
    this.calls.push(`${request.method} ${path}`);
    if (path === "/events") return this.#events();
    if (path === "/version") {
      return Response.json({ Version: "0.0.0", ApiVersion: "1.41", Os: "linux", Arch: "amd64" });
    }
    if (path === "/volumes") return Response.json({ Volumes: null, Warnings: null });
    if (path === "/images/json" || path === "/networks") return Response.json([]);
    const containers = this.world.containers ?? new Map();
    if (path === "/containers/json") return Response.json([...containers.keys()].map((Id) => ({ Id })));
    const id = /^\/containers\/([^/]+)\/json$/.exec(path)?.[1] ?? "";
    if (containers.has(id)) return Response.json(containers.get(id));
    return Response.json({ message: `No such container: ${id}` }, { status: 404 });
  }

  #past(since: number, until: number): Response {
    const events = this.#told.filter(({ timeNano = 0 }) => timeNano >= since * 1e9 && timeNano < until * 1e9);
    return new Response(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  }

  #events(): Response {
    let own: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller;
        this.#streams.add(controller);
      },
      cancel: () => {
        this.#streams.delete(own);
      },
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  }
}

/** An inspected container as Docker 20.10 answers it, as far as berth looks at it. */
export function inspected(id: string, name: string, status = "running"): Record<string, unknown> {
  return {
    Id: id,
    Name: `/${name}`,
    Created: "2026-01-02T03:04:05.678901234Z",
    Image: `sha256:${"0".repeat(64)}`,
    State: { Status: status, Running: status === "running", ExitCode: 0, StartedAt: "2026-01-02T03:04:06Z" },
    Config: { Image: "scripted", Labels: {}, Env: [] },
    HostConfig: {},
    NetworkSettings: { Ports: {}, Networks: {} },
    Mounts: [],
  };
}

export function scriptedId(number: number): string {
  return number.toString(16).padStart(64, "0");
}
