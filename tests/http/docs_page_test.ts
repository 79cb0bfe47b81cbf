import assert from "node:assert/strict";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { startService } from "../support/service.ts";

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
    await page.waitForSelector("details.operation");

    const document = (await berth.call("GET /api/openapi.json")).body;
    const operations = Object.values<object>(document.paths).flatMap((methods) => Object.keys(methods));
    assert.equal(await page.locator("details.operation").count(), operations.length);

    await page.fill("#credential", berth.admin ?? "");
    const me = page.locator("details.operation", { has: page.getByText("/api/auth/me", { exact: true }) });
    await me.locator("summary").first().click();
    await me.getByRole("button", { name: "Send" }).click();
    const answer = me.locator("pre.answer", { hasText: "200" });
    await answer.waitFor();
    assert.match(await answer.innerText(), /"kind": "apiKey"/);

    await page.fill("#find", "post workspaces");
    assert.deepEqual(await page.locator("details.operation:visible").count() > 0, true);
    assert.equal(await me.isVisible(), false);
    assert.deepEqual(complaints, []);
  },
});

Deno.test({
  name: "/api/docs shows every field with type, choices, default and description, and no link leads nowhere",
  ...BROWSER_TEST,
  async fn() {
    await using berth = await startService();
    await using browser = await startBrowser();
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${berth.url}/api/docs`);
    await page.waitForSelector("details.operation");

    await page.evaluate(openAll);
    await page.waitForFunction(allFilled);
    const shown = await page.evaluate(whatIsShown);

    const { paths, components } = (await berth.call("GET /api/openapi.json")).body;
    assert.equal(shown.backticks, "");
    assert.deepEqual(shown.nowhere, []);
    assert.deepEqual(shown.bare, []);
    assert.ok(shown.links > 100);
    for (const [name, { properties = {} }] of Object.entries<Shape>(components.schemas)) {
      const own = shown.schemas[name] ?? [];
      assert.deepEqual(Object.keys(properties).filter((field) => !own.includes(field)), [], name);
    }
    const stop = await page.locator("#postContainersByIdStop").innerText();
    const timeout = paths["/api/containers/{id}/stop"].post.parameters
      .find(({ name }: { name: string }) => name === "timeoutS");
    assert.match(stop, /timeoutS[^]*integer \(0 to 600\)/);
    assert.ok(stop.includes(timeout.description));
    const keys = await page.locator("#postSettingsApiKeys").innerText();
    assert.match(keys, /expiresInDays optional integer \(1 to 3650\)\s+Days until it ends/);
    for (const { href, status } of await Promise.all(shown.pages.map(answered))) {
      assert.equal(status, 200, href);
    }
  },
});

interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
}

async function answered(href: string): Promise<{ readonly href: string; readonly status: number }> {
  const response = await fetch(href);
  await response.body?.cancel();
  return { href, status: response.status };
}

// The rest runs in the page, as text: the types of a page are not known here.
const openAll = `for (const one of document.querySelectorAll("details")) one.open = true`;
const allFilled = `(() => {
  const all = [...document.querySelectorAll("details.operation, details.schema")];
  return all.every((one) => one.childElementCount > 1);
})()`;
const whatIsShown = `(() => {
  const links = [...document.querySelectorAll("a[href]")];
  const isInner = (link) => link.getAttribute("href").startsWith("#");
  const at = document.body.innerText.indexOf("\u0060");
  return {
    backticks: at < 0 ? "" : document.body.innerText.slice(Math.max(0, at - 60), at + 60),
    links: links.length,
    nowhere: links.filter((link) => isInner(link) && !document.getElementById(link.hash.slice(1))).map((link) => link.hash),
    pages: [...new Set(links.filter((link) => !isInner(link)).map((link) => link.href))],
    bare: [
      ...[...document.querySelectorAll("dd")].filter((one) => !one.firstChild.textContent)
        .map((one) => one.previousElementSibling.textContent),
      ...[...document.querySelectorAll(".parameter .note")].filter((one) => !one.querySelector("span + span")?.textContent)
        .map((one) => one.textContent),
    ],
    schemas: Object.fromEntries([...document.querySelectorAll("details.schema")].map((one) =>
      [one.id.slice(7), [...one.querySelectorAll("dt > code")].map((code) => code.textContent)]
    )),
  };
})()` as unknown as () => {
  readonly backticks: string;
  readonly links: number;
  readonly nowhere: string[];
  readonly pages: string[];
  readonly bare: string[];
  readonly schemas: Record<string, string[]>;
};

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
