/** Projects and containers that only run can be put aside, until a file declares them. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { berthOf, FILES, keyOn, ONE, type Path, TWO } from "../support/scoped_world.ts";
import type { TestCaller, TestService } from "../support/service.ts";

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Row = any;

const BLOG = "blog@engine:two";

async function write(berth: TestService, path: Path): Promise<void> {
  const file = `${berth.folder}/workspaces/${path}`;
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(file, FILES[path]);
}

/** A berth where `blog` runs on the engine `two`, and no file declares it. */
async function berthWithoutBlog(stack: AsyncDisposableStack): Promise<TestService> {
  const { berth } = await berthOf({ one: ONE, two: TWO }, [], stack);
  await write(berth, "all/shop/compose.yaml");
  const made = await berth.call("POST /api/workspaces", { path: `${berth.folder}/workspaces/all` });
  assert.equal(made.status, 201, made.text);
  return berth;
}

const put = (caller: TestCaller, id: string, body: unknown) =>
  caller.call(`PUT /api/projects/${encodeURIComponent(id)}/ignored`, body);

const listed = async (caller: TestCaller, query = ""): Promise<Row> =>
  (await caller.call(`GET /api/projects${query}`)).body;

const ids = ({ items }: Row): string[] => items.map(({ id }: Row) => id).sort();

Deno.test("An ignored project stays in the list as such, is left out of the counts, and both acts are in the audit log", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await berthWithoutBlog(stack);
  const before = await listed(berth);
  assert.deepEqual(before.items.map(({ ignored }: Row) => ignored), [false, false, false]);
  for (const _ of [1, 2]) assert.equal((await put(berth, BLOG, { ignored: true })).status, 204);
  const after = await listed(berth);
  assert.deepEqual(ids(await listed(berth, "?ignored=true")), [BLOG]);
  assert.deepEqual(ids(await listed(berth, "?ignored=false")), ["rest@engine:two", "shop@all"]);
  assert.deepEqual(after.counts.undeclared, before.counts.undeclared - 1);
  assert.equal((await berth.call("GET /api/projects/blog")).body.ignored, true);
  assert.notEqual(
    after.items.find(({ id }: Row) => id === BLOG).revision,
    before.items.find(({ id }: Row) => id === BLOG).revision,
  );

  assert.equal((await put(berth, "blog", { ignored: false })).status, 204);
  assert.deepEqual(ids(await listed(berth, "?ignored=true")), []);
  const { items } = (await berth.call("GET /api/system/audit")).body;
  const acts = items.filter(({ action }: Row) => action === "PUT /api/projects/{id}/ignored");
  assert.deepEqual(
    acts.map(({ particulars, result }: Row) => [particulars.ignored, particulars.kind, result]).reverse(),
    [["true", "project", "done"], ["false", "project", "done"]],
    "the second time changed nothing",
  );
});

Deno.test("A container without a project can be ignored, and a declared project cannot", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await berthWithoutBlog(stack);
  const [one] = (await listed(berth)).loose;
  assert.deepEqual([one.engine, one.containers, one.total, one.ignored], ["one", ["tool"], 1, []]);
  assert.equal((await put(berth, "tool@engine:one", { ignored: true, kind: "container" })).status, 204);
  const [now] = (await listed(berth)).loose;
  assert.deepEqual([now.containers, now.total, now.ignored], [[], 0, ["tool"]]);
  const project = await put(berth, "tool@engine:one", { ignored: true });
  assert.deepEqual([project.status, project.body.code], [404, "artifact_not_found"]);
  const declared = await put(berth, "shop@all", { ignored: true });
  assert.deepEqual([declared.status, declared.body.code], [409, "project_declared"]);
  assert.equal((await put(berth, "shop@all", { ignored: false })).status, 204);
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("Ignoring ends when a file declares the project, and does not come back with the end of the file", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await berthWithoutBlog(stack);
  assert.equal((await put(berth, BLOG, { ignored: true })).status, 204);
  await write(berth, "all/blog/compose.yaml");
  await eventually("it is declared", async () => ids(await listed(berth)).includes("blog@all"));
  await eventually("nothing is ignored", async () => (await berth.berth.store.ignored.list()).length === 0);
  await Deno.remove(`${berth.folder}/workspaces/all/blog`, { recursive: true });
  const row = await eventually(
    "it only runs again",
    async () => (await listed(berth)).items.find(({ id }: Row) => id === BLOG) ?? null,
  );
  assert.equal(row.ignored, false);
  const { items } = (await berth.call("GET /api/system/audit?action=ignored.end")).body;
  assert.deepEqual(items.map(({ actor, target }: Row) => [actor.kind, target]), [["system", BLOG]]);
});

Deno.test("Ignoring takes workspaces:write and containers:read on the project, and what is out of scope is not there", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await berthWithoutBlog(stack);
  const viewer = await keyOn(berth, "project:blog");
  assert.equal((await put(viewer, BLOG, { ignored: true })).status, 403);
  const writer = await berth.key(["workspaces:write"]);
  assert.equal((await put(writer, BLOG, { ignored: true })).status, 404, "it sees nothing that runs");
  const shop = await keyOn(berth, "project:shop", "operator");
  const hidden = await put(shop, BLOG, { ignored: true });
  const absent = await put(shop, "none@engine:two", { ignored: true });
  assert.deepEqual([hidden.status, hidden.body.code], [absent.status, absent.body.code]);
  assert.equal((await put(shop, BLOG, { ignored: false })).status, 404);
  const blog = await keyOn(berth, "project:blog", "operator");
  assert.equal((await put(blog, BLOG, { ignored: true })).status, 204);
  assert.deepEqual(ids(await listed(blog, "?ignored=true")), [BLOG]);
});
