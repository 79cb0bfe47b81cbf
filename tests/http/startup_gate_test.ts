/** Promises of the first moments: health is answered honestly, everybody else waits, and a failed start lets nobody hang. */
import assert from "node:assert/strict";
import * as z from "../../core/schema.ts";
import { json, reply, route, router } from "../../http/declare/router.ts";
import { plugin } from "../../plugins/plugin.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";
import { freePort } from "../support/free_port.ts";

const ping = route({
  method: "get",
  path: "/ping",
  summary: "Answers",
  permission: "open",
  answers: { 200: json(z.object({ pong: z.boolean() }), "It answers") },
});

/** A plugin that starts when it is told to, or fails. */
function slowPlugin(start: () => Promise<void>) {
  return plugin({
    name: "slow",
    summary: "Takes its time",
    version: "1.0.0",
    routes: [ping],
    async start() {
      await start();
      return {
        routes: router().on(ping, () => reply(200, { pong: true })),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    },
  });
}

Deno.test("while plugins start, health says so, and a request for anything else waits and is then answered", async () => {
  const started = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const port = freePort();
  const starting = startService({
    port,
    install: [slowPlugin(() => {
      asked.resolve();
      return started.promise;
    })],
  });
  await asked.promise;
  const url = `http://127.0.0.1:${port}`;

  const early = await fetch(`${url}/api/health`);
  const waiting = fetch(`${url}/api/ping`);
  const report = await early.json();
  started.resolve();
  await using berth = await starting;

  assert.deepEqual([early.status, report], [503, { status: "starting" }]);
  assert.match(early.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.ok((early.headers.get("x-request-id") ?? "").length >= 8);
  const answer = await waiting;
  assert.deepEqual([answer.status, await answer.json()], [200, { pong: true }]);
  assert.equal((await berth.call("GET /api/health")).body.status, "ok");
});

Deno.test("a start that fails after the listener was opened lets go of the port", async () => {
  const port = freePort();
  const asked = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const starting = startService({
    port,
    metricsPort: port, // taken by berth itself, which is noticed last
    install: [slowPlugin(() => {
      asked.resolve();
      return going.promise;
    })],
  });
  const failed = assert.rejects(starting, /another program uses that port/);
  await asked.promise;
  const early = await fetch(`http://127.0.0.1:${port}/api/health`);
  assert.deepEqual([early.status, await early.json()], [503, { status: "starting" }]);
  going.resolve();
  await failed;

  await eventually("the port is free", () => {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  });
});
