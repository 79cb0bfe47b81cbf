/** The client end to end: its constants, streams and sockets against berth, and berth against real engines. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { BearerAuth, Client, isStatusError } from "@berth/client";
import {
  CONTAINER,
  CONTAINER_EXEC,
  CONTAINER_LOGS,
  CONTAINER_STATS,
  CONTAINER_STOP,
  CONTAINERS,
  IMAGES,
  SYSTEM_BACKENDS,
  TERMINAL_COMPOSE_LOGS,
} from "@berth/client/berth";
import { connect } from "@berth/client/connect";
import { stream } from "@berth/client/stream";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

/** A berth beside this engine, and an admin's client of it. */
async function beside(engine: TestEngine) {
  const berth = await startService({ engines: [{ name: engine.kind, url: `unix://${engine.socket}` }] });
  ok(berth.admin);
  const client = new Client({ baseUrl: berth.url, auth: new BearerAuth(berth.admin), timeoutS: 60 });
  await eventually("the engine is up", async () => {
    return (await client.get(SYSTEM_BACKENDS)).json().items.some(({ state }) => state === "up");
  });
  return {
    client,
    async [Symbol.asyncDispose]() {
      client.close();
      await berth[Symbol.asyncDispose]();
    },
  };
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("client: lists, details and control of containers", async (engine) => {
    const id = await engine.cli("run", "-d", "--name", "steered", FIXTURE);
    await using berth = await beside(engine);
    const { client } = berth;
    const { items } = (await client.get(CONTAINERS, { query: { state: ["running"], q: "steered" } })).json();
    deepEqual(items.map((container) => [container.id, container.name]), [[id, "steered"]]);
    ok((await client.get(IMAGES)).json().items.some(({ tags }) => tags.some((tag) => tag.endsWith(FIXTURE))));
    const stopped = (await client.post(CONTAINER_STOP, { params: { id }, query: { timeoutS: 30 } })).json();
    equal(stopped.changed, true);
    equal((await client.delete(CONTAINER, { params: { id }, query: { volumes: true } })).statusCode, 204);
    const gone = await client.get(CONTAINER, { params: { id } }).catch((error) => error);
    ok(isStatusError(gone) && gone.response.statusCode === 404, String(gone));
  });

  test("client: a log is followed, left, and resumed behind the last line without loss or repeats", async (engine) => {
    const count = "i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo line $i; done; exec idle";
    const id = await engine.cli("run", "-d", FIXTURE, "sh", "-c", count);
    await using berth = await beside(engine);
    const lines: string[] = [];
    let cursor: string | undefined;
    for (const upTo of [15, 40]) {
      const query = { follow: true, ...(cursor === undefined ? {} : { cursor }) };
      for await (
        const record of stream(berth.client, CONTAINER_LOGS, { as: "ndjson", params: { id }, query })
      ) {
        if (!("line" in record)) continue;
        lines.push(record.line);
        cursor = record.cursor;
        if (lines.length === upTo) break;
      }
    }
    deepEqual(lines, Array.from({ length: 40 }, (_, i) => `line ${i + 1}`));
    let text = "";
    const whole = { as: "text", params: { id }, query: { tail: 2 } } as const;
    for await (const piece of stream(berth.client, CONTAINER_LOGS, whole)) text += piece;
    equal(text, "line 39\nline 40\n");
  });

  test("client: a log that is followed says when its container was removed", async (engine) => {
    const id = await engine.cli("run", "-d", FIXTURE, "sh", "-c", "echo begun; exec idle");
    await using berth = await beside(engine);
    const query = { follow: true };
    const told: unknown[] = [];
    for await (
      const record of stream(berth.client, CONTAINER_LOGS, { as: "ndjson", params: { id }, query })
    ) {
      told.push("line" in record ? record.line : record);
      if ("line" in record) await engine.cli("rm", "-f", id);
    }
    deepEqual(told, ["begun", { end: { reason: "removed" } }]);
  });

  test("client: an exec takes input, gives output and tells its exit code", async (engine) => {
    const id = await engine.cli("run", "-d", FIXTURE);
    await using berth = await beside(engine);
    const query = { cmd: ["sh", "-c", "read word; echo got $word; exit 3"], tty: false };
    await using exec = await connect(berth.client, CONTAINER_EXEC, { params: { id }, query });
    let output = "";
    let code: number | null | undefined;
    for await (const message of exec) {
      if (message instanceof Uint8Array) output += new TextDecoder().decode(message);
      else if (message.type === "ready") exec.send(new TextEncoder().encode("berth\n"));
      else if (message.type === "exit") code = message.code;
    }
    deepEqual([output, code, (await exec.closed).code], ["got berth\n", 3, 1000]);
  });

  test("client: the terminal tells of a container that starts, live and later as a batch, and stats measure it", async (engine) => {
    await using berth = await beside(engine);
    await using terminal = await connect(berth.client, TERMINAL_COMPOSE_LOGS);
    let id = "";
    let since = 0;
    const live: number[] = [];
    for await (const item of terminal) {
      if (item instanceof Uint8Array) throw new Error("bytes from the terminal");
      if (item.type === "hello") {
        since = item.seq;
        id = await engine.cli("run", "-d", FIXTURE);
      }
      if (item.type !== "event") continue;
      live.push(item.seq);
      if (item.action === "start" && item.container?.id === id) break;
    }
    ok(live.length > 1, `${live}`);

    const frames: string[] = [];
    const webSocket = (url: string, protocols: string[]) => {
      const socket = new WebSocket(url, protocols);
      socket.addEventListener("message", ({ data }) => frames.push(String(data)));
      return socket;
    };
    await using late = await connect(berth.client, TERMINAL_COMPOSE_LOGS, { query: { since }, webSocket });
    const past: number[] = [];
    for await (const item of late) {
      if (!(item instanceof Uint8Array) && item.type === "event") past.push(item.seq);
      if (past.length === live.length) break;
    }
    deepEqual(past, live);
    ok(frames.some((frame) => frame.startsWith(`{"type":"batch"`)), "nothing came as a batch");
    await using stats = await connect(berth.client, CONTAINER_STATS, { params: { id } });
    for await (const sample of stats) {
      ok(
        !(sample instanceof Uint8Array) && "pids" in sample && sample.memoryBytes >= 0,
        JSON.stringify(sample),
      );
      break;
    }
  });
}
