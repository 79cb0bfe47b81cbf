/** Promises of the end: SIGTERM and SIGINT drain within ten seconds, whatever is open, and exit 0 (R59). */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import * as z from "../../core/schema.ts";
import { json, reply, route, router, socketRoute } from "../../http/declare/router.ts";
import { openSocket } from "../../http/socket/socket.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} ends 50 open streams and idle connections, and exits 0 (F7, R59)`, async () => {
    await using berth = await startBerthProcess();
    const key = await berth.setUp();
    const idle: Deno.TcpConn[] = [];
    const streams = await Promise.all(Array.from({ length: 50 }, async () => {
      const response = await fetch(`${berth.url}/api/system/logs?follow=true`, {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.equal(response.status, 200);
      // In a list, or the promise would be waited for here.
      return [response.text()] as const;
    }));
    for (let n = 0; n < 10; n++) idle.push(await Deno.connect({ hostname: "127.0.0.1", port: berth.port }));

    const { code, signal: killedBy } = await within(
      PROMISED.drained,
      "it has drained",
      () => berth.end(signal),
    );

    assert.deepEqual([code, killedBy], [0, null]);
    for (const [text] of streams) assert.match(await text, /berth listens/);
    for (const connection of idle) connection.close();
    const lines = (await Deno.readTextFile(`${berth.data}/berth.log`)).trimEnd().split("\n");
    assert.ok(lines.every((line) => JSON.parse(line)));
    assert.ok(lines.some((line) => line.includes('"berth stops"')));
    // The write-ahead log is folded in: the store was closed, not dropped.
    assert.deepEqual([...Deno.readDirSync(berth.data)].filter(({ name }) => name.endsWith("-wal")), []);
  });
}

const slow = route({
  method: "post",
  path: "/slow",
  summary: "Answers when it is told to",
  permission: "system:read",
  subject: "everything",
  answers: { 200: json(z.object({ done: z.boolean() }), "It is done") },
});

Deno.test("a stop takes no new connection, and still answers the request that is being worked on", async () => {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  await using berth = await startService({
    install: [],
    mount: () => [
      router().on(slow, async () => {
        begun.resolve();
        await finish.promise;
        return reply(200, { done: true });
      }),
    ],
  });
  const answer = berth.call("POST /api/slow");
  await begun.promise;
  const stopped = berth.berth.stop();
  await eventually("it takes no new connection", async () => {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port: berth.port })).close();
      return false;
    } catch {
      return true;
    }
  });
  finish.resolve();

  assert.deepEqual((await answer).body, { done: true });
  assert.equal(await stopped, true);
});

Deno.test("a stop closes sockets with 1001 (F7)", async () => {
  const echo = socketRoute({
    path: "/echo",
    summary: "Sends back what it gets",
    permission: "system:read",
    subject: "everything",
  });
  await using berth = await startService({
    install: [],
    mount: () => [
      router().socket(echo, (call) =>
        openSocket(call.request, async (socket) => {
          for await (const message of socket) socket.send(message);
        }, { revoked: call.revoked, stopping: call.stopping })),
    ],
  });
  const socket = new WebSocket(berth.socketUrl("/api/echo"), ["berth.v1", `berth.bearer.${berth.admin}`]);
  const closed = new Promise<number>((resolve) => socket.onclose = ({ code }) => resolve(code));
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("refused"));
  });

  await berth.berth.stop();

  assert.equal(await closed, 1001);
});
