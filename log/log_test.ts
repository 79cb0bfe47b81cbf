/** Promises of the log, its file and its reader, on real files. */
import assert from "node:assert/strict";
import type { LogChunk } from "../core/log.ts";
import { type OpenLog, openLog } from "./log.ts";
import { logReader } from "./reader.ts";
import { eventually } from "../tests/support/eventually.ts";

interface Place extends AsyncDisposable {
  readonly path: string;
}

async function place(): Promise<Place> {
  const folder = await Deno.makeTempDir();
  return {
    path: `${folder}/berth.log`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

function quietLog(path: string, maxBytes = 1_000_000, keep = 5): OpenLog {
  return openLog({ level: "info", path, maxBytes, keep, console: null });
}

function messages(chunks: readonly LogChunk[]): string[] {
  return chunks.map((chunk) => "line" in chunk ? JSON.parse(chunk.line).message : `gap: ${chunk.gap}`);
}

Deno.test("openLog writes every line of its level and above, whole, by the time it is closed", async () => {
  await using at = await place();
  {
    await using log = quietLog(at.path);
    log.debug("hidden");
    for (let n = 0; n < 500; n++) log.info(`line ${n}`);
    log.with({ plugin: "x" }).warn("last");
  }
  const lines = (await Deno.readTextFile(at.path)).trimEnd().split("\n").map((line) => JSON.parse(line));

  assert.equal(lines.length, 501);
  assert.deepEqual([lines[500].message, lines[500].plugin], ["last", "x"]);
  if (Deno.build.os !== "windows") assert.equal((await Deno.stat(at.path)).mode! & 0o777, 0o600);
});

Deno.test("openLog rotates by size and keeps so many older files", async () => {
  await using at = await place();
  await using log = quietLog(at.path, 2_000, 2);
  for (let n = 0; n < 100; n++) {
    log.info(`line ${n} ${"x".repeat(50)}`);
    log.flush();
  }
  const files = await logReader(at.path).files();

  assert.deepEqual(files.rotated, [`${at.path}.1`, `${at.path}.2`]);
  assert.ok(files.size <= 2_000);
});

Deno.test("openLog refuses a link in the place of its file (R46)", async () => {
  await using at = await place();
  await Deno.writeTextFile(`${at.path}.other`, "precious");
  await Deno.symlink(`${at.path}.other`, at.path);

  assert.throws(() => quietLog(at.path), TypeError);
  assert.equal(await Deno.readTextFile(`${at.path}.other`), "precious");
});

Deno.test("openLog hands the console the same lines, and survives a console that fails", async () => {
  await using at = await place();
  let shown = "";
  {
    await using log = openLog({
      level: "info",
      path: at.path,
      console: {
        isTerminal: () => false,
        write: (bytes) => {
          if (shown.length > 200) return Promise.reject(new Deno.errors.BrokenPipe("gone"));
          shown += new TextDecoder().decode(bytes);
          return Promise.resolve(bytes.length);
        },
      },
    });
    log.info("one");
    log.info("two");
  }
  assert.equal(shown, await Deno.readTextFile(at.path));
});

Deno.test("a console that stalls costs console lines, counted, and never memory without bound or a line of the file", async () => {
  await using at = await place();
  const stalled = Promise.withResolvers<void>();
  const shown: string[] = [];
  let writing = false;
  const lines = 3_000;
  {
    await using log = openLog({
      level: "info",
      path: at.path,
      console: {
        isTerminal: () => false,
        async write(bytes) {
          writing = true;
          await stalled.promise;
          shown.push(new TextDecoder().decode(bytes));
          return bytes.length;
        },
      },
    });
    log.info("first");
    await eventually("the console is being written", () => writing);
    for (let n = 0; n < lines; n++) log.info("x".repeat(1_000));
    stalled.resolve();
  }
  const all = shown.join("").trimEnd().split("\n").map((line) => JSON.parse(line));
  const lost = all.at(-1).lost;

  assert.ok(lost > 0 && all.length < 1_200, `${all.length} lines, ${lost} lost`);
  // The first line, those that were kept, and the one that counts the rest.
  assert.equal(all.length + lost, 1 + lines + 1);
  assert.equal((await Deno.readTextFile(at.path)).trimEnd().split("\n").length, 1 + lines);
});

for (const level of ["info", "debug"] as const) {
  Deno.test(`the file has every request, the console only with debug: ${level}`, async () => {
    await using at = await place();
    const shown: string[] = [];
    {
      await using log = openLog({
        level,
        path: at.path,
        console: {
          isTerminal: () => true,
          write: (bytes) => {
            shown.push(new TextDecoder().decode(bytes));
            return Promise.resolve(bytes.length);
          },
        },
      });
      log.access({
        method: "GET",
        path: "/api/asked",
        status: 200,
        ms: 1,
        requestId: "r",
        peer: "127.0.0.1",
        caller: null,
        code: null,
      });
      log.with({ plugin: "x" }).info("said");
    }

    assert.match(await Deno.readTextFile(at.path), /\/api\/asked.*\n.*said/);
    assert.match(shown.join(""), /said/);
    assert.equal(shown.join("").includes("/api/asked"), level === "debug");
  });
}

Deno.test("tail gives the last lines across rotation, oldest first", async () => {
  await using at = await place();
  await using log = quietLog(at.path, 3_000, 50);
  for (let n = 0; n < 200; n++) {
    log.info(`line ${n}`);
    if (n % 7 === 0) log.flush();
  }
  const reader = logReader(at.path, () => log.flush());

  const last = Array.from({ length: 150 }, (_, n) => `line ${n + 50}`);
  assert.deepEqual(messages(await reader.tail({ lines: 150 })), last);
  assert.equal((await reader.tail({ lines: 10_000 })).length, 200);
});

Deno.test("tail reads only the end of a large file, and finds lines longer than its chunks", async () => {
  await using at = await place();
  const sparse = await Deno.open(at.path, { create: true, write: true });
  await sparse.truncate(1024 ** 3);
  await sparse.seek(0, Deno.SeekMode.End);
  sparse.close();
  await using log = quietLog(at.path, 2 * 1024 ** 3);
  log.info("first");
  const long = "y".repeat(7_000);
  for (let n = 0; n < 30; n++) log.info(long);
  log.info("last");
  const reader = logReader(at.path, () => log.flush());

  assert.deepEqual(messages(await reader.tail({ lines: 31 })), [...new Array(30).fill(long), "last"]);
});

Deno.test("tail filters by level and by text, case-insensitively", async () => {
  await using at = await place();
  await using log = quietLog(at.path);
  log.info("Alpha");
  log.warn("Beta");
  log.error("Alphabet");
  const reader = logReader(at.path, () => log.flush());

  assert.deepEqual(messages(await reader.tail({ lines: 10, level: "warn" })), ["Beta", "Alphabet"]);
  assert.deepEqual(messages(await reader.tail({ lines: 10, text: "ALPHA" })), ["Alpha", "Alphabet"]);
  assert.deepEqual(messages(await reader.tail({ lines: 1, text: "alpha" })), ["Alphabet"]);
});

Deno.test("tail never reads through a link (R46)", async () => {
  await using at = await place();
  await Deno.writeTextFile(`${at.path}.secret`, '{"message":"secret"}\n');
  await Deno.symlink(`${at.path}.secret`, at.path);
  const reader = logReader(at.path);

  assert.deepEqual(await reader.tail({ lines: 10 }), []);
  assert.deepEqual(await reader.files(), { path: at.path, size: 0, rotated: [] });
});

Deno.test("tail skips a last line that is still being written", async () => {
  await using at = await place();
  await Deno.writeTextFile(at.path, '{"time":"t","message":"whole"}\n{"message":"ha');

  assert.deepEqual(messages(await logReader(at.path).tail({ lines: 5 })), ["whole"]);
});

Deno.test("tail makes records of a stranger's lines, and no escape sequence of theirs survives (F55)", async () => {
  await using at = await place();
  await Deno.writeTextFile(at.path, "plain \u001b]0;owned\u0007 \u202e\n\u0000\u0001binary\r\n");
  const lines = await logReader(at.path).tail({ lines: 5 });

  assert.deepEqual(messages(lines), ["plain \\u001b]0;owned\\u0007 \\u202e", "\\u0000\\u0001binary\\u000d"]);
});

Deno.test("follow gives the tail and then every line once, across many rotations", async () => {
  await using at = await place();
  await using log = quietLog(at.path, 2_000, 50);
  for (let n = 0; n < 30; n++) log.info(`line ${n}`);
  log.flush();
  const ending = new AbortController();
  const seen: string[] = [];
  for await (const chunk of logReader(at.path, () => log.flush()).follow({ lines: 5 }, ending.signal)) {
    seen.push(...messages([chunk]));
    if (seen.length === 5) {
      for (let n = 30; n < 400; n++) {
        log.info(`line ${n}`);
        if (n % 3 === 0) log.flush();
      }
    }
    if (seen.length === 375) ending.abort();
  }
  assert.deepEqual(seen, Array.from({ length: 375 }, (_, n) => `line ${n + 25}`));
});

Deno.test("follow goes on after the file was cut in place, and says so (F55)", async () => {
  await using at = await place();
  await Deno.writeTextFile(at.path, `{"time":"t","message":"${"old".repeat(50)}"}\n`);
  const ending = new AbortController();
  const seen: string[] = [];
  for await (const chunk of logReader(at.path).follow({ lines: 1 }, ending.signal)) {
    seen.push(...messages([chunk]));
    if (seen.length === 1) await Deno.writeTextFile(at.path, '{"time":"t","message":"new"}\n');
    if (seen.at(-1) === "new") ending.abort();
  }
  assert.deepEqual(seen.slice(1), ["gap: the file was cut", "new"]);
});

Deno.test("the log finds its file again after somebody renamed it (F55)", async () => {
  await using at = await place();
  await using log = quietLog(at.path);
  log.info("before");
  log.flush();
  await Deno.rename(at.path, `${at.path}.moved`);
  const deadline = Date.now() + 30_000;
  let there = false;
  while (!there && Date.now() < deadline) {
    log.info("after");
    log.flush();
    there = (await logReader(at.path).files()).size > 0;
    if (!there) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual(messages(await logReader(at.path).tail({ lines: 1 })), ["after"]);
});

Deno.test("a half line at the end of the file is ended before the next one, and told as lost (F55, R47)", async () => {
  await using at = await place();
  await Deno.writeTextFile(at.path, `{"time":"2026-01-01T00:00:00.000Z","level":"info","message":"cut he`);
  {
    await using log = quietLog(at.path);
    log.info("next");
  }
  const [half, ...whole] = (await Deno.readTextFile(at.path)).trimEnd().split("\n");
  assert.match(half ?? "", /"cut he$/);
  const said = whole.map((line) => JSON.parse(line));
  assert.deepEqual(said.map(({ message, lost }) => [message, lost]), [["Log lines were lost", 1], [
    "next",
    undefined,
  ]]);
});
