/** `/api/live`: rows as patches and events over one socket, as far as the caller's scopes reach. */
import assert from "node:assert/strict";
import { bounded } from "../support/bounded.ts";
import { eventually } from "../support/eventually.ts";
import { LiveVisitor } from "./live_visitor.ts";
import { sendRaw } from "../support/raw_http.ts";
import {
  berthOf,
  BLOG_WEB,
  FILES,
  keyOn,
  NOTHING,
  ONE,
  type Path,
  PROJECT,
  SHOP_DB,
  SHOP_WEB,
  TWO,
} from "../support/scoped_world.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { Visitor } from "../support/stream_service.ts";
import { serveEngines, startService } from "../support/service.ts";

const FILE_PATHS = Object.keys(FILES) as Path[];

function happened(action: string, id: string, name: string, more: Record<string, unknown> = {}) {
  const timeNano = Date.now() * 1e6;
  return { Type: "container", Action: action, Actor: { ID: id, Attributes: { name } }, timeNano, ...more };
}

Deno.test("rows come whole at first, then as patches that make the same list as a GET, and resume behind a cursor", async () => {
  const containers = new Map<string, unknown>(
    Array.from({ length: 300 }, (_, index) => [scriptedId(index), inspected(scriptedId(index), `c${index}`)]),
  );
  await using engine = new ScriptedWorld({ containers });
  await using berth = await serveEngines({ docker: engine });
  const listed = async () => {
    const { items } = (await berth.call("GET /api/containers")).body;
    return new Map(items.map((one: { id: string }) => [`docker/${one.id}`, one]));
  };
  await using visitor = new LiveVisitor(berth, berth.admin);
  await visitor.subscribe("c", "containers");
  const list = await visitor.list("c");
  assert.deepEqual(list.rows, await listed());
  assert.deepEqual([list.resets, list.beside], [1, { unavailable: [] }]);
  const before = visitor.of("c").length;

  containers.set(scriptedId(7), inspected(scriptedId(7), "c7", "exited"));
  containers.delete(scriptedId(8));
  containers.set(scriptedId(900), inspected(scriptedId(900), "c900"));
  for (const [action, number] of [["die", 7], ["destroy", 8], ["create", 900]] as const) {
    engine.tell(happened(action, scriptedId(number), `c${number}`));
  }
  await eventually(
    "the changes are told",
    () =>
      list.rows.get(`docker/${scriptedId(7)}`).state === "exited" &&
      !list.rows.has(`docker/${scriptedId(8)}`) &&
      list.rows.has(`docker/${scriptedId(900)}`),
  );
  assert.deepEqual(list.rows, await listed());
  const patches = visitor.of("c").slice(before);
  assert.ok(patches.every(({ reset }) => reset === undefined), "a change is no new list");
  assert.ok(patches.flatMap(({ put }) => Object.keys(put)).length <= 4, "only what changed is told");

  const { cursor } = list;
  visitor.unsubscribe("c");
  containers.delete(scriptedId(9));
  engine.tell(happened("destroy", scriptedId(9), "c9"));
  await eventually("it is gone", async () => (await listed()).size === 299);
  await using again = new LiveVisitor(berth, berth.admin);
  await again.subscribe("c", "containers", { since: cursor });
  const resumed = await again.list("c");
  await eventually("the removal is told", () => again.of("c").some(({ removed }) => removed.length > 0));
  assert.deepEqual([resumed.resets, resumed.rows.size], [0, 0], "nothing that was known is told again");
  assert.deepEqual(again.of("c").flatMap(({ removed }) => removed), [`docker/${scriptedId(9)}`]);

  await again.subscribe("other", "containers", { since: "0f0f0f0f-0f0f-0f0f.1" });
  assert.equal((await again.list("other")).resets, 1, "an unknown cursor is answered with the whole list");
});

Deno.test("each caller is told what their scopes reach; what leaves them is removed, what enters comes whole", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, FILE_PATHS, stack);
  const shop = await keyOn(berth, "project:shop");
  const feeds = ["containers", "images", "volumes", "networks", "engines", "workspaces"];
  const admin = stack.use(new LiveVisitor(berth, berth.admin));
  const visitor = stack.use(new LiveVisitor(berth, shop.credential));
  for (const one of [admin, visitor]) for (const feed of feeds) await one.subscribe(feed, feed);
  for (const feed of feeds) {
    const path = feed === "engines" ? "system/backends" : feed;
    const keyOf: Record<string, (one: Record<string, string>) => string> = {
      volumes: ({ backend, name }) => `${backend}/${name}`,
      engines: ({ name }) => name!,
      workspaces: ({ id }) => id!,
    };
    const key = keyOf[feed] ?? (({ backend, id }: Record<string, string>) => `${backend}/${id}`);
    for (const [who, caller] of [[admin, berth], [visitor, shop]] as const) {
      const { body } = await caller.call(`GET /api/${path}`);
      const rows = Object.fromEntries((await who.list(feed)).rows);
      // The sight of folders costs the engine a question, and is told by the request alone.
      const told = body.items.map(({ sees: _, ...one }: Record<string, never>) => one);
      assert.deepEqual(rows, Object.fromEntries(told.map((one: never) => [key(one), one])), feed);
    }
  }
  const mine = await visitor.list("containers");
  assert.deepEqual(
    [...mine.rows.keys()].sort(),
    [
      `one/${SHOP_WEB.id}`,
      `one/${SHOP_DB.id}`,
      ...[...mine.rows.keys()].filter((key) => key.startsWith("two/")),
    ].sort(),
  );

  const world = worlds.one!;
  const made = world.world.containers!.get(SHOP_DB.id) as { Config: { Labels: Record<string, string> } };
  const moved = (project: string) => {
    const labels = { ...made.Config.Labels, [PROJECT]: project };
    world.world.containers!.set(SHOP_DB.id, { ...made, Config: { ...made.Config, Labels: labels } });
    world.tell(happened("update", SHOP_DB.id, "shop-db"));
  };
  moved("blog");
  await eventually("it has left", () => !mine.rows.has(`one/${SHOP_DB.id}`));
  assert.ok((await admin.list("containers")).rows.has(`one/${SHOP_DB.id}`));
  moved("shop");
  await eventually("it is back", () => mine.rows.has(`one/${SHOP_DB.id}`));
  assert.equal(mine.rows.get(`one/${SHOP_DB.id}`).name, "shop-db");
  const told = visitor.visitor.texts.join("\n");
  assert.ok(!told.includes(BLOG_WEB.id) && !told.includes("blog-web"), "nothing else was told");
});

Deno.test("events come to callers who may see them, the last ones first where they are asked for, and go on behind a cursor", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, FILE_PATHS, stack);
  const shop = await keyOn(berth, "project:shop");
  const events = (of: LiveVisitor, id = "e") =>
    of.of(id).flatMap((one) => one.items ?? []).map((one) =>
      `${one.action ?? one.type} ${one.container?.name ?? ""}`
    );
  const tell = (world: string, action: string, { id, name }: { id: string; name: string }, project: string) =>
    worlds[world]!.tell({
      ...happened(action, id, name),
      Actor: { ID: id, Attributes: { name, [PROJECT]: project } },
    });
  tell("one", "start", SHOP_WEB, "shop");
  tell("two", "start", BLOG_WEB, "blog");
  const admin = stack.use(new LiveVisitor(berth, berth.admin));
  await eventually("both are known", async () => {
    await admin.subscribe("e", "events", { earlier: 100 });
    await eventually("an answer", () => admin.of("e").length > 0);
    return events(admin).includes("start blog-web") && events(admin).includes("start shop-web");
  });
  const visitor = stack.use(new LiveVisitor(berth, shop.credential));
  await visitor.subscribe("e", "events", { earlier: 100 });
  await eventually("the past", () => events(visitor).length > 0);
  assert.deepEqual(events(visitor), ["start shop-web"]);
  tell("two", "die", BLOG_WEB, "blog");
  tell("one", "die", SHOP_WEB, "shop");
  await eventually("the present", () => events(visitor).includes("die shop-web"));
  assert.deepEqual(events(visitor), ["start shop-web", "die shop-web"]);

  const { cursor } = visitor.of("e").at(-1);
  visitor.unsubscribe("e");
  tell("one", "stop", SHOP_WEB, "shop");
  await eventually("it was heard", () => events(admin).includes("stop shop-web"));
  const again = stack.use(new LiveVisitor(berth, shop.credential));
  await again.subscribe("e", "events", { since: cursor });
  await eventually("what was missed", () => events(again).length > 0);
  assert.deepEqual(events(again), ["stop shop-web"]);
  await again.subscribe("lost", "events", { since: "of-another-start.3" });
  await eventually("an answer", () => again.of("lost").length > 0);
  assert.deepEqual(again.of("lost")[0].items.map(({ type }: { type: string }) => type), ["resync"]);
});

Deno.test("whether messages come compressed is true or false; a socket that asks for anything else does not open", async () => {
  await using berth = await serveEngines({});
  const open = (query: string) =>
    sendRaw(
      berth.port,
      `GET /api/live${query} HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\n` +
        `Authorization: Bearer ${berth.admin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
  for (
    const [query, message] of [
      ["?gzip=yes", "Expected true or false"],
      ["?gzip=TRUE", "Expected true or false"],
      ["?gzip=2", "Expected true or false"],
      ["?gzip=true&gzip=false", "Expected only once"],
    ] as const
  ) {
    const { status, body } = await open(query);
    const { code, errors } = JSON.parse(body);
    assert.deepEqual(
      [status, code, errors],
      [400, "invalid_request", [{ path: "query.gzip", message }]],
      query,
    );
  }
  for (const query of ["", "?gzip=true", "?gzip=false"]) {
    await using visitor = new LiveVisitor(berth, berth.admin, query);
    await visitor.subscribe("e", "engines");
    assert.equal((await visitor.list("e")).rows.size, 0);
  }
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("a feed without the right is refused by itself and in the audit log, and a right that is withdrawn ends the socket", async () => {
  await using berth = await serveEngines({});
  const made = await berth.call("POST /api/settings/api-keys", {
    name: "few",
    permissions: ["workspaces:read"],
  });
  await using visitor = new LiveVisitor(berth, made.body.key);
  await visitor.subscribe("w", "workspaces");
  await visitor.subscribe("c", "containers");
  await visitor.subscribe("c2", "containers");
  await visitor.subscribe("n", "no-such-feed");
  await visitor.subscribe("f", "files", { workspace: "nowhere" });
  const refused = await visitor.ended("c");
  assert.deepEqual([refused.code, refused.title.includes("containers:read")], ["forbidden", true]);
  assert.equal((await visitor.ended("n")).code, "not_found");
  assert.equal((await visitor.ended("f")).code, "workspace_not_found");
  assert.equal((await visitor.list("w")).rows.size, 0);
  const entries = await eventually("the refusal is in the audit log", async () => {
    const { items } = (await berth.call("GET /api/system/audit?action=WS%20/api/live")).body;
    const own = items.filter(({ action }: { action: string }) => action === "WS /api/live");
    return own.length > 0 ? own : null;
  });
  assert.deepEqual(
    entries.map(({ result, particulars }: Record<string, unknown>) => [result, particulars]),
    [["forbidden", { feed: "containers" }]],
    "once for each feed",
  );
  assert.equal((await berth.call(`DELETE /api/settings/api-keys/${made.body.id}`)).status, 204);
  assert.equal((await visitor.visitor.closed).code, 1008);
});

Deno.test("what cannot be read ends the socket; too many subscriptions, and wrong wishes, end by themselves", async () => {
  await using berth = await startService({ engines: [] });
  for (
    const text of [
      "",
      "[]",
      "{}",
      `{"type":"subscribe"}`,
      `{"type":"x","id":"1"}`,
      "null",
      `{"type":"subscribe","id":"","feed":"events"}`,
    ]
  ) {
    await using visitor = new LiveVisitor(berth, berth.admin);
    await visitor.visitor.opened;
    visitor.visitor.wire.send(text);
    assert.equal((await visitor.visitor.closed).code, 4400, text);
    assert.equal(visitor.messages.at(-1).code, "invalid_request", text);
  }
  await using visitor = new LiveVisitor(berth, berth.admin);
  const wrong = [
    { feed: "containers", since: 7 },
    { feed: "containers", sort: "name" },
    { feed: "events", kinds: [] },
    { feed: "events", kinds: ["nothing"] },
    { feed: "events", earlier: 1e9 },
    { feed: "files" },
    { feed: "__proto__" },
  ];
  for (const [index, { feed, ...asked }] of wrong.entries()) {
    await visitor.subscribe(`wrong${index}`, feed, asked);
    assert.match(
      (await visitor.ended(`wrong${index}`)).code,
      /^(invalid_request|not_found)$/,
      JSON.stringify(wrong[index]),
    );
  }
  for (let number = 0; number <= 32; number++) await visitor.subscribe(`s${number}`, "engines");
  assert.equal((await visitor.ended("s32")).code, "too_many_streams");
  await visitor.subscribe("s31", "workspaces"); // instead of the one before
  assert.equal((await visitor.list("s31")).rows.size, 0);
  visitor.unsubscribe("s30");
  await visitor.subscribe("s33", "engines");
  await visitor.list("s33");
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("an engine that goes away is told beside the rows that it takes along, and brings them back", async () => {
  const containers = new Map<string, unknown>([[scriptedId(1), inspected(scriptedId(1), "one")]]);
  const engine = new ScriptedWorld({ containers });
  await using berth = await serveEngines({ docker: engine });
  await using visitor = new LiveVisitor(berth, berth.admin);
  await visitor.subscribe("c", "containers");
  await visitor.subscribe("b", "engines");
  const list = await visitor.list("c");
  const engines = await visitor.list("b");
  assert.deepEqual([list.rows.size, engines.rows.get("docker").state], [1, "up"]);
  await engine[Symbol.asyncDispose]();
  await eventually("it is away", () => list.rows.size === 0 && engines.rows.get("docker").state !== "up");
  assert.equal(list.beside.unavailable[0].backend, "docker");
  await using _back = new ScriptedWorld({ containers }, engine.socket);
  await eventually("it is back", () => list.rows.size === 1 && engines.rows.get("docker").state === "up");
  assert.deepEqual(list.beside.unavailable, []);
  assert.equal(list.resets, 1);
});

Deno.test("files that change are told by workspace and by file", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: NOTHING }, ["all/shop/compose.yaml"], stack);
  const visitor = stack.use(new LiveVisitor(berth, berth.admin));
  await visitor.subscribe("w", "workspaces");
  await visitor.subscribe("f", "files", { workspace: "all" });
  const workspaces = await visitor.list("w");
  const files = await visitor.list("f");
  const { revision } = workspaces.rows.get("all");
  const { sha256 } = files.rows.get("shop/compose.yaml");
  await Deno.writeTextFile(
    `${berth.folder}/workspaces/all/shop/compose.yaml`,
    "name: shop\nservices: { one: { image: a } }\n",
  );
  await eventually("the workspace is told", () => workspaces.rows.get("all").revision !== revision);
  await eventually("the file is told", () => files.rows.get("shop/compose.yaml").sha256 !== sha256);
  await berth.call("DELETE /api/workspaces/all");
  assert.equal((await visitor.ended("f")).code, "workspace_not_found");
  await eventually("it is gone", () => workspaces.rows.size === 0);
});

Deno.test("a log that leaves the reader's scope in the middle is let go in every tab, and no other is", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, FILE_PATHS, stack);
  const { world } = worlds.one!;
  const { override } = world;
  world.override = (request, path) => {
    if (!path.endsWith("/logs")) return override?.(request, path);
    const isFollowed = new URL(request.url).searchParams.get("follow") === "true";
    return isFollowed ? new Response(new ReadableStream()) : new Response();
  };
  const shop = await keyOn(berth, "project:shop");
  const tabs = [1, 2].map(() => stack.use(new LiveVisitor(berth, shop.credential)));
  const states = (tab: LiveVisitor) =>
    tab.of("l").flatMap((one) => one.items ?? [])
      .map(({ name, state, reason = "" }) => `${name} ${state} ${reason}`.trim());
  for (const tab of tabs) {
    await tab.subscribe("l", "logs", { containers: [`one/${SHOP_WEB.id}`, `one/${SHOP_DB.id}`] });
    await eventually("both are followed", () => states(tab).length === 2);
  }
  const made = world.containers!.get(SHOP_DB.id) as { Config: { Labels: Record<string, string> } };
  const labels = { ...made.Config.Labels, [PROJECT]: "blog" };
  world.containers!.set(SHOP_DB.id, { ...made, Config: { ...made.Config, Labels: labels } });
  worlds.one!.tell(happened("update", SHOP_DB.id, "shop-db"));
  for (const tab of tabs) {
    await eventually("it is let go", () => states(tab).includes("shop-db ended not_allowed"));
    assert.deepEqual(states(tab).sort(), [
      "shop-db ended not_allowed",
      "shop-db following",
      "shop-web following",
    ]);
  }
});

Deno.test("a followed log, measurements and compose-logs end where their workspace is forgotten", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, FILE_PATHS, stack);
  const { world } = worlds.one!;
  const { override } = world;
  let followed = 0;
  world.override = (request, path) => {
    if (path.endsWith("/stats")) return new Response(new ReadableStream());
    if (!path.endsWith("/logs")) return override?.(request, path);
    if (new URL(request.url).searchParams.get("follow") !== "true") return new Response();
    followed++;
    return new Response(new ReadableStream({ cancel: () => void followed-- }));
  };
  const reader = await keyOn(berth, "workspace:all");
  const protocols = [`berth.bearer.${reader.credential}`];
  const sockets = [`containers/${SHOP_WEB.id}/stats`, "terminal/compose-logs?logs=true&container=shop-web"]
    .map((path) => new Visitor(`${berth.url}/api/${path}`, undefined, protocols));
  await Promise.all(sockets.map(({ opened }) => opened));
  const log = await fetch(`${berth.url}/api/containers/${SHOP_WEB.id}/logs?follow=true&format=ndjson`, {
    headers: { authorization: `Bearer ${reader.credential}` },
  });
  await eventually("both logs are followed", () => followed === 2);

  await berth.call("DELETE /api/workspaces/all");

  assert.deepEqual(JSON.parse((await bounded("the end of the log", log.text())).trim().split("\n").at(-1)!), {
    end: { reason: "not_allowed" },
  });
  assert.equal((await bounded("the end of measurements", sockets[0]!.closed)).code, 1008);
  await eventually("no log is read", () => followed === 0);
  await Promise.all(sockets.map(({ wire, closed }) => (wire.close(), closed)));
});
