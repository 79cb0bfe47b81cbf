/** Places to register: the folders of running projects, together where they lie side by side. */

import assert from "node:assert/strict";
import { placesOf, type RunningFolder } from "./places.ts";

const from = (folder: string, project: string, engine = "docker"): RunningFolder => ({
  engine,
  project,
  folder,
});

async function planted(...folders: readonly string[]) {
  const base = await Deno.realPath(await Deno.makeTempDir());
  for (const folder of folders) await Deno.mkdir(`${base}/${folder}`, { recursive: true });
  return { base, [Symbol.asyncDispose]: () => Deno.remove(base, { recursive: true }) };
}

Deno.test("Folders side by side are one place with their number of projects, and a lone folder is one by itself", async () => {
  await using place = await planted("stacks/blog", "stacks/gitea", "one/shop");
  const { base } = place;
  const places = await placesOf({
    usual: [],
    roots: [base],
    hidden: [],
    registered: [],
    running: [
      from(`${base}/stacks/blog`, "blog"),
      from(`${base}/stacks/blog`, "blog"),
      from(`${base}/stacks/blog`, "blog", "podman"),
      from(`${base}/stacks/gitea`, "gitea"),
      from(`${base}/one/shop`, "shop"),
      from("/mnt/tank/apps/a", "a"),
      from("/mnt/tank/apps/b", "b"),
    ],
  });
  assert.deepEqual(places, [
    { path: `${base}/stacks`, projects: ["blog", "gitea"], total: 3, allowed: true, setting: null },
    { path: `${base}/one/shop`, projects: ["shop"], total: 1, allowed: true, setting: null },
    {
      path: "/mnt/tank/apps",
      projects: ["a", "b"],
      total: 2,
      allowed: false,
      setting: `BERTH_ROOTS=${base}:/mnt/tank/apps`,
    },
  ]);
});

Deno.test("A label puts no command into the setting that people copy", async () => {
  const running = ["/x/$(touch y)", "/x/a;reboot", "/x/`id`", "/a:/", "/x/a b"].map((path, at) =>
    from(path, `p${at}`)
  );
  const [only, ...others] = await placesOf({
    usual: [],
    roots: [],
    hidden: [],
    registered: [],
    running: [running[4]!],
  });
  const places = await Promise.all(
    running.slice(0, 4).map((one) =>
      placesOf({ usual: [], roots: [], hidden: [], registered: [], running: [one] })
    ),
  );
  assert.deepEqual([only?.setting, others, places.flat()], ["BERTH_ROOTS=/x/a b", [], []]);
});

Deno.test("A folder that may be registered stays one by itself beside others that may not", async () => {
  await using place = await planted("shop");
  const { base } = place;
  const running = ["shop", "blog", "infra"].map((name) => from(`${base}/${name}`, name));
  const places = await placesOf({ usual: [], roots: [`${base}/shop`], hidden: [], registered: [], running });
  assert.deepEqual(places.map(({ path, total, allowed }) => [path, total, allowed]), [
    [`${base}/shop`, 1, true],
    [base, 2, false],
  ]);
});

Deno.test("What is registered, hidden or gone is no place, and a folder around a registered one is none", async () => {
  await using place = await planted("stacks/blog", "stacks/gitea", "stacks/known", "data/x");
  const { base } = place;
  const places = await placesOf({
    usual: [],
    roots: [base],
    hidden: [`${base}/data`],
    registered: [`${base}/stacks/known`],
    running: [
      from(`${base}/stacks/blog`, "blog"),
      from(`${base}/stacks/gitea`, "gitea"),
      from(`${base}/stacks/known`, "known"),
      from(`${base}/stacks/known/below`, "below"),
      from(`${base}/data/x`, "x"),
      from(`${base}/gone`, "gone"),
    ],
  });
  assert.deepEqual(places.map(({ path }) => path), [`${base}/stacks/blog`, `${base}/stacks/gitea`]);
});

Deno.test("A folder outside the roots is not looked for on the disk, whether it is there or not", async () => {
  await using inside = await planted("a");
  await using outside = await planted("real");
  await Deno.symlink(`${inside.base}/a`, `${outside.base}/link`);
  const running = ["real", "none", "link"].map((name) => from(`${outside.base}/${name}/app`, name));
  const places = await placesOf({ usual: [], roots: [inside.base], hidden: [], registered: [], running });
  assert.deepEqual(places.map(({ allowed, setting }) => [allowed, setting?.split(":").at(-1)]), [
    [false, `${outside.base}/link/app`],
    [false, `${outside.base}/none/app`],
    [false, `${outside.base}/real/app`],
  ]);
  const odd = ["/", "relative", "/a/../etc", "/a:b", "/a\nb"].map((folder) => from(folder, "x"));
  assert.deepEqual(await placesOf({ usual: [], roots: ["/"], hidden: [], registered: [], running: odd }), []);
  const two = [from("/home/a", "a"), from("/home/b", "b")];
  const homes = await placesOf({ usual: [], roots: ["/nowhere"], hidden: [], registered: [], running: two });
  assert.deepEqual(homes.map(({ path }) => path), ["/home/a", "/home/b"], "not all of /home");
});

Deno.test("A usual place that holds a folder is a place without projects, unless it is known already", async () => {
  await using place = await planted("stacks/blog", "mnt", "srv/a", "data/inside");
  const { base } = place;
  const usual = [`${base}/stacks`, `${base}/mnt`, `${base}/srv`, `${base}/data`, `${base}/gone`];
  const given = { roots: [`${base}/srv`], hidden: [`${base}/data`], usual };
  const empty = { projects: [], total: 0 };
  const setting = `BERTH_ROOTS=${base}/srv:${base}/stacks`;
  assert.deepEqual(await placesOf({ ...given, registered: [], running: [] }), [
    { path: `${base}/srv`, ...empty, allowed: true, setting: null },
    { path: `${base}/stacks`, ...empty, allowed: false, setting },
  ]);
  const running = [from(`${base}/stacks`, "stacks")];
  assert.deepEqual(await placesOf({ ...given, registered: [`${base}/srv`], running }), [
    { path: `${base}/stacks`, projects: ["stacks"], total: 1, allowed: false, setting },
  ]);
});

Deno.test("Labels of containers name no odd path and at most fifty folders", async () => {
  const odd = [
    "relative",
    "/",
    "/a/../etc",
    "/a//b",
    "/a/./b",
    "/a:b",
    "/a\nb",
    "/a\u001b[31m",
    `/${"a".repeat(5000)}`,
  ];
  const given = { roots: [], hidden: [], registered: [], usual: [] };
  assert.deepEqual(await placesOf({ ...given, running: odd.map((folder) => from(folder, "odd")) }), []);
  const many = Array.from({ length: 99 }, (_, nth) => from(`/nowhere/${nth}/a`, "many"));
  assert.equal((await placesOf({ ...given, running: many })).length, 50);
});
