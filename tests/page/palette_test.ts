/** Everything by keyboard: the palette, the keys that go to screens, and their help. */
import assert from "node:assert/strict";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";
import { assertFitsAll, openPage } from "./opened.ts";

Deno.test({
  ...BROWSER_TEST,
  name: "screens, workspaces and actions are a few letters away, and keys are only letters where one writes",
  fn: async () => {
    await using berth = await startService();
    for (const folder of ["bakery", "market"]) {
      const path = `${berth.folder}/workspaces/${folder}`;
      await Deno.mkdir(path);
      const text = "name: bakery\nservices:\n  oven:\n    image: oven:1\n";
      await Deno.writeTextFile(`${path}/compose.yaml`, text);
      await berth.call("POST /api/workspaces", { path });
    }
    await using browser = await startBrowser();
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    const at = (pathname: string) =>
      eventually(
        `the page is at ${pathname}`,
        () => Promise.resolve(new URL(page.url()).pathname === pathname),
      );
    await page.getByRole("heading", { name: "Is what runs what I wrote?" }).waitFor();

    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "A screen, a project" });
    await field.waitFor();
    const folders = ["bakery", "market"].map((folder) => `bakery project, ${folder}`);
    for (const name of folders) await page.getByRole("option", { name, exact: true }).waitFor();
    await assertFitsAll(opened, "the palette");
    await page.keyboard.type("bake");
    assert.equal(await page.getByRole("option").count(), 2);
    await page.keyboard.press("Enter");
    await at("/p/bakery%40bakery");
    await field.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.type("no such thing");
    await page.getByText("Nothing fits.").waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });

    for (const [letters, pathname] of [["gd", "/disk"], ["gk", "/settings/keys"], ["gc", "/c"]] as const) {
      await page.keyboard.type(letters);
      await at(pathname);
    }
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.type("/");
    await page.keyboard.type("gd?/");
    assert.equal(await page.getByRole("searchbox").inputValue(), "gd?/");
    await at("/c");
    await page.getByRole("searchbox").blur();
    await page.keyboard.type("go");
    await at("/");
    await page.keyboard.type("gd");
    await at("/disk"); // it has no search field
    await page.keyboard.type("/");
    await field.waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });

    await page.keyboard.type("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    await keys.getByText("g d").waitFor();
    await assertFitsAll(opened, "the keys");
    await keys.getByLabel("Use single letters").uncheck();
    await keys.getByRole("button", { name: "Close" }).click();
    await page.keyboard.type("gd");
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.type("keys a");
    await page.keyboard.press("Enter");
    await keys.getByLabel("Use single letters").check();
    await keys.getByRole("button", { name: "Close" }).click();
    await at("/disk");
    assert.deepEqual(opened.complaints, []);
  },
});

Deno.test({
  ...BROWSER_TEST,
  name: "colours are light, dark or the system's, in this browser from then on",
  fn: async () => {
    await using berth = await startService();
    await using browser = await startBrowser();
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    const choose = async (word: string) => {
      await page.getByLabel(/^Signed in as/).click();
      await page.getByRole("button", { name: word }).click();
    };
    await choose("Dark colours");
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    await page.getByRole("banner").waitFor();
    assert.equal(await ground(), dark, "a reload keeps it");
    await choose("Colours of the system");
    assert.equal(await ground(), light);
    await page.emulateMedia({ colorScheme: "dark" });
    assert.equal(await ground(), dark);
    assert.deepEqual(opened.complaints, []);
  },
});
