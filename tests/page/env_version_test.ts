/** A version in `.env` is edited and brought up, and the project is stopped, in the page alone. */
import assert from "node:assert/strict";
import { ApplyScene } from "../apply/apply_scene.ts";
import { browserMissing, sharedBrowser } from "../support/browser.ts";
import { FIXTURE } from "../support/engine.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { openPage } from "./opened.ts";

const { test } = await sharedEngine("docker");
const browserOf = sharedBrowser();

const COMPOSE = `name: cloud
services:
  app:
    image: cloud-app:\${VERSION}
    pull_policy: never
    command: [idle]
    stop_grace_period: 1s
    network_mode: none
    environment: { ADMIN_PASSWORD: "\${ADMIN_PASSWORD}" }
`;
const ENV = "VERSION=1.0\nADMIN_PASSWORD=hush-hush\n";

test(
  "a version in .env is edited in Files and brought up, the password beside it stays masked and in place, and the project is stopped",
  async (engine) => {
    const browser = await browserOf();
    for (const version of ["1.0", "2.0"]) await engine.cli("tag", FIXTURE, `cloud-app:${version}`);
    await using berth = await serveEngines({ docker: engine });
    const scene = await ApplyScene.on(engine, berth, "cloud", COMPOSE);
    try {
      await Deno.writeTextFile(`${scene.path}/.env`, ENV);
      await scene.apply();
      await berth.call(`PUT /api/workspaces/${scene.workspace}`, { editable: true });
      await using opened = await openPage(browser, berth, { key: berth.admin });
      const { page } = opened;
      const main = page.getByRole("main");
      const row = main.getByRole("listitem", { name: "cloud", exact: true });
      await row.getByRole("link", { name: "cloud", exact: true }).click();
      await main.getByRole("tab", { name: "Files", exact: true }).click();
      await main.getByRole("link", { name: ".env", exact: true }).click();
      const editor = page.locator(".cm-content[contenteditable=true]");
      await editor.getByText("VERSION=1.0").click();
      assert.match(await editor.innerText(), /ADMIN_PASSWORD=\*{8}/);
      assert.ok(!(await page.content()).includes("hush-hush"));
      await page.keyboard.press("End");
      for (let at = 0; at < 3; at++) await page.keyboard.press("Backspace");
      await page.keyboard.type("2.0");
      await page.getByRole("button", { name: "Save …" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved", { exact: true }).first().waitFor();
      assert.equal(await Deno.readTextFile(`${scene.path}/.env`), ENV.replace("1.0", "2.0"));

      const screens = page.getByRole("navigation", { name: "Screens", exact: true });
      await screens.getByRole("link", { name: "Projects", exact: true }).click();
      await row.getByRole("link", { name: "Bring in line" }).click();
      await main.getByText("cloud-app:2.0").first().waitFor();
      const apply = async () => {
        await page.getByRole("button", { name: "Apply", exact: true }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
        await page.getByRole("status").getByText("done").waitFor();
      };
      await apply();
      const runs = async () =>
        (await engine.cli("inspect", "-f", "{{.Config.Image}} {{.State.Status}}", "cloud-app-1")).trim();
      assert.equal(await runs(), "cloud-app:2.0 running");

      await screens.getByRole("link", { name: "Projects", exact: true }).click();
      await row.locator("summary").click();
      await row.getByRole("link", { name: "Stop", exact: true }).click();
      await main.getByRole("heading", { name: "Plan for cloud" }).waitFor();
      await apply();
      assert.equal(await runs(), "cloud-app:2.0 exited");
      await screens.getByRole("link", { name: "Projects", exact: true }).click();
      await row.getByRole("link", { name: "Start" }).waitFor();
      assert.deepEqual(opened.complaints, []);
    } finally {
      await scene.clear();
      for (const version of ["1.0", "2.0"]) await engine.cli("rmi", `cloud-app:${version}`).catch(() => {});
    }
  },
  browserMissing(),
);
