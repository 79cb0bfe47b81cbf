/** Networks against real engines: lists with members, creation, connecting, removal. */

import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { serveEngines } from "../support/service.ts";
import { tidy } from "../proof/tidy.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

function names(items: readonly Named[]): string[] {
  return items.map(({ name }) => name).sort();
}

for (const kind of ["docker", "podman"] as const) {
  const { test: testOnBoth } = await sharedEngine(kind);
  const { test } = await lawEngine(kind);

  testOnBoth(
    "GET /api/networks lists what the engine has, with the containers that are connected, running or not",
    async (engine) => {
      await tidy(engine);
      await engine.cli("network", "create", "--subnet", "10.77.0.0/24", "front");
      await engine.cli("run", "-d", "--name", "running", "--network", "front", FIXTURE);
      await engine.cli("create", "--name", "waiting", "--network", "front", FIXTURE);
      await engine.cli("run", "-d", "--name", "plain", FIXTURE);
      await using app = await serveEngines({ one: engine });

      const { status, body } = await app.call("GET /api/networks");

      assert.equal(status, 200);
      const theirs = (await engine.ask("GET /networks")).json;
      assert.deepEqual(
        body.items.map(({ id, name }: Named) => [id, name]).sort(),
        theirs.map(({ Id, Name }: Record<string, string>) => [Id, Name]).sort(),
      );
      const front = body.items.find(({ name }: Named) => name === "front");
      assert.deepEqual(names(front.containers), ["running", "waiting"]);
      assert.equal(front.subnets[0].subnet, "10.77.0.0/24");
      assert.equal(front.predefined, false);
      const bridge = body.items.find(({ name }: Named) => name === "bridge");
      assert.equal(bridge.predefined, true);
      assert.deepEqual(names(bridge.containers), ["plain"]);
      const { attachments } = (await app.call("GET /api/containers/waiting")).body;
      assert.equal(attachments.length, 1);
      assert.notEqual(attachments[0].networkId, "", "an id that is not known yet is null");
      const detail = (await app.call("GET /api/networks/front")).body;
      assert.deepEqual(
        detail.endpoints.filter(({ ipv4 }: { ipv4: string | null }) => ipv4 !== null).map(({ name }: Named) =>
          name
        ),
        ["running"],
      );
    },
  );

  test("POST /api/networks creates, and the next list has it; DELETE removes it", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    const before = (await app.call("GET /api/networks")).body.total;
    const wanted = {
      name: "made",
      internal: true,
      subnets: [{ subnet: "10.78.0.0/24" }],
      labels: { a: "b" },
    };

    const made = await app.call("POST /api/networks", wanted);

    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.internal, true);
    assert.equal(made.body.subnets[0].subnet, "10.78.0.0/24");
    assert.equal(made.body.labels.a, "b");
    assert.equal((await app.call("GET /api/networks")).body.total, before + 1);
    const again = await app.call("POST /api/networks", { name: "made" });
    assert.deepEqual([again.status, again.body.code], [409, "name_taken"]);
    assert.equal((await app.call("GET /api/networks")).body.total, before + 1);
    assert.equal((await app.call("DELETE /api/networks/made")).status, 204);
    assert.equal((await app.call("GET /api/networks")).body.total, before);
    assert.equal((await engine.ask("GET /networks/made")).status, 404);
  });

  testOnBoth(
    "POST /api/networks/{name}/connect and /disconnect say whether they changed anything",
    async (engine) => {
      await tidy(engine);
      await engine.cli("network", "create", "joined");
      await engine.cli("run", "-d", "--name", "member", FIXTURE);
      await using app = await serveEngines({ one: engine });
      const members = async () => names((await app.call("GET /api/networks/joined")).body.containers);
      const change = async (verb: string, container: string) => {
        const { status, body } = await app.call(`POST /api/networks/joined/${verb}`, { container });
        return [status, status === 200 ? body.changed : body.code];
      };

      assert.deepEqual(await change("connect", "member"), [200, true]);
      assert.deepEqual(await members(), ["member"]);
      assert.deepEqual(await change("connect", "member"), [200, false]);
      assert.deepEqual(await change("disconnect", "member"), [200, true]);
      assert.deepEqual(await members(), []);
      assert.deepEqual(await change("disconnect", "member"), [200, false]);
      assert.deepEqual(await change("connect", "nobody"), [404, "container_not_found"]);
      assert.equal(
        (await app.call("POST /api/networks/nope/connect", { container: "member" })).body.code,
        "network_not_found",
      );
    },
  );

  test("DELETE /api/networks/{name} refuses one with a container, running or stopped, and the engine's own", async (engine) => {
    await tidy(engine);
    await engine.cli("network", "create", "held");
    await engine.cli("create", "--name", "stopped", "--network", "held", FIXTURE);
    await using app = await serveEngines({ one: engine });

    const held = await app.call("DELETE /api/networks/held");
    const own = await app.call("DELETE /api/networks/bridge");

    assert.deepEqual([held.status, held.body.code], [409, "in_use"]);
    assert.deepEqual([own.status, own.body.code], [409, "conflict"]);
    assert.equal((await engine.ask("GET /networks/held")).status, 200);
    assert.equal((await engine.ask("GET /networks/bridge")).status, 200);
  });

  test("networks that are not there are 404; bad names and subnets are 400 and make nothing", async (engine) => {
    await tidy(engine);
    await using app = await serveEngines({ one: engine });
    const before = (await engine.ask("GET /networks")).json.length;
    assert.equal((await app.call("GET /api/networks/nope")).body.code, "network_not_found");
    assert.equal((await app.call("DELETE /api/networks/nope")).body.code, "network_not_found");
    assert.equal((await app.call("GET /api/networks/..%2fversion")).body.code, "invalid_request");
    const bad = [
      { name: "../x" },
      { name: "x", subnets: [{ subnet: "nonsense" }] },
      { name: "x", subnets: [{ subnet: "10.0.0.0/99" }] },
      { name: "x", subnets: [{ subnet: "10.0.0.0/24", gateway: "$(reboot)" }] },
      { name: "x", ipam: {} },
    ];
    for (const body of bad) {
      assert.equal((await app.call("POST /api/networks", body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await engine.ask("GET /networks")).json.length, before);
  });

  test("changes of networks and volumes are refused to a viewer, and change nothing", async (engine) => {
    await tidy(engine);
    await engine.cli("network", "create", "watched");
    await using app = await serveEngines({ one: engine });
    const viewer = await app.key("viewer");
    const tries: [string, unknown?][] = [
      ["POST /api/networks", { name: "viewers" }],
      ["DELETE /api/networks/watched"],
      ["POST /api/networks/watched/connect", { container: "x" }],
      ["POST /api/volumes", { name: "viewers" }],
      ["DELETE /api/volumes/viewers"],
      ["POST /api/images/pull", { reference: "busybox" }],
      ["POST /api/system/prune", { types: ["volumes"] }],
    ];
    for (const [route, body] of tries) assert.equal((await viewer.call(route, body)).status, 403, route);
    assert.equal((await engine.ask("GET /networks/viewers")).status, 404);
    assert.equal((await engine.ask("GET /networks/watched")).status, 200);
    assert.equal((await engine.ask("GET /volumes/viewers")).status, 404);
  });
}
