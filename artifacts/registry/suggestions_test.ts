/** Suggested folders: where people keep their stacks, allowed or with the setting that allows them. */

import assert from "node:assert/strict";
import { suggestFolders } from "./suggestions.ts";

/** Makes folders below one that is removed afterwards. */
async function planted(...folders: readonly string[]) {
  const base = await Deno.realPath(await Deno.makeTempDir());
  for (const folder of folders) await Deno.mkdir(`${base}/${folder}`, { recursive: true });
  return { base, [Symbol.asyncDispose]: () => Deno.remove(base, { recursive: true }) };
}

Deno.test("Suggested folders are usual places that hold a folder, and folders of containers", async () => {
  await using place = await planted("home/shop", "stacks/blog", "mnt", "data/inside");
  const { base } = place;
  const suggested = await suggestFolders({
    roots: [`${base}/home`],
    hidden: [`${base}/data`],
    registered: [],
    usual: [`${base}/stacks`, `${base}/mnt`, `${base}/srv`],
    running: [`${base}/home/shop`, `${base}/stacks/blog`, "/elsewhere/infra", `${base}/data/inside`],
  });
  assert.deepEqual(suggested, [
    { path: "/elsewhere/infra", setting: `BERTH_ROOTS=${base}/home:/elsewhere/infra` },
    { path: `${base}/home/shop`, setting: null },
    { path: `${base}/stacks`, setting: `BERTH_ROOTS=${base}/home:${base}/stacks` },
    { path: `${base}/stacks/blog`, setting: `BERTH_ROOTS=${base}/home:${base}/stacks` },
  ]);
});

Deno.test("A folder that is registered, lies in a workspace, or is gone from its root is not suggested", async () => {
  await using place = await planted("shop", "blog/api");
  const { base } = place;
  const suggested = await suggestFolders({
    roots: [base],
    hidden: [],
    registered: [`${base}/shop`, `${base}/blog`],
    usual: [],
    running: [`${base}/shop`, `${base}/blog/api`, `${base}/gone`],
  });
  assert.deepEqual(suggested, []);
});

Deno.test("Labels of containers name no odd path and at most fifty folders", async () => {
  const odd = [
    ...[
      "relative",
      "/",
      "/a/../etc",
      "/a//b",
      "/a/./b",
      "/a:b",
      "/a\nb",
      "/a\u001b[31m",
      `/${"a".repeat(5000)}`,
    ],
  ];
  const many = Array.from({ length: 99 }, (_, nth) => `/nowhere/${nth}`);
  const given = { roots: [], hidden: [], registered: [], usual: [] };
  assert.deepEqual(await suggestFolders({ ...given, running: odd }), []);
  assert.equal((await suggestFolders({ ...given, running: many })).length, 50);
});
