/** A reader who takes nothing of a log that a manager tells: managers keep what they have not sent in their memory. */
import assert from "node:assert/strict";
import { Reach } from "../../core/access.ts";
import { Engine } from "../../engines/calls/engine.ts";
import type { Engines } from "../../plugins/containers/backends/seen.ts";
import { serviceLog } from "../../plugins/containers/logs/of_services/service_log.ts";
import { tasksOf } from "../../plugins/containers/logs/of_services/service_tasks.ts";
import { eventually } from "../support/eventually.ts";
import { CHUNKED, frameChunk, LAST_CHUNK, ScriptedEngine } from "../support/scripted_engine.ts";
import { serviceOf, type Told } from "./service_log_world.ts";

/** Bytes between two pauses of the manager. */
const BLOCK = 100_000;
/** Lengths of lines; one of the longer ones does not come in one piece. */
const LENGTHS = [1_000, 20_000];

const task = {
  id: "a",
  name: "web.a",
  slot: 1,
  node: { id: "n2", name: "node2" },
  at: null,
  state: "running",
  desired: true,
  current: true,
  reason: null,
  exitCode: null,
  container: { id: "ca", backend: null },
} as const;

for (const length of LENGTHS) {
  Deno.test(`serviceLog closes a manager's log of lines of ${length} for a reader who stalls, and goes on behind a gap that it tells`, async () => {
    const fill = "x".repeat(length);
    let count = 0;
    let open = 0;
    const asked: string[] = [];
    await using manager = new ScriptedEngine(async ({ path, write }) => {
      await write(CHUNKED);
      if (!path.includes("follow=true")) return await write(LAST_CHUNK);
      asked.push(path);
      open += 1;
      try {
        for (let nanos = 1;; nanos += 1) {
          const time = new Date().toISOString().replace("Z", `${String(nanos % 1e6).padStart(6, "0")}Z`);
          for (let line = 0; line < BLOCK / length; line += 1) {
            await write(frameChunk(1, `${time} ${fill} ${++count}\n`));
          }
          await new Promise((done) => setTimeout(done, 1));
        }
      } finally {
        open -= 1;
      }
    });
    using engine = new Engine("manager", { kind: "unix", path: manager.socket });
    const service = { ...serviceOf([task], { engines: ["manager"] }), managers: ["manager"] };
    const engines = {
      backends: { links: [{ name: "manager", state: "up", engine }] },
      services: () => ({ revision: 1, items: [service], clusters: [] }),
    } as unknown as Engines; // as far as a log looks at it
    const leaving = new AbortController();
    const body = serviceLog({
      engines,
      awaken: () => ({ [Symbol.dispose]: () => {} }),
      tasks: tasksOf({ engines, reach: Reach.EVERYWHERE, service: service.service, isAll: false }),
      request: { follow: true, tail: null, since: null, until: null, stdout: true, stderr: true },
      search: undefined,
      timestamps: false,
      cursors: new Map(),
      format: "ndjson",
      doing: "read the logs",
      signal: leaving.signal,
      reason: () => "stopping",
      onEnd: () => {},
    });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const all: Told[] = [];
    let rest = "";
    const read = async () => {
      const lines = (rest + ((await reader.read()).value ?? "")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") all.push(JSON.parse(line));
    };
    while (all.length === 0) await read();

    await eventually("the manager has nothing to send", () => open === 0);
    const written = count;
    await new Promise((done) => setTimeout(done, 200));
    assert.deepEqual([open, count], [0, written], "and is left alone while the reader takes nothing");
    count += 1_000; // written meanwhile
    while (!all.some(({ line }) => Number(line?.split(" ")[1]) > written + 1_000)) await read();
    leaving.abort();
    await reader.cancel();

    assert.ok(asked.slice(1).every((path) => path.includes("tail=0")), `${asked}`); // not read through from its beginning
    let last = 0;
    let isOpen = false;
    for (const { line, gap } of all) {
      isOpen ||= gap !== undefined;
      if (line === undefined) continue;
      const number = Number(line.split(" ")[1]);
      assert.ok(isOpen ? number > last : number === last + 1, `${number} behind ${last}`);
      [last, isOpen] = [number, false];
    }
    assert.ok(all.some(({ gap }) => gap !== undefined));
  });
}
