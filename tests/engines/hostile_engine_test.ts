/** One engine that misbehaves on command: what berth makes of it is a typed error, in time, and never a throw. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { Engine } from "../../engines/calls/engine.ts";
import { reasonOf } from "../../engines/calls/failure.ts";
import { at, SlashedName } from "../../engines/calls/path.ts";
import { ScriptedEngine } from "../support/scripted_engine.ts";
import { ScriptedWorld, type World } from "../support/scripted_world.ts";
import { within } from "../support/within.ts";

function engineAt(socket: string): Engine {
  return new Engine("scripted", { kind: "unix", path: socket });
}

async function failure(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(() => null, (thrown) => thrown);
  assert.ok(error instanceof ServiceError, `expected a ServiceError, not ${error}`);
  return error;
}

const call = { doing: 'inspect container "x"', missing: "container_not_found" } as const;

Deno.test("Engine answers every status with any body by a typed error, and never throws another (F32, R51)", async () => {
  const bodies = [
    '{"message":"no"}',
    '{"cause":"c","message":"m","response":500}',
    "plain words",
    "<html><body>502</body></html>",
    "",
    "{",
    "null",
    "[1,2]",
    `{"message":"${"x".repeat(100_000)}"}`,
    "\u001b[31m\u202eevil\r\nX: y",
  ];
  let body = "";
  let status = 200;
  await using engine = new ScriptedWorld({
    override: (_, path) =>
      path === "/_ping" ? undefined : new Response(status === 304 ? null : body, { status }),
  });
  using berth = engineAt(engine.socket);
  for (status of [301, 400, 401, 403, 404, 409, 418, 500, 501, 502, 503]) {
    for (body of bodies) {
      const error = await failure(berth.get(at`/containers/${"x"}/json`, call));
      assert.ok(error.message.length < 800, "the engine's words are cut");
      assert.doesNotMatch(error.message, /[\u0000-\u001f\u202e]/, "the engine's words are clean");
      if (status === 404) assert.equal(error.code, "container_not_found");
      if (status === 409) assert.equal(error.code, "conflict");
      if (status === 503) assert.equal(error.code, "runtime_unavailable");
    }
  }
});

Deno.test("Engine gives Docker's and Podman's words for the same thing the same code", async () => {
  let answer: [number, unknown] = [200, {}];
  await using engine = new ScriptedWorld({
    override: (_, path) => path === "/_ping" ? undefined : Response.json(answer[1], { status: answer[0] }),
  });
  using berth = engineAt(engine.socket);
  const table: [string, [number, unknown], [number, unknown]][] = [
    ["container_not_found", [404, { message: "No such container: x" }], [404, {
      cause: "no such container",
      message: 'no container with name or ID "x" found: no such container',
    }]],
    ["conflict", [409, {
      message:
        "You cannot remove a running container abc. Stop the container before attempting removal or force remove",
    }], [500, {
      cause: "container state improper",
      message:
        "cannot remove container abc as it is running - running or paused containers cannot be removed without force: container state improper",
    }]],
    ["name_taken", [409, {
      message: 'Conflict. The container name "/x" is already in use by container "abc"',
    }], [500, {
      cause: "that name is already in use",
      message: 'the container name "x" is already in use by abc',
    }]],
    ["in_use", [409, { message: "remove v: volume is in use - [abc]" }], [409, {
      cause: "volume is being used",
      message: "volume v is being used by the following container(s): abc: volume is being used",
    }]],
  ];
  for (const [code, docker, podman] of table) {
    for (answer of [docker, podman]) {
      assert.equal((await failure(berth.post(at`/containers/${"x"}/start`, call))).code, code);
    }
  }
});

Deno.test("Engine takes the newest API version that both speak, and refuses too old and unclear ones in words (F31)", async () => {
  for (
    const [offered, spoken] of [["1.41", "1.41"], ["1.52", "1.52"], ["1.99", "1.52"], [
      "9.9",
      "1.52",
    ]] as const
  ) {
    await using engine = new ScriptedWorld({ apiVersion: offered });
    using berth = engineAt(engine.socket);
    await berth.get(at`/containers/json`, call);
    assert.deepEqual([...engine.versions], [spoken]);
  }
  for (const offered of ["1.24", "0.1", "", "x", "1", "1.41.1", null]) {
    const world: World = { apiVersion: offered };
    await using engine = new ScriptedWorld(world);
    using berth = engineAt(engine.socket);
    const error = await failure(berth.get(at`/containers/json`, call));
    assert.equal(error.code, "engine_failed");
    assert.match(error.message, offered === "1.24" ? /1\.24.*1\.41/ : /API version/);
    assert.deepEqual(engine.calls, [], "nothing else was asked");
    world.apiVersion = "1.41";
    await berth.get(at`/containers/json`, call); // asked again, now that it is another engine
  }
});

Deno.test("Engine sends a mutation exactly once, even when the connection closes before its answer", async () => {
  await using engine = new ScriptedEngine(() => {});
  using berth = engineAt(engine.socket);
  for (let round = 0; round < 20; round += 1) {
    const error = await failure(berth.post(at`/containers/${"x"}/start`, call));
    assert.equal(error.code, "runtime_unavailable");
    await failure(berth.delete(at`/containers/${"x"}`, call));
  }
  assert.equal(engine.calls.filter((one) => one === "POST /containers/x/start").length, 20);
  assert.equal(engine.calls.filter((one) => one === "DELETE /containers/x").length, 20);
});

Deno.test("Engine takes an answer that was cut at any byte for a failure, never for a shorter answer (F15)", async () => {
  const body = JSON.stringify({ Id: "x", Name: "/ä" });
  const bytes = new TextEncoder().encode(body);
  const whole = [
    ...new TextEncoder().encode(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${bytes.byteLength}\r\nConnection: close\r\n\r\n`,
    ),
    ...bytes,
  ];
  const chunked = [
    ...new TextEncoder().encode(
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${
        bytes.byteLength.toString(16)
      }\r\n`,
    ),
    ...bytes,
    ...new TextEncoder().encode("\r\n0\r\n\r\n"),
  ];
  for (const answer of [whole, chunked]) {
    let cut = 0;
    await using engine = new ScriptedEngine((asked) => asked.write(Uint8Array.from(answer.slice(0, cut))));
    using berth = engineAt(engine.socket);
    for (cut = 0; cut < answer.length; cut += 1) {
      const error = await failure(berth.get(at`/containers/${"x"}/json`, call));
      assert.equal(error.code, "runtime_unavailable", `cut at ${cut}`);
    }
    assert.deepEqual(await berth.get(at`/containers/${"x"}/json`, call), JSON.parse(body));
  }
});

Deno.test("Engine refuses an answer beyond its limit, however it is announced (F32)", async () => {
  for (const announced of [true, false]) {
    await using engine = new ScriptedWorld({
      override: (_, path) => {
        if (path === "/_ping") return undefined;
        const text = `"${"x".repeat(2_000_000)}"`;
        return new Response(announced ? text : new Blob([text]).stream());
      },
    });
    using berth = engineAt(engine.socket);
    const error = await failure(berth.get(at`/containers/json`, { ...call, maxBytes: 1_000_000 }));
    assert.deepEqual([error.code, /more than 1000000 bytes/.test(error.message)], ["engine_failed", true]);
  }
});

Deno.test("Engine gives up on an answer that does not begin, and its slot is free again (F33, R35)", async () => {
  let hang = true;
  const held = Promise.withResolvers<Response>();
  await using engine = new ScriptedWorld({
    override: (_, path) => path === "/_ping" || !hang ? undefined : held.promise,
  });
  using berth = engineAt(engine.socket);
  const asked = Array.from(
    { length: 40 },
    () => failure(berth.get(at`/containers/json`, { ...call, firstByteMs: 300 })),
  );
  for (const { code } of await Promise.all(asked)) assert.equal(code, "engine_timeout");
  hang = false;
  const free = within(20_000, "a slot is free", () => berth.get(at`/containers/json`, call));
  assert.deepEqual(await free.finally(() => held.resolve(new Response())), []);
});

Deno.test("Engine asks nothing for an identifier or reference that is none (R53)", async () => {
  await using engine = new ScriptedWorld({});
  using berth = engineAt(engine.socket);
  for (
    const bad of [
      "",
      ".",
      "..",
      "../x",
      "a/b",
      "a\\b",
      "%2e%2e",
      "a b",
      "a\r\nb",
      "-a",
      "ä",
      "a?b",
      "a#b",
      "x".repeat(256),
    ]
  ) {
    assert.throws(() => at`/containers/${bad}/json`, { code: "invalid_request" }, bad);
  }
  for (const bad of ["", "a//b", "../x", "a/../b", "a/./b", "/a", "a/", "a?b", "a b", "x/".repeat(20)]) {
    assert.throws(() => new SlashedName(bad), { code: "invalid_request" }, bad);
  }
  await berth.get(at`/containers/${"a.b-c_d"}/json`, call).catch(() => {});
  assert.deepEqual(engine.calls, ["GET /containers/a.b-c_d/json"]);
});

Deno.test("Engine says in words why its socket cannot be reached", async () => {
  using absent = engineAt("/nonexistent/engine.sock");
  const error = await failure(absent.get(at`/containers/json`, call));
  assert.deepEqual([error.code, /there is no socket at its address/.test(error.message)], [
    "runtime_unavailable",
    true,
  ]);

  const socket = `${Deno.makeTempDirSync({ prefix: "bs" })}/s`;
  Deno.listen({ transport: "unix", path: socket }).close();
  using stale = engineAt(socket);
  assert.match((await failure(stale.get(at`/containers/json`, call))).message, /listens|no socket/);

  assert.match(
    reasonOf(new TypeError("error sending request: Permission denied (os error 13)")),
    /may not open its socket/,
  );
});
