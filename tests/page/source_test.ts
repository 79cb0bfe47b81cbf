/** A repository in a real browser: signers, an edit that becomes one commit, and the way back to the commit before. */
import assert from "node:assert/strict";
import type { Page } from "npm:playwright-core@1.65.1";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { git, hasGit } from "../support/git_server.ts";
import { SourceScene, web } from "../git/source_scene.ts";
import { assertFits, openPage } from "./opened.ts";

async function signer(folder: string): Promise<{ file: string; open: string; fingerprint: string }> {
  const file = `${folder}/ada`;
  const keygen = async (...args: string[]) => {
    const { success, stdout } = await new Deno.Command("ssh-keygen", { args, stdin: "null" }).output();
    assert.ok(success);
    return new TextDecoder().decode(stdout);
  };
  await keygen("-q", "-t", "ed25519", "-N", "", "-C", "ada@example.org", "-f", file);
  const [, fingerprint = ""] = (await keygen("-l", "-f", `${file}.pub`)).split(" ");
  return { file, open: (await Deno.readTextFile(`${file}.pub`)).trim(), fingerprint };
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" }).click();

/** Answers the open question with its own button. */
async function confirm(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

Deno.test({
  name: "the page sets signers, commits an edit as exactly that file, and goes back to the commit before",
  ...BROWSER_TEST,
  ignore: BROWSER_TEST.ignore || !hasGit(),
  fn: async () => {
    const files = { "blog/compose.yaml": web("nginx:1"), "shop/compose.yaml": web("nginx:1") };
    await using scene = await SourceScene.with(files);
    const { berth, repository, id } = scene;
    const first = (await repository.git("rev-parse", "HEAD")).trim();
    const ada = await signer(berth.folder);
    await berth.call(`PUT /api/workspaces/${id}`, { editable: true });
    await using browser = await startBrowser();
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    const signers = page.getByRole("textbox", { name: "Signers" });

    await opened.visit(`/w/${id}/source`);
    await page.getByLabel("Address of the repository").fill(repository.url);
    await signers.fill(`\n ${ada.open} \n`);
    await press(page, "Save and check");
    await page.getByText(/has no signature|is not signed/).waitFor();
    await page.getByText(ada.fingerprint).waitFor();
    const [listed] = (await scene.source()).signers;
    assert.deepEqual([listed?.fingerprint, listed?.name], [ada.fingerprint, "ada@example.org"]);

    await repository.git("config", "gpg.format", "ssh");
    await repository.git("config", "user.signingkey", ada.file);
    await repository.git("config", "commit.gpgsign", "true");
    const signed = await repository.push({ "blog/compose.yaml": web("nginx:2") }, "signed");
    await press(page, "Check now");
    await page.getByText("blog/compose.yaml, line 1").waitFor();
    assert.equal((await scene.source()).head, signed);
    await press(page, "Change …");
    assert.equal(await signers.inputValue(), ada.open);
    await assertFits(opened, "the form of a source");
    await signers.fill("");
    await press(page, "Save and check");
    await page.getByText(ada.fingerprint).waitFor({ state: "detached" });
    assert.deepEqual((await scene.source()).signers, []);

    await press(page, "Sync");
    await confirm(page, "Sync");
    await page.getByText("Up to date").waitFor();
    assert.deepEqual(await scene.files(), { ...files, "blog/compose.yaml": web("nginx:2") });

    await opened.visit(`/w/${id}?view=files&file=shop/compose.yaml`);
    const text = page.getByRole("textbox", { name: /^Text of/ });
    await text.getByText("nginx:1").first().click();
    await page.keyboard.press("End");
    await page.keyboard.type("27");
    await press(page, "Save …");
    await confirm(page, "Save");
    await Deno.writeTextFile(`${scene.path}/blog/compose.yaml`, web("mine:1"));
    await opened.visit(`/w/${id}/source`);
    await page.getByRole("checkbox", { name: /blog/ }).uncheck();
    await page.getByLabel("Message of the commit").fill("Newer nginx");
    await press(page, "Commit and push");
    await page.getByRole("checkbox", { name: /shop/ }).waitFor({ state: "detached" });
    const { bare } = repository;
    assert.equal(
      await git(bare, "log", "--format=%s", "--name-status", `${signed}..main`),
      "Newer nginx\n\nM\tshop/compose.yaml\n",
    );
    assert.equal(await git(bare, "show", "main:shop/compose.yaml"), web("nginx:127"));
    assert.deepEqual((await scene.source()).uncommitted.map(({ path }) => path), ["blog/compose.yaml"]);

    await Deno.writeTextFile(`${scene.path}/blog/compose.yaml`, web("nginx:2"));
    const row = page.getByRole("listitem").filter({ hasText: first.slice(0, 8) });
    await row.getByRole("button", { name: "Go to this one" }).click();
    const readAgain = page.waitForResponse((answer) =>
      answer.request().method() === "GET" && answer.url().endsWith(`/api/workspaces/${id}/source`)
    );
    await berth.call(`POST /api/workspaces/${id}/source/check`);
    await readAgain;
    await confirm(page, "Sync");
    await row.getByText("in the folder").waitFor();
    assert.deepEqual(await scene.files(), files);
    assert.equal((await scene.source()).synced, first);

    await press(page, "Change …");
    await page.getByLabel("When a commit comes").selectOption("auto");
    await press(page, "Sync");
    const dialog = page.getByRole("dialog");
    const seen = (await scene.source()).head!;
    await dialog.getByText(seen.slice(0, 8)).waitFor();
    await repository.git("pull", "--quiet", "--rebase", "origin", "main");
    const unseen = await repository.push({ "blog/compose.yaml": web("unseen:1") }, "unseen");
    await berth.call(`POST /api/workspaces/${id}/source/check`);
    await page.getByRole("listitem").filter({ hasText: unseen.slice(0, 8) }).first().waitFor();
    await dialog.getByText(seen.slice(0, 8)).waitFor();
    await confirm(page, "Sync");
    await eventually(
      "the commit of the question is there",
      async () => (await scene.source()).synced === seen,
    );
    assert.equal(await page.getByLabel("When a commit comes").inputValue(), "auto");
    assert.deepEqual(opened.complaints, []);
  },
});
