/** A caller with scopes is answered as by a berth that has only those things. */
import assert from "node:assert/strict";
import {
  berthOf,
  BLOG_WEB,
  FILES,
  type Has,
  idOf,
  keyOn,
  type Made,
  NOTHING,
  ONE,
  type Path,
  SHOP_DB,
  SHOP_WEB,
  STRAY,
  TWIN,
  TWO,
} from "../support/scoped_world.ts";
import type { TestCaller, TestService } from "../support/service.ts";
import { Visitor } from "../support/stream_service.ts";
import { eventually } from "../support/eventually.ts";

/** The values of each parameter: everything that is anywhere, by each of its names, and what is nowhere. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  containers: [...ONE.containers, ...TWO.containers].flatMap(({ id, name }) => [id, id.slice(0, 8), name]),
  volumes: ["shop_data", "plain", "blog_data"],
  networks: ["shop_default", "other", "blog_default"].flatMap((name) => [name, idOf(name)]),
  images: ["web:1", "tool:1", "blog:1"],
  workspaces: ["all", "rest"],
  groups: ["shop", "blog", "rest"],
  projects: ["shop", "shop@all", "blog@all", "rest@rest", "blog@engine:two"],
  units: ["shop.web", "shop.db", "blog.web", "web", "rest.idle"],
  cards: [],
  versions: ["1"],
  // The owner of each one is tested elsewhere: tests/plan/plan_scopes_test.ts, tests/apply/apply_test.ts.
  plans: [],
  applies: [],
  // tests/watch/incidents_test.ts
  incidents: [],
  // tests/watch/endings_test.ts
  endings: [],
  // tests/engines/swarm_nodes_test.ts
  nodes: [],
  services: [],
  stacks: [],
  files: ["shop/compose.yaml", "blog/compose.yaml", "compose.yaml"].map(encodeURIComponent),
};

/** Queries that ask for more than the plain answer. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  "/containers": ["workspace=all", "workspace=rest", "backend=one", "backend=two", "project=blog", "q=shop"],
  "/volumes": ["unused=true", "backend=one", "backend=two", "q=plain"],
  "/networks": ["unused=true", "backend=two"],
  "/images": ["unused=true", "backend=two"],
  "/system/disk-usage": ["type=containers", "type=volumes", "backend=two"],
  "/workspaces/{id}/artifacts": ["kind=unit", "format=ndjson"],
  "/workspaces/{id}/artifacts/dag": ["live=true", "group=shop", "group=blog", "format=mermaid"],
};

/** Every `GET` that answers at once and asks for a permission, with everything put in. */
async function requests(berth: TestService): Promise<{ path: string; route: string; subject: string }[]> {
  const { body } = await berth.call("GET /api/openapi.json");
  const found: { path: string; route: string; subject: string }[] = [];
  for (const [route, { get }] of Object.entries<Record<string, Record<string, unknown>>>(body.paths)) {
    if (get === undefined || get["x-websocket"] === true || get["x-subject"] === undefined) continue;
    if (/logs|audit|units$/.test(route) || get["x-subject"] === "everything") continue;
    let paths = [route];
    for (const [whole] of route.matchAll(/\/(\w+)\/\{\w+(?:\.\.\.)?\}/g)) {
      const kind = whole.split("/")[1]!;
      const values = [...VALUES[kind] ?? assert.fail(`no values for ${route}`), "nowhere"];
      paths = paths.flatMap((path) => values.map((value) => path.replace(whole, `/${kind}/${value}`)));
    }
    for (const path of paths) {
      const queries = QUERIES[route.slice("/api".length)] ?? [];
      for (const query of ["", ...queries.map((one) => `?${one}`)]) {
        found.push({ path: path + query, route, subject: String(get["x-subject"]) });
      }
    }
  }
  return found;
}

interface Case {
  readonly on: string;
  /** All that is in scope. */
  readonly engines: Record<string, Has>;
  readonly files: readonly Path[];
  /** The answers of a berth with these engines and workspaces that a caller with the scope does not get. */
  readonly untold: RegExp;
}

/** Routes about engines as a whole, and about engines that show nothing. */
const ENGINES = "images|system/(info|backends|disk-usage)|(volumes|networks)\\?backend=";
const only = (has: Has, keep: (one: Made) => boolean, more: Partial<Has> = {}): Has => ({
  ...NOTHING,
  containers: has.containers.filter(keep),
  ...more,
});

const CASES: readonly Case[] = [
  { on: "engine:one", engines: { one: ONE }, files: [], untold: /workspace=all/ },
  {
    on: "project:shop",
    engines: {
      one: only(ONE, ({ project }) => project === "shop", {
        volumes: { shop_data: ONE.volumes["shop_data"]! },
        networks: { shop_default: ONE.networks["shop_default"]! },
      }),
      two: only(TWO, ({ project }) => project === "shop"),
    },
    files: ["all/shop/compose.yaml"],
    untold: new RegExp(`^/api/(${ENGINES}|workspaces($|/\\w+$))`),
  },
  {
    on: "workspace:all",
    engines: {
      one: only(ONE, ({ project }) => project !== undefined),
      two: only(TWO, (one) => one !== TWIN && one !== STRAY),
    },
    files: ["all/shop/compose.yaml", "all/blog/compose.yaml"],
    untold: new RegExp(`^/api/(${ENGINES})`),
  },
  {
    on: "label:team=web",
    engines: {
      one: only(ONE, ({ labels }) => labels !== undefined),
      two: only(TWO, () => false, { volumes: { blog_data: TWO.volumes["blog_data"]! } }),
    },
    files: [],
    untold: new RegExp(`^/api/(${ENGINES}|containers\\?(backend=two|workspace=all))`),
  },
];

for (const { on, engines, files, untold } of CASES) {
  Deno.test(`whoever may look on ${on} is answered as by a berth that has nothing else`, async () => {
    await using stack = new AsyncDisposableStack();
    const { berth: whole } = await berthOf({ one: ONE, two: TWO }, Object.keys(FILES) as Path[], stack);
    const { berth: part } = await berthOf(engines, files, stack);
    const scoped = await keyOn(whole, on);
    const viewer = await part.key("viewer");
    const wrong: string[] = [];
    let told = 0;
    const all = await requests(whole);
    for (const { path } of all.filter(({ path }) => !untold.test(path))) {
      const [got, due] = [await answerOf(scoped, path, whole), await answerOf(viewer, path, part)];
      if (got !== due) wrong.push(`${path}\n  got ${got.slice(0, 4000)}\n  due ${due.slice(0, 4000)}`);
      if (got.startsWith("200")) told++;
    }
    console.log(`${on}: ${all.length} requests, ${told} with an answer, ${wrong.length} differ`);
    assert.deepEqual(wrong, []);
    assert.ok(told > 10, `${told} answers`);
    assert.deepEqual(whole.bugs(), []);
  });
}

/** Without what is of the moment, or of the machine. */
async function answerOf(caller: TestCaller, path: string, berth: TestService): Promise<string> {
  const { status, text } = await caller.call(`GET ${path}`);
  const plain = text.replaceAll(berth.folder, "<folder>")
    .replace(/"(requestId|createdAt|startedAt|measuredAt|address|revision)":"[^"]*"/g, '"$1":"-"')
    .replace(/"default":(true|false)/g, '"default":"-"')
    .replace(/"durationMs":[\d.]+/g, '"durationMs":0')
    // To whom a container belongs is said by itself.
    .replace(/"workspace":(null|\{"id":"\w+","unit":[^}]*\})(?=,"backend"|\}$)/g, '"workspace":"-"')
    // Engines are told with the right to see the system, which no scope but an engine's gives.
    .replace(
      /"engines":\[(?:\{[^\]]*)?\]/g,
      /^\/api\/(overview|projects)$/.test(path) ? '"engines":"-"' : "$&",
    )
    // A single engine says itself that it has no such thing.
    .replace(/: (no engine that is up has it|engine \\"\w+\\" says \\"No such container:\\")/, ": -");
  return `${status} ${plain}`;
}

const ALL = Object.keys(FILES) as Path[];

Deno.test("what is out of scope cannot be touched, and no engine hears of the try", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const scoped = await keyOn(berth, "project:shop", "admin");
  const before = Object.values(worlds).map(({ calls }) => calls.length);
  const id = BLOG_WEB.id;
  const tries: [string, number, unknown?][] = [
    ...["start", "stop", "restart", "pause", "unpause", "kill"].map((verb): [string, number] => [
      `POST /api/containers/${id}/${verb}`,
      404,
    ]),
    [`POST /api/containers/${id}/rename`, 404, { name: "mine" }],
    [`DELETE /api/containers/${id}?force=true`, 404],
    [`GET /api/containers/${id}/logs`, 404],
    ["DELETE /api/volumes/plain", 404],
    ["DELETE /api/volumes/blog_data", 404],
    ["DELETE /api/networks/blog_default", 404],
    ["POST /api/networks/other/connect", 404, { container: SHOP_WEB.name }],
    ["POST /api/networks/shop_default/connect", 404, { container: BLOG_WEB.name }],
    ["POST /api/networks/shop_default/disconnect", 404, { container: BLOG_WEB.id, force: true }],
    ["DELETE /api/images/web:1", 404],
    ["POST /api/volumes?backend=one", 404, { name: "new" }],
    ["POST /api/networks?backend=one", 404, { name: "new" }],
    ["POST /api/images/pull?backend=one", 404, { reference: "web:1" }],
    ["POST /api/volumes", 403, { name: "new" }],
    ["POST /api/networks", 403, { name: "new" }],
    ["POST /api/images/pull", 403, { reference: "web:1" }],
    ["POST /api/system/prune", 403, { types: ["containers"], dryRun: true }],
    ["POST /api/system/prune", 404, { types: ["containers"], dryRun: true, backend: "one" }],
    ["PUT /api/workspaces/all", 404, { allowHardLinks: true }],
    ["DELETE /api/workspaces/rest", 404],
    ["POST /api/workspaces/rest/artifacts/validate", 404],
    ["POST /api/workspaces/all/artifacts/validate", 403, { files: {} }],
    ["POST /api/workspaces", 403, { path: "/" }],
    ["GET /api/settings/people", 403],
    ["GET /api/system/audit", 403],
    ["GET /api/system/plugins", 403],
    [`GET /api/containers/${SHOP_WEB.id}?reveal=true`, 403],
    ["GET /api/workspaces/all/artifacts/groups/shop?reveal=true", 403],
  ];
  for (const [route, status, body] of tries) {
    const answer = await scoped.call(route, body);
    assert.equal(answer.status, status, `${route}: ${answer.text}`);
    assert.equal(answer.text.includes("blog-web") && !route.includes("networks"), false, answer.text);
  }
  const heard = Object.values(worlds).flatMap(({ calls }, at) => calls.slice(before[at]))
    .filter((call) => !call.startsWith("GET /containers/"));
  assert.deepEqual(heard, []);
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("a workspace's scope reaches what was started from its files, and nothing that they merely name", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const shown = await berth.call(`GET /api/containers/${STRAY.name}`);
  assert.deepEqual(shown.body.workspace, { id: "rest", unit: "rest.idle" });
  await Deno.writeTextFile(`${berth.folder}/workspaces/rest/berth.yaml`, "projects: {blog: rest}\n");
  const scoped = await keyOn(berth, "workspace:rest");
  await eventually("its files claim another project", async () => {
    const { body } = await berth.call(`GET /api/containers/${BLOG_WEB.name}`);
    return body.workspace?.id === "rest" ||
      (await berth.call("GET /api/workspaces/rest")).body.files.length === 2;
  });
  assert.deepEqual((await scoped.call("GET /api/containers")).body.items, []);
  assert.equal((await scoped.call(`GET /api/containers/${BLOG_WEB.name}`)).status, 404);
});

Deno.test("a scoped list keeps its tag while nothing in sight changes", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const scoped = await keyOn(berth, "project:shop");
  const tag = async (caller: TestCaller) => (await caller.call("GET /api/containers")).headers.get("etag");
  const [mine, all] = [await tag(scoped), await tag(berth)];
  const change = async (world: string, { id, name }: Made) => {
    const known = worlds[world]!.world.containers!;
    known.set(id, { ...known.get(id) as object, State: { Status: "paused", Running: true, Paused: true } });
    worlds[world]!.tell({
      Type: "container",
      Action: "pause",
      Actor: { ID: id, Attributes: { name } },
      time: 1,
    });
    await eventually(
      `${name} is paused`,
      async () => (await berth.call(`GET /api/containers?q=${name}`)).body.items[0].state === "paused",
    );
  };
  await change("two", BLOG_WEB);
  assert.notEqual(await tag(berth), all);
  assert.equal(await tag(scoped), mine);
  await change("one", SHOP_WEB);
  assert.notEqual(await tag(scoped), mine);
});

Deno.test("sockets show what is in scope, and merged logs say how many they leave out", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const made = await berth.call("POST /api/settings/api-keys", {
    name: "watcher",
    grants: [
      { permissions: ["events:read", "containers:read"], on: ["project:shop"] },
      { permissions: ["containers:logs", "containers:exec"], on: ["project:none", "engine:two"] },
    ],
  });
  const open = (path: string) => new Visitor(berth.url + path, undefined, [`berth.bearer.${made.body.key}`]);
  const tell = (world: string, { id, name, project }: Made, action = "start") =>
    worlds[world]!.tell({
      Type: "container",
      Action: action,
      Actor: { ID: id, Attributes: { name, ...(project && { "com.docker.compose.project": project }) } },
      timeNano: Date.now() * 1e6 + Math.round(performance.now() * 1_000) % 1e6,
    });

  for (const path of ["stats", "exec?cmd=ls"]) {
    const socket = open(`/api/containers/${BLOG_WEB.name}/${path}`);
    await socket.closed;
    assert.match(socket.texts.join(), path === "stats" ? /container_not_found/ : /conflict|failed|not_found/);
  }
  const denied = open(`/api/containers/${SHOP_DB.id}/exec?cmd=ls`);
  await denied.closed;
  assert.match(denied.texts.join(), /container_not_found/);

  const events = open("/api/terminal/compose-logs?logs=true");
  await eventually("it is told what it may not read", () => events.said("leftOut").length > 0);
  assert.deepEqual(events.said("leftOut"), [{ type: "leftOut", containers: 2 }]);
  tell("two", BLOG_WEB);
  tell("one", SHOP_WEB);
  const heard = () =>
    events.texts.flatMap((text) => {
      const one = JSON.parse(text);
      return one.type === "batch" ? one.items : [one];
    }).filter(({ type }: { type: string }) => type === "event")
      .map(({ container }: { container: { name: string } }) => container.name);
  await eventually("the event in scope comes", () => heard().includes("shop-web"));
  assert.deepEqual(heard(), ["shop-web"]);
  events.wire.close();
  await events.closed;
});
