/** The screen of a service: where it differs from its file, who is told, and what is left without a quorum. */
import assert from "node:assert/strict";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { assertFits, openPage } from "./opened.ts";
import { besideStack, startSwarmScene } from "./swarm_scene.ts";

Deno.test({
  ...BROWSER_TEST,
  name: "A service's screen begins with all differences from its file, for callers who may read files",
  async fn() {
    await using browser = await startBrowser();
    await using scene = await startSwarmScene();
    const { berth } = scene;
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/services/shop_web" });
    const { page } = opened;
    const section = page.getByRole("region", { name: "Differs from its file in 31 fields" });
    await section.waitFor();
    const command = section.locator(".facing").first();
    assert.match(await command.innerText(), /command.*--workers 8.*--workers 4.*compose\.yaml:5:14/s);
    await section.getByText("23 more differences").click();
    assert.equal(await section.locator(".facing").count(), 31);
    assert.match(await section.locator(".facing").last().innerText(), /stopGracePeriod/);
    await assertFits(opened, "a service that differs");
    await page.route(
      "**/scale?dryRun=true",
      (route) => route.fulfill({ json: { starts: 3, stops: 0, replaces: 0, changes: [], waits: [] } }),
    );
    await page.getByRole("button", { name: "Scale" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("spinbutton").fill("7");
    const scale = dialog.getByRole("button", { name: "Scale" });
    await eventually("it can be scaled", () => scale.isEnabled());
    await dialog.getByRole("spinbutton").fill("");
    assert.ok(await scale.isDisabled(), "it has no number");
    await page.keyboard.press("Escape");
    await section.getByRole("link", { name: "Bring in line" }).waitFor();
    await section.getByRole("link", { name: "project shop" }).click();
    await page.waitForURL(/\/p\/shop%40shop\?unit=shop\.web/);

    const permissions = ["services:read", "containers:read"];
    const made = await berth.call("POST /api/settings/api-keys", { name: "part", permissions });
    const path = "/services/shop_web";
    await using part = await openPage(browser, berth, { key: made.body.key, path });
    await part.page.getByText("Tasks of shop_web").waitFor();
    await part.page.waitForLoadState("networkidle");
    assert.equal(await part.page.getByText(/its file|compose\.yaml/).count(), 0);

    const asked = await cutOffLog(page);
    await opened.visit("/services/shop_web");
    await eventually("its log was read three times", () => asked.length >= 3, { timeoutMs: 30_000 });
    const log = page.getByRole("region", { name: "Log of all tasks" });
    await log.getByText("told 5").waitFor();
    assert.deepEqual((await log.innerText()).match(/told \d/g), [1, 2, 3, 4, 5].map((at) => `told ${at}`));
    assert.match(`${asked[2]}`, /cursor=one\.abc/);

    await scene.loseQuorum();
    await opened.visit("/services/shop_web");
    await page.getByRole("alert").getByText(/^As of .*; nothing can be changed\.$/).waitFor();
    await section.waitFor();
    assert.equal(await page.getByRole("link", { name: "Bring in line" }).count(), 0);
  },
});

/** Answers each question for the log of a service: the first time it is cut off before a cursor came. */
async function cutOffLog(page: Awaited<ReturnType<typeof openPage>>["page"]): Promise<string[]> {
  const asked: string[] = [];
  const said = [1, 2, 3, 4, 5].map((at) => ({
    task: "shop_web.1",
    taskId: "one",
    node: "node1",
    via: "manager",
    time: `2026-01-01T00:00:0${at}.000000000Z`,
    stream: "stdout",
    line: `told ${at}`,
  }));
  await page.route(/\/api\/services\/[^/]+\/logs/, async (route) => {
    const query = new URL(route.request().url()).search;
    asked.push(query);
    const lines = asked.length === 1 ? said.slice(0, 3) : query.includes("cursor=") ? [] : said;
    const items = asked.length === 1 ? lines : [...lines, { cursor: "one.abc" }];
    const body = items.map((item) => `${JSON.stringify(item)}\n`).join("");
    await route.fulfill({ contentType: "application/x-ndjson", body });
  });
  return asked;
}

Deno.test({
  ...BROWSER_TEST,
  name: "A project that runs as a stack is offered no plan that a stack cannot have",
  async fn() {
    await using browser = await startBrowser();
    await using scene = await startSwarmScene();
    const { berth } = scene;
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/p/shop%40shop" });
    const { page } = opened;
    const plans = async () => {
      const links = await page.locator('a[href*="/plan"]').evaluateAll((all) =>
        all.map((one) => one.getAttribute("href"))
      );
      return [...new Set(links)].sort();
    };
    const own = "/p/shop%40shop/plan";
    await page.getByRole("link", { name: "Bring in line" }).waitFor();
    await page.locator('summary[aria-label="More for shop"]').click();
    assert.deepEqual(await plans(), [own, `${own}?action=down`]);

    await opened.visit("/");
    await page.locator('summary[aria-label="More for shop"]').click();
    await page.locator(`a[href="${own}?action=down"]`).waitFor();
    assert.deepEqual(await plans(), [own, `${own}?action=down`]);
    for (const action of ["update", "restart", "stop"]) {
      const refused = await berth.call("POST /api/projects/shop@shop/plan", { action });
      assert.deepEqual([refused.status, refused.body.code], [400, "invalid_request"], action);
    }
  },
});

Deno.test({
  ...BROWSER_TEST,
  name:
    "Chosen projects are offered the plans that all of them can have, and the stacks among them are named",
  async fn() {
    await using browser = await startBrowser();
    await using scene = await startSwarmScene();
    const { berth } = scene;
    await besideStack(berth);
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/" });
    const { page } = opened;
    const toolbar = page.getByRole("toolbar");
    const plans = () =>
      toolbar.locator('a[href*="plan"]').evaluateAll((all) => all.map((one) => one.textContent));
    const choose = (name: string) =>
      page.getByRole("checkbox", { name: `Choose ${name}`, exact: true }).click();
    await choose("blog");
    await toolbar.waitFor();
    assert.deepEqual(await plans(), ["Bring in line …", "Update", "Restart", "Stop"]);
    assert.equal(await toolbar.getByRole("status").count(), 0);

    await choose("shop");
    await toolbar.getByText("Stacks are not updated, restarted or stopped as a whole: shop.").waitFor();
    assert.deepEqual(await plans(), ["Bring 2 in line …"]);

    await choose("shop");
    await toolbar.getByText("Restart").waitFor();
    assert.equal(await toolbar.getByRole("status").count(), 0);
    await page.getByRole("searchbox", { name: "Filter" }).fill("shop");
    await toolbar.waitFor({ state: "detached" }); // the filter hides what is chosen
  },
});
