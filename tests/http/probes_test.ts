/** The probes of a supervisor: live and ready, by any host name, and `berth health` that asks for it. */
import assert from "node:assert/strict";
import { plugin } from "../../plugins/plugin.ts";
import { runBerth, startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { sendRaw } from "../support/raw_http.ts";
import { startService } from "../support/service.ts";

/** As a supervisor asks that knows only an address. */
async function probe(port: number, path: string, host = "10.1.2.3:8700") {
  const { status, body } = await sendRaw(
    port,
    `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  );
  return [status, body];
}

Deno.test("live and ready answer a word whatever the host name, and nothing else does", async () => {
  await using berth = await startService();

  assert.deepEqual(await probe(berth.port, "/api/health/live"), [200, "live\n"]);
  assert.deepEqual(await probe(berth.port, "/api/health/ready"), [200, "ready\n"]);
  for (
    const path of [
      "/api/health",
      "/api/health/live/",
      "/api/health/live?x",
      "/api//health/live",
      "/x/api/health/live",
    ]
  ) {
    assert.equal((await probe(berth.port, path))[0], 421, path);
  }
  assert.equal(
    (await berth.anonymous().call("GET /api/health/live?x=1")).status,
    400,
    "a query is refused as elsewhere",
  );
});

Deno.test("while it starts, berth lives and is not ready", async () => {
  const started = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  using free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr;
  free.close();
  const starting = startService({
    port,
    install: [plugin({
      name: "slow",
      summary: "Takes its time",
      version: "1.0.0",
      async start() {
        asked.resolve();
        await started.promise;
        return { [Symbol.asyncDispose]: () => Promise.resolve() };
      },
    })],
  });
  await asked.promise;
  const early = [await probe(port, "/api/health/live"), await probe(port, "/api/health/ready")];
  started.resolve();
  await using _berth = await starting;

  assert.deepEqual(early, [[200, "live\n"], [503, "starting\n"]]);
  assert.deepEqual(await probe(port, "/api/health/ready"), [200, "ready\n"]);
});

Deno.test("an engine that is away does not keep berth from being ready; one that was not read yet does", async () => {
  await using away = await startService({ engines: [{ name: "gone", url: "unix:///nowhere/s" }] });
  await eventually(
    "it is known to be away",
    async () => (await probe(away.port, "/api/health/ready"))[0] === 200,
  );

  const folder = await Deno.makeTempDir();
  const mute = Deno.listen({ transport: "unix", path: `${folder}/s` });
  try {
    await using berth = await startService({ engines: [{ name: "mute", url: `unix://${folder}/s` }] });
    assert.deepEqual(await probe(berth.port, "/api/health/ready"), [503, "starting\n"]);
  } finally {
    mute.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("without its store berth lives and is not ready", async () => {
  await using berth = await startService();
  await berth.berth.store[Symbol.asyncDispose]();

  assert.deepEqual(await probe(berth.port, "/api/health/live"), [200, "live\n"]);
  await eventually("it says so", async () => (await probe(berth.port, "/api/health/ready"))[1] === "store\n");
});

Deno.test("berth health asks the service of the same settings, and exits with 0 or 1", async () => {
  await using berth = await startBerthProcess();
  const env = { BERTH_DATA: berth.data, BERTH_PORT: String(berth.port) };

  const [live, ready, gone] = await Promise.all([
    runBerth(["health"], env),
    runBerth(["health", "--ready"], env),
    runBerth(["health"], { ...env, BERTH_PORT: "9" }),
  ]);

  assert.deepEqual([live.code, live.stdout], [0, "live\n"]);
  assert.deepEqual([ready.code, ready.stdout], [0, "ready\n"]);
  assert.deepEqual([gone.code, gone.stderr], [1, "berth: http://127.0.0.1:9 does not answer\n"]);
});

Deno.test("BERTH_LOG_FILE=none writes the log to the console alone", async () => {
  await using berth = await startBerthProcess({ env: { BERTH_LOG_FILE: "none" } });

  await eventually("the console has it", () => berth.stderr.includes("berth listens"));
  await assert.rejects(Deno.stat(`${berth.data}/berth.log`));
});

Deno.test("GET /api/system/logs says where the log is when there is no file", async () => {
  await using berth = await startService({ logFile: "none" });

  for (const path of ["/api/system/logs", "/api/system/log-path"]) {
    const { status, body } = await berth.call(`GET ${path}`);
    assert.deepEqual([status, body.code], [404, "not_found"]);
    assert.match(body.title, /console only/);
  }
});
