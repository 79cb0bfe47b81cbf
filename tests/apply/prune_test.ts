/** Prune against real engines: what is listed goes, exactly that, and nothing that anybody uses. */

import assert from "node:assert/strict";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { serveEngines } from "../support/service.ts";
import { tidy } from "../proof/tidy.ts";

interface Item {
  readonly type: string;
  readonly name: string;
  readonly result: string;
  readonly reason?: string;
  readonly why: string;
  readonly size: number;
}

function listed(items: readonly Item[]): string[] {
  return items.map(({ type, name, result }) => `${type} ${name} ${result}`).sort();
}

async function exists(engine: TestEngine, path: string): Promise<boolean> {
  return (await engine.ask(`GET ${path}`)).status === 200;
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("POST /api/system/prune with dryRun lists what would go, why and how many bytes, and removes nothing", async (engine) => {
    await tidy(engine);
    await engine.cli("run", "--name", "done", FIXTURE, "sh", "-c", "dd if=/dev/zero of=/x bs=1024 count=50");
    await engine.cli("run", "-d", "--name", "busy", "-v", "used:/data", FIXTURE);
    await engine.cli("volume", "create", "idle");
    await engine.cli("network", "create", "lonely");
    await using app = await serveEngines({ one: engine });

    const { status, body, text } = await app.call("POST /api/system/prune", {
      types: ["containers", "volumes", "networks"],
      dryRun: true,
    });

    assert.equal(status, 200, text);
    assert.deepEqual(listed(body.items), [
      "containers done planned",
      "networks lonely planned",
      "volumes idle planned",
    ]);
    const done = body.items.find(({ name }: Item) => name === "done");
    assert.match(done.why, /does not run/);
    assert(done.size >= 50 * 1024, text);
    assert.equal(body.dryRun, true);
    assert.equal(body.reclaimed, 0);
    for (const path of ["/containers/done/json", "/volumes/idle", "/networks/lonely"]) {
      assert(await exists(engine, path));
    }

    const carried = await app.call("POST /api/system/prune", { plan: body.plan });

    assert.deepEqual(listed(carried.body.items), [
      "containers done removed",
      "networks lonely removed",
      "volumes idle removed",
    ]);
    assert.equal(carried.body.reclaimed, body.size);
    for (const path of ["/containers/done/json", "/volumes/idle", "/networks/lonely"]) {
      assert(!await exists(engine, path));
    }
    for (const path of ["/containers/busy/json", "/volumes/used", "/networks/bridge"]) {
      assert(await exists(engine, path));
    }
    assert.equal((await app.call("GET /api/volumes")).body.total, 1);
  });

  test("a plan removes nothing that came after it, and nothing that is used by now", async (engine) => {
    await tidy(engine);
    await engine.cli("volume", "create", "taken");
    await engine.cli("volume", "create", "gone");
    await engine.cli("network", "create", "joined");
    await engine.cli("create", "--name", "started", FIXTURE);
    await using app = await serveEngines({ one: engine });
    const { plan, items } = (await app.call("POST /api/system/prune", {
      types: ["containers", "volumes", "networks"],
      dryRun: true,
    })).body;
    assert.equal(items.length, 4);

    await engine.cli("volume", "create", "later");
    await engine.cli("volume", "rm", "gone");
    await engine.cli("start", "started");
    await engine.cli("create", "--name", "member", "--network", "joined", "-v", "taken:/data", FIXTURE);
    const carried = (await app.call("POST /api/system/prune", { plan })).body;

    assert.deepEqual(listed(carried.items), [
      "containers started kept",
      "networks joined kept",
      "volumes gone gone",
      "volumes taken kept",
    ]);
    assert.equal(carried.reclaimed, 0);
    for (const path of ["/volumes/taken", "/volumes/later", "/networks/joined", "/containers/started/json"]) {
      assert(await exists(engine, path), path);
    }
  });

  test("a plan works once, and only for whom it was made", async (engine) => {
    await tidy(engine);
    await engine.cli("volume", "create", "kept");
    await using app = await serveEngines({ one: engine });
    const { plan } = (await app.call("POST /api/system/prune", { types: ["volumes"], dryRun: true })).body;
    const other = await app.key("admin");

    const stolen = await other.call("POST /api/system/prune", { plan });
    assert.deepEqual([stolen.status, stolen.body.code], [404, "plan_not_found"]);
    assert(await exists(engine, "/volumes/kept"));
    const both = await Promise.all([1, 2].map(() => app.call("POST /api/system/prune", { plan })));

    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
    assert(!await exists(engine, "/volumes/kept"));
  });

  test("prune never touches volumes unless they are named, and takes nothing that was not asked for", async (engine) => {
    await tidy(engine);
    await engine.cli("volume", "create", "precious");
    await engine.cli("network", "create", "spare");
    await engine.cli("create", "--name", "old", FIXTURE);
    await using app = await serveEngines({ one: engine });

    for (
      const body of [{}, { types: [] }, { types: ["everything"] }, {
        types: ["volumes"],
        plan: crypto.randomUUID(),
      }]
    ) {
      assert.equal((await app.call("POST /api/system/prune", body)).status, 400, JSON.stringify(body));
    }
    const { body } = await app.call("POST /api/system/prune", {
      types: ["containers", "images", "buildCache"],
    });

    assert.deepEqual(listed(body.items), ["containers old removed"]);
    assert(await exists(engine, "/volumes/precious"));
    assert(await exists(engine, "/networks/spare"));
  });

  test("prune takes untagged images, tagged ones only when told to, and none that a container needs", async (engine) => {
    await tidy(engine);
    await engine.cli("tag", FIXTURE, "berth-spare:1");
    await engine.cli("run", "-d", "--name", "needing", FIXTURE);
    await engine.cli("exec", "needing", "touch", "/mark");
    const untagged = (await engine.ask("POST /commit?container=needing", {})).json.Id;
    const tagged =
      (await engine.ask("POST /commit?container=needing&repo=berth-built&tag=1&comment=tagged", {})).json.Id;
    assert.notEqual(untagged, tagged);
    await using app = await serveEngines({ one: engine });

    const first = (await app.call("POST /api/system/prune", { types: ["images"] })).body;
    const second =
      (await app.call("POST /api/system/prune", { types: ["images"], filters: { tagged: true } })).body;

    assert.deepEqual(first.items.map(({ result }: Item) => result), ["removed"], JSON.stringify(first));
    assert.deepEqual(second.items.map(({ name, result }: Item) => [name.replace(/^.*\//, ""), result]), [
      ["berth-built:1", "removed"],
    ]);
    assert(!await exists(engine, `/images/${untagged.replace("sha256:", "")}/json`));
    assert(!await exists(engine, "/images/berth-built:1/json"));
    assert(await exists(engine, `/images/${FIXTURE}/json`));
    assert(await exists(engine, "/images/berth-spare:1/json"));
    await engine.cli("rm", "-f", "needing");
    await engine.cli("rmi", "berth-spare:1");
  });

  test("prune's filters let age and labels decide", async (engine) => {
    await tidy(engine);
    await engine.cli("volume", "create", "--label", "keep=no", "labelled");
    await engine.cli("volume", "create", "--label", "keep=yes", "other");
    await using app = await serveEngines({ one: engine });
    const names = async (filters: unknown) =>
      (await app.call("POST /api/system/prune", { types: ["volumes"], dryRun: true, filters })).body.items
        .map(({ name }: Item) => name).sort();

    assert.deepEqual(await names({ labels: ["keep=no"] }), ["labelled"]);
    assert.deepEqual(await names({ labels: ["keep"] }), ["labelled", "other"]);
    assert.deepEqual(await names({ until: "24h" }), []);
    assert.deepEqual(await names({ until: "2999-01-01T00:00:00Z" }), ["labelled", "other"]);
    const bad = await app.call("POST /api/system/prune", {
      types: ["volumes"],
      filters: { until: "yesterday" },
    });
    assert.equal(bad.status, 400);
    assert(await exists(engine, "/volumes/labelled"));
  });
}
