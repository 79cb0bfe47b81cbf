/** Plans for callers with scopes: who sees a whole project may plan it, and hears of nothing else. */
import assert from "node:assert/strict";
import { save } from "../streams/live_scene.ts";
import { berthOf, BLOG_WEB, FILES, keyOn, ONE, type Path, STRAY, TWO } from "../support/scoped_world.ts";
import type { TestCaller } from "../support/service.ts";

const ALL = Object.keys(FILES) as Path[];
/** Whatever is not of the project `shop`. */
const FOREIGN = /blog|tool|plain|other|rest|idle/;

const planOf = (caller: TestCaller, workspace: string, group: string, body: unknown = {}) =>
  caller.call(`POST /api/workspaces/${workspace}/artifacts/groups/${group}/plan`, body);
const codes = (list: readonly { code: string }[]) => list.map(({ code }) => code);

Deno.test("who holds a project alone plans it, reads the plan again, and hears of nothing else", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const scoped = await keyOn(berth, "project:shop", "operator");
  const made = await planOf(scoped, "all", "shop", { backend: "one" });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(made.body.blocked, []);
  const whole = await planOf(berth, "all", "shop", { backend: "one" });
  const plain = ({ body }: typeof made) => ({
    ...body,
    id: 0,
    createdBy: 0,
    createdAt: 0,
    expiresAt: 0,
    missing: 0,
  });
  const { basis: { revision: _, ...mine }, ...steps } = plain(made);
  const { basis: { revision: __, ...theirs }, ...all } = plain(whole);
  assert.deepEqual([steps, mine], [all, theirs], "the same plan as for a caller who sees everything");
  assert.doesNotMatch(made.text, FOREIGN);

  for (
    const [workspace, group, code] of [
      ["all", "blog", "artifact_not_found"],
      ["rest", "rest", "workspace_not_found"],
    ] as const
  ) {
    const refused = await planOf(scoped, workspace, group);
    assert.deepEqual([refused.status, refused.body.code], [404, code]);
  }
  const again = async (caller: TestCaller, id: string) => (await caller.call(`GET /api/plans/${id}`)).status;
  assert.equal(await again(scoped, made.body.id), 200);
  assert.equal((await scoped.call(`POST /api/plans/${made.body.id}/check`)).status, 204);
  assert.equal(await again(berth, made.body.id), 200);
  assert.equal(await again(await berth.key("viewer"), made.body.id), 403);
  assert.equal(await again(scoped, whole.body.id), 404, "it may name what its maker saw");
  const other = await keyOn(berth, "project:blog", "operator");
  assert.equal(await again(other, made.body.id), 404);
  assert.equal((await other.call(`POST /api/plans/${made.body.id}/check`)).status, 404);
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("who sees a part of what a project runs may not plan it", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const keyWith = async (grants: unknown) => {
    const { body } = await berth.call("POST /api/settings/api-keys", { name: "part", grants });
    return berth.as(body.key);
  };
  const files = { permissions: ["projects:plan", "artifacts:read"] };
  const part = await keyWith([files, { permissions: ["containers:read"], on: ["engine:one"] }]);
  const nothing = await keyWith([files]);
  const unread = await keyWith([{ permissions: ["projects:plan", "containers:read"] }]);
  for (
    const [caller, needed] of [
      [part, "containers:read"],
      [nothing, "containers:read"],
      [unread, "artifacts:read"],
    ] as const
  ) {
    const refused = await planOf(caller, "all", "shop", { backend: "one" });
    assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"], refused.text);
    assert.match(refused.body.title, new RegExp(`"${needed}"`));
    assert.doesNotMatch(refused.text, /shop-far/);
  }
});

Deno.test("what blocks a plan is not named where the caller does not see it", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const rest = await keyOn(berth, "workspace:rest", "operator");
  for (const [caller, names] of [[berth, true], [rest, false]] as const) {
    const { body } = await planOf(caller, "rest", "rest", { backend: "two" });
    assert.deepEqual(codes(body.blocked), ["project/guess"]);
    assert.equal(body.blocked[0].message.includes(STRAY.name), names, body.blocked[0].message);
  }

  const shop = await keyOn(berth, "project:shop", "operator");
  const path = `${berth.folder}/workspaces/all/shop/compose.yaml`;
  const text = `${
    FILES["all/shop/compose.yaml"]
  }    networks: [far]\nnetworks: { far: { external: true, name: other } }\n`;
  await save(berth, "all", path, text);
  const seen = await planOf(berth, "all", "shop", { backend: "one" });
  assert.deepEqual(codes(seen.body.blocked), []);
  assert.match(JSON.stringify(seen.body.steps), /"networks:write","subject":\{[^}]*"project":"blog"/);
  const hidden = await planOf(shop, "all", "shop", { backend: "one" });
  assert.deepEqual(codes(hidden.body.blocked), ["project/external-missing"]);
  assert.doesNotMatch(hidden.text, /blog/);

  await save(berth, "all", path, FILES["all/shop/compose.yaml"].replace("name: shop", "name: rest"));
  const twin = await keyOn(berth, "workspace:all", "operator");
  const doubled = await planOf(twin, "all", "rest", { backend: "one" });
  assert.ok(codes(doubled.body.blocked).includes("project/same-name"), doubled.text);
  assert.doesNotMatch(doubled.text, /"rest\\?" in /);
  assert.doesNotMatch(doubled.text, new RegExp(`${STRAY.name}|${BLOG_WEB.name}`));
});

const without = (plans: readonly Record<string, unknown>[]) =>
  plans.map((plan) => ({ ...plan, id: 0, createdAt: 0, expiresAt: 0 }));

Deno.test("POST /api/workspaces/{id}/plans has the plan of each group that the caller may plan, and tells of no other", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const asked = { backend: "one" };
  const ofAll = (caller: TestCaller, query = "", body: unknown = asked) =>
    caller.call(`POST /api/workspaces/all/plans${query}`, body);
  const each = await Promise.all(["blog", "shop"].map((group) => planOf(berth, "all", group, asked)));

  const whole = await ofAll(berth);
  assert.equal(whole.status, 201, whole.text);
  assert.deepEqual(without(whole.body.plans), without(each.map(({ body }) => body)));
  assert.equal(whole.body.next, undefined);
  for (const { id, group } of whole.body.plans) {
    assert.equal((await berth.call(`GET /api/plans/${id}`)).body.group, group);
  }
  const { items } = (await berth.call("GET /api/system/audit?limit=1")).body;
  assert.deepEqual([items[0].action, items[0].particulars.plans], ["POST /api/workspaces/{id}/plans", "2"]);
  const ids = whole.body.plans.map(({ id }: { id: string }) => id);
  assert.deepEqual(JSON.parse(items[0].particulars.ids), ids, "an apply names its plan by its id alone");

  const scoped = await keyOn(berth, "project:shop", "operator");
  const part = await ofAll(scoped);
  assert.deepEqual(part.body.plans.map(({ group }: { group: string }) => group), ["shop"], part.text);
  assert.doesNotMatch(part.text, FOREIGN);
  assert.equal((await scoped.call("POST /api/workspaces/rest/plans", asked)).status, 404);
  assert.equal((await scoped.call("POST /api/workspaces/gone/plans", asked)).status, 404);
  assert.equal((await ofAll(await berth.key("viewer"))).status, 403);
  const { body } = await berth.call("POST /api/settings/api-keys", {
    name: "part",
    grants: [{ permissions: ["projects:plan", "containers:read"] }],
  });
  assert.equal((await ofAll(berth.as(body.key))).status, 403, "it may not read the files");

  const absent = await ofAll(berth, "", { ...asked, units: ["db"] });
  assert.deepEqual([absent.status, absent.body.code], [404, "artifact_not_found"]);
  assert.equal((await ofAll(berth, "?after=a&more=1")).status, 400);
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("POST /api/workspaces/{id}/plans of more groups than one answer has is continued by `next`", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth } = await berthOf({ one: ONE, two: TWO }, ALL, stack);
  const names = Array.from({ length: 258 }, (_, at) => `g${at}`);
  const folder = `${berth.folder}/workspaces/rest`;
  for (const name of names) {
    await Deno.mkdir(`${folder}/${name}`);
    await Deno.writeTextFile(`${folder}/${name}/compose.yaml`, `services:\n  web:\n    image: web:1\n`);
  }

  const first = await berth.call("POST /api/workspaces/rest/plans", { backend: "one" });
  assert.ok(first.body.plans.length <= 256 && first.body.next !== undefined, first.text.slice(0, 300));
  const groups: string[] = [];
  let next: string | undefined = "";
  for (let turns = 0; next !== undefined && turns < 20; turns += 1) {
    const query = next === "" ? "" : `?after=${encodeURIComponent(next)}`;
    const { body } = await berth.call(`POST /api/workspaces/rest/plans${query}`, { backend: "one" });
    groups.push(...body.plans.map(({ group }: { group: string }) => group));
    next = body.next;
  }
  assert.deepEqual(groups.toSorted(), [...names, "rest"].toSorted());
});
