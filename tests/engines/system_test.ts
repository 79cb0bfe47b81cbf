/** Promises of the service about itself: health, system, plugins, log. */
import assert from "node:assert/strict";
import * as z from "../../core/schema.ts";
import { ServiceError } from "../../core/error.ts";
import { json, reply, route, router } from "../../http/declare/router.ts";
import { plugin, type RunningPlugin } from "../../plugins/plugin.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";
import { soonerBeats } from "../support/sooner_beats.ts";

const ping = route({
  method: "get",
  path: "/ping",
  summary: "Answers",
  permission: "system:read",
  subject: "everything",
  answers: { 200: json(z.object({ pong: z.boolean() }), "It answers") },
});

function pinging(name: string, stopped: string[], fails?: Error) {
  return plugin({
    name,
    summary: "Answers a ping",
    version: "1.0.0",
    routes: [ping],
    settings: z.strictObject({ limit: z.int().default(1) }),
    start(): Promise<RunningPlugin> {
      if (fails !== undefined) return Promise.reject(fails);
      return Promise.resolve({
        routes: router().on(ping, () => reply(200, { pong: true })),
        [Symbol.asyncDispose]: () => Promise.resolve(void stopped.push(name)),
      });
    },
  });
}

Deno.test("GET /api/health tells strangers a word, and its checks to callers who may read the system", async () => {
  await using berth = await startService({ install: [] });
  const strangers = [
    berth.anonymous(),
    berth.as("berth_0123456789abcdef_wrong"),
    await berth.key(["audit:read"]),
  ];

  for (const stranger of strangers) {
    const { status, body } = await stranger.call("GET /api/health");
    assert.deepEqual([status, body], [200, { status: "ok" }]);
  }
  const { body } = await (await berth.key(["system:read"])).call("GET /api/health");
  assert.deepEqual([body.status, typeof body.version, typeof body.uptimeMs, body.checks], [
    "ok",
    "string",
    "number",
    {
      store: { status: "ok" },
      log: { status: "ok" },
      audit: { status: "ok" },
      plugins: { status: "ok" },
      applies: { status: "ok" },
    },
  ]);
});

Deno.test("GET /api/health answers 503 when the service's own store is gone", async () => {
  await using berth = await startService({ install: [] });
  await berth.berth.store[Symbol.asyncDispose]();

  const { status, body } = await berth.anonymous().call("GET /api/health");

  assert.deepEqual([status, body], [503, { status: "failed" }]);
});

const ENGINES_WORD = { x86_64: "amd64", aarch64: "arm64" };

Deno.test("GET /api/system/info says where berth runs, and null for what no engine tells", async () => {
  await using berth = await startService({ install: [] });

  const { status, body } = await berth.call("GET /api/system/info");

  assert.equal(status, 200);
  assert.deepEqual([body.os, body.arch, body.denoVersion], [
    Deno.build.os,
    ENGINES_WORD[Deno.build.arch],
    Deno.version.deno,
  ]);
  assert.deepEqual([body.containers, body.images, body.backends], [null, null, []]);
});

Deno.test("a plugin runs, lists its routes, and stops after those that started later", async () => {
  const stopped: string[] = [];
  {
    await using berth = await startService({ install: [pinging("one", stopped), pinging("two", stopped)] });
    const { body } = await berth.call("GET /api/system/plugins");

    assert.deepEqual(body.items.map((item: { name: string; state: string }) => [item.name, item.state]), [
      ["one", "running"],
      ["two", "running"],
    ]);
    assert.deepEqual(body.items[0].routes, ["GET /api/ping"]);
    assert.equal((await berth.call("GET /api/ping")).status, 200);
    assert.equal((await berth.anonymous().call("GET /api/ping")).status, 401);
  }
  assert.deepEqual(stopped, ["two", "one"]);
});

Deno.test("a plugin that is switched off answers plugin_disabled on its paths, and is listed", async () => {
  const stopped: string[] = [];
  {
    await using berth = await startService({ install: [pinging("one", stopped)], plugins: [] });

    assert.deepEqual(await codeOf(berth.call("GET /api/ping")), [404, "plugin_disabled"]);
    assert.deepEqual(await codeOf(berth.call("GET /api/ping/deeper")), [404, "plugin_disabled"]);
    assert.deepEqual(await codeOf(berth.call("GET /api/pings")), [404, "not_found"]);
    const [item] = (await berth.call("GET /api/system/plugins")).body.items;
    assert.deepEqual([item.enabled, item.state], [false, "disabled"]);
  }
  assert.deepEqual(stopped, []);
});

Deno.test("a plugin that fails to start is reported without its inner words, and the rest goes on", async () => {
  const stopped: string[] = [];
  const failing = pinging("bad", stopped, new Error("canary-5511"));
  const excused = pinging("excused", stopped, new ServiceError("path_unreadable", "Cannot start: a reason"));
  await using berth = await startService({ install: [failing, excused] });

  const { body, text } = await berth.call("GET /api/system/plugins");

  assert.deepEqual(body.items.map((item: { state: string; reason: string }) => [item.state, item.reason]), [
    ["failed", "It failed to start; the log says why"],
    ["failed", "Cannot start: a reason"],
  ]);
  assert.ok(!text.includes("canary-5511"));
  assert.deepEqual(await codeOf(berth.call("GET /api/ping")), [503, "plugin_failed"]);
  const health = await berth.call("GET /api/health");
  assert.deepEqual([health.status, health.body.status], [200, "degraded"]);
  assert.ok((await berth.call("GET /api/system/logs?q=canary-5511")).text.includes("canary-5511"));
});

Deno.test("a plugin without its permission does not start, and nobody is prompted", async () => {
  const needy = {
    ...pinging("needy", []),
    needs: () => [{ name: "run", command: "/nowhere/at-all" } as const],
    start: () => Promise.reject(new Error("was started")),
  };
  const asked = Deno.permissions.query;
  Deno.permissions.query = () => Promise.resolve({ state: "prompt" } as Deno.PermissionStatus);
  try {
    await using berth = await startService({ install: [needy] });
    const [item] = (await berth.call("GET /api/system/plugins")).body.items;

    assert.deepEqual([item.state, item.reason], [
      "failed",
      "It lacks the permission --allow-run; the log says for what",
    ]);
  } finally {
    Deno.permissions.query = asked;
  }
});

Deno.test("settings of plugins are checked before anything starts, all at once", async () => {
  const starting = startService({
    install: [pinging("one", [])],
    plugins: ["one", "ghost"],
    pluginSettings: { one: { limit: "many", other: 1 } },
  });

  await assert.rejects(starting, (error: Error & { mistakes: string[] }) => {
    assert.equal(error.mistakes.length, 3, error.message);
    return true;
  });
});

Deno.test("GET /api/system/log-path names the file, and only system:logs may know", async () => {
  await using berth = await startService({ install: [] });

  const { body } = await berth.call("GET /api/system/log-path");

  assert.equal(body.path, `${berth.folder}/data/berth.log`);
  assert.ok(body.size > 0);
  const operator = await berth.key("operator");
  for (const path of ["log-path", "logs"]) {
    assert.deepEqual(await codeOf(operator.call(`GET /api/system/${path}`)), [403, "forbidden"]);
  }
});

Deno.test("GET /api/system/logs holds an access line for a request that was just answered", async () => {
  await using berth = await startService({ install: [] });
  await berth.call("GET /api/system/info?x=canary", undefined, {
    headers: { "x-request-id": "my-own-id-1" },
  });

  const { text, headers } = await berth.call("GET /api/system/logs?q=my-own-id-1");

  assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
  const record = JSON.parse(text);
  assert.deepEqual([record.method, record.path, record.status, record.code], [
    "GET",
    "/api/system/info",
    400,
    "invalid_request",
  ]);
  assert.ok(!text.includes("canary"));
});

Deno.test("GET /api/system/logs filters by level, counts lines and answers NDJSON when asked", async () => {
  await using berth = await startService({ install: [] });
  for (let n = 0; n < 20; n++) berth.berth.log.warn(`warning ${n}`);
  berth.berth.log.info("not this");

  const { text, headers } = await berth.call("GET /api/system/logs?level=warn&lines=5", undefined, {
    headers: { accept: "application/x-ndjson" },
  });

  assert.equal(headers.get("content-type"), "application/x-ndjson");
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line).message);
  assert.deepEqual(lines, [15, 16, 17, 18, 19].map((n) => `warning ${n}`));
  assert.deepEqual(await codeOf(berth.call("GET /api/system/logs?lines=-1")), [400, "invalid_request"]);
  assert.deepEqual(await codeOf(berth.call("GET /api/system/logs?limes=1")), [400, "invalid_request"]);
});

Deno.test("GET /api/system/logs?follow goes on with every new line, and ends when berth stops", async () => {
  await using berth = await startService({ install: [] });
  const response = await berth.fetch("GET /api/system/logs?follow=true&lines=0&q=follow-me");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  berth.berth.log.info("follow-me 1");
  berth.berth.log.info("not");
  berth.berth.log.info("follow-me 2");
  let seen = "";
  while (!seen.includes("follow-me 2")) seen += (await reader.read()).value ?? assert.fail("it ended");

  assert.equal(seen.trimEnd().split("\n").length, 2);
  assert.equal(await berth.berth.stop(), true);
  while (!(await reader.read()).done);
});

Deno.test("every followed answer of berth itself sends a sign of life after 15 s of silence, and tells proxies to hold nothing back", async () => {
  using _sooner = soonerBeats();
  await using berth = await startService({ install: [] });
  await berth.berth.store.applies.add({
    ...{ id: "a", workspace: "w", group: "shop", project: "shop", backend: "one", work: "{}" },
    ...{ by: { kind: "apiKey", id: "k", name: "key" }, credential: null, createdAt: Date.now() },
    ...{ owner: "another", leaseUntil: Date.now() + 3_600_000 },
  }, ENTRY);
  const lines = { accept: "application/x-ndjson" };
  for (
    const [path, headers, beat] of [
      ["/api/system/audit?follow=true&actor=nobody", lines, "\n"],
      ["/api/system/logs?follow=true&lines=0&q=nothing-says-so", lines, "\n"],
      ["/api/system/logs?follow=true&lines=0&q=nothing-says-so", {}, "\n"],
      ["/api/applies/a/events", lines, "\n"],
      ["/api/applies/a/events", { accept: "text/event-stream" }, ":\n\n"],
    ] as const
  ) {
    const response = await berth.fetch(`GET ${path}`, undefined, {
      headers,
      signal: AbortSignal.timeout(20_000),
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (seen.length < 3 * beat.length) seen += (await reader.read()).value ?? assert.fail("it ended");
    await reader.cancel();

    assert.equal(seen.replaceAll(beat, ""), "", path);
    assert.equal(response.headers.get("x-accel-buffering"), "no", path);
    assert.match(response.headers.get("cache-control") ?? "", /no-store/, path);
  }
});

const linux = Deno.build.os === "linux";
Deno.test(
  "GET /api/system/logs?follow lets go of the file when its reader leaves",
  { ignore: !linux },
  async () => {
    await using berth = await startService({ install: [] });
    const open = () =>
      [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
        try {
          return Deno.readLinkSync(`/proc/self/fd/${name}`).startsWith(berth.folder) &&
            Deno.readLinkSync(`/proc/self/fd/${name}`).endsWith("berth.log");
        } catch {
          return false;
        }
      }).length;
    const before = open();
    const response = await berth.fetch("GET /api/system/logs?follow=true");
    await eventually("the file is open twice", () => open() > before);
    await response.body!.cancel();

    await eventually("the file is let go", () => open() === before);
  },
);

async function codeOf(
  answer: Promise<{ status: number; body: { code: string } }>,
): Promise<[number, string]> {
  const { status, body } = await answer;
  return [status, body.code];
}
