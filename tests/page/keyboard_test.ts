/** Every screen is walked by the keyboard alone. */
import assert from "node:assert/strict";
import { BROWSER_TEST } from "../support/browser.ts";
import { assertWalked } from "./keyboard.ts";
import { openPage } from "./opened.ts";
import { SCREENS, startSmallWorld } from "./small_world.ts";

Deno.test({
  ...BROWSER_TEST,
  name: "on every screen Tab reaches all that can be used, shows where one is, and comes round",
  async fn() {
    await using owned = new AsyncDisposableStack();
    const { browser, berth } = await startSmallWorld(owned);
    await using opened = await openPage(browser, berth, { key: berth.admin });
    for (const [path, text] of SCREENS) {
      await opened.visit(path);
      await opened.page.getByRole("main").getByText(text).filter({ visible: true }).first().waitFor();
      await assertWalked(opened, path);
    }
    assert.deepEqual(opened.complaints, []);
  },
});
