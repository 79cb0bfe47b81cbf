/** Engines that hang without hanging up: what callers are told, how soon, and how soon all is right again. */
import assert from "node:assert/strict";
import { Backends } from "../../engines/links/backends.ts";
import { chaosProxy } from "../proof/chaos_proxy.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { SILENT } from "../support/silent_log.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";

/** The milliseconds that an engine is held still; `BERTH_PROOF=1` takes as long as is promised. */
const HELD_MS = Deno.env.get("BERTH_PROOF") === "1" ? 30_000 : 0;
/** Less than any time limit of a call to an engine. */
const AT_ONCE_MS = 2_000;
/** Without a look at the events, it takes up to 30 s. */
const REOPENED_MS = 10_000;

async function names(berth: TestService): Promise<string> {
  const { body } = await berth.call("GET /api/containers?sort=name");
  return body.items.map(({ name, stale }: { name: string; stale?: true }) => name + (stale ? " stale" : ""))
    .join();
}

function make(engine: TestEngine, name: string): Promise<string> {
  return engine.cli("create", "--name", name, "--network", "none", FIXTURE, "idle");
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("an engine that is stopped is unresponsive, its rows are marked, changes are refused, and it comes back (F73)", async (engine) => {
    await using berth = await serveEngines({ [kind]: engine });
    await make(engine, "held");
    await eventually("it is listed", async () => await names(berth) === "held");
    const health = async () => (await berth.call("GET /api/health")).body.checks[`backend:${kind}`];

    await engine.pause();
    await using _resuming = { [Symbol.asyncDispose]: () => engine.resume() };
    const { reason } = await within(PROMISED.unresponsive, "health says so", async () => {
      const check = await health();
      return check.status === "degraded" && check;
    });
    assert.match(reason, /^It is unresponsive: it has not answered since \d{4}-\d\d-\d\dT/);

    await within(AT_ONCE_MS, "lists show what was known, and changes are refused", async () => {
      const [list, images, started, made, detail, backends] = await Promise.all([
        berth.call("GET /api/containers"),
        berth.call("GET /api/images"),
        berth.call("POST /api/containers/held/start"),
        berth.call("POST /api/volumes", { name: "never" }),
        berth.call("GET /api/containers/held"),
        berth.call("GET /api/system/backends"),
      ]);
      const { state, since } = backends.body.items[0];
      assert.equal(state, "unresponsive");
      for (const { body } of [list, images]) {
        assert.deepEqual(body.unavailable, [{
          backend: kind,
          reason: `it has not answered since ${since}`,
          since,
        }]);
        assert.deepEqual(body.stale, [kind]);
        assert.ok(body.items.length > 0 && body.items.every((one: { stale?: true }) => one.stale));
      }
      for (const { status, body } of [started, made, detail]) {
        assert.deepEqual([status, body.code], [503, "runtime_unavailable"]);
        assert.match(body.title, new RegExp(`engine "${kind}".* has not answered since ${since}`));
      }
      return true;
    });

    await new Promise((resolve) => setTimeout(resolve, HELD_MS));
    assert.equal(await names(berth), "held stale", "however long it takes");
    await engine.resume();
    await within(PROMISED.engineRight, "all is right again", async () => await names(berth) === "held");
    await within(PROMISED.engineRight, "health says so", async () => (await health()).status === "ok");
    await make(engine, "later");
    await within(PROMISED.engineRight, "changes are seen", async () => await names(berth) === "held,later");
    assert.equal((await berth.call("DELETE /api/containers/held")).status, 204);
    assert.equal((await berth.call("DELETE /api/containers/later")).status, 204);
    assert.equal(await names(berth), "");
  });

  test("behind connections that are half open, a new container is seen soon (F73)", async (engine) => {
    await using proxy = chaosProxy(engine.socket);
    await using berth = await serveEngines({ [kind]: proxy });
    await make(engine, "first");
    await eventually("it is listed", async () => await names(berth) === "first");

    proxy.freeze();
    await make(engine, "unseen");

    await within(REOPENED_MS, "it is seen", async () => await names(berth) === "first,unseen");
    await engine.cli("rm", "first", "unseen");
    await within(PROMISED.engineRight, "events come again", async () => await names(berth) === "");
  });
}

Deno.test("events are opened again when an engine had one that did not come, and only then", async () => {
  const containers = new Map<string, unknown>([[scriptedId(1), inspected(scriptedId(1), "web")]]);
  await using engine = new ScriptedWorld({ containers });
  const address = { kind: "unix", path: engine.socket } as const;
  await using backends = Backends.configured([{ name: "one", guess: "docker", address }], SILENT);
  const opened = () => engine.calls.filter((call) => call === "GET /events").length;
  await eventually("it is watched", () => engine.watchers === 1 && backends.links[0]?.ready);
  const tell = (number: number) => {
    containers.set(scriptedId(number), inspected(scriptedId(number), `c-${number}`));
    const timeNano = Date.now() * 1e6;
    engine.tell({ Type: "container", Action: "create", Actor: { ID: scriptedId(number) }, timeNano });
  };
  for (let number = 2; number < 9; number += 1) {
    tell(number);
    await new Promise((resolve) => setTimeout(resolve, 900));
  }
  assert.equal(opened(), 1);

  engine.fallSilent();
  tell(9);

  await within(REOPENED_MS, "they are opened again", () => opened() === 2);
  await within(
    PROMISED.engineRight,
    "the container is known",
    () => backends.links[0]?.mirror.containers.rows.size === 9,
  );
});

/** Lists networks as the test says, and all else at once. */
class HalfEngine extends ScriptedWorld {
  readonly #pending = new Set<() => void>();
  lists: "networks" | "nothing" | "half an answer" = "networks";

  constructor() {
    super({
      containers: new Map([[scriptedId(1), inspected(scriptedId(1), "web")]]),
      override: async (_, path) => {
        if (path === "/system/df") return Response.json({});
        if (path !== "/networks") return undefined;
        if (this.lists === "half an answer") {
          return new Response(new ReadableStream({ pull: (stream) => stream.error("cut") }));
        }
        if (this.lists === "nothing") await new Promise<void>((resolve) => this.#pending.add(resolve));
        return Response.json([{ Id: scriptedId(9), Name: "own", Driver: "bridge", Scope: "local" }]);
      },
    });
  }

  /** Answers all callers that wait. */
  answer(): void {
    for (const resolve of this.#pending) resolve();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.answer();
    await super[Symbol.asyncDispose]();
  }
}

async function told(berth: TestService) {
  const [containers, networks, backends, health] = await Promise.all([
    berth.call("GET /api/containers"),
    berth.call("GET /api/networks"),
    berth.call("GET /api/system/backends"),
    berth.call("GET /api/health"),
  ]);
  const [{ state, stale }] = backends.body.items;
  const named = ({ name, stale }: { name: string; stale?: true }) => stale ? `${name} stale` : name;
  return {
    containers: [containers.body.items.map(named).join(), containers.body.unavailable.length],
    networks: [networks.body.items.map(named).join(), networks.body.unavailable.length, networks.body.stale],
    engine: [state, stale],
    health: health.body.checks["backend:half"],
  };
}

const WHOLE = {
  containers: ["web", 0],
  networks: ["own", 0, undefined],
  engine: ["up", undefined],
  health: { status: "ok" },
};
const BEHIND = {
  containers: ["web", 0],
  networks: ["own stale", 1, ["half"]],
  engine: ["up", ["networks"]],
  health: { status: "degraded", reason: "It does not list networks" },
};

function same(berth: TestService, wanted: object) {
  return async () => {
    assert.deepEqual(await told(berth), wanted);
    return true;
  };
}

Deno.test("an engine that never lists its networks is up with all else, and has them as soon as it does (F103)", async () => {
  await using engine = new HalfEngine();
  engine.lists = "nothing";
  await using berth = await serveEngines({ half: engine });

  await within(PROMISED.engineRight, "all else is there", async () => {
    const [containers, backends] = await Promise.all([
      berth.call("GET /api/containers"),
      berth.call("GET /api/system/backends"),
    ]);
    const { state, stale } = backends.body.items[0];
    return containers.body.items.length === 1 && state === "up" && stale?.join() === "networks";
  });
  engine.answer();
  await within(PROMISED.engineRight, "all is there", same(berth, WHOLE));
});

Deno.test("an engine whose list of networks fails is up with all else, shows the last one, and is whole by itself (F103)", async () => {
  await using engine = new HalfEngine();
  await using berth = await serveEngines({ half: engine });
  await within(PROMISED.engineRight, "all is there", same(berth, WHOLE));

  engine.lists = "half an answer";
  engine.tell({
    Type: "network",
    Action: "create",
    Actor: { ID: scriptedId(9) },
    timeNano: Date.now() * 1e6,
  });

  await within(PROMISED.engineRight, "it is told", same(berth, BEHIND));
  const { body: pruned } = await berth.call("POST /api/system/prune", { dryRun: true, types: ["networks"] });
  assert.deepEqual(
    [pruned.items, pruned.unavailable.map(({ stale }: { stale?: string[] }) => stale)],
    [[], [["networks"]]],
    "nothing goes that is not known to be there",
  );
  engine.lists = "networks";
  await within(PROMISED.engineRight, "all is there again", same(berth, WHOLE));
  const { body: planned } = await berth.call("POST /api/system/prune", { dryRun: true, types: ["networks"] });
  assert.deepEqual([planned.items.length, planned.unavailable], [1, []]);
  assert.equal(engine.calls.filter((call) => call === "GET /events").length, 1, "the connection stayed");
});

Deno.test({
  name: "an engine that hangs over its list of networks is asked for it again, and the rest goes on (F103)",
  ignore: Deno.env.get("BERTH_PROOF") !== "1", // a list has ten seconds
  fn: async () => {
    await using engine = new HalfEngine();
    await using berth = await serveEngines({ half: engine });
    await within(PROMISED.engineRight, "all is there", same(berth, WHOLE));

    engine.lists = "nothing";
    engine.tell({
      Type: "network",
      Action: "create",
      Actor: { ID: scriptedId(9) },
      timeNano: Date.now() * 1e6,
    });

    await within(20_000, "it is told", same(berth, BEHIND));
    engine.lists = "networks"; // and what was asked before never answers
    await within(20_000, "all is there again", same(berth, WHOLE));
    assert.equal(engine.calls.filter((call) => call === "GET /events").length, 1, "the connection stayed");
  },
});

Deno.test("an engine that never answered is unresponsive, too, and names no rows (F33)", async () => {
  const folder = await Deno.makeTempDir();
  using _mute = Deno.listen({ transport: "unix", path: `${folder}/s` });
  await using backends = Backends.configured(
    [{ name: "mute", guess: "docker", address: { kind: "unix", path: `${folder}/s` } }],
    SILENT,
  );

  await within(PROMISED.unresponsive, "it is known", () => backends.links[0]?.state === "unresponsive");

  const { shown, unavailable, stale } = backends.current("containers");
  assert.deepEqual([shown, stale, unavailable[0]?.backend], [[], [], "mute"]);
});
