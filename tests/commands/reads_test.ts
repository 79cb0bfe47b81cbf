/** Reads over connections that stay open: answers of every form, connections that are over, and what never comes. */
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { ServiceError } from "../../core/error.ts";
import { Answer } from "../../engines/calls/answer.ts";
import { Engine } from "../../engines/calls/engine.ts";
import { at } from "../../engines/calls/path.ts";

const encoder = new TextEncoder();
const HEAD = "HTTP/1.1 200 OK\r\n";

function chunked(text: string, sizes: readonly number[]): string {
  let body = "";
  const bytes = [...text];
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const piece = bytes.slice(from, from + sizes[turn % sizes.length]!).join("");
    body += `${encoder.encode(piece).byteLength.toString(16)}\r\n${piece}\r\n`;
    from += sizes[turn % sizes.length]!;
  }
  return `${HEAD}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`;
}

Deno.test("an answer is the same however its bytes are split, by length and in chunks", () => {
  fc.assert(fc.property(
    fc.string({ unit: "grapheme", maxLength: 300 }),
    fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
    fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
    (text, chunks, splits) => {
      const length = `${HEAD}Content-Length: ${encoder.encode(text).byteLength}\r\n\r\n${text}`;
      for (const whole of [length, chunked(text, chunks)]) {
        const answer = new Answer(100_000, "read it");
        const bytes = encoder.encode(whole);
        for (let from = 0, turn = 0; from < bytes.byteLength; turn += 1) {
          assert.equal(answer.isWhole, false);
          const size = splits[turn % splits.length]!;
          answer.add(bytes.subarray(from, from + size));
          from += size;
        }
        assert.deepEqual([answer.isWhole, answer.isKept, answer.text], [true, true, text]);
      }
    },
  ));
});

/** An engine that gives each request of a connection to `script`, which writes, and ends the connection with false. */
function scripted(
  script: (path: string, write: (text: string) => Promise<void>, count: number) => Promise<boolean>,
) {
  const path = `${Deno.makeTempDirSync({ prefix: "br" })}/s`;
  const listener = Deno.listen({ transport: "unix", path });
  const seen: string[] = [];
  let connections = 0;
  const serving = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const conn of listener) {
      connections += 1;
      const served = (async () => {
        using _conn = conn;
        const buffer = new Uint8Array(64 * 1024);
        for (let count = 1;; count += 1) {
          const size = await conn.read(buffer);
          if (size === null) return;
          const text = new TextDecoder().decode(buffer.subarray(0, size));
          const target = /^GET (?:http:\/\/[^/]+)?(\S+)/.exec(text)?.[1] ?? "";
          const write = async (text: string) => {
            const bytes = encoder.encode(text);
            for (let at = 0; at < bytes.byteLength;) at += await conn.write(bytes.subarray(at));
          };
          if (target === "/_ping") {
            await write(`${HEAD}Api-Version: 1.41\r\nContent-Length: 0\r\n\r\n`);
            continue;
          }
          seen.push(target);
          if (!await script(target, write, count)) return;
        }
      })().catch(() => {}).finally(() => serving.delete(served));
      serving.add(served);
    }
  })().catch(() => {});
  const engine = new Engine("one", { kind: "unix", path });
  return {
    engine,
    seen,
    get connections() {
      return connections;
    },
    read: (firstByteMs = 10_000) =>
      engine.get(at`/info`, { doing: "read it", missing: "container_not_found", maxBytes: 64, firstByteMs }),
    [Symbol.asyncDispose]: async () => {
      engine[Symbol.dispose]();
      listener.close();
      await accepting;
      await Promise.all(serving);
      await Deno.remove(path.slice(0, -2), { recursive: true });
    },
  };
}

const ANSWER = `${HEAD}Content-Length: 2\r\n\r\n{}`;

Deno.test("many reads share a connection, and one that the engine has ended is replaced without a failure", async () => {
  await using server = scripted(async (_path, write, count) => {
    await write(ANSWER);
    return count < 10;
  });
  for (let number = 0; number < 25; number += 1) assert.deepEqual(await server.read(), {});
  assert.equal(server.seen.length, 25);
  assert.ok(server.connections <= 5, `${server.connections} connections`);
});

for (
  const [what, answer, code] of [
    ["an error of the engine", `HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\n{}`, "container_not_found"],
    ["no HTTP", "hello\r\n\r\n", "engine_failed"],
    ["a head without an end", HEAD + "X: y\r\n".repeat(8_000), "engine_failed"],
    ["a body that is too long", `${HEAD}Content-Length: 65\r\n\r\n`, "engine_failed"],
    ["chunks that are too long", `${HEAD}Transfer-Encoding: chunked\r\n\r\nffffffff\r\n`, "engine_failed"],
    ["a chunk without a length", `${HEAD}Transfer-Encoding: chunked\r\n\r\n\r\n`, "engine_failed"],
    ["a chunk that runs on", `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{}xx`, "engine_failed"],
    ["a body without an end, too long", `${HEAD}\r\n${"x".repeat(100)}`, "engine_failed"],
    ["a body that is cut", `${HEAD}Content-Length: 9\r\n\r\n{`, "runtime_unavailable"],
    ["nothing", "", "runtime_unavailable"],
  ] as const
) {
  Deno.test(`a read that is answered with ${what} fails with a typed error, and the next one is answered`, async () => {
    let isBad = true;
    await using server = scripted(async (_path, write) => {
      await write(isBad ? answer : ANSWER);
      return !isBad;
    });
    const error = await server.read().then(() => null, (error) => error);
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.code, code, error.message);
    assert.equal(server.seen.length, 1);
    isBad = false;
    assert.deepEqual(await server.read(), {});
  });
}

Deno.test("what comes behind an answer is not taken for the next one", async () => {
  await using server = scripted(async (_path, write) => {
    await write(`${HEAD}Content-Length: 7\r\n\r\n{"a":1}HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"b":2}`);
    return true;
  });
  assert.deepEqual([await server.read(), await server.read()], [{ a: 1 }, { a: 1 }]);
  assert.equal(server.connections, 3, "one for the ping, and one for each read");
});

Deno.test("a read that is not answered in time is given up, and its connection is not used again", async () => {
  await using server = scripted(async (_path, write, count) => {
    if (count === 1 && server.seen.length === 1) return true;
    await write(ANSWER);
    return true;
  });
  await assert.rejects(server.read(200), { code: "engine_timeout" });
  assert.deepEqual(await server.read(), {});
});
