/** The screens of one container in a real browser, over a real engine: by their address, for everybody, at rest and in forced colours. */
import assert from "node:assert/strict";
import { assertFitsAll, openPage } from "./opened.ts";
import { stageOf } from "./stage.ts";

const test = await stageOf("shop");

test("every screen of one container opens by its address, accessible in both themes and at 360 px", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  for (
    const [path, text] of [
      ["/c/docker/shop_worker_1", "job 40 done in 120 ms"],
      ["/c/docker/shop_db_1?view=differences", "postgres:17"],
      ["/c/docker/legacy-cron?view=differences", "No file of a workspace declares this container"],
      ["/c/docker/shop_db_1?view=shell", "Open a shell"],
      ["/c/docker/shop_migrate_1?view=shell", "This container does not run"],
      ["/c/docker/shop_migrate_1?view=measures", "It does not run"],
      ["/c/docker/shop_db_1?view=mounts", "/var/lib/postgresql/data"],
      ["/c/docker/shop_db_1?view=networks", "shop_default"],
      ["/c/docker/shop_db_1?view=environment", "POSTGRES_PASSWORD"],
      ["/c/docker/shop_db_1?view=inspect", "HostConfig"],
      ["/c/docker/never-was", "never-was"],
    ] as const
  ) {
    await opened.visit(path);
    await page.getByRole("main").getByText(text).first().waitFor();
    await assertFitsAll(opened, path);
  }
});

test("nothing moves for who wants it still, and in forced colours every line and sign is there", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, {
    key: berth.admin,
    path: "/w/shop?view=graph",
    reducedMotion: "reduce",
    forcedColors: "active",
  });
  const { page } = opened;
  const db = page.getByRole("link", { name: "db postgres:17" });
  await db.focus();
  assert.deepEqual(
    await page.evaluate("document.getAnimations().map(({ constructor }) => constructor.name)"),
    [],
  );
  const colours = await page.evaluate<string[]>(
    `[".node rect", ".node .sign path", ".edge", ".frame rect"].map((one) =>
      getComputedStyle(document.querySelector(one)).stroke)`,
  );
  const ground = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  for (const colour of colours) assert.ok(colour !== "none" && colour !== ground, colours.join(", "));
  await opened.visit("/c/docker/shop_db_1?view=shell");
  await page.getByRole("button", { name: "Open a shell" }).click();
  await page.locator(".xterm-cursor").waitFor();
  assert.equal(
    await page.evaluate("getComputedStyle(document.querySelector('.xterm-cursor')).outlineStyle"),
    "solid",
  );
  assert.deepEqual(opened.complaints, []);
});
