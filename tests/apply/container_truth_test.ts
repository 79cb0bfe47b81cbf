/** The questions of a user about a container that is not healthy: why, with what, and what can be done about it. */
import assert from "node:assert/strict";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";

const serve = (engine: TestEngine): Promise<TestService> => serveEngines({ [engine.kind]: engine });

for (const kind of ["docker", "podman"] as const) {
  const { test: testOnBoth } = await sharedEngine(kind);
  const { test } = await lawEngine(kind);

  test("a container in a crash loop shows its last end in the list, also between restarts", async (engine) => {
    await using berth = await serve(engine);
    await engine.cli(
      "run",
      "-d",
      "--name",
      "looping",
      "--network",
      "none",
      "--restart",
      "always",
      FIXTURE,
      "sh",
      "-c",
      "sleep 0.3; exit 7",
    );
    const seen = new Set<string>();
    await eventually("it was restarted a few times, and seen between two restarts", async () => {
      const [row] = (await berth.call("GET /api/containers?q=looping")).body.items;
      seen.add(row.state);
      if (row.state === "restarting" || row.state === "exited") {
        assert.deepEqual([row.exitCode, row.finishedAt !== null], [7, true]);
        seen.add("told");
      }
      return row.restartCount >= 2 && seen.has("told");
    });
    await engine.cli("rm", "-f", "looping");
  });

  testOnBoth("a start that fails says why, and so does the list", async (engine) => {
    await using berth = await serve(engine);
    await engine.cli("create", "--name", "unstartable", "--network", "none", FIXTURE, "no-such-program");
    const refused = await berth.call("POST /api/containers/unstartable/start");
    assert.ok(refused.status >= 400 && refused.status < 500, refused.text);
    assert.match(refused.body.title, /no-such-program/);
    const [row] = (await berth.call("GET /api/containers?q=unstartable")).body.items;
    if (kind === "docker") { // Podman 4.3 forgets it
      assert.match(row.reason, /no-such-program/);
      assert.equal(row.exitCode, 127);
    }
    await engine.cli("rm", "-f", "unstartable");
  });

  testOnBoth("a stopped container shows the ports and mounts that it has when it runs", async (engine) => {
    await using berth = await serve(engine);
    const network = kind === "docker" ? "bridge" : "podman";
    await engine.cli(
      ..."create --name parked -p 127.0.0.1:18081:80 --expose 9000 --tmpfs /scratch:size=1m".split(" "),
      ..."-v parked-data:/data".split(" "),
      "--network",
      network,
      FIXTURE,
      "idle",
    );
    const row = async () => (await berth.call("GET /api/containers?q=parked")).body.items[0];
    const shown = async () => {
      const { ports, mounts } = await row();
      return {
        ports: ports.map((
          one: { container: number; host: number; published: boolean },
        ) => [one.container, one.host, one.published]),
        mounts: mounts.map((one: { type: string; target: string }) => [one.type, one.target]),
      };
    };
    const mounts = [["volume", "/data"], ["tmpfs", "/scratch"]];
    await eventually("it is listed", async () => await row() !== undefined);
    assert.deepEqual(await shown(), { ports: [[80, 18081, false], [9000, null, false]], mounts });
    await engine.cli("start", "parked");
    await eventually("it runs", async () => (await row()).state === "running");
    const open = await shown();
    assert.deepEqual(open.ports.find(([port]: [number]) => port === 80), [80, 18081, true]);
    assert.deepEqual(open.mounts, mounts);
    await engine.cli("stop", "-t", "1", "parked");
    await eventually("it is stopped", async () => (await row()).state === "exited");
    const closed = await shown();
    assert.deepEqual(closed.ports.find(([port]: [number]) => port === 80), [80, 18081, false]);
    assert.deepEqual(closed.mounts, mounts);
    await engine.cli("rm", "-f", "-v", "parked");
  });

  test("a container can be paused, told so when it is started, unpaused, signalled and renamed", async (engine) => {
    await using berth = await serve(engine);
    await engine.cli("run", "-d", "--name", "sleeper", "--network", "none", FIXTURE, "idle");
    await engine.cli("run", "-d", "--name", "other", "--network", "none", FIXTURE, "idle");
    const act = (verb: string, body?: unknown) => berth.call(`POST /api/containers/${verb}`, body);

    await eventually(
      "it runs",
      async () => (await berth.call("GET /api/containers/sleeper")).body.state === "running",
    );
    assert.deepEqual((await act("sleeper/pause")).body.state, "paused");
    assert.equal((await act("sleeper/pause")).body.changed, false);
    const start = await act("sleeper/start");
    assert.deepEqual([start.status, start.body.code], [409, "conflict"]);
    assert.match(start.body.title, /it is paused; use "unpause"/);
    assert.deepEqual((await act("sleeper/unpause")).body.state, "running");

    const processes = await berth.call("GET /api/containers/sleeper/top");
    assert.equal(processes.status, 200, processes.text);
    assert.ok(processes.body.processes.flat().some((cell: string) => cell.includes("idle")), processes.text);

    const taken = await act("sleeper/rename", { name: "other" });
    assert.deepEqual([taken.status, taken.body.code], [409, "name_taken"], taken.text);
    assert.equal((await act("sleeper/rename", { name: "waker" })).body.name, "waker");
    assert.equal((await berth.call("GET /api/containers/waker")).status, 200);
    assert.equal((await act("waker/rename", { name: "../x" })).status, 400);

    for (const signal of ["NOSUCH", "94", "65", "0", "-9", "9.5"]) {
      const refused = await act(`waker/kill?signal=${signal}`);
      assert.deepEqual([refused.status, refused.body.code], [400, "invalid_request"], signal);
    }
    assert.equal((await act("waker/kill?signal=KILL")).status, 200);
    await eventually(
      "it is killed",
      async () => (await berth.call("GET /api/containers/waker")).body.exitCode === 137,
    );
    assert.equal((await berth.call("GET /api/containers/waker/top")).status, 409);
    await engine.cli("rm", "-f", "waker", "other");
  });

  test("mistakes of the caller are refused with a reason, and in use is told by names", async (engine) => {
    await using berth = await serve(engine);
    await engine.cli(
      "run",
      "-d",
      "--name",
      "shop-db-1",
      "--network",
      "none",
      "-v",
      "shop_data:/data",
      FIXTURE,
      "idle",
    );
    // One that is asked for by name is also found before its event came, but is not yet known by its id.
    await eventually(
      "it is listed",
      async () => (await berth.call("GET /api/containers")).text.includes("shop-db-1"),
    );

    const volume = await berth.call("DELETE /api/volumes/shop_data");
    assert.deepEqual([volume.status, volume.body.code], [409, "in_use"], volume.text);
    assert.match(volume.body.title, /shop-db-1/);
    assert.doesNotMatch(volume.body.title, /[0-9a-f]{12}/);
    const image = await berth.call(`DELETE /api/images/${encodeURIComponent(FIXTURE)}`);
    assert.equal(image.status, 409, image.text);
    assert.match(image.body.title, /shop-db-1|must be forced/);

    const subnet = (name: string) => ({ name, subnets: [{ subnet: "10.231.0.0/24" }] });
    assert.equal((await berth.call("POST /api/networks", subnet("first"))).status, 201);
    for (
      const body of [
        subnet("second"),
        { name: "odd", driver: "nosuch" },
        { name: "outside", subnets: [{ subnet: "10.232.0.0/24", gateway: "10.9.0.1" }] },
      ]
    ) {
      const refused = await berth.call("POST /api/networks", body);
      assert.ok(refused.status >= 400 && refused.status < 500, `${body.name}: ${refused.text}`);
    }
    assert.equal((await berth.call("DELETE /api/networks/first")).status, 204);
    await engine.cli("rm", "-f", "-v", "shop-db-1");
  });
}

const { test } = await sharedEngine("docker");

test("the counts are those of `docker info`, also beside a crash loop and a paused one", async (engine) => {
  await using berth = await serve(engine);
  await engine.cli("run", "-d", "--name", "counted", "--network", "none", FIXTURE, "idle");
  await engine.cli("run", "-d", "--name", "halted", "--network", "none", FIXTURE, "idle");
  await engine.cli("pause", "halted");
  await engine.cli(
    "run",
    "-d",
    "--name",
    "crashing",
    "--network",
    "none",
    "--restart",
    "always",
    FIXTURE,
    "false",
  );
  const told = async () => {
    const { running, paused, stopped, total } = (await berth.call("GET /api/system/info")).body.containers;
    return [running, paused, stopped, total].join();
  };
  const format = "{{.ContainersRunning}},{{.ContainersPaused}},{{.ContainersStopped}},{{.Containers}}";
  await eventually("both count alike while it waits to be restarted", async () => {
    const before = (await engine.cli("info", "--format", format)).trim();
    return await told() === before && before === (await engine.cli("info", "--format", format)).trim();
  });
  await engine.cli("rm", "-f", "counted", "halted", "crashing");
});
