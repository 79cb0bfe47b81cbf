/** The list of containers and what is done from it, in a real browser over a real engine, alive. */
import assert from "node:assert/strict";
import { save } from "../streams/live_scene.ts";
import { assertFitsAll, openPage } from "./opened.ts";
import { stageOf } from "./stage.ts";

const { test } = await stageOf("shop", "blog", "infra");

test("what happens behind berth's back shows by itself, and a mended file clears the difference", async (stage) => {
  const { browser, berth, engine, folder } = stage;
  await using list = await openPage(browser, berth, { key: berth.admin, path: "/c?q=infra" });
  const row = list.page.getByRole("row", { name: "infra_dns_1" });
  await row.getByText("running").waitFor();
  await engine.cli("stop", "-t", "1", "infra_dns_1");
  await row.getByText("exited").waitFor();
  await engine.cli("start", "infra_dns_1");
  await row.getByText("running").waitFor();

  const { page } = list;
  await list.visit("/");
  const blog = page.getByRole("listitem", { name: "blog", exact: true });
  await blog.getByRole("button", { name: "Show the services of blog" }).click();
  const cache = blog.locator(".facing").filter({ hasText: "compose.yaml:12:16" });
  await cache.getByText("256 MiB").waitFor();
  const file = `${folder}/blog/compose.yaml`;
  const text = await Deno.readTextFile(file);
  await save(berth, "blog", file, text.replace("    mem_limit: 256m\n", ""));
  await cache.waitFor({ state: "detached" });
  await save(berth, "blog", file, text);
  await cache.waitFor();
  assert.deepEqual(list.complaints, []);
});

test("containers are walked, chosen and acted on by keyboard alone, with a result for each", async (stage) => {
  const { browser, berth } = stage;
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c" });
  const { page } = opened;
  const focused = () => page.evaluate<string>("document.activeElement.querySelector('a')?.textContent ?? ''");
  await page.getByRole("row", { name: "blog_app_1" }).waitFor();
  await page.getByRole("button", { name: "Measure" }).focus();
  await page.keyboard.press("Tab"); // the box that chooses all
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "blog_app_1");
  for (const key of ["j", "ArrowDown", "k"]) await page.keyboard.press(key);
  assert.equal(await focused(), "blog_cache_1");
  await page.keyboard.press("End");
  assert.equal(await focused(), "shop_worker_1");
  await page.keyboard.press("Home");
  for (const key of ["j", "j", "x", "j", "x"]) await page.keyboard.press(key);
  const bar = page.getByRole("region", { name: "2 chosen" });
  await bar.waitFor();
  await assertFitsAll(opened, "two chosen");
  await page.getByRole("row", { name: "infra_metrics_1" }).focus();
  await page.keyboard.press(".");
  await page.locator(".actions button:focus", { hasText: "Start" }).waitFor();
  await bar.getByRole("button", { name: "Restart" }).focus();
  await page.keyboard.press("Enter");
  for (const name of ["infra_dns_1", "infra_metrics_1"]) {
    await page.getByRole("row", { name }).getByText("restarted").waitFor();
  }
  await page.keyboard.press("Escape");
  await page.getByRole("region", { name: "chosen" }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: "infra_dns_1" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "infra_dns_1" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/c/docker/infra_dns_1");
  await page.goBack();
  await page.getByRole("row", { name: "legacy-cron" }).waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("a list of containers says which differ, and what is new waits while one points at it", async (stage) => {
  const { browser, berth, engine } = stage;
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c" });
  const { page } = opened;
  await page.getByRole("row", { name: "shop_db_1" }).getByText("running, differs").waitFor();
  await page.getByRole("row", { name: "legacy-cron" }).getByText("running, not declared").waitFor();
  await page.getByRole("combobox", { name: "State" }).selectOption("differs");
  await page.getByRole("combobox", { name: "Project" }).selectOption("blog");
  await page.getByText("1 of ").waitFor();
  assert.equal(new URL(page.url()).search, "?state=differs&project=blog");
  await page.getByRole("row", { name: "blog_cache_1" }).waitFor();
  await assertFitsAll(opened, "/c, some of it");

  await opened.visit("/c");
  await page.getByRole("row", { name: "blog_app_1" }).hover();
  await engine.cli("run", "-d", "--name", "aaa-new", "caddy:2", "idle");
  const fresh = page.getByRole("row", { name: "aaa-new" });
  await page.getByRole("button", { name: "1 new" }).waitFor();
  assert.equal(await fresh.count(), 0);
  await page.getByRole("button", { name: "1 new" }).click();
  await fresh.waitFor();
  await engine.cli("rm", "-f", "aaa-new");
  await fresh.waitFor({ state: "detached" });
  assert.deepEqual(opened.complaints, []);
});

test("what nobody declared can be ignored for everybody, and what happened last is there", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  await page.getByRole("region", { name: "Lately" }).getByRole("link", { name: /_1$/ }).first().waitFor();
  const cron = page.getByRole("listitem", { name: "1 container on docker" });
  await cron.getByRole("button", { name: /^Show/ }).click();
  await page.getByRole("button", { name: "Ignore … legacy-cron" }).click();
  await assertFitsAll(opened, "the question before ignoring");
  await page.getByRole("dialog").getByRole("button", { name: "Ignore", exact: true }).click();
  await cron.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("1 row is ignored.").waitFor();
  assert.equal(await cron.count(), 0);
  await using other = await openPage(browser, berth, { key: berth.admin });
  await other.page.getByText("1 row is ignored.").waitFor();
  await other.page.getByRole("button", { name: "Show", exact: true }).click();
  await other.page.getByRole("button", { name: "Show again legacy-cron" }).click();
  // The first browser follows.
  await cron.waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("what an earlier version ignored in this browser alone is offered once, for everybody", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  await page.evaluate(
    'localStorage.setItem("berth.ignored", JSON.stringify(["docker/legacy-cron", "gone@engine:docker"]))',
  );
  await page.reload();
  await page.getByText("2 rows were ignored in this browser alone.").waitFor();
  await page.getByRole("button", { name: "Ignore for everybody" }).click();
  await page.getByText("1 row is ignored.").waitFor();
  await page.reload();
  await page.getByText("1 row is ignored.").waitFor();
  assert.equal(await page.getByText("in this browser alone").count(), 0);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByRole("button", { name: "Show again legacy-cron" }).click();
  await page.getByRole("listitem", { name: "1 container on docker" }).waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("removing asks first, by name, and the container's own page says that it is gone", async (stage) => {
  const { browser, berth, engine } = stage;
  await engine.cli(
    "run",
    "-d",
    "-v",
    "/data",
    "-v",
    "named:/more",
    "--name",
    "short-lived",
    "caddy:2",
    "idle",
  );
  const volumes = async () =>
    (await engine.cli("volume", "ls", "-q")).split("\n").filter((one) => one.length === 64);
  const before = await volumes();
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c/docker/short-lived" });
  const { page } = opened;
  await page.getByRole("button", { name: "Remove" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove" });
  await dialog.getByText("Remove short-lived?").waitFor();
  await assertFitsAll(opened, "the question before removing");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await engine.cli("inspect", "short-lived");
  await page.getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("These volumes stay: named.").waitFor();
  await dialog.getByRole("checkbox", { name: /^Remove 1 volume without a name/ }).check();
  const remove = dialog.getByRole("button", { name: "Remove" });
  assert.ok(await remove.isDisabled());
  await dialog.getByLabel("Type short-lived to remove data").fill("short-lived");
  await remove.click();
  await page.getByText("This container is gone").waitFor();
  assert.equal((await volumes()).length, before.length - 1);
  await assert.rejects(engine.cli("inspect", "short-lived"));
  assert.deepEqual(opened.complaints, []);
});
