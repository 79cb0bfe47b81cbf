/** `/api/projects`: one row for each project, declared or running, and what an id or a name means. */
import assert from "node:assert/strict";
import { berthOf, FILES, keyOn, ONE, type Path, TWO } from "../support/scoped_world.ts";
import type { TestService } from "../support/service.ts";

const ALL = Object.keys(FILES) as Path[];
const WITHOUT_BLOG = ALL.filter((path) => !path.includes("blog"));

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Row = any;
const byId = (items: readonly Row[]) => new Map<string, Row>(items.map((row) => [row.id, row]));

/** A berth where the project `blog` runs, and no registered file declares it. */
async function berthWithoutBlog(stack: AsyncDisposableStack): Promise<TestService> {
  const { berth } = await berthOf({ one: ONE, two: TWO }, [], stack);
  for (const path of WITHOUT_BLOG) {
    const file = `${berth.folder}/workspaces/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, FILES[path]);
  }
  for (const name of ["all", "rest"]) {
    const made = await berth.call("POST /api/workspaces", { path: `${berth.folder}/workspaces/${name}` });
    assert.equal(made.status, 201, made.text);
  }
  return berth;
}

/** Declares a project of the same name as one that runs, in a folder that it was not started from. */
async function addBlog(berth: TestService): Promise<void> {
  const path = `${berth.folder}/workspaces/other`;
  await Deno.mkdir(`${path}/blog`, { recursive: true });
  await Deno.writeTextFile(
    `${path}/blog/compose.yaml`,
    "name: blog\nservices:\n  page:\n    image: page:1\n",
  );
  // The path that the labels of the running one name exists, which tells the two apart.
  const started = `${berth.folder}/workspaces/all/blog/compose.yaml`;
  if (await Deno.stat(started).catch(() => null) === null) await Deno.mkdir(started, { recursive: true });
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
}

Deno.test("every declared project is one row, on however many engines it runs, and each that only runs is one on its engine", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await berthWithoutBlog(stack);
  const { status, body, text } = await berth.call("GET /api/projects");
  assert.equal(status, 200, text);
  const overview = (await berth.call("GET /api/overview?limit=100")).body;
  const rows = byId(body.items);

  assert.deepEqual([...rows.keys()].sort(), ["blog@engine:two", "rest@rest", "shop@all"]);
  const shop = rows.get("shop@all");
  assert.deepEqual([shop.name, shop.project, shop.workspace, shop.folder], [
    "shop",
    "shop",
    { id: "all", name: "all" },
    "shop",
  ]);
  const same = overview.projects.find(({ project }: Row) => project === "shop");
  assert.deepEqual([shop.verdict, shop.differences], [same.verdict, same.differences]);
  assert.equal(shop.engines.includes("one"), true);
  const { verdict, workspace, engines, desired } = rows.get("blog@engine:two");
  assert.deepEqual([verdict, workspace, engines, desired], ["undeclared", null, ["two"], null]);
  const total = Object.values<number>(body.counts).reduce((sum, one) => sum + one, 0);
  assert.equal(total, body.items.length);
  assert.deepEqual(body.loose.map(({ engine, total }: Row) => [engine, total]), [["one", 1], ["two", 1]]);
});

Deno.test("a row says which field of which unit differs first, and how many more do", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const { items } = (await berth.call("GET /api/projects?verdict=differs")).body;
  assert.ok(items.length > 0);
  for (const row of items) {
    const { units } = (await berth.call(`GET /api/projects/${encodeURIComponent(row.id)}`)).body;
    const unit = units.find(({ name }: Row) => name.endsWith(`.${row.reason.unit}`));
    const { field, declared, actual } = unit.drift[0];
    assert.deepEqual(row.reason.difference, { field, declared, actual });
    const all = units.reduce((sum: number, { differences }: Row) => sum + differences, 0);
    assert.deepEqual([row.differences, row.reason.more], [all, all - 1]);
  }
});

Deno.test("a project is found by its id, and by its name while one of that name is seen", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await berthWithoutBlog(stack);
  const by = async (id: string) => await berth.call(`GET /api/projects/${encodeURIComponent(id)}`);
  assert.equal((await by("shop@all")).body.id, "shop@all");
  assert.equal((await by("shop")).body.id, "shop@all");
  assert.deepEqual((await by("shop@all")).body.units.map(({ name }: Row) => name), ["shop.web", "shop.db"]);
  assert.deepEqual((await by("blog@engine:two")).body.units, []);
  await addBlog(berth);
  const several = await by("blog");
  assert.deepEqual([several.status, several.body.code], [409, "ambiguous_name"]);
  const ids = several.body.errors.map(({ message }: Row) => message).sort();
  assert.deepEqual(ids, ["blog@engine:two", "blog@other"]);
  for (const id of ["nothing", "shop@rest", "shop@nowhere", "shop@engine:one", "@all"]) {
    assert.deepEqual([id, (await by(id)).body.code], [id, "artifact_not_found"]);
  }
});

Deno.test("a caller with one project in scope gets its row alone, and cannot tell the others from none", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const shop = await keyOn(berth, "project:shop");
  const { body, text } = await shop.call("GET /api/projects");
  assert.deepEqual(body.items.map(({ id }: Row) => id), ["shop@all"]);
  assert.deepEqual([body.engines, body.loose], [[], []]);
  assert.doesNotMatch(text, /blog|rest|tool/);
  const hidden = await shop.call("GET /api/projects/blog@all");
  const absent = await shop.call("GET /api/projects/none@all");
  assert.deepEqual([hidden.status, hidden.body.code], [absent.status, absent.body.code]);

  const reader = await berth.key(["artifacts:read"]);
  const blind = (await reader.call("GET /api/projects")).body;
  assert.deepEqual([blind.liveNeeds, blind.loose, blind.engines], ["containers:read", [], []]);
  assert.ok(blind.items.every(({ verdict, running }: Row) => verdict === "unknown" && running === 0));
});

Deno.test("the plan of a project is the plan of its group, by its id or by a name that is seen once", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, [...ALL], stack);
  const of = async (path: string) => {
    const { status, body } = await berth.call(`POST ${path}`, {});
    assert.equal(status, 201, JSON.stringify(body));
    const { workspace, group, steps, blocked, basis } = body;
    return { workspace, group, steps, blocked, basis };
  };
  const group = await of("/api/workspaces/all/artifacts/groups/blog/plan");
  assert.deepEqual(await of("/api/projects/blog@all/plan"), group);
  assert.deepEqual(await of("/api/projects/blog/plan"), group);
  const refused = await berth.call("POST /api/projects/blog@engine:two/plan", {});
  assert.deepEqual([refused.status, refused.body.code], [404, "artifact_not_found"]);
  assert.match(refused.body.title, /no file of a registered folder declares it/);
  assert.equal((await berth.call("POST /api/projects/none/plan", {})).status, 404);
  await addBlog(berth);
  const several = await berth.call("POST /api/projects/blog/plan", {});
  assert.deepEqual([several.status, several.body.code], [409, "ambiguous_name"]);
});
