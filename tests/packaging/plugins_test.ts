/** Promises of the plugin contract: everything of a plugin comes from its own value, whether it runs or not. */
import assert from "node:assert/strict";
import * as z from "../../core/schema.ts";
import { failure } from "../../core/error.ts";
import type { ActingRuntime } from "../../core/engine_acts.ts";
import type { Backend } from "../../core/runtime.ts";
import {
  type CoreRouter,
  json,
  nameOf,
  problemsOf,
  reply,
  route,
  router,
  socketRoute,
} from "../../http/declare/router.ts";
import { openSocket } from "../../http/socket/socket.ts";
import { plugin } from "../../plugins/plugin.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import { eventually } from "../support/eventually.ts";
import { sendRaw } from "../support/raw_http.ts";
import { startService } from "../support/service.ts";

const CODES = { kettle_cold: 503, kettle_gone: 404 } as const;

const boil = route({
  method: "get",
  path: "/kettles/{id}",
  summary: "Boil",
  permission: "kettles:use",
  subject: "everything",
  answers: { 200: json(z.object({ hot: z.boolean() }), "It is hot"), ...problemsOf(CODES)("kettle_cold") },
});
const watch = socketRoute({
  path: "/kettles/{id}/watch",
  summary: "Watch",
  permission: "kettles:use",
  subject: "everything",
  audited: "act",
});
const about = { name: "kettles", summary: "Boils water", version: "1.0.0" };
const stopped = { [Symbol.asyncDispose]: () => Promise.resolve() };

const kettles = plugin({
  ...about,
  permissions: [{ name: "kettles:use", roles: ["operator", "admin"] }],
  errors: CODES,
  routes: [boil, watch],
  start: () =>
    Promise.resolve({
      routes: router()
        .on(boil, () => {
          throw failure(CODES, "kettle_cold", "Cannot boil: the kettle is cold");
        })
        .socket(watch, ({ request }) =>
          openSocket(request, () => {
            throw failure(CODES, "kettle_gone", "Cannot watch: the kettle is gone");
          })),
      ...stopped,
    }),
});

Deno.test("with BERTH_PLUGINS=none every route and socket of every plugin answers plugin_disabled", async () => {
  await using berth = await startService({ plugins: [] });
  const routes = PLUGINS.flatMap((one) => one.routes);
  assert.ok(routes.length > 25);

  for (const declared of routes) {
    const [verb = "", path = ""] = nameOf(declared).replace(/\{\w+(?:\.\.\.)?\}/g, "some").split(" ");
    const isSocket = verb === "WS";
    const handshake = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const { status, body } = await sendRaw(
      berth.port,
      `${isSocket ? "GET" : verb} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\n` +
        `Authorization: Bearer ${berth.admin}\r\n${isSocket ? handshake : "Connection: close\r\n"}\r\n`,
    );
    assert.deepEqual([status, JSON.parse(body).code], [404, "plugin_disabled"], nameOf(declared));
  }
});

Deno.test("a plugin's permissions reach keys, roles and the API document, switched on or off", async () => {
  for (const plugins of [["kettles"], []]) {
    await using berth = await startService({ install: [kettles], plugins });

    const { body: document } = await berth.call("GET /api/openapi.json");
    const { body: me } = await berth.call("GET /api/auth/me");
    const operator = await berth.key("operator");
    const own = await berth.key(["kettles:use"]);

    assert.ok(document.components.schemas.Permission.enum.includes("kettles:use"));
    assert.ok(me.permissions.includes("kettles:use"));
    for (
      const [caller, held] of [[operator, true], [own, true], [await berth.key("viewer"), false]] as const
    ) {
      const { body } = await caller.call("GET /api/auth/me");
      assert.equal(body.permissions.includes("kettles:use"), held);
    }
  }
});

Deno.test("a key with a permission of a plugin that is no longer listed lives on without it", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-plugins-" }));
  try {
    let credential = "";
    {
      await using before = await startService({ install: [kettles], folder });
      credential = (await before.key(["kettles:use", "system:read"])).credential ?? "";
    }
    await using after = await startService({ install: [], folder });
    const { status, body } = await after.as(credential).call("GET /api/auth/me");

    assert.deepEqual([status, body.permissions], [200, ["system:read"]]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("POST /api/settings/api-keys refuses a permission that nobody declares, and makes no key", async () => {
  await using berth = await startService({ install: [kettles] });
  const before = (await berth.call("GET /api/settings/api-keys")).body.total;

  const { status, body } = await berth.call("POST /api/settings/api-keys", {
    name: "x",
    permissions: ["kettles:melt"],
  });

  assert.deepEqual([status, body.code], [400, "invalid_request"]);
  assert.equal((await berth.call("GET /api/settings/api-keys")).body.total, before);
});

Deno.test("a plugin's own error code is answered with its own status, over HTTP and as a closing code", async () => {
  await using berth = await startService({ install: [kettles] });

  const { status, body } = await berth.call("GET /api/kettles/one");
  const wire = new WebSocket(berth.socketUrl("/api/kettles/one/watch"), [
    "berth.v1",
    `berth.bearer.${berth.admin}`,
  ]);
  const { code, reason } = await new Promise<CloseEvent>((resolve) => wire.onclose = resolve);

  assert.deepEqual([status, body.code, body.status], [503, "kettle_cold", 503]);
  assert.deepEqual([code, reason], [4404, "kettle_gone"]);
});

Deno.test("opening a socket that declares itself an act stands in the audit log, before and after", async () => {
  await using berth = await startService({ install: [kettles] });
  const wire = new WebSocket(berth.socketUrl("/api/kettles/one/watch"), [
    "berth.v1",
    `berth.bearer.${berth.admin}`,
  ]);
  await new Promise((resolve) => wire.onclose = resolve);

  const path = "GET /api/system/audit?action=WS%20/api/kettles/%7Bid%7D/watch";
  const entries = await eventually("the entry", async () => {
    const { body } = await berth.call(path);
    return body.items.length > 1 ? body.items : null;
  });
  assert.deepEqual(entries.map((entry: { result: string }) => entry.result), ["done", "begun"]);
});

Deno.test("a plugin whose routes are not those that it declares does not run, and says which in the log", async () => {
  const forgetful = { ...kettles, routes: [boil] };
  await using berth = await startService({ install: [forgetful] });

  const { body } = await berth.call("GET /api/system/plugins");
  assert.deepEqual([body.items[0].state, body.items[0].reason], [
    "failed",
    "Its routes are not those that it declares; the log says which",
  ]);
  assert.equal((await berth.call("GET /api/kettles/one")).body.code, "plugin_failed");
  const log = await berth.call("GET /api/system/logs?q=declares");
  assert.ok(log.text.includes("WS /api/kettles/{id}/watch"));
});

Deno.test("two plugins that declare one name, code or permission stop the start", async () => {
  const clashes = [
    { ...kettles, permissions: [], errors: {} },
    { ...kettles, name: "other", permissions: [] },
    { ...kettles, name: "other", errors: {} },
    { ...kettles, name: "other", permissions: [], errors: { not_found: 404 } },
  ];
  for (const clash of clashes) {
    await assert.rejects(startService({ install: [kettles, clash] }), /declare/);
  }
});

Deno.test("the runtimes of several plugins are one to the rest of the service", async () => {
  const running = (name: string) =>
    plugin({
      ...about,
      name,
      start: () => Promise.resolve({ runtime: runtimeOf(name), ...stopped }),
    });
  await using berth = await startService({ install: [running("one"), running("two")] });

  const info = (await berth.call("GET /api/system/info")).body;
  const health = (await berth.call("GET /api/health")).body;
  const { runtime } = berth.berth.plugins;

  assert.deepEqual(info.backends.map(({ name }: Backend) => name), ["one", "two"]);
  assert.deepEqual([info.containers.total, info.images], [6, 2]);
  assert.deepEqual(Object.keys(health.checks).slice(-2), ["backend:one", "backend:two"]);
  assert.deepEqual(runtime?.backends().map((one) => one.default), [true, false]);
  assert.equal((await runtime?.inspect("id", "two"))?.id, "id on two");
  await assert.rejects(async () => await runtime?.inspect("id", "three"), { code: "not_found" });
  const before = runtime?.revision;
  assert.equal(runtime?.revision, before);
  revisions.two = 5;
  assert.notEqual(runtime?.revision, before);
});

const revisions: Record<string, number> = {};

function runtimeOf(name: string): ActingRuntime {
  const backend: Backend = {
    name,
    kind: "docker",
    address: name,
    state: "up",
    version: null,
    apiVersion: null,
    os: null,
    arch: null,
    default: true,
  };
  return {
    backends: () => [backend],
    settle: () => Promise.resolve(),
    counts: () => ({ containers: { running: 1, paused: 1, stopped: 1, total: 3 }, images: 1 }),
    containers: () => Promise.resolve([]),
    get revision() {
      return revisions[name] ?? 0;
    },
    stamp: "",
    sightOf: () => Promise.resolve("same" as const),
    inspect: (id) =>
      Promise.resolve({ id: `${id} on ${name}` } as Awaited<ReturnType<ActingRuntime["inspect"]>>),
    holdings: () => Promise.resolve(null),
    unheard: () => new Map(),
    relist: () => Promise.resolve(),
    engineDefaults: () => Promise.resolve({ logDriver: null, runtime: null, cgroupMode: null, bare: null }),
    imageTaggedAt: () => Promise.resolve(null),
    isImageFor: () => Promise.resolve(null),
    images: () => Promise.resolve([]),
    acts: () => {
      throw new Error("nothing is done here");
    },
    permissionFor: () => "test:act",
    deaths: () => [],
    ending: () => Promise.resolve(null),
    follow: () => ({ [Symbol.dispose]: () => {} }),
  };
}

Deno.test("a misspelt permission does not compile, in a plugin and in the core", () => {
  const misspelt = route({
    method: "get",
    path: "/kettles",
    summary: "List",
    permission: "ketles:use",
    subject: "everything",
    answers: { 200: json(z.object({}), "All") },
  });
  const use = () => {
    plugin({
      ...about,
      permissions: [{ name: "kettles:use", roles: ["admin"] }],
      // @ts-expect-error: nobody declares "ketles:use"
      routes: [misspelt],
      start: () => Promise.resolve(stopped),
    });
    // @ts-expect-error: the core does not declare it either
    const core: CoreRouter = router().on(misspelt, () => reply(200, {}));
    return core;
  };
  assert.equal(typeof use, "function");
});
