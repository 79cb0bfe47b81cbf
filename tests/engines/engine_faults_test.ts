/** Engines that die again and again, go to sleep, are asked for opposite things at once, and send lines without end. */
import assert from "node:assert/strict";
import { pause } from "../../core/pause.ts";
import { startBerthProcess } from "../support/berth_process.ts";
import { chaosProxy } from "../proof/chaos_proxy.ts";
import { FIXTURE, startEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { CHUNKED, ScriptedEngine } from "../support/scripted_engine.ts";
import { startRegistry } from "../support/registry.ts";
import { quiet } from "../support/quiet_engine.ts";
import { serveEngines, TestCaller } from "../support/service.ts";
import { SmallDisk } from "../support/small_disk.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { startStreams } from "../support/stream_process.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";

const MIB = 1024 * 1024;

/** Returns bytes that cannot be compressed. */
function noise(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

async function names(berth: TestCaller): Promise<string> {
  const { body } = await berth.call("GET /api/containers?sort=name");
  return body.items.map(({ name }: { name: string }) => name).join();
}

async function isUp(berth: TestCaller): Promise<boolean> {
  const { body } = await berth.call("GET /api/system/backends");
  return body.items.every(({ state }: { state: string }) => state === "up");
}

/** True with `BERTH_PROOF=1`, for parts that take long. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";
if (!isProof) {
  console.warn("SKIPPED: deaths in a row, endless lines, a sleeping Podman; BERTH_PROOF=1 runs them");
}

const docker = await sharedEngine("docker");
const podman = await lawEngine("podman");

if (isProof) {
  docker.test("26 deaths of the engine in a row leave true lists and no descriptor behind (F14)", async (engine) => {
    await using proxy = chaosProxy(engine.socket);
    await using berth = await startBerthProcess({ env: { BERTH_ENGINES: `docker=unix://${proxy.socket}` } });
    const caller = new TestCaller(berth.url, await berth.setUp());
    const open = () => [...Deno.readDirSync(`/proc/${berth.pid}/fd`)].length;
    let before = 0;
    const made: string[] = [];
    for (let round = 0; round < 26; round++) {
      proxy.set({ refuse: true });
      proxy.reset();
      await eventually("it is away", async () => !await isUp(caller));
      const name = `round-${String(round).padStart(2, "0")}`;
      await engine.cli("create", "--name", name, "--network", "none", FIXTURE);
      made.push(name);
      proxy.set({});
      await within(PROMISED.engineSeen, "the list is true", async () => await names(caller) === made.join());
      // Until then its pool of connections fills
      if (round === 17) before = open();
    }
    await within(10_000, "no descriptor is left behind", () => open() <= before + 4);
    await engine.cli("rm", ...made);
  });
}

if (isProof) {
  Deno.test("an answer of one byte a second ends its call in time, and everybody else is served (F33)", async () => {
    const dripping = new AbortController();
    await using engine = new ScriptedEngine(async (call) => {
      if (!call.path.startsWith("/networks/")) return await quiet(call);
      await call.write(CHUNKED);
      while (!dripping.signal.aborted) {
        await call.write("1\r\n \r\n");
        await pause(1_000, dripping.signal);
      }
    });
    await using berth = await serveEngines({ slow: engine });
    await eventually("it is up", () => isUp(berth));
    const began = performance.now();
    // More than there are places for calls
    const asked = Array.from({ length: 30 }, () => berth.call("GET /api/networks/one"));
    let isOver = false;
    const answers = Promise.all(asked).finally(() => isOver = true);
    let waited = 0;
    while (!isOver) {
      const before = performance.now();
      assert.equal((await berth.call("GET /api/health")).status, 200);
      assert.equal((await berth.call("GET /api/containers")).status, 200);
      waited = Math.max(waited, performance.now() - before);
      await pause(500);
    }
    for (const { status, body } of await answers) {
      assert.deepEqual([status, body.code], [504, "engine_timeout"]);
    }
    const took = performance.now() - began;
    assert.ok(took > 15_000 && took < 90_000, `it took ${took} ms`);
    assert.ok(waited < 5_000, `others waited ${waited} ms`);
    dripping.abort();
  });
}

for (const { test } of [docker, podman]) {
  test("20 callers start, stop, inspect and remove one container: each answer is one that the document declares (F25, F26)", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const acts = [
      "POST start",
      "POST stop",
      "POST restart",
      "GET",
      "GET logs?format=ndjson",
      "DELETE",
      "DELETE ?force=true",
    ];
    const seen = new Map<string, number>();
    for (let round = 0; round < 5; round++) {
      const id = await engine.cli("run", "-d", "--name", "wanted", FIXTURE);
      await eventually(
        "it is known",
        async () => (await berth.call(`GET /api/containers/${id}`)).status === 200,
      );
      await Promise.all(Array.from({ length: 20 }, async (_, caller) => {
        for (let n = 0; n < 5; n++) {
          const [method, rest = ""] = acts[(caller * 3 + n * 5 + round) % acts.length]!.split(" ");
          const path = rest.startsWith("?") ? rest : rest === "" ? "" : `/${rest}`;
          const { status, text } = await berth.call(`${method} /api/containers/${id}${path}`);
          // Docker itself stumbles now and then where two remove one container at the same moment.
          const isDockers = status === 502 && text.includes("directory not empty");
          assert.ok(
            isDockers || [200, 204, 304, 404, 409].includes(status),
            `${method} ${path}: ${status} ${text}`,
          );
          seen.set(`${method} ${status}`, (seen.get(`${method} ${status}`) ?? 0) + 1);
        }
      }));
      await berth.call(`DELETE /api/containers/${id}?force=true`);
      // Docker never gets rid of some that are restarted while they are removed, and lists them without a name
      const states = ["created", "running", "exited"].flatMap((state) => ["--filter", `status=${state}`]);
      await within(10_000, "berth and the engine agree that it is gone", async () => {
        return (await berth.call(`GET /api/containers/${id}`)).status === 404 &&
          await engine.cli("ps", "-aq", "--filter", `id=${id}`, ...states) === "";
      });
    }
    assert.ok((seen.get("DELETE 204") ?? 0) > 0 && (seen.get("GET 404") ?? 0) > 0, JSON.stringify([...seen]));
    assert.deepEqual(berth.bugs(), []);
  });
}

podman.test("20 callers start, stop and restart one container: who is beaten to it is told so, and it obeys afterwards (F26)", async (engine) => {
  await using berth = await serveEngines({ podman: engine });
  const id = await engine.cli("run", "-d", "--name", "wanted", FIXTURE);
  const isKnown = async () => (await berth.call(`GET /api/containers/${id}`)).status === 200;
  await eventually("it is known", isKnown);
  const acts = ["start", "stop", "restart"];
  const odd: string[] = [];
  await Promise.all(Array.from({ length: 20 }, async (_, caller) => {
    for (let n = 0; n < 5; n++) {
      const act = acts[(caller * 4 + n * 5) % acts.length]!;
      const { status, text } = await berth.call(`POST /api/containers/${id}/${act}`);
      if (![200, 304, 409].includes(status)) odd.push(`${act}: ${status} ${text}`);
    }
  }));
  assert.deepEqual(odd, []);
  assert.equal((await berth.call(`POST /api/containers/${id}/restart`)).status, 200);
  assert.equal((await engine.ask(`GET /containers/${id}/json`)).json.State.Running, true);
  await engine.cli("rm", "-f", id);
});

if (isProof) {
  docker.test("a line of 200 MiB is cut and says so, and berth stays small (F19)", async (engine) => {
    await using streams = await startStreams(engine.socket);
    const program = "head -c 209715200 /dev/zero | tr '\\0' x; echo; echo after";
    const id = await engine.cli("run", "-d", FIXTURE, "sh", "-c", program);
    await engine.cli("wait", id);
    const before = await streams.heldBytes();
    const response = await fetch(`http://127.0.0.1:${streams.port}/api/containers/${id}/logs?format=ndjson`);
    const lines = (await response.text()).split("\n").filter((line) => line !== "").map((line) =>
      JSON.parse(line)
    );
    const grown = await streams.heldBytes() - before;

    assert.deepEqual(lines.map(({ cut }) => cut), [true, undefined]);
    assert.deepEqual([lines[0].line.length < 300 * 1024, lines[1].line], [true, "after"]);
    assert.ok(grown < 64 * MIB, `${Math.round(grown / MIB)} MiB more`);
    await engine.cli("rm", id);
  });

  docker.test("a pull onto a full disk fails in words, no image appears, and with room it succeeds (F29)", async () => {
    await using disk = await SmallDisk.mount("64m");
    await using engine = await startEngine("docker", "", ["--data-root", `${disk.folder}/data`]);
    await using registry = await startRegistry(engine);
    // An image that is not there yet takes room
    const folder = await Deno.makeTempDir({ prefix: "berth-pull-" });
    await Deno.writeFile(`${folder}/noise`, noise(8 * MIB));
    await Deno.writeTextFile(`${folder}/Dockerfile`, `FROM ${FIXTURE}\nCOPY noise /noise\n`);
    await engine.cli("build", "-t", "large", folder);
    const reference = await registry.push("large", "pulled/large:1");
    await engine.cli("rmi", "large");
    await Deno.remove(folder, { recursive: true });
    await using berth = await serveEngines({ docker: engine });
    disk.fill();
    const failed = await berth.call("POST /api/images/pull", { reference });
    assert.deepEqual([failed.status, failed.body.code], [502, "pull_failed"], failed.text);
    assert.match(failed.body.title, /no space left/);
    assert.equal((await engine.ask(`GET /images/${reference}/json`)).status, 404);
    disk.empty();
    assert.equal((await berth.call("POST /api/images/pull", { reference })).status, 200);
    assert.deepEqual(berth.bugs(), []);
  });

  podman.test("Podman's service ends itself when it is idle, again and again, and no caller notices (F30)", async (engine) => {
    const { sandbox } = engine;
    assert.ok(sandbox !== null);
    const socket = `${engine.socket}-idle`;
    // As systemd does: the socket is there always, and the service only while it is used
    await sandbox.run(
      `idle=$(tr '\\0' ' ' </proc/$engine/cmdline | sed 's/--time 0 unix:.*/--time 1/'); ` +
        `while :; do systemd-socket-activate -l ${socket} $idle; echo >>${socket}-ends; done >/dev/null 2>&1 & activator=$!`,
    );
    await engine.cli("create", "--name", "sleeper", "--network", "none", FIXTURE);
    const ends = () => Deno.readTextFile(`${socket}-ends`).then((text) => text.length, () => 0);
    try {
      await eventually("its socket is there", () => Deno.stat(socket).then(() => true, () => false));
      for (let round = 1; round <= 3; round++) {
        {
          await using berth = await serveEngines({ podman: { socket } });
          await within(10_000, "the list is there", async () => await names(berth) === "sleeper");
          assert.equal((await berth.call("GET /api/containers/sleeper")).status, 200);
        }
        await eventually("the service has ended for want of callers", async () => await ends() >= round);
      }
    } finally {
      await sandbox.run("kill $activator");
      await engine.cli("rm", "sleeper");
    }
  });
}
