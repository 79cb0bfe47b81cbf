/** Every screen is walked by the keyboard alone. */
import assert from "node:assert/strict";
import { assertWalked } from "./keyboard.ts";
import { openPage } from "./opened.ts";
import { go, SCREENS, smallWorld } from "./small_world.ts";

const { test } = smallWorld();

test("on every screen Tab reaches all that can be used, shows where one is, and comes round", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  for (const [path, text] of SCREENS) {
    await opened.visit(path);
    await opened.page.getByRole("main").getByText(text).filter({ visible: true }).first().waitFor();
    await assertWalked(opened, path);
  }
  assert.deepEqual(opened.complaints, []);
});

test("a key in the list of containers acts on the row that has the focus, also after others above it are gone, or it itself", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c" });
  const { page } = opened;
  const focused = () => page.evaluate<string>("document.activeElement.querySelector('a')?.textContent ?? ''");
  const chosen = () => page.locator("[role=row][aria-selected=true] a").allInnerTexts();
  const shows = async (engine: string, amount: number) => {
    await go(page, `/c?engine=${engine}`);
    await page.getByText(`${amount} of 7`).waitFor();
  };
  await page.getByRole("row", { name: "shop-web" }).focus();
  await shows("docker", 3);
  await page.keyboard.press("x");
  assert.deepEqual([await focused(), await chosen()], ["shop-web", ["shop-web"]]);
  await shows("podman", 4);
  await page.keyboard.press("x");
  assert.deepEqual([await focused(), await chosen()], ["rest-idle", ["rest-idle"]], "the one in its place");
  assert.deepEqual(opened.complaints, []);
});
