/** Images against real engines and real registries: lists, one in full, removal. */

import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { serveEngines } from "../support/service.ts";
import { tidy } from "../proof/tidy.ts";

const FULL_FIXTURE = `docker.io/library/${FIXTURE}`;

for (const kind of ["docker", "podman"] as const) {
  const { test: testOnBoth } = await sharedEngine(kind);
  const { test } = await lawEngine(kind);

  testOnBoth("GET /api/images lists each image once, with its names, size and users", async (engine) => {
    await tidy(engine);
    await engine.cli("run", "-d", "--name", "user", FIXTURE);
    await using app = await serveEngines({ one: engine });

    const { status, body } = await app.call("GET /api/images");

    const theirs = (await engine.ask("GET /images/json")).json;
    assert.equal(status, 200);
    assert.equal(body.total, theirs.length);
    const [image] = body.items;
    assert.equal(image.id, theirs[0].Id);
    assert.equal(image.size, theirs[0].Size);
    assert.deepEqual(image.tags, theirs[0].RepoTags);
    assert.equal(image.dangling, false);
    assert.equal(image.labels["berth.fixture"], "1");
    assert.deepEqual(image.usedBy.map((user: { name: string }) => user.name), ["user"]);
    assert.equal(image.backend, "one");
    assert.deepEqual(body.unavailable, []);
  });

  test("GET /api/images follows a change, answers 304 without one, and has another tag after it", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    const first = await app.call("GET /api/images");
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    assert.equal((await app.call("GET /api/images", undefined, { headers })).status, 304);

    await engine.cli("tag", FIXTURE, "berth-other:1");
    const removed = await app.call("DELETE /api/images/berth-other:1");

    assert.equal(removed.status, 204);
    const after = await app.call("GET /api/images");
    assert(!JSON.stringify(after.body).includes("berth-other"));
    assert.equal((await engine.ask("GET /images/berth-other:1/json")).status, 404);
  });

  test("GET /api/images filters by name and use", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    assert.equal((await app.call("GET /api/images?q=BERTH-fixture")).body.total, 1);
    assert.equal((await app.call("GET /api/images?q=nothing-like-it")).body.total, 0);
    assert.equal((await app.call("GET /api/images?dangling=true")).body.total, 0);
    assert.equal((await app.call("GET /api/images?unused=true&backend=one")).body.total, 1);
    assert.equal((await app.call("GET /api/images?backend=two")).body.code, "backend_not_found");
    assert.equal((await app.call("GET /api/images?nonsense=1")).status, 400);
  });

  testOnBoth(
    "GET /api/images/{id} answers by id, prefix, name and full name, with config, history and layers",
    async (engine) => {
      await tidy(engine);
      await using app = await serveEngines({ one: engine });
      const { id } = (await app.call("GET /api/images")).body.items[0];
      const names = [
        id,
        id.slice(7),
        id.slice(7, 19),
        FIXTURE,
        FULL_FIXTURE,
        encodeURIComponent(FULL_FIXTURE),
      ];
      for (const name of names) {
        const { status, body } = await app.call(`GET /api/images/${name}`);
        assert.deepEqual([name, status, body.id], [name, 200, id]);
      }
      const { body } = await app.call(`GET /api/images/${FIXTURE}`);
      assert.deepEqual(body.config.command, ["idle"]);
      assert.deepEqual(body.config.env, ["PATH=********"]);
      assert.equal(body.layers.length, 1);
      assert.equal(body.history.length, 1);
      assert.equal(body.os, "linux");
    },
  );

  test("images that are not there are 404, and what is no reference never reaches the engine", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    assert.equal((await app.call("GET /api/images/nope")).body.code, "image_not_found");
    assert.equal((await app.call("DELETE /api/images/nope")).body.code, "image_not_found");
    for (const name of ["%2e%2e", "..%2f..%2fversion", "a%2f..%2fb", "a%0d%0ab", "%20"]) {
      const { status } = await app.call(`GET /api/images/${name}`);
      assert([400, 404].includes(status), `${name}: ${status}`);
    }
    assert.equal((await app.call("GET /api/images/a%2f..%2fb")).body.code, "invalid_request");
  });

  test("DELETE /api/images/{id} refuses an image that a running container uses, and it stays", async (engine) => {
    await tidy(engine);
    await engine.cli("run", "-d", "--name", "holder", FIXTURE);
    await using app = await serveEngines({ one: engine });

    const { status, body } = await app.call(`DELETE /api/images/${FIXTURE}`);

    assert.deepEqual([status, body.code], [409, "in_use"]);
    assert.equal((await engine.ask(`GET /images/${FIXTURE}/json`)).status, 200);
  });

  test("DELETE /api/images/{id} is refused to a viewer, and nothing is removed", async (engine) => {
    await tidy(engine);
    await engine.cli("tag", FIXTURE, "berth-kept:1");
    await using app = await serveEngines({ one: engine });

    const viewer = await app.key("viewer");

    assert.equal((await viewer.call("DELETE /api/images/berth-kept:1")).status, 403);

    assert.equal((await engine.ask("GET /images/berth-kept:1/json")).status, 200);
    await engine.cli("rmi", "berth-kept:1");
  });
}
