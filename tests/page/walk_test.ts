/** The first quarter of an hour with berth, by what is visible alone: from the printed link to the line that differs. */
import assert from "node:assert/strict";
import { startBerthProcess } from "../berth_process.ts";
import { BROWSER_TEST, browserMissing, sharedBrowser } from "../browser.ts";
import { composeMissing } from "../live_scene.ts";
import { sharedEngine } from "../shared_engine.ts";
import { assertFitsAll, openPage } from "./opened.ts";
import { seed } from "./scene.ts";

const { test } = await sharedEngine("docker");
const browserOf = sharedBrowser();

test(
  "from an empty data folder and the printed link over setup and first folder to the line that differs",
  async (engine) => {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-walk-" }));
    await seed(engine, folder);
    await using berth = await startBerthProcess({
      env: { BERTH_ENGINES: engine.setting, BERTH_ROOTS: folder },
    });
    const [, path] = /http:\/\/[^/\s]+(\/#setup=\S+)/.exec(berth.stdout) ?? [];
    assert.ok(path !== undefined, berth.stdout);
    const browser = await browserOf();
    await using opened = await openPage(browser, berth, { path });
    const { page, complaints } = opened;

    await page.getByRole("heading", { name: "Set up berth" }).waitFor();
    assert.equal(page.url(), `${berth.url}/`);
    await page.getByLabel("Your name").fill("ada");
    await page.getByLabel("A password").fill("ada");
    await page.getByRole("button", { name: "Make me the admin" }).click();
    await page.getByText("Expected at least 12 characters").waitFor();
    await page.getByLabel("A password").fill("harbour lights at dusk");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "Is what runs what I wrote?" }).waitFor();
    await page.getByText("runs, in no file").first().waitFor();
    await page.getByRole("button", { name: "Register a folder" }).click();
    await page.getByLabel("The folder's full path").fill(`${folder}/shop`);
    await page.getByRole("button", { name: "Register", exact: true }).click();

    const row = page.getByRole("listitem").filter({ hasText: "shop.db" });
    await row.getByText("shop/compose.yaml:12:12").waitFor();
    assert.equal(
      (await row.innerText()).replace(/\s+/g, " ").trim(),
      "shop.db differs Log shop_db_1 Shell shop_db_1 image declared postgres:17 runs postgres:16 shop/compose.yaml:12:12",
    );
    await row.getByText("shop/compose.yaml:12:12").click();
    const line = page.locator(".line.is-differing").first();
    await line.getByText("postgres:16").waitFor();
    assert.match(
      (await line.innerText()).replace(/\s+/g, " "),
      /^12 image: postgres:17 image runs postgres:16$/,
    );
    assert.equal(new URL(page.url()).pathname, "/w/shop");

    // Who comes back is still signed in, and whoever has the old link sees no setup.
    await opened.visit("/");
    await page.getByText("shop/compose.yaml:12:12").waitFor();
    await using other = await openPage(browser, berth, { path });
    await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await other.page.getByLabel("Name").fill("ada");
    await other.page.getByLabel("Password").fill("harbour lights at noon");
    await other.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await other.page.getByRole("alert").waitFor();
    await other.page.getByLabel("Password").fill("harbour lights at dusk");
    await other.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await other.page.getByText("shop/compose.yaml:12:12").waitFor();
    assert.deepEqual([...complaints, ...other.complaints], []);
    await Deno.remove(folder, { recursive: true });
  },
  browserMissing() ?? composeMissing,
);

Deno.test({
  name: "sign-in and setup are accessible in both themes and at 360 px, and a key can be the first admin",
  ...BROWSER_TEST,
  async fn() {
    await using berth = await startBerthProcess();
    const [, path] = /http:\/\/[^/\s]+(\/#setup=\S+)/.exec(berth.stdout) ?? [];
    const browser = await browserOf();
    await using stranger = await openPage(browser, berth);
    await stranger.page.getByRole("heading", { name: "berth waits for its first admin" }).waitFor();
    await assertFitsAll(stranger, "setup without a token");

    await using opened = await openPage(browser, berth, { path: path! });
    const { page } = opened;
    await page.getByRole("button", { name: "I want an API key instead" }).click();
    await page.getByLabel("A name for the key").fill("first");
    await page.getByRole("button", { name: "Make the key" }).click();
    const key = await page.locator(".secret code").innerText();
    assert.match(key, /^berth_/);
    await assertFitsAll(opened, "the new key");
    await page.getByRole("button", { name: "I have saved it, go on" }).click();
    await page.getByRole("heading", { name: "Register your first folder" }).waitFor();
    await assertFitsAll(opened, "nothing registered yet");
    const stored = await page.evaluate<string>(
      "JSON.stringify([localStorage, sessionStorage, location.href])",
    );
    assert.ok(!stored.includes(key) && !(await page.content()).includes(key));

    await page.getByText("first", { exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await stranger.visit("/");
    await stranger.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await assertFitsAll(stranger, "sign-in");
  },
});
