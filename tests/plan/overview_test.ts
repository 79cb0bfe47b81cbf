/** `/api/overview`: what is declared beside what runs, the worst first, as far as the caller's scopes reach. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { conditionOf } from "../../core/condition.ts";
import { LiveVisitor } from "../streams/live_visitor.ts";
import { berthOf, FILES, keyOn, NOTHING, ONE, type Path, SHOP_WEB, TWO } from "../support/scoped_world.ts";

const ALL = Object.keys(FILES) as Path[];

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Overview = any;
const names = (of: Overview) =>
  of.units.map(({ name, verdict }: Record<string, string>) => `${name} ${verdict}`);

Deno.test("the overview has every unit, project and stray in one answer, the worst first, and counts them all", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const { status, body, text } = await berth.call("GET /api/overview?limit=100");
  assert.equal(status, 200, text);
  const dag = async (id: string) =>
    (await berth.call(`GET /api/workspaces/${id}/artifacts/dag?live=true`)).body.nodes
      .filter(({ kind }: { kind: string }) => kind === "unit");
  const nodes = [...await dag("all"), ...await dag("rest")];
  assert.deepEqual(body.units.map(({ id }: { id: string }) => id).sort(), nodes.map(({ id }) => id).sort());
  for (const unit of body.units) {
    const { live, data, source } = nodes.find(({ id }) => id === unit.id);
    assert.deepEqual([unit.verdict, unit.state, unit.image, unit.differences], [
      live.verdict,
      live.state,
      data.image,
      live.drift?.length ?? 0,
    ]);
    assert.deepEqual(unit.drift, live.drift ?? []);
    assert.deepEqual(unit.location.range.start.line, source.line);
    assert.deepEqual(
      unit.containers.map(({ id }: { id: string }) => id),
      live.containers.map(({ id }: { id: string }) => id),
    );
  }
  const total = Object.values<number>(body.counts).reduce((sum, one) => sum + one, 0);
  assert.equal(total, body.units.length + body.undeclared.length);
  assert.deepEqual(body.undeclared.map(({ name }: { name: string }) => name).sort(), [
    "shop-db",
    "shop-far",
    "tool",
  ]);
  assert.deepEqual(body.projects.map(({ project }: { project: string }) => project).sort(), [
    "blog",
    "rest",
    "shop",
  ]);
  assert.deepEqual(body.engines, [{ name: "one", state: "up" }, { name: "two", state: "up" }]);

  const few = (await berth.call("GET /api/overview?limit=1")).body;
  assert.deepEqual([names(few), few.counts], [names(body).slice(0, 1), body.counts]);

  const made = worlds.one!.world.containers!.get(SHOP_WEB.id) as { State: object };
  worlds.one!.world.containers!.set(SHOP_WEB.id, {
    ...made,
    State: { ...made.State, Status: "restarting", Running: true, Restarting: true, ExitCode: 137 },
    RestartCount: 5,
  });
  worlds.one!.tell({
    Type: "container",
    Action: "die",
    Actor: { ID: SHOP_WEB.id, Attributes: { name: "shop-web" } },
    timeNano: Date.now() * 1e6,
  });
  const worse = await eventually("it is broken", async () => {
    const { body } = await berth.call("GET /api/overview");
    return body.counts.broken > 0 ? body : null;
  });
  assert.deepEqual([worse.units[0].name, worse.units[0].verdict, worse.projects[0].project], [
    "shop.web",
    "broken",
    "shop",
  ]);
  assert.deepEqual(
    worse.units[0].containers.map(({ restartCount, condition }: Record<string, unknown>) => [
      restartCount,
      condition,
    ]),
    [[5, "restarting"]],
  );
  const listed = (await berth.call("GET /api/containers?q=shop-web")).body.items;
  assert.deepEqual(listed.map(({ condition }: { condition: string }) => condition), ["restarting"]);
});

Deno.test("asked again the overview is a 304 that asks no engine anything, until something is another", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const asked = "GET /api/overview?workspace=all&limit=100";
  const ask = async (tag = "") => {
    const { status, headers, body } = await berth.call(asked, undefined, {
      headers: { "if-none-match": tag },
    });
    return { status, tag: headers.get("etag") ?? "", body };
  };
  const first = await ask();
  assert.deepEqual([...new Set(first.body.units.map(({ workspace }: { workspace: string }) => workspace))], [
    "all",
  ]);
  const calls = () =>
    Object.values(worlds).flatMap(({ calls }) => calls).filter((one) => /[0-9a-f]{64}\/json$/.test(one))
      .length;
  const before = calls();
  assert.deepEqual([(await ask(first.tag)).status, calls() - before], [304, 0]);

  const file = `${berth.folder}/workspaces/all/blog/compose.yaml`;
  await Deno.writeTextFile(file, (await Deno.readTextFile(file)).replace("blog:1", "blog:2"));
  const other = await eventually("what is written is another", async () => {
    const now = await ask(first.tag);
    return now.status === 200 ? now : null;
  });
  assert.equal(other.body.units.find(({ name }: { name: string }) => name === "blog.web").image, "blog:2");

  const made = worlds.one!.world.containers!.get(SHOP_WEB.id) as { State: object };
  worlds.one!.world.containers!.set(SHOP_WEB.id, { ...made, State: { ...made.State, Status: "paused" } });
  worlds.one!.tell({
    Type: "container",
    Action: "pause",
    Actor: { ID: SHOP_WEB.id, Attributes: { name: "shop-web" } },
    timeNano: Date.now() * 1e6,
  });
  await eventually("what runs is another", async () => (await ask(other.tag)).status === 200);
});

Deno.test("who sees a part of a workspace is told at once when that part is written otherwise, and of nothing else", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const shop = await keyOn(berth, "project:shop");
  await using visitor = new LiveVisitor(berth, shop.credential);
  await visitor.subscribe("d", "declared");
  const list = await visitor.list("d");
  assert.deepEqual([...list.rows.keys()], ["all"]);
  await using whole = new LiveVisitor(berth, berth.admin);
  await whole.subscribe("d", "declared");
  const all = await whole.list("d");
  assert.deepEqual([...all.rows.keys()].sort(), ["all", "rest"]);
  const write = (name: "shop" | "blog") =>
    Deno.writeTextFile(
      `${berth.folder}/workspaces/all/${name}/compose.yaml`,
      `# other\n${FILES[`all/${name}/compose.yaml`]}`,
    );
  const told = () => visitor.of("d").length;
  const [atFirst, revision] = [told(), list.rows.get("all").revision];
  await write("blog");
  const before = all.rows.get("all").revision;
  await eventually("the admin is told of the blog", () => all.rows.get("all").revision !== before);
  await write("shop");
  await eventually("the part is another", () => list.rows.get("all").revision !== revision);
  assert.equal(told(), atFirst + 1);
});

Deno.test("what is restarted over and over restarts, until it has run for a minute", async () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  const often = (startedAt: string) => ({ state: "running", restartCount: 3, startedAt } as const);
  const ending = { keepsRunning: true, oomKilled: false, byHand: false };
  const rest = { health: null, exitCode: null, reason: null, finishedAt: ago(0), ending } as const;
  assert.deepEqual(
    [
      { ...rest, ...often(ago(1_000)) },
      { ...rest, ...often(ago(61_000)) },
      { ...rest, ...often(ago(1_000)), restartCount: 1 },
      { ...rest, ...often(ago(61_000)), health: "unhealthy" as const },
      { ...rest, ...often(ago(1)), state: "exited" as const, exitCode: 3 },
      { ...rest, ...often(ago(1)), state: "exited" as const, exitCode: 0 },
      { ...rest, ...often(ago(1)), state: "created" as const, reason: "no such file" },
    ].map((one) => conditionOf(one, Date.now())),
    ["restarting", "running", "running", "unhealthy", "failed", "completed", "failed"],
  );
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE }, ALL, stack);
  const startedAt = (time: string) => {
    const made = worlds.one!.world.containers!.get(SHOP_WEB.id) as { State: object };
    const state = { ...made.State, StartedAt: time };
    worlds.one!.world.containers!.set(SHOP_WEB.id, { ...made, State: state, RestartCount: 3 });
    worlds.one!.tell({
      Type: "container",
      Action: "start",
      Actor: { ID: SHOP_WEB.id, Attributes: { name: "shop-web" } },
      timeNano: Date.now() * 1e6,
    });
  };
  await using visitor = new LiveVisitor(berth, berth.admin);
  await visitor.subscribe("c", "containers");
  const { rows } = await visitor.list("c");
  const row = () => rows.get(`one/${SHOP_WEB.id}`).condition;
  startedAt(ago(0));
  await eventually("it restarts", () => row() === "restarting");
  startedAt(ago(57_000));
  await eventually("it runs, without anything else being told", () => row() === "running");
  const { body } = await berth.call("GET /api/containers/shop-web");
  assert.equal(body.condition, "running");
});

Deno.test("who holds one project is shown that one; who may not see what runs is told so", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const shop = await keyOn(berth, "project:shop");
  const { body, text } = await shop.call("GET /api/overview");
  assert.deepEqual(body.projects.map(({ project }: { project: string }) => project), ["shop"]);
  assert.deepEqual(body.units.map(({ name }: { name: string }) => name).sort(), ["shop.db", "shop.web"]);
  assert.deepEqual([body.engines, body.findings], [[], { errors: 0, warnings: 0 }]);
  assert.doesNotMatch(text, /blog|rest-idle|tool/);

  const reader = await berth.key(["artifacts:read"]);
  const blind = (await reader.call("GET /api/overview")).body;
  assert.deepEqual([blind.liveNeeds, blind.undeclared, blind.engines], ["containers:read", [], []]);
  assert.ok(
    blind.units.every(({ verdict, state }: Record<string, unknown>) =>
      verdict === "unknown" && state === null
    ),
  );
});

Deno.test("an engine that answers but cannot list one kind says which and why in the overview, until it can", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const { override } = worlds.one!.world;
  let isBroken = true;
  const engines = async () => (await berth.call("GET /api/overview")).body.engines;
  assert.deepEqual(await engines(), [{ name: "one", state: "up" }, { name: "two", state: "up" }]);
  worlds.one!.world.override = (request, path) =>
    isBroken && path === "/networks"
      ? Response.json({ message: "no bridge has room" }, { status: 500 })
      : override?.(request, path);
  worlds.one!.tell({
    Type: "network",
    Action: "create",
    Actor: { ID: "0".repeat(64) },
    timeNano: Date.now() * 1e6,
  });
  await eventually("the overview says so", async () => {
    const [one, two] = await engines();
    assert.deepEqual([one.state, one.stale, two], ["up", ["networks"], { name: "two", state: "up" }]);
    assert.match(one.reason, /no bridge has room/);
    return true;
  });
  isBroken = false;
  await eventually("it is well again", async () => {
    assert.deepEqual(await engines(), [{ name: "one", state: "up" }, { name: "two", state: "up" }]);
    return true;
  });
});

Deno.test("without workspaces and engines the overview is empty, and well", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: NOTHING }, [], stack);
  const { body } = await berth.call("GET /api/overview");
  assert.deepEqual([body.units, body.projects, body.undeclared], [[], [], []]);
  assert.ok(Object.values(body.counts).every((one) => one === 0));
});
