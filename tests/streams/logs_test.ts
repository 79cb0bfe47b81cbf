/** Logs against engines that misbehave on command. */
import assert from "node:assert/strict";
import { Engine } from "../../engines/calls/engine.ts";
import { StreamLimit } from "../../plugins/containers/backends/stream_limit.ts";
import { chaosProxy } from "../proof/chaos_proxy.ts";
import { eventually } from "../support/eventually.ts";
import { Follower, logsOf } from "../support/follower.ts";
import {
  CHUNKED,
  frameChunk,
  LAST_CHUNK,
  logTime,
  type ScriptedCall,
  ScriptedEngine,
} from "../support/scripted_engine.ts";

interface Record {
  readonly cursor: string;
  readonly line: string;
  readonly gap?: unknown;
  readonly end?: unknown;
  readonly error?: { code: string };
}

const serve = (socket: string, streamLimit?: StreamLimit) => logsOf({ kind: "docker", socket }, streamLimit);

function inspected(changes: object = {}) {
  return {
    Id: "c1",
    Name: "/web",
    State: { Running: true },
    Config: { Tty: false },
    HostConfig: {},
    ...changes,
  };
}

/** A scripted container whose log is `lines`, served as an engine serves it: inclusive `since`, then the rest. */
function logOf(
  lines: readonly { stream: 1 | 2; nanos: number; line: string }[],
  after?: (call: ScriptedCall) => Promise<void>,
) {
  return async (call: ScriptedCall) => {
    const [path, search] = call.path.split("?");
    if (path === "/containers/web/json" || path === "/containers/c1/json") {
      return await call.json(inspected());
    }
    if (path !== "/containers/c1/logs") return await call.json({ message: "No such container" }, 404);
    const query = new URLSearchParams(search);
    const since = Number(query.get("since") ?? 0) === 0 ? "" : logTime(nanosOf(query.get("since")!));
    const first = lines.findIndex(({ nanos }) => logTime(nanos) >= since);
    await call.write(CHUNKED);
    for (const { stream, nanos, line } of first < 0 ? [] : lines.slice(first)) {
      await call.write(frameChunk(stream, `${query.has("timestamps") ? `${logTime(nanos)} ` : ""}${line}\n`));
    }
    if (after) await after(call);
    await call.write(LAST_CHUNK);
  };
}

function nanosOf(since: string): number {
  const [seconds = "", nanos = ""] = since.split(".");
  return (Number(seconds) - Date.UTC(2026, 0, 1) / 1000) * 1e9 + Number(nanos);
}

function recordsOf(ndjson: string): Record[] {
  return ndjson.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

const LINES = Array.from({ length: 40 }, (_, at) => ({
  stream: at % 3 === 0 ? 2 as const : 1 as const,
  nanos: 1_000 + Math.floor(at / 4),
  line: `line ${at} ${"ü".repeat(at)}`,
}));

Deno.test("GET logs answers text as written, NDJSON and events with a cursor on every line (R15)", async () => {
  await using engine = new ScriptedEngine(logOf(LINES));
  await using berth = serve(engine.socket);

  const text = await berth.get("/containers/web/logs");
  assert.equal(text.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(await text.text(), LINES.map(({ line }) => `${line}\n`).join(""));

  const stamped = await (await berth.get("/containers/web/logs?timestamps")).text();
  assert.equal(stamped, LINES.map(({ line, nanos }) => `${logTime(nanos)} ${line}\n`).join(""));

  const ndjson = await berth.get("/containers/web/logs", { accept: "application/x-ndjson" });
  assert.equal(ndjson.headers.get("content-type"), "application/x-ndjson");
  assert.deepEqual(
    recordsOf(await ndjson.text()).map(({ cursor: _, ...rest }) => rest),
    LINES.map(({ stream, nanos, line }) => ({
      time: logTime(nanos),
      stream: stream === 2 ? "stderr" : "stdout",
      line,
    })),
  );

  const events = await (await berth.get("/containers/web/logs", { accept: "text/event-stream" })).text();
  assert.equal(events.split("\n\n").filter((event) => event.startsWith("id: ")).length, LINES.length);
});

Deno.test("a cursor, in the query or as Last-Event-ID, resumes behind its line at every line of the log", async () => {
  await using engine = new ScriptedEngine(logOf(LINES));
  await using berth = serve(engine.socket);
  const all = recordsOf(await (await berth.get("/containers/web/logs?format=ndjson")).text());

  for (const [at, { cursor }] of all.entries()) {
    const headers = at % 2 === 0 ? { "last-event-id": cursor } : {};
    const query = at % 2 === 0 ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const rest = recordsOf(
      await (await berth.get(`/containers/web/logs?format=ndjson${query}`, headers)).text(),
    );
    assert.deepEqual(rest, all.slice(at + 1));
  }
});

Deno.test("an engine cut at every byte of its answer costs no line and repeats none, followed or not (F15)", async () => {
  const lines = LINES.slice(0, 8);
  const whole = logOf(lines, async ({ path, conn }) => {
    if (path.includes("follow=true")) await conn.read(new Uint8Array(1));
  });
  const cutYet = new Set<string>();
  // The container "cut100f" is cut after 100 bytes, once
  await using engine = new ScriptedEngine(async (call) => {
    const name = /cut(\d+)[ft]/.exec(call.path);
    const path = call.path.replace(/cut\d+[ft]/, "c1");
    if (name === null || cutYet.has(name[0]) || path.endsWith("/json")) {
      const json = (value: unknown) =>
        call.json(path.endsWith("/json") ? { ...Object(value), Id: name?.[0] } : value);
      return await whole({ ...call, path, json });
    }
    cutYet.add(name[0]);
    let left = Number(name[1]);
    const write = async (given: Uint8Array | string) => {
      const bytes = typeof given === "string" ? new TextEncoder().encode(given) : given;
      await call.write(bytes.subarray(0, left));
      left -= Math.min(left, bytes.byteLength);
      if (left === 0) throw new Error("cut");
    };
    await whole({ ...call, path, write });
  });
  await using berth = serve(engine.socket);
  const length = lines.reduce(
    (sum, { line, nanos }) => sum + frameChunk(1, `${logTime(nanos)} ${line}\n`).byteLength,
    CHUNKED.length,
  );
  const follow = async (cut: number, follow: boolean) => {
    const name = `cut${cut}${follow ? "t" : "f"}`;
    const response = await berth.get(`/containers/${name}/logs?format=ndjson&follow=${follow}`);
    let text = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (follow && recordsOf(text.slice(0, text.lastIndexOf("\n") + 1)).length >= lines.length) break;
    }
    assert.deepEqual(recordsOf(text).map(({ line }) => line), lines.map(({ line }) => line), name);
  };

  for (let from = CHUNKED.length; from <= length; from += 32) {
    const cuts = Array.from({ length: Math.min(32, length + 1 - from) }, (_, at) => from + at);
    await Promise.all(cuts.flatMap((cut) => [follow(cut, false), follow(cut, true)]));
  }
  assert.equal(cutYet.size, 2 * (length + 1 - CHUNKED.length));
});

Deno.test("a slow engine that sends three bytes at a time gives the same log, in every format", async () => {
  await using engine = new ScriptedEngine(logOf(LINES));
  await using proxy = chaosProxy(engine.socket);
  await using berth = serve(proxy.socket);
  for (const query of ["", "?timestamps", "?format=ndjson", "?format=sse"]) {
    proxy.set({});
    const expected = await (await berth.get(`/containers/web/logs${query}`)).text();
    proxy.set({ slice: 3, only: (request) => request.includes("/logs") });
    assert.equal(await (await berth.get(`/containers/web/logs${query}`)).text(), expected);
  }
});

Deno.test("plain text of a log that breaks off is a broken body, never a whole one", async () => {
  await using engine = new ScriptedEngine(async (call) => {
    if (call.path.endsWith("/json")) return await call.json(inspected());
    await call.write(CHUNKED);
    await call.write(frameChunk(1, "half\n"));
  });
  await using berth = serve(engine.socket);
  const response = await berth.get("/containers/web/logs");
  await assert.rejects(response.text());
});

Deno.test("hostile frames end NDJSON with a typed error after the lines before, and text with a broken body (F17)", async () => {
  const hostile = [
    new Uint8Array([0x39, 13, 10, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x61, 13, 10]),
    new Uint8Array([0x39, 13, 10, 9, 0, 0, 0, 0, 0, 0, 1, 0x61, 13, 10]),
    new Uint8Array([0x7a, 13, 10]),
    frameChunk(3, "Error grabbing logs: hunter2"),
  ];
  for (const bytes of hostile) {
    await using engine = new ScriptedEngine(async (call) => {
      if (call.path.endsWith("/json")) return await call.json(inspected());
      await call.write(CHUNKED);
      await call.write(frameChunk(1, `${logTime(5)} fine\n`));
      await call.write(bytes);
      await call.conn.read(new Uint8Array(1));
    });
    await using berth = serve(engine.socket);
    const text = await (await berth.get("/containers/web/logs?format=ndjson")).text();
    const records = recordsOf(text);
    assert.deepEqual(records.map(({ line, error }) => line ?? error?.code), ["fine", "engine_failed"]);
    assert.doesNotMatch(text, /hunter2/);
    await assert.rejects((await berth.get("/containers/web/logs")).text());
  }
});

Deno.test("lines that the engine has lost since are a gap, in NDJSON and in events", async () => {
  await using engine = new ScriptedEngine(logOf(LINES));
  await using berth = serve(engine.socket);
  const lost = encodeURIComponent(`o${logTime(1_000)}*9`);

  for (const format of ["ndjson", "sse"]) {
    const text = await (await berth.get(`/containers/web/logs?format=${format}&cursor=${lost}`)).text();
    const gap = JSON.stringify({ gap: { after: logTime(1_000), before: logTime(1_001) } });
    assert.equal(text.split("\n").filter((line) => line.endsWith(gap)).length, 1);
  }
});

Deno.test("following sends a heartbeat of its own kind while a container says nothing", async () => {
  const { logBody } = await import("../../plugins/containers/logs/log_body.ts");
  const { JsonWriter } = await import("../../plugins/containers/logs/log_formats.ts");
  const { LogPosition } = await import("../../plugins/containers/logs/log_position.ts");
  const { LogSource } = await import("../../plugins/containers/logs/log_source.ts");
  const { readLive } = await import("../../plugins/containers/backends/live_container.ts");
  await using scripted = new ScriptedEngine(
    logOf([], async (call) => void await call.conn.read(new Uint8Array(1))),
  );
  using engine = new Engine("docker", { kind: "unix", path: scripted.socket });
  for (const [events, beat] of [[true, ":\n\n"], [false, "\n"]] as const) {
    const ending = new AbortController();
    const position = new LogPosition();
    const writer = new JsonWriter(position, { events });
    const source = new LogSource({
      target: await readLive(engine, "web", "test"),
      query: { follow: true, tail: null, since: null, until: null, stdout: true, stderr: true },
      position,
      listener: writer,
      signal: ending.signal,
    });
    const body = logBody({
      source,
      writer,
      ending: ending.signal,
      reason: () => "stopping",
      onEnd: () => {},
      heartbeatMs: 30,
    });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value, beat);
    assert.equal((await reader.read()).value, beat);
    await reader.cancel();
  }
});

Deno.test("what a container that is down has said is told before it is waited for", async () => {
  const script = logOf(LINES);
  const looked = Promise.withResolvers<void>();
  await using engine = new ScriptedEngine(async (call) => {
    if (call.path !== "/containers/c1/json") return await script(call);
    await looked.promise;
    await call.json(inspected({ State: { Running: false } }));
  });
  await using berth = serve(engine.socket);
  const follower = new Follower(await berth.get("/containers/web/logs?format=ndjson&follow"));
  await eventually("all is told", () => follower.texts.length === LINES.length, { timeoutMs: 20_000 });
  looked.resolve();
  await follower.leave();
});

Deno.test("a follower that stops reading lets go of the engine and goes on at the same line later", async () => {
  const many = Array.from(
    { length: 60_000 },
    (_, at) => ({ stream: 1 as const, nanos: 1_000 + at, line: `line ${at} ${"x".repeat(200)}` }),
  );
  await using engine = new ScriptedEngine(
    logOf(many, async (call) => void await call.conn.read(new Uint8Array(1))),
  );
  await using berth = serve(engine.socket);
  const response = await berth.get("/containers/web/logs?format=ndjson&follow");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const chunks = [(await reader.read()).value ?? ""];
  await eventually("the engine's stream is let go", () => engine.connections === 0);

  const last = `line ${many.length - 1} `;
  for (let end = ""; !(end.includes(last) && end.endsWith("\n"));) {
    const { value, done } = await reader.read();
    if (done) break;
    chunks.push(value);
    end = (end + value).slice(-1_000); // the whole is 20 MB, too long to be searched after each chunk
  }
  await reader.cancel();

  assert.deepEqual(recordsOf(chunks.join("")).map(({ line }) => line), many.map(({ line }) => line));
  assert.equal(engine.calls.filter((call) => call.includes("/logs")).length, 2);
});

Deno.test("revoked rights and a stopping service end a followed log with the reason", async () => {
  for (const [act, reason] of [["stop", "stopping"], ["revoke", "not_allowed"]] as const) {
    const streamLimit = new StreamLimit();
    await using engine = new ScriptedEngine(
      logOf(LINES, async (call) => void await call.conn.read(new Uint8Array(1))),
    );
    await using berth = serve(engine.socket, streamLimit);
    const response = await berth.get("/containers/web/logs?format=ndjson&follow");
    let text = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes("line 39")) berth.service[act]();
    }
    assert.deepEqual(recordsOf(text).at(-1)?.end, { reason });
    assert.equal(streamLimit.count, 0);
    await eventually("the engine's stream is closed", () => engine.connections === 0);
  }
});

Deno.test("a text of a log that a stopping service cuts off is no complete body", async () => {
  for (const query of ["timestamps", "follow"]) {
    await using engine = new ScriptedEngine(
      logOf(LINES, async (call) => void await call.conn.read(new Uint8Array(1))),
    );
    await using berth = serve(engine.socket);
    const response = await berth.get(`/containers/web/logs?${query}`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    await assert.rejects(async () => {
      for (let text = ""; !(await reader.read().then(({ done, value }) => (text += value ?? "", done)));) {
        if (text.includes("line 39")) berth.service.stop();
      }
    }, query);
  }
});

Deno.test("a caller who leaves ends the engine's stream", async () => {
  const streamLimit = new StreamLimit();
  await using engine = new ScriptedEngine(
    logOf(LINES, async (call) => void await call.conn.read(new Uint8Array(1))),
  );
  await using berth = serve(engine.socket, streamLimit);
  for (const format of ["text", "ndjson", "sse"]) {
    const leaving = new AbortController();
    const response = await berth.get(`/containers/web/logs?follow&format=${format}`, {}, leaving.signal);
    await response.body!.getReader().read();
    leaving.abort();
    await eventually(
      "the engine's stream is closed",
      () => engine.connections === 0 && streamLimit.count === 0,
    );
  }
});

Deno.test("what cannot be is refused before anything is streamed", async () => {
  await using engine = new ScriptedEngine(logOf(LINES));
  await using berth = serve(engine.socket);
  for (
    const [path, status, code] of [
      ["/containers/nothing/logs", 404, "container_not_found"],
      ["/containers/nothing/logs?follow&format=sse", 404, "container_not_found"],
      ["/containers/..%2f..%2fx/logs", 400, "invalid_request"],
      ["/containers/web/logs?cursor=nonsense", 400, "invalid_request"],
      ["/containers/web/logs?since=yesterday", 400, "invalid_request"],
      ["/containers/web/logs?stdout=false&stderr=false", 400, "invalid_request"],
      ["/containers/web/logs?tail=-1", 400, "invalid_request"],
      ["/containers/web/logs?colour=red", 400, "invalid_request"],
    ] as const
  ) {
    const response = await berth.get(path);
    assert.deepEqual([response.status, (await response.json()).code], [status, code], path);
  }
  assert.deepEqual(engine.calls.filter((call) => call.includes("..")), []);
});

Deno.test("q keeps the lines that hold it, in either case, whatever else stands in the query", async () => {
  await using engine = new ScriptedEngine(logOf(LINES));
  await using berth = serve(engine.socket);
  const text = await (await berth.get("/containers/web/logs?q=LINE%201")).text();
  assert.deepEqual(
    text.split("\n").filter((line) => line !== ""),
    LINES.map(({ line }) => line).filter((line) => line.includes("line 1")),
  );
});
