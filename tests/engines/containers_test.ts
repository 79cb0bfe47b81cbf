/** Containers over HTTP, on real engines: lists, details, control, and what a bad caller gets. */
import assert from "node:assert/strict";
import type { TestEngine } from "../support/engine.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";

async function make(engine: TestEngine, name: string, ...options: string[]): Promise<string> {
  return (await engine.cli("create", "--name", name, "--network", "none", ...options, FIXTURE, "idle"))
    .trim();
}

for (const kind of ["docker", "podman"] as const) {
  const { test: testOnBoth } = await sharedEngine(kind);
  const { test } = await lawEngine(kind);

  testOnBoth(
    "a container can be started, stopped, restarted and removed, and each list shows it at once",
    async (engine) => {
      await using berth = await serveEngines({ [engine.kind]: engine });
      const id = await make(engine, "lifecycle");
      const state = async () => (await berth.call("GET /api/containers?q=lifecycle")).body.items[0]?.state;

      const started = await berth.call("POST /api/containers/lifecycle/start");
      assert.deepEqual([started.status, started.body], [200, { id, state: "running", changed: true }]);
      assert.equal(await state(), "running");
      assert.equal((await berth.call(`POST /api/containers/${id}/start`)).body.changed, false);

      const restarted = await berth.call(`POST /api/containers/${id.slice(0, 12)}/restart?timeoutS=1`);
      assert.deepEqual(restarted.body, { id, state: "running", changed: true });

      const refused = await berth.call("DELETE /api/containers/lifecycle");
      assert.deepEqual([refused.status, refused.body.code], [409, "conflict"]);
      assert.match(refused.body.title, /stop it first or use "force"/);
      assert.equal(await state(), "running");

      const stopped = await berth.call("POST /api/containers/lifecycle/stop?timeoutS=1");
      assert.deepEqual(stopped.body, { id, state: "exited", changed: true });
      assert.equal(await state(), "exited");
      assert.equal((await berth.call("POST /api/containers/lifecycle/stop")).body.changed, false);

      assert.equal((await berth.call("DELETE /api/containers/lifecycle")).status, 204);
      assert.equal(await state(), undefined);
      assert.equal((await berth.call("DELETE /api/containers/lifecycle")).body.code, "container_not_found");
    },
  );

  test("a running container is removed by force", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    await make(engine, "forced");
    await berth.call("POST /api/containers/forced/start");

    assert.equal((await berth.call("DELETE /api/containers/forced?force=true&volumes=true")).status, 204);

    assert.equal((await berth.call("GET /api/containers?q=forced")).body.total, 0);
  });

  testOnBoth(
    "an inspected container shows no secret unless it is revealed, and its raw form neither (F60, R20, R49)",
    async (engine) => {
      await using berth = await serveEngines({ [engine.kind]: engine });
      const secret = `canary-${crypto.randomUUID()}`;
      await make(
        engine,
        "secretive",
        "-e",
        `PLAIN=${secret}`,
        "-l",
        `api-token=${secret}`,
        "-l",
        `url=https://me:${secret}@example.org/`,
      );

      for (const route of ["", "?raw=true"]) {
        const masked = await berth.call(`GET /api/containers/secretive${route}`);
        assert.equal(masked.status, 200);
        assert.ok(!masked.text.includes(secret), `${route} shows it`);
      }
      assert.ok(!(await berth.call("GET /api/containers?q=secretive")).text.includes(secret));
      const { body } = await berth.call("GET /api/containers/secretive");
      assert.deepEqual([body.env.PLAIN, body.masked], ["********", true]);

      const revealed = await berth.call("GET /api/containers/secretive?reveal=true");
      assert.deepEqual([revealed.body.env.PLAIN, revealed.body.masked], [secret, false]);
      const { body: { items: [told] } } = await berth.call("GET /api/system/audit?limit=1");
      assert.deepEqual([told.action, told.result], ["GET /api/containers/{id}", "done"]);
      assert.deepEqual(told.particulars, { container: revealed.body.id, shown: "secrets" });
      await engine.cli("rm", "secretive");
    },
  );

  test("lists filter, search, sort and page", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    for (const [name, tier] of [["page-a", "one"], ["page-b", "two"], ["page-c", "two"]] as const) {
      await make(
        engine,
        name,
        "-l",
        `tier=${tier}`,
        "-l",
        "com.docker.compose.project=paged",
        "-l",
        `com.docker.compose.service=${name}`,
      );
    }
    await eventually(
      "all three are listed",
      async () => (await berth.call("GET /api/containers?project=paged")).body.total === 3,
    );
    const names = async (query: string) =>
      (await berth.call(`GET /api/containers?project=paged&${query}`)).body.items.map((
        one: { name: string },
      ) => one.name);

    assert.deepEqual(await names("sort=name"), ["page-a", "page-b", "page-c"]);
    assert.deepEqual(await names("sort=name&order=desc"), ["page-c", "page-b", "page-a"]);
    assert.deepEqual((await names("label=tier%3Dtwo")).sort(), ["page-b", "page-c"]);
    assert.deepEqual(await names("label=tier&label=tier%3Done"), ["page-a"]);
    assert.deepEqual(await names("q=PAGE-B"), ["page-b"]);
    assert.deepEqual(await names("state=running"), []);
    assert.equal((await names("image=berth-fixture")).length, 3);

    const first = (await berth.call("GET /api/containers?project=paged&sort=name&limit=2")).body;
    assert.deepEqual([first.items.length, first.total], [2, 3]);
    const second = (await berth.call(
      `GET /api/containers?project=paged&sort=name&limit=2&cursor=${encodeURIComponent(first.next)}`,
    )).body;
    assert.deepEqual([second.items.map((one: { name: string }) => one.name), second.next], [
      ["page-c"],
      undefined,
    ]);

    const wrong = await berth.call("GET /api/containers?cursor=nonsense");
    assert.deepEqual([wrong.status, wrong.body.code], [400, "invalid_request"]);
    await engine.cli("rm", "page-a", "page-b", "page-c");
  });

  test("a list has an entity tag that holds until something changes", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const first = await berth.call("GET /api/containers");
    const etag = first.headers.get("etag") ?? "";
    assert.notEqual(etag, "");
    assert.equal(
      (await berth.call("GET /api/containers", undefined, { headers: { "if-none-match": etag } })).status,
      304,
    );

    await make(engine, "newcomer");
    const again = () => berth.call("GET /api/containers", undefined, { headers: { "if-none-match": etag } });
    await eventually("the newcomer is listed", async () => (await again()).status === 200);
    await engine.cli("rm", "newcomer");
  });

  test("ids that are none, unknown or ambiguous never do anything", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const known = await make(engine, "bystander");
    for (
      const bad of ["..%2f..%2fimages", "%2e%2e%2fversion", "a%2fb", "a%0d%0ab", "%20", "-x", "a".repeat(256)]
    ) {
      const answer = await berth.call(`POST /api/containers/${bad}/start`);
      assert.ok([400, 404].includes(answer.status), `${bad} answered ${answer.status}`);
    }
    const unknown = await berth.call("GET /api/containers/nobody");
    assert.deepEqual([unknown.status, unknown.body.code], [404, "container_not_found"]);
    const elsewhere = await berth.call("GET /api/containers/bystander?backend=nowhere");
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, "backend_not_found"]);
    assert.equal((await berth.call(`GET /api/containers/${known}`)).body.state, "created");
    await engine.cli("rm", "bystander");
  });
}
