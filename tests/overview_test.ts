/** `/api/overview`: what is declared beside what runs, the worst first, as far as the caller's scopes reach. */
import assert from "node:assert/strict";
import { eventually } from "./eventually.ts";
import { berthOf, FILES, keyOn, NOTHING, ONE, type Path, SHOP_WEB, TWO } from "./scoped_world.ts";

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
    assert.deepEqual([unit.state, unit.image, unit.differences], [
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
    worse.units[0].containers.map(({ restartCount }: { restartCount: number }) => restartCount),
    [5],
  );
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

Deno.test("without workspaces and engines the overview is empty, and well", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: NOTHING }, [], stack);
  const { body } = await berth.call("GET /api/overview");
  assert.deepEqual([body.units, body.projects, body.undeclared], [[], [], []]);
  assert.ok(Object.values(body.counts).every((one) => one === 0));
});
