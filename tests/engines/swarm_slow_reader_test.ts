/**
 * A service that writes 50,000 lines a second, as fast as the machine lets it, and a reader who stalls: what the manager
 * holds in its memory meanwhile. For the proof: `BERTH_STALL_SECONDS` says for how long.
 */
import assert from "node:assert/strict";
import { NoEngine, type TestEngine } from "../support/engine.ts";
import { engineProcess } from "../support/engine_process.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { startSwarm, SWARM_IMAGE } from "../support/swarm.ts";

const SECONDS = Number(Deno.env.get("BERTH_STALL_SECONDS") ?? "20");
const MIB = 2 ** 20;
/** The bound for readers of berth's. */
const MOST_BYTES = 20 * MIB;
/** A manager holds what it has not sent yet, more and less from moment to moment, also for a reader who takes everything. */
const LOOKS = 5;
const LOOK_MS = 400;

const swarm = Deno.env.get("BERTH_TEST_SWARM") !== "all" ? null : await startSwarm(2).catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: slow readers of services, because ${error.message}`);
  return null;
});

const LOUD = `awk 'BEGIN { while (1) { for (i = 0; i < 1000; i++) print "line " ++n; fflush();
  print n >"/out/count"; close("/out/count"); system("usleep 18000") } }'`;

/** The bytes that the engine holds once its garbage is collected; resident memory is what it once held. */
async function heldBytes(engine: TestEngine): Promise<number> {
  const { body } = await engine.ask("GET /debug/pprof/heap?debug=1&gc=1");
  return Number(/# HeapAlloc = (\d+)/.exec(body)?.[1]);
}

const nobody = () => Promise.resolve();

/** Lets the engine tell of its own memory. */
async function debugged(engine: TestEngine): Promise<void> {
  await Deno.writeTextFile(`${engine.socket.replace(/s$/, "")}daemon.json`, '{"debug": true}');
  Deno.kill(await engineProcess(engine), "SIGHUP");
  await eventually("it tells of its memory", async () => await heldBytes(engine) > 0);
}

interface Read {
  /** The bytes that the manager holds more than before, at the end of the stall. */
  readonly held: number;
  readonly linesPerSecond: number;
  readonly text: string;
}

Deno.test({
  name: "A reader of berth's who stalls costs a manager nothing, whether its node is known or not",
  ignore: swarm === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(context) {
    await using own = swarm!;
    const [manager, node] = own.nodes as [TestEngine, TestEngine];
    await debugged(manager);
    await using folder = {
      path: await Deno.makeTempDir(),
      [Symbol.asyncDispose]: () => Deno.remove(folder.path, { recursive: true }),
    };
    /** Reads the log of a new service with curl, which is held still for the time of the stall. */
    const read = async (
      name: string,
      args: (task: string) => readonly string[],
      stalls: boolean,
      isListed: () => Promise<unknown> = nobody,
    ): Promise<Read> => {
      await Deno.remove(`${folder.path}/count`).catch(() => {});
      await manager.cli(
        ...["service", "create", "--detach", "--no-resolve-image", "--name", "loud"],
        ...["--constraint", "node.hostname==node2", "--mount", `type=bind,source=${folder.path},target=/out`],
        ...[SWARM_IMAGE, "sh", "-c", LOUD],
      );
      // It is empty while it is written
      const count = () =>
        eventually(
          "it writes",
          async () => Number(await Deno.readTextFile(`${folder.path}/count`).catch(() => "")),
        );
      const task = await eventually(
        "its task runs",
        async () =>
          (await manager.ask("GET /tasks")).json.find((one: { Status: { State: string } }) =>
            one.Status.State === "running"
          )?.ID as string | undefined,
      );
      await isListed();
      const before = await heldBytes(manager);
      const file = `${folder.path}/read`;
      const script = `exec curl -sS -N "$@" >"$0"`;
      const curl = new Deno.Command("sh", {
        args: ["-c", script, stalls ? file : "/dev/null", ...args(task)],
      }).spawn();
      await new Promise((done) => setTimeout(done, 2_000));
      if (stalls) curl.kill("SIGSTOP");
      const first = await count();
      await new Promise((done) => setTimeout(done, SECONDS * 1_000));
      let held = Infinity;
      for (let look = 0; look < LOOKS; look += 1) {
        held = Math.min(held, await heldBytes(manager) - before);
        await new Promise((done) => setTimeout(done, LOOK_MS));
      }
      const linesPerSecond = Math.round((await count() - first) / (SECONDS + LOOKS * LOOK_MS / 1_000));
      curl.kill("SIGCONT");
      const isOn = (size: number) => async () => (await Deno.stat(file)).size > size;
      // Beyond all buffers in between. An engine may give up a plain reader who stalled
      if (isListed !== nobody) {
        await eventually("it is read on", isOn((await Deno.stat(file)).size + 16 * MIB));
      }
      curl.kill("SIGKILL");
      await curl.status;
      await manager.cli("service", "rm", "loud");
      await eventually("its task is gone", async () => (await node.cli("ps", "-aq")).trim() === "");
      console.log(
        `${name}: the manager holds ${(held / MIB).toFixed(1)} MiB more, at ${linesPerSecond} lines/s`,
      );
      return { held, linesPerSecond, text: stalls ? await Deno.readTextFile(file) : "" };
    };
    const raw = (task: string) => [
      "--unix-socket",
      manager.socket,
      `http://e/v1.41/tasks/${task}/logs?follow=1&stdout=1&stderr=1&timestamps=1&tail=0`,
    ];
    await read("a plain reader who takes everything", raw, false); // printed beside the others
    const stalled = await read("a plain reader who stalls", raw, true);
    await using part = await serveEngines({ node1: manager });
    await using whole = await serveEngines({ node1: manager, node2: node });
    const url = (berth: TestService) => () => [
      "-H",
      `authorization: Bearer ${berth.admin}`,
      `${berth.url}/api/services/loud/logs?follow&tail=0&format=ndjson`,
    ];

    const listed = (berth: TestService) => () =>
      eventually("berth lists it", async () => {
        const { status, body } = await berth.call("GET /api/services/loud");
        return status === 200 && body.running === 1;
      });

    await context.step("berth that knows the manager alone closes the log, and tells a gap", async () => {
      const { held, text } = await read("berth, by the manager", url(part), true, listed(part));
      assert.ok(held < MOST_BYTES && held < stalled.held / 2, "unlike a plain reader who stalls");
      assert.equal(mustBeWhole(text), "with gaps");
    });
    await context.step(
      "berth that knows the node's engine costs the manager nothing, and loses nothing",
      async () => {
        const { held, text } = await read("berth, by the node", url(whole), true, listed(whole));
        assert.ok(held < MOST_BYTES);
        assert.equal(mustBeWhole(text), "without a gap");
      },
    );
  },
});

/** Numbers are in a row, but behind a gap that names the node. */
function mustBeWhole(text: string): "with gaps" | "without a gap" {
  let last: number | null = null;
  let gaps = 0;
  let isOpen = false;
  for (const record of text.split("\n").slice(0, -1)) {
    if (record === "") continue;
    const { line, gap, node } = JSON.parse(record);
    if (gap !== undefined) {
      gaps += 1;
      isOpen = true;
      assert.equal(node, "node2");
    }
    if (line === undefined) continue;
    const number = Number(/^line (\d+)$/.exec(line)?.[1]);
    if (last !== null) assert.ok(isOpen ? number > last : number === last + 1, `${number} behind ${last}`);
    last = number;
    isOpen = false;
  }
  assert.ok(last !== null);
  return gaps > 0 ? "with gaps" : "without a gap";
}
