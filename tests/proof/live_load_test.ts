/** `/api/live` under load: a log of 100,000 lines a second beside everything else, and readers who do not read. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { LiveVisitor } from "../streams/live_visitor.ts";
import { FastLog } from "../support/scripted_log.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines, type TestService } from "../support/service.ts";

const encoder = new TextEncoder();

async function scene(log: FastLog, rows: number, stack: AsyncDisposableStack) {
  const containers = new Map<string, unknown>(
    Array.from(
      { length: rows },
      (_, at) => [scriptedId(at + 1), inspected(scriptedId(at + 1), `c${at + 1}`)],
    ),
  );
  const engine = stack.use(
    new ScriptedWorld({
      containers,
      override: (request, path) => {
        if (!path.endsWith("/logs")) return undefined;
        const isAsked = new URL(request.url).searchParams.get("follow") === "true";
        return isAsked ? log.answer() : new Response();
      },
    }),
  );
  const berth = stack.use(await serveEngines({ docker: engine }));
  let state = 0;
  const change = (number: number) => {
    const id = scriptedId(number);
    containers.set(id, inspected(id, `c${number}`, ++state % 2 === 0 ? "running" : "exited"));
    const Actor = { ID: id, Attributes: { name: `c${number}` } };
    engine.tell({ Type: "container", Action: "die", Actor, timeNano: Date.now() * 1e6 });
    return { key: `docker/${id}`, state: state % 2 === 0 ? "running" : "exited" };
  };
  return { berth, change };
}

Deno.test("50,000 lines come once and in order, as fast as they are read, while 36 rows of 1,000 change a second", async () => {
  await using stack = new AsyncDisposableStack();
  const log = new FastLog(50_000);
  const { berth, change } = await scene(log, 1_000, stack);
  const visitor = stack.use(new LiveVisitor(berth, berth.admin));
  await visitor.subscribe("c", "containers");
  const list = await visitor.list("c");
  assert.equal(list.rows.size, 1_000);
  await visitor.subscribe("l", "logs", { containers: ["c1"], tail: 0 });
  let heard = 0;
  const hear = () => {
    for (const message of visitor.messages.splice(0)) {
      for (const { line } of message.type === "lines" ? message.items : []) {
        assert.equal(line, `line ${++heard} of a log`);
      }
    }
  };
  let last = change(2);
  const changing = setInterval(() => last = change(2 + Math.floor(Math.random() * 900)), 1_000 / 36);
  try {
    await eventually("all lines", () => {
      hear();
      return heard >= 50_000;
    });
  } finally {
    clearInterval(changing);
  }
  await eventually("the last change is told", () => list.rows.get(last.key).state === last.state);
  assert.deepEqual([heard, list.resets], [50_000, 1]);
});

/** A WebSocket by hand, which reads nothing after its handshake until it is told to. */
async function silent(berth: TestService, ...requests: readonly object[]) {
  const { hostname, port } = new URL(berth.url);
  const conn = await Deno.connect({ hostname, port: Number(port) });
  const head = [
    "GET /api/live HTTP/1.1",
    `host: ${hostname}:${port}`,
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol: berth.v1",
    `authorization: Bearer ${berth.admin}`,
  ];
  await conn.write(encoder.encode(`${head.join("\r\n")}\r\n\r\n`));
  for (const request of requests) {
    const text = encoder.encode(JSON.stringify(request));
    assert.ok(text.byteLength < 126);
    await conn.write(new Uint8Array([0x81, 0x80 | text.byteLength, 0, 0, 0, 0, ...text])); // masked by zeros
  }
  return conn;
}

Deno.test("who reads nothing holds up their own log and nothing else, in bounded memory", async () => {
  await using stack = new AsyncDisposableStack();
  const log = new FastLog(100_000_000);
  const { berth, change } = await scene(log, 500, stack);
  using _stuck = await silent(
    berth,
    { type: "subscribe", id: "l", feed: "logs", containers: ["c1"], tail: 0 },
    { type: "subscribe", id: "c", feed: "containers" },
  );
  await eventually("the log is read", () => log.written > 0);
  // It is read until every buffer on the way is full, and no further.
  let before = -1;
  await eventually("reading stops", () => {
    const isStill = log.bytes === before;
    before = log.bytes;
    return isStill;
  }, { everyMs: 500 });
  assert.ok(log.bytes < 64 * 1024 * 1024, `${log.bytes} bytes were read for nobody`);
  await using visitor = new LiveVisitor(berth, berth.admin);
  await visitor.subscribe("c", "containers");
  const list = await visitor.list("c");
  const { key, state } = change(7);
  await eventually("another one is told of a change", () => list.rows.get(key).state === state);
  assert.equal((await berth.call("GET /api/containers?limit=1")).body.total, 500);
});
