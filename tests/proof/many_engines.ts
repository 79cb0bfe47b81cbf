/**
 * Many small scripted engines in a process of their own, for what counts: how many there are, and how much they tell.
 * `deno run -A tests/proof/many_engines.ts FOLDER ENGINES CONTAINERS`, then a line `RATE MS` on its input makes a storm.
 */

export interface ManyEngines extends AsyncDisposable {
  /** The value for `BERTH_ENGINES`. */
  readonly setting: string;
  /** Starts and stops containers at so many events a second, in turn over all engines; answers how many there were. */
  storm(rate: number, ms: number): Promise<number>;
  /** Returns the number of running containers. */
  running(): Promise<number>;
}

export async function startManyEngines(engines: number, containers: number): Promise<ManyEngines> {
  const folder = await Deno.makeTempDir({ prefix: "bm" });
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--no-config",
      import.meta.url,
      folder,
      String(engines),
      String(containers),
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const said = async () => {
    let text = "";
    while (!text.endsWith("\n")) text += (await lines.read()).value ?? "\n";
    return text.trim();
  };
  const ask = async (words: string) => {
    await input.write(new TextEncoder().encode(`${words}\n`));
    return Number(await said());
  };
  await said();
  return {
    setting: Array.from({ length: engines }, (_, at) => `e${at}=unix://${folder}/${at}`).join(),
    storm: (rate, ms) => ask(`${rate} ${ms}`),
    running: () => ask("count"),
    [Symbol.asyncDispose]: async () => {
      await input.close();
      await lines.cancel();
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** An engine whose containers run while their number is even. */
class Engine {
  readonly #watchers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #turns: number[];

  constructor(readonly number: number, containers: number, readonly path: string) {
    this.#turns = new Array(containers).fill(0);
  }

  serve(): Deno.HttpServer<Deno.UnixAddr> {
    return Deno.serve(
      { transport: "unix", path: this.path, onListen: () => {} },
      (request) => this.#answer(new URL(request.url).pathname.replace(/^\/v[\d.]+/, ""), request),
    );
  }

  get running(): number {
    return this.#turns.filter((turn) => turn % 2 === 0).length;
  }

  /** The next event of a container. */
  turn(at: number): void {
    const turn = this.#turns[at]! += 1;
    const action = turn % 2 === 0 ? "start" : "die";
    const id = this.#idOf(at);
    const time = Date.now();
    const event = {
      Type: "container",
      Action: action,
      Actor: { ID: id, Attributes: { image: "busybox", name: `e${this.number}-app${at}` } },
      time: Math.floor(time / 1_000),
      timeNano: time * 1e6,
    };
    const bytes = encoder.encode(`${JSON.stringify(event)}\n`);
    for (const watcher of this.#watchers) watcher.enqueue(bytes);
  }

  #idOf(at: number): string {
    return (hex(this.number) + hex(at)).padEnd(64, "a");
  }

  #answer(path: string, request: Request): Response {
    if (path === "/_ping") return new Response("OK", { headers: { "api-version": "1.41" } });
    if (path === "/version") {
      return Response.json({ Version: "0", ApiVersion: "1.41", Os: "linux", Arch: "amd64" });
    }
    if (path === "/events") {
      return new URL(request.url).searchParams.has("until") ? new Response("") : this.#events();
    }
    if (path === "/containers/json") {
      return Response.json(this.#turns.map((_, at) => ({ Id: this.#idOf(at) })));
    }
    if (path === "/volumes") return Response.json({ Volumes: [], Warnings: null });
    if (path === "/images/json" || path === "/networks") return Response.json([]);
    const id = /^\/containers\/([0-9a-f]{64})\/json$/.exec(path)?.[1];
    const at = id === undefined ? NaN : parseInt(id.slice(8, 16), 16);
    return at < this.#turns.length
      ? Response.json(this.#inspected(at))
      : Response.json({ message: "no such container" }, { status: 404 });
  }

  #inspected(at: number): unknown {
    const isRunning = this.#turns[at]! % 2 === 0;
    return {
      Id: this.#idOf(at),
      Name: `/e${this.number}-app${at}`,
      Created: "2026-01-02T03:04:05.678901234Z",
      Image: `sha256:${"b".repeat(64)}`,
      State: {
        Status: isRunning ? "running" : "exited",
        Running: isRunning,
        ExitCode: 0,
        StartedAt: "2026-01-02T03:04:06Z",
      },
      Config: {
        Image: "busybox",
        Env: ["PATH=/bin", `APP=${at}`],
        Labels: {
          "com.docker.compose.project": `p${at % 20}`,
          "com.docker.compose.service": `s${at}`,
          "com.docker.compose.project.working_dir": `/srv/p${at % 20}`,
          team: `t${at % 7}`,
        },
      },
      HostConfig: { NetworkMode: "default", RestartPolicy: { Name: "always", MaximumRetryCount: 0 } },
      NetworkSettings: {
        Ports: { "80/tcp": [{ HostIp: "0.0.0.0", HostPort: String(8000 + at) }] },
        Networks: { bridge: { NetworkID: "c".repeat(64), IPAddress: "172.17.0.2" } },
      },
      Mounts: [],
    };
  }

  #events(): Response {
    let own: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller;
        this.#watchers.add(controller);
      },
      cancel: () => {
        this.#watchers.delete(own);
      },
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  }
}

const encoder = new TextEncoder();

function hex(number: number): string {
  return number.toString(16).padStart(8, "0");
}

async function storm(
  engines: readonly Engine[],
  containers: number,
  rate: number,
  ms: number,
): Promise<number> {
  const began = performance.now();
  let sent = 0;
  for (let now = 0; now < ms; now = performance.now() - began) {
    for (const due = Math.floor(now / 1_000 * rate); sent < due; sent += 1) {
      engines[sent % engines.length]!.turn(Math.floor(sent / engines.length) % containers);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return sent;
}

if (import.meta.main) {
  const [folder = "", count = "1", size = "1"] = Deno.args;
  const containers = Number(size);
  const engines = Array.from(
    { length: Number(count) },
    (_, at) => new Engine(at, containers, `${folder}/${at}`),
  );
  for (const engine of engines) engine.serve();
  console.log("ready");
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    if (text.startsWith("count")) console.log(engines.reduce((sum, { running }) => sum + running, 0));
    else {
      const [rate = 0, ms = 0] = text.split(" ").map(Number);
      console.log(await storm(engines, containers, rate, ms));
    }
  }
  Deno.exit();
}
