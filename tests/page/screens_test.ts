/** The screens of workspaces, lists and logs in a real browser, over a real engine: by their address, for everybody, on paper. */
import assert from "node:assert/strict";
import { assertFitsAll, openPage } from "./opened.ts";
import { stageOf } from "./stage.ts";

const test = await stageOf("shop", "infra");

test("every screen of workspaces, lists and logs opens by its address, accessible in both themes and at 360 px", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  for (
    const [path, text] of [
      ["/", "Is what runs what I wrote?"],
      ["/w/shop", "shop.migrate"],
      ["/w/shop?view=findings", "compose.yaml:"],
      ["/w/shop?view=graph", "postgres:17"],
      ["/w/shop?view=logs", "job 40 done in 120 ms"],
      ["/w/infra", "What runs is what is written"],
      ["/w/none", "No workspace has this id"],
      ["/c", "legacy-cron"],
      ["/c?q=no-such-thing", "No container fits"],
      ["/logs?workspace=shop", "job 40 done in 120 ms"],
      ["/nowhere", "There is no such screen"],
    ] as const
  ) {
    await opened.visit(path);
    await page.getByRole("main").getByText(text).first().waitFor();
    await assertFitsAll(opened, path);
  }
});

test("the first list costs at most 60 KB in at most 5 requests", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  await opened.visit("/c");
  await page.getByRole("link", { name: "legacy-cron" }).waitFor();

  const loads = await page.evaluate<{ name: string; transferSize: number }[]>(
    `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
      ({ name, transferSize }) => ({ name, transferSize }))`,
  );
  const bytes = loads.reduce((all, { transferSize }) => all + transferSize, 0);
  const said = loads.map(({ name, transferSize }) => `${name} ${transferSize}`).join("\n");
  assert.ok(loads.length <= 5 && loads.every(({ transferSize }) => transferSize > 0), said);
  assert.ok(
    loads.find(({ name }) => name.endsWith("/main.js"))!.transferSize > 5_000,
    `not from a cache: ${said}`,
  );
  assert.ok(bytes <= 60_000, said);
  console.log(`      ${loads.length} requests, ${bytes} bytes`);
});

test("differences and findings are printed with their address and time, without what is around them", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  for (
    const [path, text] of [["/w/shop", "postgres:16"], ["/w/shop?view=findings", "compose.yaml:"]] as const
  ) {
    await opened.visit(path);
    await page.getByRole("main").getByText(text).first().waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const head = page.locator(".print-head");
    assert.ok((await head.innerText()).startsWith(`${berth.url}${path}, `), await head.innerText());
    for (const around of [".bar", ".tabs", ".screen-end"]) {
      assert.equal(await page.locator(around).first().isVisible(), false, around);
    }
    assert.ok(await page.getByRole("main").getByText(text).first().isVisible());
    assert.ok((await page.pdf()).length > 5_000);
    await page.emulateMedia({ media: "screen" });
    assert.equal(await head.isVisible(), false);
  }
  assert.deepEqual(opened.complaints, []);
});
