/** The latency of a line from the engine to the caller: through berth, and read from the engine itself. */
import { CHUNKED, frameChunk, logTime, ScriptedEngine } from "../tests/support/scripted_engine.ts";
import { startStreams } from "../tests/support/stream_process.ts";
import { median, rounds } from "./rounds.ts";
import { startServer } from "./server_process.ts";

const LINES = 200;
const EVERY_MS = 2;

export async function liveLines(): Promise<void> {
  let written = 0;
  await using engine = new ScriptedEngine(async (call) => {
    if (call.path.endsWith("/json")) {
      return await call.json({
        Id: "c1",
        Name: "/web",
        State: { Running: true },
        Config: {},
        HostConfig: {},
      });
    }
    await call.write(CHUNKED);
    while (true) { // until the reader hangs up
      await new Promise((done) => setTimeout(done, EVERY_MS));
      const line = `GET /api/items 200 user=alice sent=${performance.now()};`;
      await call.write(frameChunk(1, `${logTime(++written * 1_000)} ${line}\n`));
    }
  });
  await using berth = await startStreams(engine.socket);
  const reading = (connect: () => Promise<Deno.Conn>, path: string) => async () => {
    using conn = await connect();
    await conn.write(
      new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\n\r\n`),
    );
    const buffer = new Uint8Array(64 * 1024);
    const times: number[] = [];
    while (times.length < LINES) {
      const size = await conn.read(buffer);
      const now = performance.now();
      if (size === null) throw new Error("The log has ended");
      const text = new TextDecoder().decode(buffer.subarray(0, size));
      for (const [, sent] of text.matchAll(/sent=([\d.]+);/g)) times.push(now - Number(sent));
    }
    return median(times);
  };
  const fromEngine = () => Deno.connect({ transport: "unix", path: engine.socket });
  const fromBerth = () => Deno.connect({ hostname: "127.0.0.1", port: berth.port });
  await using bare = await startServer({
    args: ["-A", new URL("peers/pass_through.ts", import.meta.url).pathname, engine.socket, "PORT"],
    path: null,
  });
  const fromBare = () => Deno.connect({ hostname: "127.0.0.1", port: bare.port });
  const log = "/api/containers/c1/logs?follow";
  await rounds("streams-latency", [
    { name: "the engine's socket", run: reading(fromEngine, "/v1.41/containers/c1/logs?follow=1") },
    { name: "Deno.serve, bytes as they come", run: reading(fromBare, "/") },
    { name: "berth, text", run: reading(fromBerth, log) },
    { name: "berth, NDJSON", run: reading(fromBerth, `${log}&format=ndjson`) },
    { name: "berth, events", run: reading(fromBerth, `${log}&format=sse`) },
  ], { unit: "ms", about: `from an engine's write to the caller's read of a line, median of ${LINES}` });
}
