/** Images, volumes, networks and the disk, in a real browser over a real engine. */
import assert from "node:assert/strict";
import type { Browser } from "npm:playwright-core@1.65.1";
import { browserMissing, startBrowser } from "../support/browser.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const shared = await sharedEngine("docker");
const GONE = "/nowhere/engine.sock";

interface Stage {
  readonly browser: Browser;
  readonly berth: TestService;
  readonly engine: TestEngine;
}

let stage: Promise<Stage> | null = null;
const owned = new AsyncDisposableStack();
Deno.test.afterAll(async () => await owned.disposeAsync());

async function setStage(engine: TestEngine): Promise<Stage> {
  await engine.cli("tag", FIXTURE, "shop/web:3");
  await engine.cli("network", "create", "front");
  await engine.cli("volume", "create", "data");
  await engine.cli(
    ...["run", "-d", "--name", "web", "--network", "front", "-v", "data:/data", "shop/web:3", "idle"],
  );
  const [browser, berth] = await Promise.all([startBrowser(), serveEngines({ docker: engine })]);
  owned.use(browser);
  owned.use(berth);
  return { browser, berth, engine };
}

function test(name: string, run: (stage: Stage) => Promise<void>): void {
  shared.test(name, async (engine) => await run(await (stage ??= setStage(engine))), browserMissing());
}

test("images, volumes and networks show who uses each, and what is used cannot be removed", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  for (
    const [path, name] of [["/images", "shop/web:3"], ["/volumes", "data"], ["/networks", "front"]] as const
  ) {
    await opened.visit(path);
    const row = page.getByRole("row", { name }).first();
    await row.getByRole("link", { name: "web" }).waitFor();
    const remove = row.getByRole("button", { name: /^Remove / });
    assert.ok(await remove.isDisabled(), path);
    assert.equal(await remove.getAttribute("title"), "Containers use it; remove them first.");
    await assertFitsAll(opened, path);
    await opened.visit(`${path}?use=unused&q=no-such-thing`);
    await page.getByText("Nothing fits.").waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await row.waitFor();
  }
  await opened.visit("/networks");
  const bridge = page.getByRole("button", { name: "Remove bridge" });
  assert.match(await bridge.getAttribute("title") ?? "", /The engine's own/);
  assert.deepEqual(opened.complaints, []);
});

test("an image and a network are removed by their name, a volume only when its name is typed", async ({ browser, berth, engine }) => {
  await engine.cli("tag", FIXTURE, "brief/image:1");
  await engine.cli("volume", "create", "brief-volume");
  await engine.cli("network", "create", "brief-network");
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/volumes" });
  const { page } = opened;
  const dialog = page.getByRole("dialog", { name: "Remove" });
  await page.getByRole("button", { name: "Remove brief-volume" }).press("Enter");
  await dialog.getByText("This cannot be undone.").waitFor();
  const remove = dialog.getByRole("button", { name: "Remove" });
  await assertFitsAll(opened, "the question before a volume is removed");
  await dialog.getByLabel("Type its name").fill("brief-volum");
  assert.ok(await remove.isDisabled());
  await dialog.getByLabel("Type its name").fill("brief-volume");
  await remove.click();
  await page.getByRole("row", { name: "brief-volume" }).waitFor({ state: "detached" });
  await assert.rejects(engine.cli("volume", "inspect", "brief-volume"));

  await opened.visit("/networks");
  await page.getByRole("button", { name: "Remove brief-network" }).click();
  await remove.click();
  await page.getByRole("row", { name: "brief-network" }).waitFor({ state: "detached" });
  await assert.rejects(engine.cli("network", "inspect", "brief-network"));

  const other = (await engine.cli("commit", (await engine.cli("ps", "-q")).split("\n")[0]!, "brief/one:1"))
    .trim();
  await opened.visit("/images");
  await page.getByRole("button", { name: "Remove brief/one:1" }).click();
  assert.ok(await remove.isEnabled());
  await engine.cli("tag", other, "brief/two:1");
  await dialog.getByText("It is gone, or has other names by now").waitFor();
  assert.ok(await remove.isDisabled());
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Remove brief/one:1" }).click();
  await remove.click();
  await page.getByRole("row", { name: "brief/one:1" }).waitFor({ state: "detached" });
  await assert.rejects(engine.cli("image", "inspect", other));
  assert.deepEqual(opened.complaints, []);
});

test("a pull that fails says why, and closing it leaves nothing behind", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/images" });
  const { page } = opened;
  await page.getByRole("button", { name: "Pull an image" }).click();
  const dialog = page.getByRole("dialog", { name: "Pull an image" });
  await dialog.getByLabel("Reference").fill("127.0.0.1:1/none:1");
  await dialog.getByRole("button", { name: "Pull", exact: true }).click();
  await dialog.getByText(/127\.0\.0\.1:1/).first().waitFor();
  await assertFitsAll(opened, "a pull that failed");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(opened.complaints, []);
});

test("a prune is read as a plan, carried out exactly so, and says what stayed and why", async ({ browser, berth, engine }) => {
  await engine.cli("volume", "create", "unneeded");
  await engine.cli("volume", "create", "soon-needed");
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/disk" });
  const { page } = opened;
  const volumes = page.getByRole("checkbox", { name: "Volumes" });
  assert.equal(await volumes.isChecked(), false, "what cannot be had again is not ticked");
  for (const name of ["Containers", "Networks", "Images", "Build cache"]) {
    await page.getByRole("checkbox", { name: new RegExp(`^${name}`) }).first().uncheck();
  }
  assert.ok(await page.getByRole("button", { name: "Read the plan" }).isDisabled());
  await volumes.check();
  await assertFitsAll(opened, "/disk");
  await page.getByRole("button", { name: "Read the plan" }).click();
  const plan = page.getByRole("region", { name: "The plan" });
  await plan.getByRole("row", { name: "unneeded" }).getByText("no container mounts it").waitFor();
  await plan.getByText("valid for another 14 min").waitFor();
  await assertFitsAll(opened, "the plan");

  await engine.cli("run", "-d", "--name", "late", "-v", "soon-needed:/data", FIXTURE, "idle");
  await plan.getByRole("button", { name: "Remove …" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove" });
  await dialog.getByText("This cannot be undone.").waitFor();
  const measured = Promise.withResolvers<void>();
  await page.route("**/api/system/disk-usage?fresh=true", async (route) => {
    await measured.promise;
    await route.continue();
  });
  await dialog.getByRole("button", { name: "Remove" }).click();
  // The results are there while the figures are measured anew, and so are the figures of before.
  await page.getByRole("status").getByText("Reading …").waitFor();
  await plan.getByRole("row", { name: "unneeded" }).getByText("removed").waitFor();
  await page.getByRole("row", { name: "Build cache" }).waitFor();
  measured.resolve();
  await page.getByText("Reading …").waitFor({ state: "detached" });
  await plan.getByRole("row", { name: "soon-needed" }).getByText("kept").waitFor();
  await assertFitsAll(opened, "the results");
  await assert.rejects(engine.cli("volume", "inspect", "unneeded"));
  await engine.cli("volume", "inspect", "soon-needed");
  await page.getByRole("button", { name: "Done" }).click();
  assert.deepEqual(opened.complaints, []);
});

test("a plan that is too old is grey and cannot be carried out", async ({ browser, berth, engine }) => {
  await engine.cli("network", "create", "old-plan");
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/disk" });
  const { page } = opened;
  await page.clock.install();
  await page.routeWebSocket(/\/api\/live(?:\?|$)/, () => {}); // its beats would say that no time has passed
  await opened.visit("/disk");
  await page.getByRole("button", { name: "Read the plan" }).click();
  const plan = page.getByRole("region", { name: "The plan" });
  await plan.getByRole("row", { name: "old-plan" }).waitFor();
  await page.clock.fastForward(16 * 60_000); // the clock of the page may be behind that of berth
  await plan.getByText("This plan has expired.").waitFor();
  assert.equal(await plan.getByRole("button", { name: "Remove …" }).count(), 0);
  await plan.getByRole("button", { name: "Plan again" }).click();
  await page.getByRole("button", { name: "Read the plan" }).waitFor();
});

test("a viewer finds nothing to change, and an engine that is away is named above the rest", async ({ browser, engine }) => {
  await using berth = await serveEngines({ docker: engine, gone: { socket: GONE } });
  const viewer = await berth.key("viewer");
  await using opened = await openPage(browser, berth, { key: viewer.credential });
  const { page } = opened;
  for (
    const [path, name] of [["/images", "shop/web:3"], ["/volumes", "data"], ["/networks", "front"]] as const
  ) {
    await opened.visit(path);
    await page.getByRole("row", { name }).first().waitFor();
    await page.getByText("gone does not answer").waitFor();
    for (const button of await page.getByRole("main").getByRole("button").all()) {
      assert.ok(await button.isDisabled(), `${path}: ${await button.innerText()}`);
    }
  }
  await opened.visit("/disk");
  await page.getByText("This needs the permission system:prune").waitFor();
  assert.equal(await page.getByRole("button", { name: "Read the plan" }).count(), 0);
  await opened.visit("/settings/engines");
  await page.getByRole("row", { name: "gone" }).getByText("away").waitFor();
  await assertFitsAll(opened, "an engine is away");
  const blind = await berth.key(["workspaces:read"]);
  await using other = await openPage(browser, berth, { key: blind.credential });
  for (
    const [path, permission] of [["/images", "images:read"], ["/events", "events:read"], [
      "/disk",
      "system:read",
    ]] as const
  ) {
    await other.visit(path);
    await other.page.getByText(`Ask an admin for the permission ${permission}`).waitFor();
    await assertFitsAll(other, `${path} without ${permission}`);
  }
  assert.deepEqual([...opened.complaints, ...other.complaints], []);
});
