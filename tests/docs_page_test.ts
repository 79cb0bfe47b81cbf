import assert from "node:assert/strict";
import { BROWSER_TEST, startBrowser } from "./browser.ts";
import { startService } from "./service.ts";

Deno.test({
  name: "/api/docs lists every operation and tries one, in a real browser under its own CSP",
  ...BROWSER_TEST,
  async fn() {
    await using berth = await startService();
    await using browser = await startBrowser();
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));

    await page.goto(`${berth.url}/api/docs`);
    await page.waitForSelector("details");

    const document = (await berth.call("GET /api/openapi.json")).body;
    const operations = Object.values<object>(document.paths).flatMap((methods) => Object.keys(methods));
    assert.equal(await page.locator("details").count(), operations.length);

    await page.fill("#credential", berth.admin ?? "");
    const me = page.locator("details", { has: page.getByText("/api/auth/me", { exact: true }) });
    await me.locator("summary").click();
    await me.getByRole("button", { name: "Send" }).click();
    const answer = me.locator("pre", { hasText: "200" });
    await answer.waitFor();
    assert.match(await answer.innerText(), /"kind": "apiKey"/);

    await page.fill("#find", "post workspaces");
    assert.deepEqual(await page.locator("details:visible").count() > 0, true);
    assert.equal(await me.isVisible(), false);
    assert.deepEqual(complaints, []);
  },
});

Deno.test({
  name:
    "the link of a first start makes the first admin key in the browser, and leaves no token in the address",
  ...BROWSER_TEST,
  async fn() {
    await using berth = await startService({ setup: false });
    await using browser = await startBrowser();
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${berth.url}/api/docs#setup=${berth.berth.access.setupToken}`);
    await page.getByRole("button", { name: "Make the key" }).click();
    const key = page.locator("#setup pre", { hasText: "berth_" });
    await key.waitFor();
    assert.ok(!page.url().includes("setup"));
    const credential = (await key.innerText()).split("\n")[0];
    const me = await berth.call("GET /api/auth/me", undefined, {
      headers: { authorization: `Bearer ${credential}` },
    });
    assert.deepEqual([me.status, me.body.role], [200, "admin"]);
  },
});
