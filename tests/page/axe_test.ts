/** Every screen of the page's table, looked at by axe; other tests look at most of them in more states. */
import assert from "node:assert/strict";
import { go, smallWorld } from "./small_world.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const { test } = smallWorld();
const isWhole = Deno.env.get("BERTH_PROOF") === "1";

/** Read as text: the table imports what only a browser has. */
const TABLE = await Deno.readTextFile(new URL("../../page/screen_table.ts", import.meta.url));
const PATHS = [...TABLE.matchAll(/\bpath: "([^"]+)"/g)].map(([, path]) => path!); // it matched

/** The addresses of screens of one thing. */
const OF_ONE: Readonly<Record<string, string>> = {
  "/p/:id": "/p/shop%40all",
  "/p/:id/plan": "/p/shop%40all/plan",
  "/w/:id": "/w/all",
  "/w/:id/source": "/w/all/source",
  "/w/:id/plan": "/w/all/plan",
  "/applies/:id": "/applies/none",
  "/c/:backend/:name": "/c/docker/shop-web",
  "/incidents/:id": "/incidents/none",
  "/write-down": "/write-down?engine=docker&name=shop-web",
};

/** Screens that no other test of every commit shows to axe. */
const UNSEEN = [
  "/w/:id/source",
  "/write-down",
  "/swarm",
  "/services",
  "/settings/engines",
  "/updates",
  "/new",
];

test("axe finds nothing on any screen of the table", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  assert.ok(PATHS.length > 20, `${PATHS}`);
  const seen: string[] = [];
  for (const path of PATHS) {
    if (!isWhole && !UNSEEN.includes(path)) continue;
    const address = OF_ONE[path] ?? path;
    assert.ok(!address.includes(":"), `say an address of ${path} in this file`);
    await go(page, address);
    await page.waitForLoadState("networkidle");
    await page.getByRole("main").locator("h1, h2, .empty, .trouble").filter({ visible: true }).first()
      .waitFor();
    await assertFitsAll(opened, address);
    seen.push(path);
  }
  assert.deepEqual(seen.length, isWhole ? PATHS.length : UNSEEN.length);
});
