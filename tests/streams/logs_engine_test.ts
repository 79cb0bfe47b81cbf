/** Logs against real engines, with the engine's own command line as the oracle. */
import assert from "node:assert/strict";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { Follower, type Line, logsOf } from "../support/follower.ts";

const MANY = 200_000;

async function run(engine: TestEngine, script: string, ...options: string[]): Promise<string> {
  return await engine.cli("run", "-d", ...options, FIXTURE, "sh", "-c", script);
}

async function exited(engine: TestEngine, id: string): Promise<void> {
  await eventually("the container has exited", async () => {
    return (await engine.ask(`GET /containers/${id}/json`)).json?.State?.Status === "exited";
  });
}

for (const kind of ["docker", "podman"] as const) {
  const { test: testOnBoth } = await sharedEngine(kind);
  const { test } = await lawEngine(kind);

  testOnBoth(
    "a log reads as the engine's own command line reads it, both streams and each alone",
    async (engine) => {
      await using berth = logsOf(engine);
      const id = await run(
        engine,
        "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done; printf 'no newline'",
      );
      await exited(engine, id);
      const text = async (query: string) => await (await berth.get(`/containers/${id}/logs${query}`)).text();

      assert.equal((await text("?stderr=false")).trimEnd(), "out 1\nout 2\nout 3\nout 4\nout 5\nno newline");
      assert.equal(await text("?stdout=false"), "err 1\nerr 2\nerr 3\nerr 4\nerr 5\n");
      assert.equal((await text("")).split("\n").length, (await text("?timestamps")).split("\n").length);
      assert.equal(
        await text("?tail=3&stderr=false"),
        (await engine.ask(`GET /containers/${id}/logs?tail=3&stdout=1`)).body
          // deno-lint-ignore no-control-regex -- the heads of the engine's frames
          .replace(/[\x00-\x02]\x00\x00\x00[\s\S]{4}/g, ""),
      );
    },
  );

  testOnBoth("a line of 40 KB is one line with one time, in every format (F20)", async (engine) => {
    await using berth = logsOf(engine);
    const id = await run(engine, "head -c 40000 /dev/zero | tr '\\0' x; echo; echo after");
    await exited(engine, id);
    const response = await berth.get(`/containers/${id}/logs?format=ndjson`);
    const follower = new Follower(response);
    await follower.done;

    assert.deepEqual(follower.texts.map(({ length }) => length), [40_000, 5]);
    const stamped = await (await berth.get(`/containers/${id}/logs?timestamps`)).text();
    assert.deepEqual(stamped.trimEnd().split("\n").map((line) => line.replace(/^\S+ /, "").length), [
      40_000,
      5,
    ]);
  });

  test("a terminal's log comes raw, although it may look like frames (F18)", async (engine) => {
    await using berth = logsOf(engine);
    const id = await run(engine, `printf '\\001\\000\\000\\000\\000\\000\\000\\003abc\\n'; echo plain`, "-t");
    await exited(engine, id);
    const response = await berth.get(`/containers/${id}/logs?format=ndjson`);
    const follower = new Follower(response);
    await follower.done;

    assert.equal(follower.texts.at(-1), "plain");
    assert.ok(follower.texts[0]?.includes("abc"));
    assert.ok(follower.lines.every(({ stream }) => stream === "stdout"));
  });

  test("resuming at any line's cursor gives exactly the lines behind it", async (engine) => {
    await using berth = logsOf(engine);
    const id = await run(engine, "for i in $(seq 1 30); do echo line $i; echo error $i >&2; done");
    await exited(engine, id);
    const all = new Follower(await berth.get(`/containers/${id}/logs?format=ndjson`));
    await all.done;
    assert.equal(all.lines.length, 60);

    for (const [at, { cursor }] of all.lines.entries()) {
      if (at % 7 !== 0) continue;
      const rest = new Follower(
        await berth.get(`/containers/${id}/logs?format=ndjson&cursor=${encodeURIComponent(cursor)}`),
      );
      await rest.done;
      assert.deepEqual(rest.lines, all.lines.slice(at + 1), `resumed behind line ${at}`);
    }
  });

  test("what begins with the latest lines of a busy second is resumed behind them, without loss or repeats", async (engine) => {
    await using berth = logsOf(engine);
    const id = await run(
      engine,
      "n=$(cat /n 2>/dev/null || echo 0); for i in 1 2 3 4 5 6 7 8 9; do " +
        "n=$((n+1)); echo $n; echo $n >&2; done; echo $n >/n",
    );
    await exited(engine, id);
    const read = async (from: string) => {
      const follower = new Follower(await berth.get(`/containers/${id}/logs?format=ndjson&${from}`));
      await follower.done;
      return follower.lines;
    };
    const whole = async (count: number) => {
      await eventually("all is written", async () => (await read("tail=all")).length === count);
      return await read("tail=all");
    };
    await whole(18);
    const told = await read("tail=3");
    for (const life of [2, 3]) {
      await engine.cli("start", id);
      await engine.cli("wait", id);
      await whole(life * 18);
      told.push(...await read(`cursor=${encodeURIComponent(told.at(-1)!.cursor)}`));
    }
    const seen = (lines: readonly Line[], stream: string) =>
      lines.filter((line) => line.stream === stream).map(({ line }) => line);
    const all = await whole(54);
    for (const stream of ["stdout", "stderr"]) {
      const own = seen(told, stream);
      assert.deepEqual(own, seen(all, stream).slice(-own.length), stream);
    }
    assert.equal(told.length, 3 + 36);
    await engine.cli("rm", "-f", id);
  });

  test("following until a moment ends soon after it, with every line up to it, whether the container talks or is silent", async (engine) => {
    await using berth = logsOf(engine);
    const talker = await run(engine, "i=0; while :; do i=$((i+1)); echo $i; sleep 0.1; done");
    const silent = await run(engine, "echo 1; exec idle");
    const until = Math.ceil(Date.now() / 1000) + 2;
    const follow = async (id: string) =>
      new Follower(await berth.get(`/containers/${id}/logs?follow&format=ndjson&until=${until}`));
    const followers = [await follow(talker), await follow(silent)] as const;
    await Promise.all(followers.map(({ done }) => done));

    const whole = new Follower(await berth.get(`/containers/${talker}/logs?format=ndjson&until=${until}`));
    await whole.done;
    assert.deepEqual(followers[0].lines, whole.lines);
    assert.ok(whole.lines.length > 1);
    assert.deepEqual(followers[1].texts, ["1"]);
    await engine.cli("rm", "-f", talker, silent);
  });

  testOnBoth(
    "following goes on across a restart of the container, each line once, and ends when it is removed",
    async (engine) => {
      await using berth = logsOf(engine);
      const script = "echo begun; n=0; while [ $n -lt 1000 ]; do n=$((n+1)); echo $n; sleep 0.02; done";
      const id = await run(engine, script, "--init=false", "--stop-signal", "KILL");
      const follower = new Follower(await berth.get(`/containers/${id}/logs?format=ndjson&follow`));
      await eventually("the first lines", () => follower.texts.length > 5);
      await engine.cli("restart", "-t", "0", id);
      await eventually("the lines of the second life", () => {
        const { texts } = follower;
        return texts.lastIndexOf("begun") > 0 && texts.length > texts.lastIndexOf("begun") + 20;
      });

      const seen = follower.texts.slice(0, -1); // before the oracle, since the container goes on
      const oracle = await engine.cli("logs", id);
      assert.deepEqual(seen, oracle.split("\n").slice(0, seen.length));
      await engine.cli("rm", "-f", id);
      await follower.done;
      assert.deepEqual(follower.lines.at(-1)?.end, { reason: "removed" });
    },
  );

  testOnBoth(
    "a log is followed to its last line, whether the container ends meanwhile or has ended before",
    async (engine) => {
      await using berth = logsOf(engine);
      const id = await run(engine, `awk 'BEGIN { for (i = 1; i <= ${MANY}; i++) print i }'; echo end`);
      for (const when of ["while it runs", "when it has exited"]) {
        const follower = new Follower(await berth.get(`/containers/${id}/logs?format=ndjson&follow`));
        await eventually(`the last line, ${when}`, () => follower.texts.at(-1) === "end");
        await follower.leave();
        const wrong = follower.texts.findIndex((text, at) => text !== (at < MANY ? String(at + 1) : "end"));
        assert.equal(wrong, -1, `${follower.texts[wrong]} is line ${wrong}, ${when}`);
        await exited(engine, id);
      }
      await engine.cli("rm", "-f", id);
    },
  );

  test("the log of a paused container is followed from its first line, and goes on once it runs again", async (engine) => {
    await using berth = logsOf(engine);
    const script = `awk 'BEGIN { for (i = 1; i <= ${MANY}; i++) print i }'; n=${MANY}`;
    const id = await run(engine, `${script}; while :; do n=$((n+1)); echo $n; sleep 0.02; done`);
    await eventually("it says little", async () => {
      const { body } = await engine.ask(`GET /containers/${id}/logs?stdout=1&tail=1`);
      return Number(body.slice(8)) > MANY;
    });
    await engine.cli("pause", id);
    const follower = new Follower(await berth.get(`/containers/${id}/logs?format=ndjson&follow`));
    await eventually("the lines before", () => follower.texts.length > MANY);
    await engine.cli("unpause", id);
    await eventually("the lines behind", () => follower.texts.length > MANY + 200);
    await follower.leave();
    await engine.cli("rm", "-f", id);
    const wrong = follower.texts.findIndex((text, at) => text !== String(at + 1));
    assert.equal(wrong, -1, `${follower.texts[wrong]} is line ${wrong}`);
  });

  test("what a container says while it is stopped is followed at once", async (engine) => {
    await using berth = logsOf(engine);
    const script =
      "trap 'echo stopping; sleep 3; echo stopped; exit' TERM; echo ready; while :; do sleep 0.1; done";
    const id = await run(engine, script, "--init=false", "--stop-signal", "TERM");
    const follower = new Follower(await berth.get(`/containers/${id}/logs?format=ndjson&follow`));
    await eventually("it is ready", () => follower.texts.length === 1);
    let over = false;
    const stop = engine.cli("stop", "-t", "30", id).then(() => over = true);
    await eventually("its first word", () => follower.texts.at(-1) === "stopping");
    assert.equal(over, false);
    await eventually("its last word", () => follower.texts.at(-1) === "stopped");
    await stop;
    await follower.leave();
    await engine.cli("rm", "-f", id);
    assert.deepEqual(follower.texts, ["ready", "stopping", "stopped"]);
  });

  test("a follower that was there before the first line misses none", async (engine) => {
    await using berth = logsOf(engine);
    const id = await engine.cli(
      "create",
      FIXTURE,
      "sh",
      "-c",
      "for i in 1 2 3; do echo $i; done; sleep 1000",
    );
    const follower = new Follower(await berth.get(`/containers/${id}/logs?format=ndjson&follow&tail=0`));
    await engine.cli("start", id);
    await eventually("three lines", () => follower.texts.length === 3);
    await follower.leave();
    await engine.cli("rm", "-f", id);
    assert.deepEqual(follower.texts, ["1", "2", "3"]);
  });
}

const { test } = await sharedEngine("docker");

test("following survives the death of the engine and goes on behind the last line (F13)", async (engine) => {
  await using berth = logsOf(engine);
  const id = await run(
    engine,
    "n=0; while [ $n -lt 100000 ]; do n=$((n+1)); echo $n; sleep 0.01; done",
    "--restart",
    "always",
  );
  const follower = new Follower(await berth.get(`/containers/${id}/logs?format=ndjson&follow`));
  await eventually("the first lines", () => follower.texts.length > 20);
  await engine.kill();
  const before = follower.texts.length;
  await engine.start();
  await eventually("lines after the engine is back", () => follower.texts.length > before + 20, {
    timeoutMs: 90_000,
  });
  await follower.leave();
  const oracle = (await engine.cli("logs", id)).split("\n");
  await engine.cli("rm", "-f", id);

  assert.deepEqual(follower.texts, oracle.slice(0, follower.texts.length));
});

test("a container without readable logs is a typed refusal", async (engine) => {
  await using berth = logsOf(engine);
  const id = await run(engine, "echo hidden", "--log-driver", "none");
  const response = await berth.get(`/containers/${id}/logs?follow`);
  assert.ok(response.status >= 400 && response.status < 600 && response.status !== 500);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  await response.body?.cancel();
});
