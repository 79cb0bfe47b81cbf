/** `berth apply` follows its apply across connections that break, and says that it goes on where it cannot. */
import assert from "node:assert/strict";
import { ApplyFollower } from "../../commands/apply_events.ts";
import { BearerAuth, Client } from "../../client/mod.ts";
import { HELD } from "../apply/health_checks.ts";
import { project, scene, service } from "../apply/apply_scene.ts";
import { runBerth } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const { test } = await sharedEngine("docker");

/** A proxy before a berth, whose streams of events end as a test says. */
class Proxy implements AsyncDisposable {
  /** The answer to everything, instead of the berth's. */
  answer: number | null = null;
  /** Streams that were opened. */
  opened = 0;
  /** Requests that had that answer. */
  refused = 0;
  /** The text that streams have passed on. */
  passed = "";
  readonly #open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(private readonly berth: string) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#pass(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async #pass(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    if (this.answer !== null) {
      this.refused += 1;
      return new Response(null, { status: this.answer });
    }
    const { method, headers, body } = request;
    const answer = await fetch(`${this.berth}${pathname}${search}`, { method, headers, body });
    if (!pathname.endsWith("/events")) return answer;
    this.opened += 1;
    const reader = answer.body!.getReader();
    let own: ReadableStreamDefaultController<Uint8Array>;
    const passed = new ReadableStream<Uint8Array>({
      start: (controller) => void this.#open.add(own = controller),
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (!this.#open.has(controller)) return;
        if (!done) {
          this.passed += new TextDecoder().decode(value);
          return controller.enqueue(value);
        }
        this.#open.delete(controller);
        controller.close();
      },
      cancel: () => {
        this.#open.delete(own);
        return reader.cancel();
      },
    });
    return new Response(passed, answer);
  }

  /** Ends all streams: as a connection that breaks, or cleanly, as a proxy does that has waited long enough. */
  cut(how: "breaks" | "ends"): void {
    for (const controller of this.#open) {
      this.#open.delete(controller);
      if (how === "breaks") controller.error(new Error("cut"));
      else controller.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut("ends");
    await this.#server.shutdown();
  }
}

const held = (name: string) =>
  project(name, [service("a", HELD), service("b", "depends_on: { a: { condition: service_healthy } }")]);

test("berth apply tells each step once, and its end, across connections that break and that end", async (engine) => {
  await scene(engine, "cut", held("cut"), async (scene) => {
    await using proxy = new Proxy(scene.berth.url);
    const ended = runBerth(["apply", scene.path, "--yes"], {
      BERTH_URL: proxy.url,
      BERTH_KEY: scene.berth.credential!,
    });
    const id = await eventually("it waits for the health, and the command is told", async () => {
      const { items } = (await scene.berth.call("GET /api/applies?state=running")).body;
      if (items.length === 0) return null;
      const { steps } = (await scene.berth.call(`GET /api/applies/${items[0].id}`)).body;
      const wait = steps.find(({ kind }: { kind: string }) => kind === "wait");
      return proxy.passed.includes(`"step":${wait.n},"state":"running"`) ? items[0].id : null;
    });
    proxy.answer = 503; // berth is started again
    proxy.cut("breaks");
    await eventually("the command has asked again", () => Promise.resolve(proxy.refused > 0 || null));
    proxy.answer = null;
    await eventually("the command follows again", () => Promise.resolve(proxy.opened > 1 || null));
    proxy.cut("ends");
    await eventually("and once more", () => Promise.resolve(proxy.opened > 2 || null));
    assert.equal((await scene.berth.call(`GET /api/applies/${id}`)).body.state, "running");
    await scene.touch("cut-a-1", "/go");

    const { code, stdout, stderr } = await ended;

    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.split("\n").filter((line) => /^(running|done|failed)/.test(line));
    const steps = lines.slice(0, -1);
    assert.deepEqual(steps.length, new Set(steps).size, stdout);
    assert.ok(steps.includes("done    start cut-b-1") && lines.at(-1) === "done", stdout);
  });
});

test("berth apply says that the apply goes on where it cannot follow it any more", async (engine) => {
  await scene(engine, "left", held("left"), async (scene) => {
    await using proxy = new Proxy(scene.berth.url);
    const ended = runBerth(["apply", scene.path, "--yes"], {
      BERTH_URL: proxy.url,
      BERTH_KEY: scene.berth.credential!,
    });
    const id = await eventually("it follows", async () => {
      const { items } = (await scene.berth.call("GET /api/applies?state=running")).body;
      return proxy.opened === 1 ? items[0]?.id ?? null : null;
    });
    proxy.answer = 403;
    proxy.cut("breaks");

    const { code, stderr } = await ended;

    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`goes on without this command: ${proxy.url}/applies/${id} shows`));
    // A berth that stays away is given up in the end.
    proxy.answer = 503;
    using client = new Client({
      baseUrl: proxy.url,
      auth: new BearerAuth(scene.berth.credential!),
      verifyTls: true,
    });
    await assert.rejects(Array.fromAsync(new ApplyFollower(client, id, 500).events()), {
      name: "StatusError",
    });
    await scene.touch("left-a-1", "/go");
    assert.equal((await scene.over(id)).state, "done");
  });
});
