/** Commands and shells in the containers of real engines, over the socket as a browser opens it. */
import assert from "node:assert/strict";
import { findOn, staysSeen } from "../support/one_engine.ts";
import { Engine } from "../../engines/calls/engine.ts";
import { commandOf, Execs } from "../../plugins/containers/exec/routes.ts";
import { StreamLimit } from "../../plugins/containers/backends/stream_limit.ts";
import type { WhileSeen } from "../../plugins/containers/backends/while_seen.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { SILENT } from "../support/silent_log.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { bounded } from "../support/bounded.ts";
import { eventually } from "../support/eventually.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";
import { StreamService, Visitor } from "../support/stream_service.ts";

async function serve(
  socket: string,
  kind: "docker" | "podman" = "docker",
  whileSeen: WhileSeen = staysSeen,
) {
  const engine = new Engine(kind, { kind: "unix", path: socket });
  const streamLimit = new StreamLimit();
  const failures: unknown[] = [];
  const folder = await Deno.makeTempDir({ prefix: "berth-exec-" });
  const store = await openSqliteStore(`${folder}/store.db`);
  const execs = new Execs({
    find: findOn(engine),
    whileSeen,
    streamLimit,
    onFailure: (error) => failures.push(error),
    commands: { store: store.commands, engineOf: () => engine, log: SILENT },
  });
  const service = new StreamService(execs.routes);
  return {
    service,
    streamLimit,
    failures,
    open: (
      id: string,
      query: Record<string, string> | [string, string][] = {},
      onMessage?: (data: string | Uint8Array) => void,
    ) => new Visitor(`${service.url}/api/containers/${id}/exec?${new URLSearchParams(query)}`, onMessage),
    [Symbol.asyncDispose]: async () => {
      service.stop();
      await execs[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
      engine[Symbol.dispose]();
    },
  };
}

async function idle(engine: TestEngine, ...options: string[]): Promise<string> {
  return await engine.cli("run", "-d", ...options, FIXTURE);
}

for (const kind of ["docker", "podman"] as const) {
  const { test: testOnBoth } = await sharedEngine(kind);
  const { test } = await lawEngine(kind);

  testOnBoth("a command's output arrives and its exit code comes from the engine", async (engine) => {
    await using berth = await serve(engine.socket, kind);
    const id = await idle(engine);
    for (
      const [cmd, output, code] of [["echo hello world", "hello world\n", 0], [
        `sh -c "exit 7"`,
        "",
        7,
      ]] as const
    ) {
      const visitor = berth.open(id, { cmd, tty: "false" });
      assert.equal((await visitor.closed).code, 1000);
      assert.equal(visitor.output, output);
      assert.deepEqual(visitor.said("exit"), [{ type: "exit", code }]);
      assert.equal(visitor.said("ready").length, 1);
    }
    const missing = berth.open(id, { cmd: "no-such-program", tty: "false" });
    await missing.closed;
    const codes = missing.said("exit").map(({ code }) => code);
    const refusals = missing.said("error").map(({ code }) => code);
    // A missing command is an exit code on some engines and a refusal on others, and never an internal error
    assert.ok(
      [126, 127].includes(codes[0]) || refusals.length === 1 && refusals[0] !== "internal",
      missing.texts.join(),
    );
    await engine.cli("rm", "-f", id);
  });

  test("a command is told with its user before it runs, masked, and its exit code after it", async (engine) => {
    await using berth = await serve(engine.socket, kind);
    const id = await idle(engine);
    const query = {
      cmd: "sh -c 'exit 7' --password=hunter2",
      user: "root",
      env: "TOKEN=hunter3",
      tty: "false",
    };
    await berth.open(id, query).closed;
    await eventually("it is told", () => berth.service.audited.length > 1);
    const [intent, outcome, ...others] = berth.service.audited;
    assert.deepEqual(others, []);
    const asked = { command: "sh -c exit 7 --password=********", user: "root", env: "TOKEN=********" };
    assert.deepEqual([intent?.result, intent?.particulars], ["begun", asked]);
    assert.deepEqual([outcome?.result, outcome?.particulars], ["done", { ...asked, exit: "7" }]);
    assert.equal(intent?.action, "WS /api/containers/{id}/exec");

    await berth.open("nowhere", { cmd: "true" }).closed;
    const failed = await eventually("it is told", () => berth.service.audited[3]);
    assert.equal(failed.result, "container_not_found");
    assert.ok(!JSON.stringify(berth.service.audited).includes("hunter"));
    await engine.cli("rm", "-f", id);
  });

  test("bytes of every value go in and come out unharmed, and the end of input reaches the process", async (engine) => {
    await using berth = await serve(engine.socket, kind);
    const id = await idle(engine);
    const sent = new Uint8Array(3 * 1024 * 1024 + 17).map((_, at) => at * 31 + (at >> 8));
    const received: Uint8Array[] = [];
    const visitor = berth.open(id, { cmd: "cat", tty: "false" }, (data) => {
      if (typeof data !== "string") received.push(data);
    });
    await visitor.opened;
    for (let at = 0; at < sent.byteLength; at += 60_000) visitor.wire.send(sent.subarray(at, at + 60_000));
    visitor.wire.send(JSON.stringify({ type: "eof" }));
    assert.equal((await visitor.closed).code, 1000);

    const all = new Uint8Array(received.reduce((sum, piece) => sum + piece.byteLength, 0));
    let at = 0;
    for (const piece of received) {
      all.set(piece, at);
      at += piece.byteLength;
    }
    assert.equal(all.byteLength, sent.byteLength);
    assert.ok(all.every((byte, at) => byte === sent[at]), "the bytes are the same");

    const counted = berth.open(id, { cmd: "wc -c", tty: "false" });
    await counted.opened;
    counted.wire.send(new Uint8Array(60_000));
    counted.wire.send(JSON.stringify({ type: "eof" }));
    await counted.closed;
    assert.equal(counted.output.trim(), "60000");
    await engine.cli("rm", "-f", id);
  });

  testOnBoth(
    "without a command a shell is found, on a terminal of the size that was asked for and then changed (F28)",
    async (engine) => {
      await using berth = await serve(engine.socket, kind);
      const id = await idle(engine);
      const visitor = berth.open(id, { cols: "91", rows: "33" });
      await visitor.opened;
      await eventually("ready", () => visitor.said("ready").length === 1);
      const say = (text: string) => visitor.wire.send(new TextEncoder().encode(text));
      await eventually("the first size", () => {
        say("stty size\n");
        return visitor.output.includes("33 91");
      }, { everyMs: 100 });
      for (let columns = 0; columns < 200; columns++) {
        visitor.wire.send(JSON.stringify({ type: "resize", cols: 300 + columns, rows: 700 }));
      }
      visitor.wire.send(JSON.stringify({ type: "resize", cols: 120, rows: 40 }));
      await eventually("the last size", () => {
        say("stty size\n");
        return visitor.output.includes("40 120");
      }, { everyMs: 100 });
      say("exit 5\n");
      assert.equal((await visitor.closed).code, 1000);
      assert.deepEqual(visitor.said("exit"), [{ type: "exit", code: 5 }]);
      await engine.cli("rm", "-f", id);
    },
  );

  test("user, folder and environment are those that were asked for", async (engine) => {
    await using berth = await serve(engine.socket, kind);
    const id = await idle(engine);
    const visitor = berth.open(id, [
      ["cmd", "sh"],
      ["cmd", "-c"],
      ["cmd", 'id -un; pwd; echo "$GREETING|$OTHER"'],
      ["user", "guest"],
      ["workdir", "/tmp"],
      ["env", "GREETING=good day"],
      ["env", "OTHER=1"],
      ["tty", "false"],
    ]);
    await visitor.closed;
    assert.equal(visitor.output, "guest\n/tmp\ngood day|1\n");
    await engine.cli("rm", "-f", id);
  });

  test("whoever leaves takes the command along: a shell, what runs in it, and what ignores its input (F27)", async (engine) => {
    await using berth = await serve(engine.socket, kind);
    const id = await idle(engine);
    const before = await processes(engine, id);
    for (
      const query of [{}, { cmd: "sleep 1234" }, { cmd: "sleep 1234", tty: "false" }, {
        cmd: "cat",
        tty: "false",
      }]
    ) {
      const visitor = berth.open(id, query);
      await visitor.opened;
      await eventually("ready", () => visitor.said("ready").length === 1);
      await eventually("the process runs", async () => (await processes(engine, id)).length > before.length);
      visitor.wire.close();
      await eventually("it is gone", async () => (await processes(engine, id)).length === before.length);
    }
    const listed = await (await berth.service.get(`/containers/${id}/orphans`)).json();
    assert.deepEqual(listed, { items: [], total: 0 });
    await engine.cli("rm", "-f", id);
  });

  test("a shell whose container leaves the scope of its caller ends with 1008, and its command with it", async (engine) => {
    let leave = () => {};
    await using berth = await serve(engine.socket, kind, (_reach, _container, onLeft) => {
      leave = onLeft;
      return staysSeen(_reach, _container, onLeft);
    });
    const id = await idle(engine);
    const before = await processes(engine, id);
    const visitor = berth.open(id);
    await eventually("ready", () => visitor.said("ready").length === 1);
    leave();
    assert.equal((await bounded("the end of the shell", visitor.closed)).code, 1008);
    await eventually("it is gone", async () => (await processes(engine, id)).length === before.length);
    await engine.cli("rm", "-f", id);
  });

  test("what cannot be hung up is listed as an orphan until it ends (F27)", async (engine) => {
    await using berth = await serve(engine.socket, kind);
    const id = await idle(engine);
    const stubborn = "trap '' HUP INT; while [ ! -e /tmp/end ]; do sleep 0.1; done";
    const visitor = berth.open(id, [["cmd", "sh"], ["cmd", "-c"], ["cmd", stubborn], ["tty", "false"]]);
    await eventually("ready", () => visitor.said("ready").length === 1);
    visitor.wire.close();
    const total = async () => (await (await berth.service.get(`/containers/${id}/orphans`)).json()).total;
    await eventually("it is listed", async () => await total() === 1);
    await engine.cli("exec", id, "touch", "/tmp/end");
    await eventually("it is not listed any more", async () => await total() === 0);
    await engine.cli("rm", "-f", id);
  });

  test("a container that is removed, stopped or not there ends in words and a code, never in silence (F25)", async (engine) => {
    await using berth = await serve(engine.socket, kind);
    const missing = berth.open("nothing-of-that-name");
    assert.equal((await missing.closed).code, 4404);
    assert.equal(missing.said("error")[0]?.code, "container_not_found");

    const id = await idle(engine);
    const visitor = berth.open(id, { cmd: "sleep 1000" });
    await eventually("ready", () => visitor.said("ready").length === 1);
    await engine.cli("rm", "-f", id);
    await visitor.closed;
    assert.ok(visitor.said("exit").length + visitor.said("error").length === 1, visitor.texts.join());

    const stopped = await engine.cli("create", FIXTURE);
    const refused = berth.open(stopped);
    await refused.closed;
    assert.equal(refused.said("error")[0]?.code, "conflict");
    assert.deepEqual(berth.failures, []);
    await engine.cli("rm", "-f", stopped);
  });

  test("who is behind pauses the output and loses nothing of it, and may leave meanwhile", async (engine) => {
    await using berth = await serve(engine.socket, kind);
    const id = await idle(engine);
    let taken = 0;
    const visitor = berth.open(id, { tty: "false", cmd: "seq 1 2000000" }, (data) => {
      if (typeof data !== "string") taken += data.byteLength;
    });
    await visitor.opened;
    visitor.wire.send(JSON.stringify({ type: "pause" }));
    let last = -1;
    await eventually("nothing comes any more", () => {
      const isQuiet = taken === last;
      last = taken;
      return isQuiet;
    }, { everyMs: 400 });
    assert.ok(taken < 8_000_000, `${taken} bytes came although they were to wait`);
    visitor.wire.send(JSON.stringify({ type: "resume" }));
    await visitor.closed;
    assert.equal(taken, 14_888_896);
    assert.deepEqual(visitor.said("exit"), [{ type: "exit", code: 0 }]);

    const leaving = berth.open(id, { tty: "false", cmd: "yes" });
    await leaving.opened;
    leaving.wire.send(JSON.stringify({ type: "pause" }));
    leaving.wire.close();
    await eventually(
      "it is gone",
      async () => !(await engine.cli("exec", id, "ps", "-o", "args")).includes("yes\n"),
    );
    assert.deepEqual(berth.failures, []);
    await engine.cli("rm", "-f", id);
  });

  test("a terminal that stops reading holds the process back and costs no memory", async (engine) => {
    await using berth = await serve(engine.socket, kind);
    const id = await idle(engine);
    const conn = await Deno.connect({ hostname: "127.0.0.1", port: berth.service.port });
    await conn.write(new TextEncoder().encode(
      `GET /api/containers/${id}/exec?tty=false&cmd=yes HTTP/1.1\r\nHost: 127.0.0.1:${berth.service.port}\r\nUpgrade: websocket\r\n` +
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ));
    const cpu = async () =>
      Number(
        (await engine.cli(
          "exec",
          id,
          "sh",
          "-c",
          "cut -d' ' -f14 /proc/$(pidof yes | cut -d' ' -f1)/stat",
        )) || NaN,
      );
    const before = Deno.memoryUsage().rss;
    await eventually("it runs", async () => await cpu() >= 0);
    let last = -1;
    // A process that is held back uses no more processor time
    await eventually("the process waits", async () => {
      const now = await cpu();
      const waits = now === last;
      last = now;
      return waits;
    }, { everyMs: 400 });
    // Other files of tests run in the same process; what is not held back is gigabytes a second
    assert.ok(Deno.memoryUsage().rss - before < 1024 ** 3);
    conn.close();
    await eventually(
      "it is gone",
      async () => !(await engine.cli("exec", id, "ps", "-o", "args")).includes("yes\n"),
    );
    await engine.cli("rm", "-f", id);
  });
}

const { test } = await sharedEngine("docker");

test("a command whose engine dies ends in words, and the session is not kept (F13)", async (engine) => {
  await using berth = await serve(engine.socket);
  const id = await idle(engine);
  const visitor = berth.open(id, { cmd: "sleep 1000" });
  await eventually("ready", () => visitor.said("ready").length === 1);
  await engine.kill();
  const { code } = await visitor.closed;
  await engine.start();
  assert.equal(code, 1011);
  assert.deepEqual(visitor.said("error").map(({ code }) => code), ["runtime_unavailable"]);
  await eventually("nobody is left", () => berth.streamLimit.count === 0);
});

async function processes(engine: TestEngine, id: string): Promise<string[]> {
  const listed = await engine.ask(`GET /containers/${id}/top?ps_args=-eo+pid,args`);
  return listed.json.Processes.map((row: string[]) => row.at(-1));
}

/** An engine whose exec does what `script` says after the 101. */
function scriptedExec(
  script: (conn: Deno.UnixConn, write: (text: string) => Promise<void>) => Promise<void>,
  answers: {
    inspect?: () => [unknown, number];
    start?: string;
  } = {},
) {
  return new ScriptedEngine(async (call) => {
    if (call.path === "/containers/web/json") {
      return await call.json({
        Id: "c1",
        Name: "/web",
        State: { Running: true },
        Config: {},
        HostConfig: {},
      });
    }
    if (call.path === "/containers/c1/exec") return await call.json({ Id: "e1" }, 201);
    if (call.path === "/exec/e1/json") {
      const [value, status] = answers.inspect?.() ?? [{ Running: false, ExitCode: 3 }, 200];
      return await call.json(value, status);
    }
    if (call.path === "/exec/e1/start") {
      await call.write(
        answers.start ?? "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n",
      );
      return await script(call.conn, call.write);
    }
    if (call.path.startsWith("/exec/e1/resize")) return await call.json({});
    await call.json({ message: "no" }, 404);
  });
}

Deno.test("output that comes with the head, under 101 and under 200, is not lost", async () => {
  for (const head of ["101 UPGRADED", "200 OK"]) {
    await using engine = scriptedExec(() => Promise.resolve(), {
      start: `HTTP/1.1 ${head}\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\nearly`,
    });
    await using berth = await serve(engine.socket);
    const visitor = berth.open("web");
    await visitor.closed;
    assert.equal(visitor.output, "early");
    assert.deepEqual(visitor.said("exit"), [{ type: "exit", code: 3 }]);
  }
});

Deno.test("a command that vanished from the engine exits with no code (F27)", async () => {
  await using engine = scriptedExec((_, write) => write("bye"), {
    inspect: () => [{ message: "No such exec" }, 404],
  });
  await using berth = await serve(engine.socket);
  const visitor = berth.open("web");
  assert.equal((await visitor.closed).code, 1000);
  assert.deepEqual(visitor.said("exit"), [{ type: "exit", code: null }]);
});

Deno.test("frames that no engine should send end a command with a typed error (F17)", async () => {
  for (const bytes of ["\x01\0\0\0\xff\xff\xff\xff", "\x09\0\0\0\0\0\0\x01a"]) {
    await using engine = scriptedExec(async (conn) => {
      await conn.write(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
      await conn.read(new Uint8Array(1));
    });
    await using berth = await serve(engine.socket);
    const visitor = berth.open("web", { tty: "false" });
    assert.equal((await visitor.closed).code, 1011);
    assert.deepEqual(visitor.said("error").map(({ code }) => code), ["engine_failed"]);
  }
});

Deno.test("a command whose answer is cut at any byte shows what came, and tells a half frame from an end (F15)", async () => {
  const head = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
  const frames = [["\x01", "one\n"], ["\x02", "two\n"], ["\x01", "three\n"]] as const;
  const parts = frames.map(([stream, text]) =>
    `${stream}\0\0\0\0\0\0${String.fromCharCode(text.length)}${text}`
  );
  const whole = head + parts.join("");
  const ends = parts.map((_, index) => head.length + parts.slice(0, index + 1).join("").length);
  const answers = { start: "" };
  await using engine = scriptedExec(() => Promise.resolve(), answers);
  await using berth = await serve(engine.socket);
  for (let cut = 0; cut <= whole.length; cut++) {
    answers.start = whole.slice(0, cut);
    const visitor = berth.open("web", { tty: "false" });
    const { code } = await visitor.closed;
    const isEnd = cut === head.length || ends.includes(cut);
    const count = ends.filter((end) => end <= cut).length;
    const text = frames.map(([, text]) => text);
    assert.ok(visitor.output.startsWith(text.slice(0, count).join("")), `cut at ${cut}: ${visitor.output}`);
    assert.ok(text.join("").startsWith(visitor.output), `cut at ${cut}: ${visitor.output}`);
    assert.deepEqual(
      [code, visitor.said("exit").length, visitor.said("error").length],
      isEnd ? [1000, 1, 0] : [1011, 0, 1],
      `cut at ${cut}: ${visitor.texts}`,
    );
  }
  await eventually("nobody is left", () => berth.streamLimit.count === 0);
  assert.deepEqual(berth.failures, []);
});

Deno.test("messages that mean nothing end the socket with a typed error, and the command with it (F28)", async () => {
  for (
    const message of [
      "",
      "null",
      "{}",
      `{"type":"resize"}`,
      `{"type":"resize","cols":"9","rows":1}`,
      `{"type":"resize","cols":0,"rows":24}`,
      `{"type":"resize","cols":80,"rows":70000}`,
      `{"type":"resize","cols":80.5,"rows":24}`,
      `{"type":"resize","cols":80,"rows":1e999}`,
      `{"type":"kill"}`,
      "[".repeat(30_000),
    ]
  ) {
    await using engine = scriptedExec(async (conn) => {
      while (await conn.read(new Uint8Array(1024)) !== null);
    });
    await using berth = await serve(engine.socket);
    const visitor = berth.open("web");
    await eventually("ready", () => visitor.said("ready").length === 1);
    visitor.wire.send(message);
    assert.equal((await visitor.closed).code, 4400);
    assert.equal(visitor.said("error")[0]?.code, "invalid_request");
    await eventually("the engine's connection is closed", () => engine.connections === 0);
    assert.deepEqual(berth.failures, []);
  }
});

Deno.test("a stopping service ends terminals with 1001, lost rights with 1008 (F7)", async () => {
  for (const [act, code] of [["stop", 1001], ["revoke", 1008]] as const) {
    await using engine = scriptedExec(async (conn) => {
      while (await conn.read(new Uint8Array(1024)) !== null);
    });
    await using berth = await serve(engine.socket);
    const visitor = berth.open("web");
    await eventually("ready", () => visitor.said("ready").length === 1);
    berth.service[act]();
    assert.equal((await visitor.closed).code, code);
    await eventually("the engine's connection is closed", () => engine.connections === 0);
  }
});

Deno.test("one cmd is split at its blanks outside quotes, several are taken as they are", () => {
  assert.deepEqual(commandOf(["ls -l 'a b' \"c  d\""]), ["ls", "-l", "a b", "c  d"]);
  assert.deepEqual(commandOf(["printf", "a b", ""]), ["printf", "a b", ""]);
  assert.deepEqual(commandOf(undefined)[0], "sh");
  assert.throws(() => commandOf(["   "]), { code: "invalid_request" });
});
