/** Very much of everything: a million lines, and a hundred callers who do not read. */
import assert from "node:assert/strict";
import { findOn, staysSeen } from "../support/one_engine.ts";
import { Engine } from "../../engines/calls/engine.ts";
import { logRoutes } from "../../plugins/containers/logs/routes.ts";
import { StreamLimit } from "../../plugins/containers/backends/stream_limit.ts";
import { eventually } from "../support/eventually.ts";
import {
  CHUNKED,
  frameChunk,
  logTime,
  type ScriptedCall,
  ScriptedEngine,
} from "../support/scripted_engine.ts";
import { startStreams } from "../support/stream_process.ts";
import { StreamService } from "../support/stream_service.ts";

/** They take a core for half a minute. */
const proof = Deno.env.get("BERTH_PROOF") === "1" ? Deno.test : Deno.test.ignore;

const INSPECTED = { Id: "c1", Name: "/web", State: { Running: true }, Config: {}, HostConfig: {} };

/** Frames of the lines `from` up to `to`, in one piece. */
function block(from: number, to: number): Uint8Array {
  const frames: Uint8Array[] = [];
  for (let at = from; at < to; at++) frames.push(frameChunk(1, `${logTime(at * 1_000)} line ${at}\n`));
  const bytes = new Uint8Array(frames.reduce((sum, frame) => sum + frame.byteLength, 0));
  let at = 0;
  for (const frame of frames) {
    bytes.set(frame, at);
    at += frame.byteLength;
  }
  return bytes;
}

function serve(script: (call: ScriptedCall) => Promise<void>) {
  const scripted = new ScriptedEngine(async (call) => {
    if (call.path.endsWith("/json")) return await call.json(INSPECTED);
    await script(call);
  });
  const engine = new Engine("docker", { kind: "unix", path: scripted.socket });
  const service = new StreamService(
    logRoutes({ find: findOn(engine), whileSeen: staysSeen, streamLimit: new StreamLimit() }),
  );
  return {
    service,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      engine[Symbol.dispose]();
      await scripted[Symbol.asyncDispose]();
    },
  };
}

proof(
  "a million lines go through following once and in order, although the engine dies on the way (F13)",
  async () => {
    const total = 1_000_000;
    const perBlock = 2_000;
    let deaths = 0;
    await using berth = serve(async (call) => {
      const since = new URLSearchParams(call.path.split("?")[1]).get("since");
      // Inclusive, as engines are, and berth asks for a little more than it has seen
      const [seconds = "", nanos = ""] = (since ?? "").split(".");
      const first = since === null ? 0 : Math.max(
        0,
        Math.floor(
          ((Number(seconds) - Date.UTC(2026, 0, 1) / 1000) * 1e9 + Number(nanos)) / 1_000,
        ),
      );
      await call.write(CHUNKED);
      for (let at = first; at < total; at += perBlock) {
        const bytes = block(at, Math.min(total, at + perBlock));
        if (deaths < 3 && at - first > 200_000) {
          deaths++;
          await call.write(bytes.subarray(0, bytes.byteLength / 3 | 0)); // somewhere in a frame
          return;
        }
        await call.write(bytes);
      }
      await call.conn.read(new Uint8Array(1));
    });
    const response = await berth.service.get("/containers/web/logs?follow&format=ndjson");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let next = 0;
    let rest = "";
    while (next < total) {
      const { value, done } = await reader.read();
      assert.equal(done, false, `ended behind line ${next}`);
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") continue; // a heartbeat
        const told = JSON.parse(line).line;
        if (told !== `line ${next}`) assert.fail(`told ${JSON.stringify(told)} in place of line ${next}`);
        next++;
      }
    }
    await reader.cancel();
    assert.equal(deaths, 3);
  },
);

proof(
  "a hundred callers who read nothing of a fast log cost the engine nothing and hold less than 64 MiB of berth together, and the others are served (F58)",
  async () => {
    const fast = block(0, 5_000);
    await using scripted = new ScriptedEngine(async (call) => {
      if (call.path.endsWith("/json")) return await call.json(INSPECTED);
      await call.write(CHUNKED);
      while (true) await call.write(fast);
    });
    await using berth = await startStreams(scripted.socket);
    await using conns = new AsyncDisposableStack();
    const open = async (format: string) => {
      const conn = await Deno.connect({ hostname: "127.0.0.1", port: berth.port });
      conns.defer(() => conn.close());
      await conn.write(new TextEncoder().encode(
        `GET /api/containers/web/logs?follow&format=${format} HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\n\r\n`,
      ));
      return conn;
    };
    const opened = () => scripted.calls.filter((call) => call.includes("/logs")).length;
    const isIdle = () => scripted.connections <= 24; // what the engine's client keeps for the next calls
    // What the code itself costs is not the callers' doing
    const formats = ["text", "ndjson", "sse"];
    for (const format of formats) await (await open(format)).read(new Uint8Array(1024));
    await eventually("they are held back", () => opened() >= 3 && isIdle());
    const before = { held: await berth.heldBytes(), resident: await berth.rssBytes() };

    await Promise.all(Array.from({ length: 100 }, (_, at) => open(formats[at % 3]!)));
    await eventually("all are open", () => opened() >= 103);
    await eventually("nobody costs the engine a connection any more", isIdle);
    const resident = await berth.rssBytes() - before.resident;
    const held = await berth.heldBytes() - before.held;
    const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
    console.log(
      `100 stalled readers hold ${mib(held)} MiB; resident, with garbage, are ${mib(resident)} MiB more`,
    );
    assert.ok(held < 64 * 1024 * 1024, `${held} bytes are held`);
    // The runtime collects what it has sent when it thinks fit
    assert.ok(resident < 200 * 1024 * 1024, `${resident} bytes are resident`);

    const reader = await open("ndjson");
    const buffer = new Uint8Array(16 * 1024);
    let text = "";
    while (!text.includes(`"line":"line 0"`)) {
      const size = await reader.read(buffer);
      assert.ok(size !== null);
      text += new TextDecoder().decode(buffer.subarray(0, size));
    }
  },
);
