/** The rows of projects: their reasons, what they know of each other, and the feed that tells them. */
import assert from "node:assert/strict";
import { LiveVisitor } from "../streams/live_visitor.ts";
import { eventually } from "../support/eventually.ts";
import {
  berthOf,
  FILES,
  idOf,
  keyOn,
  ONE,
  type Path,
  PROJECT,
  SHOP_WEB,
  TWO,
} from "../support/scoped_world.ts";
import { manyProjects } from "../support/many_projects.ts";
import { inspected, scriptedId, type ScriptedWorld } from "../support/scripted_world.ts";
import type { TestService } from "../support/service.ts";

const ALL = Object.keys(FILES) as Path[];

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Row = any;

const rowOf = async (berth: Pick<TestService, "call">, id: string): Promise<Row> => {
  const { body } = await berth.call(`GET /api/projects/${encodeURIComponent(id)}`);
  return body;
};

/** Changes the state of a container, as its engine tells it. */
function setState(world: ScriptedWorld, state: Record<string, unknown>, action: string): void {
  const made = world.world.containers!.get(SHOP_WEB.id) as { State: object };
  world.world.containers!.set(SHOP_WEB.id, { ...made, State: { ...made.State, ...state } });
  world.tell({
    Type: "container",
    Action: action,
    Actor: { ID: SHOP_WEB.id, Attributes: { name: "shop-web" } },
    timeNano: Date.now() * 1e6,
  });
}

Deno.test("The feed of projects tells the rows of GET /api/projects, then only those that are another, and each caller only what is in scope", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const shop = await keyOn(berth, "project:shop");
  await using visitor = new LiveVisitor(berth, berth.admin);
  await visitor.subscribe("p", "projects");
  await using limited = new LiveVisitor(berth, shop.credential);
  await limited.subscribe("p", "projects");
  const all = await visitor.list("p");
  const { items, total: _, ...beside } = (await berth.call("GET /api/projects")).body;
  assert.deepEqual([...all.rows.values()], items);
  assert.deepEqual(all.beside, beside);
  const one = await limited.list("p");
  assert.deepEqual([...one.rows.keys()], ["shop@all"]);
  assert.doesNotMatch(JSON.stringify(limited.of("p")), /blog|rest|tool/);

  const before = [visitor.of("p").length, all.rows.get("shop@all").revision];
  setState(worlds.one!, { Status: "paused", Paused: true }, "pause");
  await eventually("the row is another", () => all.rows.get("shop@all").revision !== before[1]);
  const told = visitor.of("p").slice(before[0] as number);
  assert.deepEqual(new Set(told.flatMap(({ put }: Row) => Object.keys(put))), new Set(["shop@all"]));
  assert.deepEqual(all.rows.get("shop@all"), (await berth.call("GET /api/projects?q=shop")).body.items[0]);
});

Deno.test("A row of an unhealthy container has the output of its health check, without secrets and 300 characters at most", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE }, ALL, stack);
  const secret = "hunter2hunter2";
  const words = `connecting with PASSWORD=${secret} failed: ${"x".repeat(400)}`;
  const health = { Status: "unhealthy", Log: [{ Output: "before" }, { Output: words }] };
  setState(worlds.one!, { Health: health }, "health_status: unhealthy");
  const row = await eventually("it is unhealthy", async () => {
    const now = await rowOf(berth, "shop@all");
    return now.reason?.container?.condition === "unhealthy" ? now : null;
  });
  const { healthOutput } = row.reason.container;
  assert.match(healthOutput, /^connecting with PASSWORD=\S+ failed: x+$/);
  assert.equal(healthOutput.length, 300);
  assert.doesNotMatch(JSON.stringify(row), new RegExp(secret));
  const others = row.units.flatMap(({ containers }: Row) => containers).slice(1);
  assert.ok(others.every((one: Row) => one.healthOutput === null));
});

Deno.test("Rows say what was never started, which engine is away since when, and which project has the same name", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const path = `${berth.folder}/workspaces/other`;
  await Deno.mkdir(`${path}/shop`, { recursive: true });
  await Deno.writeTextFile(
    `${path}/shop/compose.yaml`,
    FILES["all/shop/compose.yaml"].replace(/ {4}container_name.*\n/, ""),
  );
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  const [one, other] = [await rowOf(berth, "shop@all"), await rowOf(berth, "shop@other")];
  assert.deepEqual([one.conflict, other.conflict], ["shop@other", "shop@all"]);
  assert.equal((await rowOf(berth, "rest@rest")).conflict, null);
  assert.deepEqual([other.verdict, other.reason.unit, other.reason.container], ["notStarted", "db", null]);
  const shop = await keyOn(berth, "workspace:other");
  const alone = (await shop.call("GET /api/projects")).body.items;
  assert.deepEqual(alone.map(({ id, conflict }: Row) => [id, conflict]), [["shop@other", null]]);

  const began = Date.now();
  await worlds.one![Symbol.asyncDispose]();
  const gone = await eventually("the engine is away", async () => {
    const now = await rowOf(berth, "shop@all");
    return now.reason?.away ? now : null;
  });
  assert.deepEqual([gone.verdict, gone.reason.away.engine], ["unknown", "one"]);
  assert.ok(Date.parse(gone.reason.away.since) >= began - 1_000, gone.reason.away.since);
});

Deno.test("Containers of two projects with one name on one engine are each in the project whose files they were started from", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE }, ALL, stack);
  const path = `${berth.folder}/workspaces/other`;
  await Deno.mkdir(`${path}/shop`, { recursive: true });
  await Deno.writeTextFile(
    `${path}/shop/compose.yaml`,
    `name: shop\nservices:\n  web:\n    image: web:1\n  job:\n    image: web:1\n`,
  );
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  const from = (id: string, name: string, file: string, service: string) => {
    const made = inspected(id, name);
    const labels = {
      [PROJECT]: "shop",
      "com.docker.compose.service": service,
      "com.docker.compose.project.config_files": file,
    };
    const Config = { ...made["Config"] as object, Labels: labels };
    worlds.one!.world.containers!.set(id, { ...made, Config });
    worlds.one!.tell({
      Type: "container",
      Action: "create",
      Actor: { ID: id, Attributes: { name } },
      timeNano: Date.now() * 1e6,
    });
  };
  from(idOf("web"), "shop-web-1", `${path}/shop/compose.yaml`, "web");
  from(idOf("job"), "shop-job-1", `${path}/shop/compose.yaml`, "job");
  from(idOf("lost"), "shop-lost-1", `${berth.folder}/compose.yaml`, "web");
  await Deno.writeTextFile(`${berth.folder}/compose.yaml`, "services: {}\n");

  const namesIn = async (id: string) => {
    const { units, containers } = await rowOf(berth, id);
    return [...units.flatMap(({ containers }: Row) => containers), ...containers].map(({ name }: Row) => name)
      .sort();
  };
  await eventually("they are in the other project", async () => (await namesIn("shop@other")).length > 0);
  assert.deepEqual(await namesIn("shop@other"), ["shop-job-1", "shop-web-1"]);
  assert.deepEqual(await namesIn("shop@all"), ["shop-db", "shop-web"]);
  assert.deepEqual(await namesIn("shop@engine:one"), ["shop-lost-1"]);
});

Deno.test("A project whose file cannot be read is unknown with the line of the error, also while an engine is away", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const file = `${berth.folder}/workspaces/all/blog/compose.yaml`;
  const before = await rowOf(berth, "blog@all");
  assert.ok(["asWritten", "differs"].includes(before.verdict), before.verdict);
  await Deno.writeTextFile(file, `${FILES["all/blog/compose.yaml"]}   volumes: ["data:\n`);

  const isUnread = async () => {
    const row = await rowOf(berth, "blog@all");
    return /^blog\/compose\.yaml:\d+ cannot be read whole: ./.test(row.reason?.notCompared ?? "")
      ? row
      : null;
  };
  const unread = await eventually("the row names the line", isUnread);
  assert.equal(unread.verdict, before.verdict === "asWritten" ? "unknown" : before.verdict);
  await worlds.two![Symbol.asyncDispose]();
  await eventually("an engine is away", async () => (await rowOf(berth, "rest@rest")).reason?.away ?? null);
  assert.equal((await isUnread())?.reason.away, null);

  await Deno.writeTextFile(file, FILES["all/blog/compose.yaml"]);
  await eventually("the file is read again", async () => (await isUnread()) === null);
});

Deno.test("A project's details have its files and containers, and which permission each act lacks", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const of = async (caller: Pick<TestService, "call">, id: string) => {
    const { files, acts, units, marks } = await rowOf(caller, id);
    const allowed = acts.filter(({ allowed }: Row) => allowed).map(({ act }: Row) => act);
    return { files, units, marks, allowed, acts };
  };
  const whole = await of(berth, "shop@all");
  assert.deepEqual(whole.files, [{ path: "shop/compose.yaml", kind: "compose" }]);
  assert.deepEqual(whole.allowed, ["plan", "apply", "write", "logs", "shell", "resume"]);
  const [web] = whole.units.find(({ name }: Row) => name === "shop.web").containers;
  assert.equal(web.imageId, `sha256:${"0".repeat(64)}`);
  assert.deepEqual(whole.marks, { web: "differs", db: "differs" });
  const viewer = await of(await keyOn(berth, "project:shop"), "shop@all");
  assert.deepEqual(viewer.allowed, ["logs"]);
  const lacks = viewer.acts.find(({ act }: Row) => act === "apply");
  assert.deepEqual(lacks, { act: "apply", permission: "projects:apply", allowed: false });
  const operator = await of(await keyOn(berth, "project:shop", "operator"), "shop@all");
  assert.deepEqual(operator.allowed, ["plan", "apply", "logs", "resume"]);
});

Deno.test("Rows of 300 projects take 5 KB compressed, all of 900 containers differ, and one change inspects its own project alone", async () => {
  await using stack = new AsyncDisposableStack();
  const { engine, touch, ask } = await manyProjects(stack, 300);
  const text = await (await ask(300)).text();
  const { items, counts } = JSON.parse(text);
  assert.deepEqual([items.length, counts.differs], [300, 300]);
  assert.ok(
    items.every(({ differences, marks }: Row) => differences >= 3 && Object.keys(marks).length === 3),
  );
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  const { byteLength } = await new Response(stream).arrayBuffer();
  assert.ok(byteLength <= 5 * 1024, `${byteLength} bytes of ${text.length}`);

  const at = engine.calls.length;
  touch(0);
  const before = items.find(({ name }: Row) => name === "p0000").revision;
  await eventually("its row is another", async () => {
    const { items: [row] } = await (await ask(300)).json().then((all) => ({
      items: all.items.filter(({ name }: Row) => name === "p0000"),
    }));
    return row.revision !== before;
  });
  const inspects = engine.calls.slice(at).flatMap((call) =>
    /^GET \/containers\/([0-9a-f]{64})\/json$/.exec(call)?.[1] ?? []
  );
  assert.ok(inspects.length > 0);
  assert.deepEqual(new Set(inspects), new Set([scriptedId(1)]));
});
