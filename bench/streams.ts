/** Logs, exec and events against the engine itself and against the library that others use. */
import type { Engine as EngineType } from "../engines/calls/engine.ts";
import { findOn, staysSeen } from "../tests/support/one_engine.ts";
import { Engine } from "../engines/calls/engine.ts";
import { Execs } from "../plugins/containers/exec/routes.ts";
import { FrameReader } from "../engines/frames/frames.ts";
import { LineReader, type LineSink } from "../plugins/containers/logs/lines.ts";
import { JsonWriter, type LogWriter, RawTextWriter } from "../plugins/containers/logs/log_formats.ts";
import { LogPosition } from "../plugins/containers/logs/log_position.ts";
import { StreamLimit } from "../plugins/containers/backends/stream_limit.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../tests/support/engine.ts";
import { eventually } from "../tests/support/eventually.ts";
import { frameChunk, logTime } from "../tests/support/scripted_engine.ts";
import { SILENT } from "../tests/support/silent_log.ts";
import { startStreams } from "../tests/support/stream_process.ts";
import { StreamService } from "../tests/support/stream_service.ts";
import { median, rounds } from "./rounds.ts";
import { fanOut } from "./streams_fan_out.ts";
import { liveLines } from "./streams_latency.ts";

const parts: Readonly<Record<string, () => Promise<void>>> = {
  replay: replays,
  "fan-out": fanOut,
  lines: liveLines,
};
for (const [name, measure] of Object.entries(parts)) {
  if (Deno.args.length === 0 || Deno.args.includes(name)) await measure();
}
let real: TestEngine | null = null;
try {
  if (Deno.args.length === 0) real = await startEngine("docker");
} catch (error) {
  console.log(`absent: a real engine, ${error instanceof NoEngine ? error.message : error}`);
}
if (real !== null) {
  await using engine = real;
  await keyStrokes(engine);
  await following(engine);
}

/** A recorded answer of 300,000 lines, read again and again from memory. */
async function replays(): Promise<void> {
  const lines = 300_000;
  const line = (at: number) =>
    `2026 INFO request ${at} GET /api/items/${at * 7} 200 12ms user=alice trace=0123456789abcdef\n`;
  const plain = joined(Array.from({ length: lines }, (_, at) => frameChunk(at % 10 === 0 ? 2 : 1, line(at))));
  const timed = joined(
    Array.from(
      { length: lines },
      (_, at) => frameChunk(at % 10 === 0 ? 2 : 1, `${logTime(at * 1_000)} ${line(at)}`),
    ),
  );
  const text = () => {
    const writer = new RawTextWriter();
    feed(
      plain,
      new FrameReader(writer, { framed: true, framing: { kind: "chunked" } }),
      () => writer.output.take(),
    );
  };
  const json = (events: boolean) => () => {
    const position = new LogPosition();
    const writer: LogWriter = new JsonWriter(position, { events });
    const sink: LineSink = {
      line: (line) => {
        if (position.admit(line, () => {})) writer.line(line);
      },
    };
    const reader = new FrameReader(new LineReader(sink, { terminal: false }), {
      framed: true,
      framing: { kind: "chunked" },
    });
    feed(timed, reader, () => writer.output.take());
  };
  const rate = (bytes: number, run: () => void | Promise<void>) => async () => {
    const started = performance.now();
    await run();
    return bytes / 1e3 / (performance.now() - started);
  };
  await rounds("streams-replay", [
    { name: "docker-modem, demultiplexing", run: rate(plain.byteLength, await dockerModem(plain)) },
    { name: "berth, text", run: rate(plain.byteLength, text) },
    { name: "berth, NDJSON", run: rate(timed.byteLength, json(false)) },
    { name: "berth, events", run: rate(timed.byteLength, json(true)) },
  ], {
    unit: "MB/s",
    better: "more",
    about:
      "a recorded answer of 300,000 lines from memory; docker-modem is given it without the chunks, which others take off for it",
  });
}

function feed(bytes: Uint8Array, reader: FrameReader, taken: () => unknown): void {
  const buffer = new Uint8Array(64 * 1024);
  for (let at = 0; at < bytes.byteLength; at += buffer.byteLength) {
    const piece = bytes.subarray(at, at + buffer.byteLength);
    buffer.set(piece);
    reader.push(buffer, 0, piece.byteLength);
    taken();
  }
}

/** The library's demultiplexer over the same frames. */
async function dockerModem(chunked: Uint8Array): Promise<() => Promise<void>> {
  const frames: Uint8Array[] = [];
  let at = 0;
  while (at < chunked.byteLength) {
    const end = chunked.indexOf(13, at);
    const size = parseInt(new TextDecoder().decode(chunked.subarray(at, end)), 16);
    frames.push(chunked.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  const bytes = joined(frames);
  const { default: Modem } = await import("npm:docker-modem@5.0.7");
  const { PassThrough, Readable, Writable } = await import("node:stream");
  const modem = new Modem({ socketPath: "/nowhere" });
  return async () => {
    const source = new PassThrough();
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    modem.demuxStream(source, nowhere, nowhere);
    const pieces = function* () {
      for (let at = 0; at < bytes.byteLength; at += 64 * 1024) {
        yield Buffer.from(bytes.subarray(at, at + 64 * 1024));
      }
    };
    const ended = new Promise((resolve) => source.on("end", resolve));
    Readable.from(pieces()).pipe(source);
    await ended;
  };
}

/** Following a container that writes as fast as it can: berth against the engine's own socket. */
async function following(engine: TestEngine): Promise<void> {
  const words = "GET /api/items 200 12ms user=alice trace=0123456789abcdef";
  const lines = 200_000;
  const script = `awk 'BEGIN { for (i = 1; i <= ${lines}; i++) print "request " i " ${words}" }'; exec idle`;
  const id = await engine.cli("run", "-d", FIXTURE, "sh", "-c", script);
  await eventually("the log is written", async () => {
    return (await engine.cli("logs", "--tail", "1", id)).includes(`request ${lines} `);
  }, { everyMs: 200 });
  await using berth = await startStreams(engine.socket);
  // The same reader for all, so that none of them pays for a client's way of reading
  const reading = (connect: () => Promise<Deno.Conn>, path: string) => async () => {
    const started = performance.now();
    using conn = await connect();
    await conn.write(
      new TextEncoder().encode(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\nConnection: close\r\n\r\n`,
      ),
    );
    const buffer = new Uint8Array(64 * 1024);
    while (await conn.read(buffer) !== null);
    return lines / (performance.now() - started);
  };
  const direct = (query: string) =>
    reading(
      () => Deno.connect({ transport: "unix", path: engine.socket }),
      `/v1.41/containers/${id}/logs?stdout=1&stderr=1${query}`,
    );
  const through = (query: string) =>
    reading(
      () => Deno.connect({ hostname: "127.0.0.1", port: berth.port }),
      `/api/containers/${id}/logs?${query}`,
    );
  await rounds("streams-logs", [
    { name: "the engine's socket, with times", run: direct("&timestamps=1") },
    { name: "the engine's socket", run: direct("") },
    { name: "berth, text", run: through("") },
    { name: "berth, text with times", run: through("timestamps") },
    { name: "berth, NDJSON", run: through("format=ndjson") },
    { name: "berth, events", run: through("format=sse") },
  ], {
    unit: "thousand lines/s",
    better: "more",
    about: "a log of 200,000 lines, read from beginning to end; all but plain text ask the engine for times",
  });
  await engine.cli("rm", "-f", id);
}

/** A key pressed in a terminal until its echo is there. */
async function keyStrokes(real: TestEngine): Promise<void> {
  const id = await real.cli("run", "-d", FIXTURE);
  using engine: EngineType = new Engine("docker", { kind: "unix", path: real.socket });
  const folder = await Deno.makeTempDir({ prefix: "berth-bench-" });
  await using store = await openSqliteStore(`${folder}/berth.db`);
  await using execs = new Execs({
    find: findOn(engine),
    whileSeen: staysSeen,
    streamLimit: new StreamLimit(),
    onFailure: console.error,
    commands: { store: store.commands, engineOf: () => engine, log: SILENT },
  });
  await using service = new StreamService(execs.routes);
  const strokes = 300;

  const created = await real.ask(`POST /containers/${id}/exec`, {
    Cmd: ["cat"],
    Tty: true,
    AttachStdin: true,
    AttachStdout: true,
  });
  const conn = await Deno.connect({ transport: "unix", path: real.socket });
  const start = JSON.stringify({ Tty: true });
  await conn.write(new TextEncoder().encode(
    `POST /v1.41/exec/${created.json.Id}/start HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Type: application/json\r\nContent-Length: ${start.length}\r\n\r\n${start}`,
  ));
  const buffer = new Uint8Array(1024);
  await conn.read(buffer);

  const wire = new WebSocket(`${service.url.replace("http", "ws")}/api/containers/${id}/exec?cmd=cat`);
  wire.binaryType = "arraybuffer";
  let heard = Promise.withResolvers<void>();
  wire.onmessage = () => heard.resolve();
  await heard.promise; // ready
  const key = new TextEncoder().encode("a");
  const each = (press: () => Promise<void>) => async () => {
    const times: number[] = [];
    for (let at = 0; at < strokes; at++) {
      if (at % 50 === 49) await new Promise((done) => setTimeout(done, 5));
      const pressed = performance.now();
      await press();
      times.push(performance.now() - pressed);
    }
    return median(times);
  };
  await rounds("streams-exec", [
    {
      name: "the engine's hijacked connection",
      run: each(async () => {
        await conn.write(key);
        await conn.read(buffer);
      }),
    },
    {
      name: "berth's socket",
      run: each(async () => {
        heard = Promise.withResolvers();
        wire.send(key);
        await heard.promise;
      }),
    },
  ], { unit: "ms", about: `key stroke to echo, median of ${strokes}` });
  conn.close();
  await new Promise((done) => {
    wire.onclose = done;
    wire.close();
  });
  await execs[Symbol.asyncDispose]();
  await real.cli("rm", "-f", id);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}
