/** Registries in a real browser: stored by hand, with a question before credentials go to another host. */
import assert from "node:assert/strict";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { HAS_REGISTRY, startReachableRegistry } from "../support/reachable_registry.ts";
import { ACCOUNT } from "../support/registry.ts";
import { startService } from "../support/service.ts";
import { openPage } from "./opened.ts";

Deno.test({
  name: "the page stores a registry, asks before it sends credentials to a token service, and forgets it",
  ...BROWSER_TEST,
  ignore: BROWSER_TEST.ignore || !HAS_REGISTRY,
  fn: async () => {
    await using registry = await startReachableRegistry({ account: "tokens" });
    await using browser = await startBrowser();
    await using berth = await startService();
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    await page.goto(`${berth.url}/settings/registries`);
    await page.getByRole("button", { name: "Add a registry" }).click();
    await page.getByLabel("Host").fill(registry.host);
    await page.getByLabel("User name").fill(ACCOUNT.username);
    await page.getByLabel("Password or token").fill("wrong");
    await page.getByRole("combobox", { name: "Called" }).selectOption("yes");
    await page.getByRole("button", { name: "Try and store it" }).click();
    await page.getByText(`Send them to ${registry.tokenService}, too?`).waitFor();
    assert.deepEqual(registry.tokensAsked, []);
    await page.getByRole("button", { name: "Send the credentials there, too" }).click();
    await page.getByText("it does not accept these credentials").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("button", { name: "Add a registry" }).click();
    await page.getByLabel("Host").fill(registry.host);
    await page.getByLabel("User name").fill(ACCOUNT.username);
    await page.getByLabel("Password or token").fill(ACCOUNT.password);
    await page.getByRole("combobox", { name: "Called" }).selectOption("yes");
    await page.getByRole("button", { name: "Try and store it" }).click();
    await page.getByRole("button", { name: "Send the credentials there, too" }).click();
    await page.getByRole("cell", { name: `tokens from ${registry.tokenService}` }).waitFor();
    const { items } = (await berth.call("GET /api/registries")).body;
    assert.deepEqual([items.length, items[0].username], [1, ACCOUNT.username]);

    await page.getByRole("button", { name: /^Forget/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
    await page.getByText("No registry is stored.").waitFor();
    assert.equal((await berth.call("GET /api/registries")).body.total, 0);
  },
});
