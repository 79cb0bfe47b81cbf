/** A project from its first line to running, in the page alone. */
import assert from "node:assert/strict";
import type { Page } from "npm:playwright-core@1.65.1";
import { FIXTURE } from "../support/engine.ts";
import { browserMissing, sharedBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { workspace } from "../streams/live_scene.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const { test } = await sharedEngine("docker");
const browserOf = sharedBrowser();

const TEXT = `services:
  page:
    image: ${FIXTURE}
    command: [sh, -c, "cat /greeting.txt; exec idle"]
    network_mode: none
    stop_grace_period: 1s
    volumes: ["./greeting.txt:/greeting.txt:ro"]
`;

async function paste(page: Page, text: string): Promise<void> {
  // Before it may be written to, the editor only shows the text.
  const content = page.locator(".cm-content[contenteditable=true]");
  await content.click();
  await page.keyboard.press("Control+A");
  await content.evaluate((element, text) => {
    // deno-lint-ignore no-explicit-any -- a browser has them
    const { DataTransfer, ClipboardEvent } = globalThis as any;
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

test(
  "a project is pasted, its mounted file is made before it, and it runs; a name that is taken keeps the text",
  async (engine) => {
    const browser = await browserOf();
    await using berth = await serveEngines({ docker: engine });
    const { id, path } = await workspace(
      berth,
      "stacks",
      `name: other\nservices: { a: { image: ${FIXTURE} } }\n`,
    );
    await Deno.mkdir(`${path}/taken`);
    await Deno.writeTextFile(`${path}/taken/compose.yaml`, "# mine\n");
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    try {
      await page.getByRole("link", { name: "New project" }).click();
      const save = page.getByRole("button", { name: "Save and plan" });
      assert.equal(await save.isDisabled(), true, "it has no name, and its folder cannot be written");
      await page.getByRole("button", { name: "Make it editable" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Make it editable" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" }); // behind it nothing takes what is typed
      await page.getByLabel("Name", { exact: true }).fill("taken");
      // Checks of the text meet a folder that is being read: it is said, and tried again without a further key.
      let isSaid = false;
      await page.route("**/artifacts/validate", async (route) => {
        if (isSaid) return await route.continue();
        const body = JSON.stringify({
          status: 503,
          code: "workspace_unavailable",
          title: "Still being read",
        });
        await route.fulfill({ status: 503, contentType: "application/problem+json", body });
      });
      await paste(page, TEXT.replace("image:", "imagee:"));
      await page.getByRole("status").getByText("trying again").waitFor();
      isSaid = true;
      await page.getByRole("list", { name: "Findings" }).getByText("imagee").first().waitFor();
      await assertFitsAll(opened, "a new project");
      await paste(page, TEXT);
      await page.getByRole("button", { name: "+ File" }).click();
      await page.getByLabel("Name of the file").fill("greeting.txt");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await paste(page, "hello from a new file\n");
      const isAsked = () =>
        page.evaluate<boolean>("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
      assert.equal(await isAsked(), true, "a browser asks before the text is gone");
      await save.click();
      await page.getByRole("alert").waitFor();
      assert.equal(
        await Deno.readTextFile(`${path}/taken/compose.yaml`),
        "# mine\n",
        "nothing is overwritten",
      );
      assert.deepEqual([...Deno.readDirSync(`${path}/taken`)].map(({ name }) => name), ["compose.yaml"]);
      await page.getByLabel("Name", { exact: true }).fill("hello");
      await save.click();

      await page.getByRole("heading", { name: "Plan for hello" }).waitFor();
      assert.equal(await isAsked(), false, "it is saved");
      assert.equal(await Deno.readTextFile(`${path}/hello/greeting.txt`), "hello from a new file\n");
      assert.equal(await Deno.readTextFile(`${path}/hello/compose.yaml`), TEXT);
      assert.equal(new URL(page.url()).pathname, `/p/${encodeURIComponent(`hello@${id}`)}/plan`);
      await page.getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("status").getByText("done").waitFor();
      await eventually(
        "the container has read the file",
        async () => (await engine.cli("logs", "hello-page-1")).includes("hello from a new file"),
      );
      assert.deepEqual(opened.complaints, []);
    } finally {
      await engine.cli("rm", "--force", "hello-page-1").catch(() => {});
    }
  },
  browserMissing(),
);
