/** The history of a project: applies, saved files and deaths, each for callers who may see its kind. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import {
  berthOf,
  BLOG_WEB,
  FILES,
  keyOn,
  ONE,
  type Path,
  SHOP_DB,
  SHOP_WEB,
  TWO,
} from "../support/scoped_world.ts";
import type { ScriptedWorld } from "../support/scripted_world.ts";
import type { TestCaller } from "../support/service.ts";

const ALL = Object.keys(FILES) as Path[];

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Row = any;

const historyOf = async (caller: TestCaller, id: string): Promise<Row> =>
  (await caller.call(`GET /api/projects/${encodeURIComponent(id)}/history`)).body;

function die(world: ScriptedWorld, id: string, name: string, exitCode: string, at: number): void {
  world.tell({
    Type: "container",
    Action: "die",
    Actor: { ID: id, Attributes: { name, exitCode } },
    timeNano: at * 1e6,
  });
}

Deno.test("A history has what was saved and what died in the project alone, newest first, and names what the caller may not see", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  await berth.call("PUT /api/workspaces/all", { editable: true });
  const began = Date.now();
  die(worlds.one!, SHOP_WEB.id, "shop-web", "137", began - 3_000);
  die(worlds.one!, SHOP_DB.id, "shop-db", "0", began - 2_000);
  die(worlds.two!, BLOG_WEB.id, "blog-web", "1", began - 1_000);
  for (const path of ["shop", "blog"]) {
    const at = `/api/workspaces/all/files/${path}/compose.yaml`;
    const { body, headers } = await berth.call(`GET ${at}`);
    const tag = { headers: { "if-match": headers.get("etag")! } };
    const saved = await berth.call(`PUT ${at}`, { text: `${body.text}# saved\n` }, tag);
    assert.equal(saved.status, 200, saved.text);
  }
  const all = await eventually("both deaths are told", async () => {
    const now = await historyOf(berth, "shop@all");
    return now.items.length === 3 ? now : null;
  });
  const [file, ...deaths] = all.items;
  assert.deepEqual([file.kind, file.path, file.by], ["file", "shop/compose.yaml", "test admin"]);
  assert.deepEqual(
    deaths.map((
      { kind, container, service, engine, exitCode }: Row,
    ) => [kind, container, service, engine, exitCode]),
    [["death", "shop-db", "db", "one", 0], ["death", "shop-web", "web", "one", 137]],
  );
  assert.deepEqual(all.missing, []);

  const viewer = await keyOn(berth, "project:shop");
  const { items, missing } = await historyOf(viewer, "shop");
  assert.deepEqual(missing.map(({ kind, permission }: Row) => [kind, permission]), [
    ["apply", "projects:plan"],
    ["file", "workspaces:files"],
  ]);
  assert.deepEqual(items.map(({ kind }: Row) => kind), ["death", "death"]);
  assert.doesNotMatch(JSON.stringify(items), /blog/);
  const hidden = await viewer.call("GET /api/projects/blog@all/history");
  assert.deepEqual([hidden.status, hidden.body.code], [404, "artifact_not_found"]);
  const blind = await historyOf(await berth.key(["artifacts:read", "containers:read"]), "shop@all");
  assert.deepEqual(blind.missing.map(({ kind }: Row) => kind), ["apply", "file", "death"]);
  assert.deepEqual(blind.items, []);
});

Deno.test("A history ends after fifty records, however many there are", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, worlds } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const began = Date.now();
  for (let n = 0; n < 120; n++) die(worlds.one!, SHOP_WEB.id, "shop-web", String(n), began - 10_000 + n);
  const { items } = await eventually("all deaths are told", async () => {
    const now = await historyOf(berth, "shop@all");
    return now.items[0]?.exitCode === 119 ? now : null;
  });
  assert.deepEqual(items.map(({ exitCode }: Row) => exitCode), Array.from({ length: 50 }, (_, n) => 119 - n));
});

Deno.test("The list of projects is sorted by each of its columns, and the other way round", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const by = async (sort: string): Promise<Row[]> =>
    (await berth.call(`GET /api/projects?sort=${sort}`)).body.items;
  const ids = (rows: Row[]) => rows.map(({ id }) => id);
  assert.deepEqual(ids(await by("name")), ["blog@all", "rest@rest", "shop@all"]);
  for (const [sort, field] of [["running", "running"], ["differences", "differences"]]) {
    const values = (await by(sort!)).map((row) => row[field!]);
    assert.deepEqual(values, values.toSorted((one, other) => other - one), sort);
  }
  const engines = (await by("engine")).map((row) => row.engines.join(" "));
  assert.deepEqual(engines, engines.toSorted());
  assert.deepEqual(ids(await by("verdict")), ids((await berth.call("GET /api/projects")).body.items));
  for (const sort of ["verdict", "folder", "differences"]) {
    const [one, other] = [ids(await by(sort)), ids(await by(`-${sort}`))];
    assert.deepEqual([...one].sort(), [...other].sort());
    assert.notDeepEqual(one, other, sort);
  }
  assert.equal((await berth.call("GET /api/projects?sort=other")).status, 400);
});
