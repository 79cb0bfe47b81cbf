/** Newer images in a real browser: looked for, updated to the digest that was shown, and changed in the file. */
import assert from "node:assert/strict";
import { ApplyScene, project, service } from "../apply/apply_scene.ts";
import { lookedAt, lookFor, pushVersion } from "../apply/update_scene.ts";
import { browserMissing, sharedBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startReachableRegistry } from "../support/reachable_registry.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const { test } = await sharedEngine("docker");
const browserOf = sharedBrowser();

test(
  "a person switches the look on, updates an image, and changes a pinned version in its file",
  async (engine) => {
    const browser = await browserOf();
    await using registry = await startReachableRegistry({}, engine);
    for (
      const [name, version] of [["app:latest", "1"], ["pinned:1.4.2", "1.4.2"], ["pinned:1.4.5", "1.4.5"]]
    ) {
      await pushVersion(engine, registry, name!, version!);
    }
    await pushVersion(engine, registry, "pinned:2.0.0", "2.0.0");
    await using berth = await serveEngines({ docker: engine });
    const of = (unit: string, image: string) =>
      service(unit).replace("berth-fixture:latest", `${registry.host}/${image}`);
    const text = project("news", [of("web", "app:latest"), of("db", "pinned:1.4.2")]);
    const scene = await ApplyScene.on(engine, berth, "news", text);
    const labels = async () =>
      Object.values(await scene.containers()).map(({ labels }) => labels["version"]).sort();
    try {
      assert.equal((await scene.apply()).state, "done");
      await using opened = await openPage(browser, berth, { key: berth.admin, path: "/updates" });
      const { page } = opened;
      const main = page.getByRole("main");
      await main.getByText("berth does not look for newer images.").waitFor();
      await assertFitsAll(opened, "newer images, off");
      await lookFor(berth, registry);
      await lookedAt(berth, `${registry.host}/pinned:1.4.2`);
      await pushVersion(engine, registry, "app:latest", "2");
      await main.getByRole("button", { name: "Look now" }).click();
      await main.getByText("1.4.5", { exact: true }).waitFor();
      await main.getByText("major version").waitFor();
      await assertFitsAll(opened, "newer images");

      await main.getByRole("link", { name: "Update", exact: false }).first().click();
      await main.getByText("Replace").first().waitFor();
      await page.getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("status").getByText("done").waitFor();
      assert.deepEqual(await labels(), ["1.4.2", "2"]);

      await opened.visit("/updates");
      await main.getByRole("button", { name: "Change to 1.4.5" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(`image: ${registry.host}/pinned:1.4.5`).waitFor();
      await dialog.getByText("berth may not write compose.yaml").waitFor();
      await assertFitsAll(opened, "a change that berth may not write");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await berth.call(`PUT /api/workspaces/${scene.workspace}`, { editable: true });
      await main.getByRole("button", { name: "Change to 1.4.5" }).click();
      await assertFitsAll(opened, "a change to a newer version");
      await dialog.getByRole("button", { name: "Write it and plan" }).click();
      await main.getByText("Replace").first().waitFor();
      assert.match(await Deno.readTextFile(`${scene.path}/compose.yaml`), /pinned:1\.4\.5/);
      await page.getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("status").getByText("done").waitFor();
      assert.deepEqual(await labels(), ["1.4.5", "2"]);

      await pushVersion(engine, registry, "pinned:1.4.6", "1.4.6", ['ENTRYPOINT ["/none"]']);
      await lookedAt(berth, `${registry.host}/pinned:1.4.5`);
      await opened.visit("/updates");
      await main.getByRole("button", { name: "Change to 1.4.6" }).click();
      await dialog.getByRole("button", { name: "Write it and plan" }).click();
      await main.getByText("Replace").first().waitFor();
      await page.getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("status").getByText("failed").waitFor();
      await main.getByRole("link", { name: "Change the image back in the file …" }).click();
      await assertFitsAll(opened, "a version that went back");
      await main.getByRole("button", { name: "Change back to 1.4.5" }).click();
      await dialog.getByRole("button", { name: "Write it and plan" }).click();
      await main.getByText("There is nothing to do.").waitFor();
      assert.match(await Deno.readTextFile(`${scene.path}/compose.yaml`), /pinned:1\.4\.5/);

      await opened.visit("/");
      assert.equal(await main.getByText("↑").count(), 0);
      await pushVersion(engine, registry, "app:latest", "3");
      await berth.call("POST /api/updates/check");
      await main.getByRole("listitem", { name: "news" }).getByRole("link", { name: /^↑/ }).waitFor();
      await main.getByRole("link", { name: /^↑/ }).first().click();
      await page.waitForURL(/newer/);
      await main.getByRole("listitem", { name: "news" }).waitFor();
      await assertFitsAll(opened, "only projects with newer images");

      await opened.visit("/updates");
      await main.getByRole("button", { name: /^By itself/ }).click();
      await dialog.getByLabel("Updated").selectOption("on");
      await dialog.getByLabel("Begins at the earliest").fill("02:00");
      await dialog.getByLabel("Begins at the latest").fill("05:00");
      await assertFitsAll(opened, "a project that is updated by itself");
      await dialog.getByRole("button", { name: "Save" }).click();
      await main.getByText("by itself from 02:00 to 05:00").waitFor();
      const { projects: [rule] } = (await berth.call("GET /api/updates")).body;
      assert.deepEqual([rule.automatic, rule.window.from, rule.coolDownDays], [true, "02:00", null]);
      assert.deepEqual(opened.complaints, []);
    } finally {
      await scene.clear();
    }
  },
  browserMissing(),
);

test(
  "two services of one image have a row each once the newer one went back for one of them",
  async (engine) => {
    const browser = await browserOf();
    await using registry = await startReachableRegistry({}, engine);
    await pushVersion(engine, registry, "app:1", "1");
    await using berth = await serveEngines({ docker: engine });
    const reference = `${registry.host}/app:1`;
    const of = (unit: string) => service(unit).replace("berth-fixture:latest", reference);
    const scene = await ApplyScene.on(engine, berth, "rows", project("rows", [of("other"), of("web")]));
    try {
      assert.equal((await scene.apply()).state, "done");
      await lookFor(berth, registry);
      await pushVersion(engine, registry, "app:1", "2", ['ENTRYPOINT ["/none"]']);
      await lookedAt(berth, reference);
      await using opened = await openPage(browser, berth, { key: berth.admin, path: "/updates" });
      const rows = opened.page.getByRole("main").getByRole("row").filter({ hasText: "app:1" });
      await rows.filter({ hasText: "other, web" }).waitFor();
      assert.equal(await rows.count(), 1);

      assert.equal((await scene.apply({ action: "update", units: ["web"] })).state, "failed");

      await rows.filter({ hasText: "went back" }).getByText("web", { exact: true }).waitFor();
      await rows.filter({ hasNotText: "went back" }).getByText("other", { exact: true }).waitFor();
      assert.equal(await rows.count(), 2);
      await pushVersion(engine, registry, "app:1", "3");
      await lookedAt(berth, reference);
      await rows.filter({ hasText: "other, web" }).waitFor();
      await eventually("they are one row again", async () => await rows.count() === 1);
      assert.deepEqual(opened.complaints, []);
    } finally {
      await scene.clear();
    }
  },
  browserMissing(),
);
