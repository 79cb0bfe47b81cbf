/** Volumes against real engines: lists with users, creation, what reaches the host, removal. */

import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { serveEngines } from "../support/service.ts";
import { tidy } from "../proof/tidy.ts";

for (const kind of ["docker", "podman"] as const) {
  const { test: testOnBoth } = await sharedEngine(kind);
  const { test } = await lawEngine(kind);

  testOnBoth(
    "GET /api/volumes lists what the engine has, with the containers that mount it",
    async (engine) => {
      await tidy(engine);
      await engine.cli("volume", "create", "--label", "team=dock", "used");
      await engine.cli("volume", "create", "idle");
      await engine.cli("run", "-d", "--name", "mounter", "-v", "used:/data", FIXTURE);
      await using app = await serveEngines({ one: engine });

      const { status, body } = await app.call("GET /api/volumes");

      assert.equal(status, 200);
      const theirs = (await engine.ask("GET /volumes")).json.Volumes;
      assert.deepEqual(
        body.items.map(({ name, driver, mountpoint }: Record<string, string>) => [name, driver, mountpoint])
          .sort(),
        theirs.map(({ Name, Driver, Mountpoint }: Record<string, string>) => [Name, Driver, Mountpoint])
          .sort(),
      );
      const used = body.items.find(({ name }: { name: string }) => name === "used");
      assert.deepEqual(used.usedBy.map(({ name }: { name: string }) => name), ["mounter"]);
      assert.equal(used.labels.team, "dock");
      const unused = await app.call("GET /api/volumes?unused=true");
      assert.deepEqual(unused.body.items.map(({ name }: { name: string }) => name), ["idle"]);
    },
  );

  testOnBoth("POST /api/volumes creates, and the next list has it", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    const before = (await app.call("GET /api/volumes")).body.total;

    const made = await app.call("POST /api/volumes", { name: "made", labels: { a: "b" } });

    assert.equal(made.status, 201);
    assert.equal(made.headers.get("location"), "/api/volumes/made");
    assert.equal(made.body.name, "made");
    assert.equal((await app.call("GET /api/volumes")).body.total, before + 1);
    assert.equal((await app.call("GET /api/volumes/made")).body.labels.a, "b");
    assert.equal((await engine.ask("GET /volumes/made")).status, 200);
    assert.equal((await app.call("DELETE /api/volumes/made")).status, 204);
    assert.equal((await app.call("GET /api/volumes")).body.total, before);
    assert.equal((await engine.ask("GET /volumes/made")).status, 404);
  });

  test("POST /api/volumes refuses a driver that the engine does not have, at once", async (engine) => {
    await using app = await serveEngines({ one: engine });
    const began = performance.now();

    const refused = await app.call("POST /api/volumes", { name: "driven", driver: "nowhere" });

    assert.deepEqual([refused.status, refused.body.code], [400, "invalid_request"], refused.text);
    assert.match(refused.body.errors[0].message, /"local"/);
    assert.ok(performance.now() - began < 5_000, "the engine searched for it");
    assert.equal((await engine.ask("GET /volumes/driven")).status, 404);
    assert.equal((await app.call("POST /api/volumes", { name: "driven", driver: "local" })).status, 201);
    await app.call("DELETE /api/volumes/driven");
  });

  test("POST /api/volumes refuses a name that is taken, and leaves that volume alone", async (engine) => {
    await tidy(engine);
    await engine.cli("volume", "create", "--label", "first=1", "taken");
    await using app = await serveEngines({ one: engine });

    const refused = await app.call("POST /api/volumes", { name: "taken", labels: { second: "2" } });

    assert.deepEqual([refused.status, refused.body.code], [409, "name_taken"]);
    assert.deepEqual((await engine.ask("GET /volumes/taken")).json.Labels, { first: "1" });
  });

  test("POST /api/volumes makes a name once, however many ask for it at the same time", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    const answers = await Promise.all(
      Array.from(
        { length: 10 },
        (_, number) => app.call("POST /api/volumes", { name: "contested", labels: { by: String(number) } }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 1);
    assert(answers.every(({ status, body }) => status === 201 || body.code === "name_taken"));
    assert.deepEqual((await engine.ask("GET /volumes/contested")).json.Labels, made[0]?.body.labels);
  });

  test("POST /api/volumes lets only an admin reach folders of the host (R54)", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    const operator = await app.key("operator");
    const reaching = { name: "reach", options: { type: "none", o: "bind", device: "/tmp" } };

    for (const options of [reaching.options, { device: "/tmp" }, { o: "ro,bind" }]) {
      const refused = await operator.call("POST /api/volumes", { name: "reach", options });
      assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
      assert.equal((await engine.ask("GET /volumes/reach")).status, 404);
    }
    assert.equal((await operator.call("POST /api/volumes", { name: "plain" })).status, 201);
    const made = await app.call("POST /api/volumes", reaching);
    assert.equal(made.status, 201);
    assert.equal(made.body.options.device, "/tmp");
  });

  test("POST /api/volumes refuses bad names and unknown fields before the engine hears of them", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    const before = (await engine.ask("GET /volumes")).json.Volumes?.length ?? 0;
    for (const body of [{ name: "../x" }, { name: "" }, { name: "a/b" }, { nmae: "x" }, { name: 7 }, []]) {
      assert.equal((await app.call("POST /api/volumes", body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await engine.ask("GET /volumes")).json.Volumes?.length ?? 0, before);
  });

  test("DELETE /api/volumes/{name} refuses one that a container mounts, and it stays", async (engine) => {
    await tidy(engine);
    await engine.cli("volume", "create", "held");
    await engine.cli("run", "-d", "--name", "holder", "-v", "held:/data", FIXTURE);
    await using app = await serveEngines({ one: engine });

    const refused = await app.call("DELETE /api/volumes/held");

    assert.deepEqual([refused.status, refused.body.code], [409, "in_use"]);
    assert.equal((await engine.ask("GET /volumes/held")).status, 200);
  });

  test("volumes that are not there are 404, and bad names 400", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    for (const verb of ["GET", "DELETE"]) {
      assert.equal((await app.call(`${verb} /api/volumes/nope`)).body.code, "volume_not_found");
      for (const name of ["..%2f..%2fversion", "a%2fb", "%2e%2e%5cx"]) {
        assert.equal((await app.call(`${verb} /api/volumes/${name}`)).body.code, "invalid_request", name);
      }
    }
  });
}
