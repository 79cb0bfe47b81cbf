/** Pulls from real registries: success only where the image is there, failure said so, credentials where they belong. */

import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { ACCOUNT, startRegistry } from "../support/registry.ts";
import { serveEngines } from "../support/service.ts";

for (const kind of ["docker", "podman"] as const) {
  const { test: testOnBoth } = await sharedEngine(kind);
  const { test } = await lawEngine(kind);

  testOnBoth(
    "POST /api/images/pull answers with what the engine has now, and whether that changed anything",
    async (engine) => {
      await using registry = await startRegistry(engine);
      const reference = await registry.push(FIXTURE, "pulled/app:1");
      await using app = await serveEngines({ one: engine });

      const first = await app.call("POST /api/images/pull", { reference });
      const second = await app.call("POST /api/images/pull", { reference });

      const theirs = (await engine.ask(`GET /images/${reference}/json`)).json;
      assert.deepEqual([first.status, first.body.id, first.body.changed], [200, theirs.Id, true], first.text);
      assert.equal(first.body.reference, reference);
      // Podman keeps the digests of an image without their names: of several, none is claimed.
      const digests = kind === "docker"
        ? [await registry.digest("pulled/app", "1")]
        : [await registry.digest("pulled/app", "1"), null];
      assert(digests.includes(first.body.digest), first.text);
      assert.equal(second.body.changed, false);
      const listed = (await app.call("GET /api/images?q=pulled/app")).body.items;
      assert.equal(listed.length, 1);
      await engine.cli("rmi", reference);
    },
  );

  test("POST /api/images/pull by digest gets that digest", async (engine) => {
    await using registry = await startRegistry(engine);
    const reference = await registry.push(FIXTURE, "pulled/digested:1");
    await using app = await serveEngines({ one: engine });
    const digest = await registry.digest("pulled/digested", "1");
    assert.equal((await engine.ask(`GET /images/${reference}/json`)).status, 404);
    const pinned = `${registry.host}/pulled/digested@${digest}`;
    const { status, body, text } = await app.call("POST /api/images/pull", { reference: pinned });

    assert.deepEqual([status, body.digest, body.reference], [200, digest, pinned], text);
    await engine.cli("rmi", pinned);
  });

  for (const format of ["application/x-ndjson", "text/event-stream"]) {
    test(`POST /api/images/pull shows its progress as ${format}, and ends with done`, async (engine) => {
      await using registry = await startRegistry(engine);
      const reference = await registry.push(FIXTURE, "pulled/shown:1");
      await using app = await serveEngines({ one: engine });

      const { status, headers, text } = await app.call("POST /api/images/pull", { reference }, {
        headers: { accept: format },
      });

      assert.equal(status, 200);
      assert.equal(headers.get("content-type"), format);
      const frames = text.split("\n").filter((line) => line.includes("{")).map((line) =>
        JSON.parse(line.slice(line.indexOf("{")))
      );
      assert(frames.length > 1, text);
      for (const frame of frames.slice(0, -1)) assert.equal(typeof frame.status, "string");
      assert.equal(frames.at(-1).done.reference, reference);
      await engine.cli("rmi", reference);
    });
  }

  test("POST /api/images/pull of one image by two at once succeeds for both, and the image is there (F29)", async (engine) => {
    await using registry = await startRegistry(engine);
    const reference = await registry.push(FIXTURE, "pulled/twice:1");
    await using app = await serveEngines({ one: engine });

    const pull = () => app.call("POST /api/images/pull", { reference });
    const both = await Promise.all([pull(), pull()]);

    const { Id } = (await engine.ask(`GET /images/${reference}/json`)).json;
    for (const { status, body, text } of both) assert.deepEqual([status, body.id], [200, Id], text);
    assert(both.some(({ body }) => body.changed), "one of them brought it");
    await engine.cli("rmi", reference);
  });

  testOnBoth(
    "POST /api/images/pull of what the registry does not have is 404, and no image appears (F29)",
    async (engine) => {
      await using registry = await startRegistry(engine);
      await using app = await serveEngines({ one: engine });
      const reference = `${registry.host}/nothing/here:1`;

      const refused = await app.call("POST /api/images/pull", { reference });

      assert.deepEqual([refused.status, refused.body.code], [404, "image_not_found"], refused.text);
      assert.equal((await engine.ask(`GET /images/${reference}/json`)).status, 404);
      const streamed = await app.call("POST /api/images/pull", { reference }, {
        headers: { accept: "application/x-ndjson" },
      });
      assert.deepEqual([streamed.status, JSON.parse(streamed.text).code], [404, "image_not_found"]);
    },
  );

  test("POST /api/images/pull from a registry that is away fails, and says so (F29)", async (engine) => {
    await using app = await serveEngines({ one: engine });
    const { status, body } = await app.call("POST /api/images/pull", { reference: "127.0.0.1:5000/x:1" });
    assert.deepEqual([status, body.code], [502, "pull_failed"]);
    assert.match(body.title, /connection refused/);
  });

  test("POST /api/images/pull gives credentials to the reference's registry, and keeps them nowhere (R55)", async (engine) => {
    await using open = await startRegistry(engine);
    await using locked = await startRegistry(engine, { account: true });
    const secret = await locked.push(FIXTURE, "secret/app:1");
    const plain = await open.push(FIXTURE, "plain/app:1");
    await using app = await serveEngines({ one: engine });
    const pull = async (body: unknown) => {
      const answer = await app.call("POST /api/images/pull", body);
      return [answer.status, answer.body.code];
    };

    assert.deepEqual(await pull({ reference: secret }), [403, "pull_refused"]);
    assert.equal((await engine.ask(`GET /images/${secret}/json`)).status, 404);
    assert.deepEqual(await pull({ reference: secret, auth: { ...ACCOUNT, password: "wrong" } }), [
      403,
      "pull_refused",
    ]);
    assert.deepEqual(await pull({ reference: secret, auth: ACCOUNT }), [200, undefined]);
    await engine.cli("rmi", secret);
    assert.deepEqual(await pull({ reference: secret }), [403, "pull_refused"]);
    assert.deepEqual(await pull({ reference: plain }), [200, undefined]);
    assert.doesNotMatch(await open.requests(), new RegExp(ACCOUNT.username));
    await engine.cli("rmi", plain);
  });

  test("POST /api/images/pull refuses bad references and registries that are not allowed; nothing is asked", async (engine) => {
    await using registry = await startRegistry(engine);
    await using app = await serveEngines({ one: engine }, {
      pluginSettings: { "container-runtime": { registries: ["registry.example"] } },
    });
    const bad = ["", "UPPER", "a b", "../x", "http://x/y", "a:b:c", "user:pw@host/x", "x?fromSrc=-"];
    for (const reference of bad) {
      assert.equal(
        (await app.call("POST /api/images/pull", { reference })).body.code,
        "invalid_request",
        reference,
      );
    }
    const refused = await app.call("POST /api/images/pull", { reference: `${registry.host}/x:1` });
    assert.deepEqual([refused.status, refused.body.code], [403, "pull_refused"]);
    assert.doesNotMatch(await registry.requests(), /manifests/);
  });
}
