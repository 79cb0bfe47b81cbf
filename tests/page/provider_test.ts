/** Signing in on the page at an identity provider, and proving there once more that one is still there. */
import assert from "node:assert/strict";
import type { Page } from "npm:playwright-core@1.65.1";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { CLIENT_ID, startProvider } from "../support/oidc_provider.ts";
import { startService } from "../support/service.ts";
import { assertFitsAll, openPage } from "./opened.ts";

Deno.test({
  name:
    "a person of the identity provider signs in, comes back to where they were and proves it anew; a stranger is told why not",
  ...BROWSER_TEST,
  async fn() {
    await using provider = await startProvider({
      people: [{ sub: "ada", name: "Ada", groups: ["ops"] }, { sub: "eve", name: "Eve", groups: [] }],
      redirectUris: ["http://127.0.0.1/signed-in"],
      secret: false,
    });
    await using berth = await startService({
      roles: [{ claim: "groups", value: "ops", role: "admin" }],
      identityProvider: {
        issuer: provider.issuer,
        clientId: CLIENT_ID,
        clientSecretFile: null,
        redirectUris: ["http://127.0.0.1/signed-in"],
      },
    });
    await using browser = await startBrowser();
    for (const [login, isKnown] of [["eve", false], ["ada", true]] as const) {
      await using opened = await openPage(browser, berth, { path: "/c?q=web" });
      const { page } = opened;
      const elsewhere = page.getByRole("button", { name: /^Sign in with (?!an API key)/ });
      await elsewhere.waitFor();
      if (!isKnown) await assertFitsAll(opened, "sign-in with a provider");
      await elsewhere.click();
      await logIn(page, login);
      if (isKnown) await page.getByText("Ada", { exact: true }).waitFor();
      else await page.getByRole("alert").waitFor();
      assert.equal(page.url(), `${berth.url}/c?q=web`);
      const stored = await page.evaluate<string>(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])",
      );
      assert.match(stored, /^\[\{"berth.binding":"[\w-]{43}"\},\{\}\]$/);
      if (isKnown) await makeKey(page);
      assert.deepEqual(opened.complaints, []);
    }
  },
});

async function logIn(page: Page, login: string): Promise<void> {
  await page.fill("[name=login]", login);
  await page.fill("[name=password]", "any");
  await page.click("[type=submit]");
  await page.waitForSelector("[name=prompt][value=consent]", { state: "attached" });
  await page.click("[type=submit]");
}

/** The provider knows her, and would let her in without a word: only one that has asked her again counts. */
async function makeKey(page: Page): Promise<void> {
  await page.getByText("Ada", { exact: true }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByLabel("A name for the key").fill("adas-key");
  await page.getByRole("button", { name: "Make the key" }).click();
  const proof = page.getByRole("dialog", { name: "Is it still you?" });
  const first = page.context().waitForEvent("page");
  await proof.getByRole("button", { name: /^Sign in with / }).click();
  await proof.getByText(/asks you in a window of its own/).waitFor();
  await (await first).close();
  await page.evaluate("dispatchEvent(new Event('focus'))"); // this browser takes every page for the one in front
  await proof.getByRole("alert").getByText(/^No answer has come from /).waitFor();
  const elsewhere = page.context().waitForEvent("page");
  await proof.getByRole("button", { name: "Try again" }).click();
  const asked = await elsewhere;
  assert.equal(await asked.evaluate("opener"), null);
  const closed = asked.waitForEvent("close");
  await logIn(asked, "ada");
  await closed;
  await page.getByText("This is the key adas-key").waitFor();
}
