/** Real engines that die, hang and come back, several at once: what callers are told meanwhile, and afterwards. */
import assert from "node:assert/strict";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { startRegistry } from "../support/registry.ts";
import { startService, type TestService } from "../support/service.ts";

const SILENT_PORT = 5998;

function serve(...engines: TestEngine[]): Promise<TestService> {
  return startService({
    engines: engines.map(({ kind, socket }) => ({ name: kind, url: `unix://${socket}` })),
  });
}

/** Until every engine is in one of these states. */
function reaches(berth: TestService, ...states: string[]): Promise<unknown> {
  return eventually(`the engines are ${states}`, async () => {
    const { body } = await berth.call("GET /api/system/backends");
    return body.items.map((one: { state: string }) => one.state).join() === states.join();
  });
}

function make(engine: TestEngine, name: string, ...options: string[]): Promise<string> {
  return engine.cli("create", "--name", name, "--network", "none", ...options, FIXTURE, "idle");
}

async function names(berth: TestService, query = ""): Promise<string[]> {
  const { body } = await berth.call(`GET /api/containers${query}`);
  return body.items.map((one: { name: string; backend: string }) => `${one.backend} ${one.name}`).sort();
}

const docker = await sharedEngine("docker");
const podman = await lawEngine("podman");

for (const { test } of [docker, podman]) {
  test("an engine that is killed is named as away, refuses in words, and is back with what it has (F13)", async (engine) => {
    await using berth = await serve(engine);
    await reaches(berth, "up");
    await make(engine, "survivor");
    await eventually("it is listed", async () => (await names(berth)).join() === `${engine.kind} survivor`);

    await engine.kill();
    await reaches(berth, "away");
    const { body, status } = await berth.call("GET /api/containers");
    assert.deepEqual([status, body.items, body.unavailable[0].backend], [200, [], engine.kind]);
    const refused = await berth.call("POST /api/containers/survivor/start");
    assert.deepEqual([refused.status, refused.body.code], [503, "runtime_unavailable"]);
    assert.match(refused.body.title, new RegExp(engine.kind));
    assert.equal((await berth.call("GET /api/health")).status, 200);

    await engine.start();
    await reaches(berth, "up");
    await eventually(
      "it is listed again",
      async () => (await names(berth)).join() === `${engine.kind} survivor`,
    );
    assert.equal((await berth.call("DELETE /api/containers/survivor")).status, 204);
    assert.deepEqual(await names(berth), []);
  });
}

docker.test("a pull whose engine dies in the middle ends in words, and with the engine it can be pulled again (F13)", async (engine) => {
  await using berth = await serve(engine);
  await reaches(berth, "up");
  // A registry that takes the connection and says nothing
  await engine.sandbox!.run(`sleep 120 | busybox nc -l -p ${SILENT_PORT} >/dev/null 2>&1 & silent=$!`);
  await eventually("it listens", async () => {
    return await engine.sandbox!.run(`busybox netstat -tln | grep -q ':${SILENT_PORT} '`) === 0;
  });
  const pull = berth.call("POST /api/images/pull", { reference: `127.0.0.1:${SILENT_PORT}/never:1` });
  await eventually("the engine waits for the registry", async () => {
    const waits = `busybox netstat -tn | grep -q ':${SILENT_PORT} .*ESTABLISHED'`;
    return await engine.sandbox!.run(waits) === 0;
  });
  await engine.kill();
  const { status, body, text } = await pull;
  assert.deepEqual([status, body.code], [503, "runtime_unavailable"], text);
  await engine.sandbox!.run("kill $silent");
  await engine.start();
  await reaches(berth, "up");
  await using registry = await startRegistry(engine);
  const reference = await registry.push(FIXTURE, "pulled/again:1");
  assert.equal((await berth.call("POST /api/images/pull", { reference })).status, 200);
  await engine.cli("rmi", reference);
});

docker.test("what changes without changing a list is seen in the details at once", async (engine) => {
  await using berth = await serve(engine);
  await reaches(berth, "up");
  await make(engine, "updated");
  const restart = async () => (await berth.call("GET /api/containers/updated")).body.restart?.name;
  await eventually("it is there", async () => await restart() === "no");

  await engine.cli("update", "--restart", "on-failure", "updated");

  await eventually("its policy is the new one", async () => await restart() === "on-failure");
  await engine.cli("rm", "updated");
});

if (podman.engine !== null) {
  const other = podman.engine;
  docker.test("two engines are one list; what both have must be chosen between", async (engine) => {
    await using berth = await serve(engine, other);
    await reaches(berth, "up", "up");
    await make(engine, "twin");
    await make(other, "twin");
    await make(other, "single");
    await eventually(
      "all are listed",
      async () => (await names(berth)).join() === "docker twin,podman single,podman twin",
    );

    assert.deepEqual(await names(berth, "?backend=docker"), ["docker twin"]);
    assert.equal((await berth.call("GET /api/containers/single")).body.backend, "podman");
    const unclear = await berth.call("DELETE /api/containers/twin");
    assert.deepEqual([unclear.status, unclear.body.code], [409, "ambiguous_id"]);
    assert.equal((await berth.call("DELETE /api/containers/twin?backend=docker")).status, 204);
    assert.deepEqual(await names(berth), ["podman single", "podman twin"]);

    await other.kill();
    await reaches(berth, "up", "away");
    assert.deepEqual(await names(berth), []);
    assert.equal((await berth.call("GET /api/containers")).body.unavailable[0].backend, "podman");
    await other.start();
    await reaches(berth, "up", "up");
    await other.cli("rm", "twin", "single");
    await eventually("they are gone", async () => (await names(berth)).length === 0);
  });
}
