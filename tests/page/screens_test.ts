/** Every screen of the page in a real browser, over a real engine: by its address, for everybody, alive. */
import assert from "node:assert/strict";
import type { Browser } from "npm:playwright-core@1.65.1";
import { browserMissing, startBrowser } from "../browser.ts";
import type { TestEngine } from "../engine.ts";
import { composeMissing, save } from "../live_scene.ts";
import { sharedEngine } from "../shared_engine.ts";
import { assertFitsAll, openPage, signInWithKey } from "./opened.ts";
import { type Scene, seed, startScene } from "./scene.ts";

const shared = await sharedEngine("docker");
const missing = browserMissing() ?? composeMissing;

interface Stage extends Scene {
  readonly browser: Browser;
  readonly folder: string;
  readonly engine: TestEngine;
}

/** One browser, one berth and one set of projects for all tests of this file. */
let stage: Promise<Stage> | null = null;
const owned = new AsyncDisposableStack();
Deno.test.afterAll(async () => await owned.disposeAsync());

async function setStage(engine: TestEngine): Promise<Stage> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-screens-" }));
  owned.defer(() => Deno.remove(folder, { recursive: true }));
  const [browser] = await Promise.all([startBrowser(), seed(engine, folder)]);
  owned.use(browser);
  const scene = await startScene(engine, folder);
  owned.use(scene.berth);
  return { ...scene, browser, folder, engine };
}

function test(name: string, run: (stage: Stage) => Promise<void>): void {
  shared.test(name, async (engine) => await run(await (stage ??= setStage(engine))), missing);
}

test("every screen opens by its address, accessible in both themes and at 360 px", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  for (
    const [path, text] of [
      ["/", "Is what runs what I wrote?"],
      ["/w/shop", "shop.migrate"],
      ["/w/shop?view=findings", "compose.yaml:"],
      ["/w/shop?view=graph", "postgres:17"],
      ["/w/shop?view=logs", "job 40 done in 120 ms"],
      ["/w/infra", "What runs is what is written"],
      ["/w/none", "No workspace has this id"],
      ["/c", "legacy-cron"],
      ["/c?q=no-such-thing", "No container fits"],
      ["/c/docker/shop_worker_1", "job 40 done in 120 ms"],
      ["/logs?workspace=shop", "job 40 done in 120 ms"],
      ["/c/docker/shop_db_1?view=differences", "postgres:17"],
      ["/c/docker/legacy-cron?view=differences", "No file of a workspace declares this container"],
      ["/c/docker/shop_db_1?view=shell", "Open a shell"],
      ["/c/docker/shop_migrate_1?view=shell", "This container does not run"],
      ["/c/docker/shop_migrate_1?view=measures", "It does not run"],
      ["/c/docker/shop_db_1?view=mounts", "/var/lib/postgresql/data"],
      ["/c/docker/shop_db_1?view=networks", "shop_default"],
      ["/c/docker/shop_db_1?view=environment", "POSTGRES_PASSWORD"],
      ["/c/docker/shop_db_1?view=inspect", "HostConfig"],
      ["/c/docker/never-was", "never-was"],
      ["/nowhere", "There is no such screen"],
    ] as const
  ) {
    await opened.visit(path);
    await page.getByRole("main").getByText(text).first().waitFor();
    await assertFitsAll(opened, path);
  }
});

test("nothing moves for who wants it still, and in forced colours every line and sign is there", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, {
    key: berth.admin,
    path: "/w/shop?view=graph",
    reducedMotion: "reduce",
    forcedColors: "active",
  });
  const { page } = opened;
  const db = page.getByRole("link", { name: "db postgres:17" });
  await db.focus();
  assert.deepEqual(
    await page.evaluate("document.getAnimations().map(({ constructor }) => constructor.name)"),
    [],
  );
  const colours = await page.evaluate<string[]>(
    `[".node rect", ".node .sign path", ".edge", ".frame rect"].map((one) =>
      getComputedStyle(document.querySelector(one)).stroke)`,
  );
  const ground = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  for (const colour of colours) assert.ok(colour !== "none" && colour !== ground, colours.join(", "));
  await opened.visit("/c/docker/shop_db_1?view=shell");
  await page.getByRole("button", { name: "Open a shell" }).click();
  await page.locator(".xterm-cursor").waitFor();
  assert.equal(
    await page.evaluate("getComputedStyle(document.querySelector('.xterm-cursor')).outlineStyle"),
    "solid",
  );
  assert.deepEqual(opened.complaints, []);
});

test("the first list costs at most 60 KB in at most 5 requests", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  await opened.visit("/c");
  await page.getByRole("link", { name: "legacy-cron" }).waitFor();

  const loads = await page.evaluate<{ name: string; transferSize: number }[]>(
    `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
      ({ name, transferSize }) => ({ name, transferSize }))`,
  );
  const bytes = loads.reduce((all, { transferSize }) => all + transferSize, 0);
  const said = loads.map(({ name, transferSize }) => `${name} ${transferSize}`).join("\n");
  assert.ok(loads.length <= 5 && loads.every(({ transferSize }) => transferSize > 0), said);
  assert.ok(
    loads.find(({ name }) => name.endsWith("/main.js"))!.transferSize > 5_000,
    `not from a cache: ${said}`,
  );
  assert.ok(bytes <= 60_000, said);
  console.log(`      ${loads.length} requests, ${bytes} bytes`);
});

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
  const cache = page.getByRole("listitem").filter({
    has: page.getByRole("link", { name: "blog.cache", exact: true }),
  });
  await cache.getByText("256 MiB").waitFor();
  await cache.getByText("blog/compose.yaml:12:16").waitFor();
  const file = `${folder}/blog/compose.yaml`;
  const text = await Deno.readTextFile(file);
  await save(berth, "blog", file, text.replace("    mem_limit: 256m\n", ""));
  await cache.waitFor({ state: "detached" });
  await save(berth, "blog", file, text);
  await cache.waitFor();
  assert.deepEqual(list.complaints, []);
});

test("a value that an override or an anchor set differs on the line that set it, in that file", async (stage) => {
  const { browser, berth, engine, folder } = stage;
  const path = `${folder}/layers`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(
    `${path}/compose.yaml`,
    `x-common: &common
  image: postgres:17
services:
  anchored:
    <<: *common
  overridden:
    image: caddy:2
`,
  );
  await Deno.writeTextFile(
    `${path}/compose.override.yaml`,
    "services:\n  overridden:\n    image: redis:7\n",
  );
  for (const [service, image] of [["anchored", "postgres:16"], ["overridden", "caddy:2"]] as const) {
    await engine.cli(
      ...["run", "-d", "--name", `layers-${service}`, "--label", "com.docker.compose.project=layers"],
      ...["--label", `com.docker.compose.service=${service}`, image, "idle"],
    );
  }
  const { body } = await berth.call("POST /api/workspaces", { path });
  try {
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    for (
      const [unit, place, declared, runs] of [
        ["anchored", "compose.yaml:2:10", "postgres:17", "postgres:16"],
        ["overridden", "compose.override.yaml:3:12", "redis:7", "caddy:2"],
      ] as const
    ) {
      await opened.visit("/");
      const item = page.getByRole("listitem").filter({
        has: page.getByRole("link", { name: `layers.${unit}`, exact: true }),
      });
      await item.getByText(`layers/${place}`).click();
      const facing = page.getByRole("main").locator(".facing").filter({ hasText: place });
      await facing.getByText(declared).waitFor();
      await facing.getByText(runs).waitFor();
    }
    assert.deepEqual(opened.complaints, []);
  } finally {
    await berth.call(`DELETE /api/workspaces/${body.id}`);
    await engine.cli("rm", "-f", "layers-anchored", "layers-overridden");
  }
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

test("what nobody declared can be ignored in this browser, and what happened last is there", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  await page.getByRole("region", { name: "Lately" }).getByRole("link", { name: /_1$/ }).first().waitFor();
  const cron = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "legacy-cron" }) })
    .filter({ hasText: "in no file" });
  await page.getByRole("button", { name: "Ignore … legacy-cron" }).click();
  await assertFitsAll(opened, "the question before ignoring");
  await page.getByRole("dialog").getByRole("button", { name: "Ignore", exact: true }).click();
  await cron.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("1 container is ignored in this browser.").waitFor();
  assert.equal(await cron.count(), 0);
  await page.getByRole("button", { name: "Show again" }).click();
  await cron.waitFor();
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

/** Buttons that only read. */
const READING = [
  ...["Measure", "Logs together", "Download all", "Save these lines"],
  ...["Aa", ".*", "Errors", "Wrap", "Pause", "older ↑", "Reading …", "Ignore …"],
];

test("a viewer finds nothing to change, and each button says which permission it needs", async (stage) => {
  const { browser, berth } = stage;
  const viewer = await berth.key("viewer");
  await using opened = await openPage(browser, berth, { key: viewer.credential });
  const { page } = opened;
  const buttons: string[] = [];
  for (const path of ["/", "/w/shop", "/c", "/c/docker/legacy-cron"]) {
    await opened.visit(path);
    await page.getByRole("main").getByText(/legacy-cron|shop\.db/).first().waitFor();
    if (path === "/c") await page.getByRole("row", { name: "legacy-cron" }).press("x");
    for (const button of await page.locator("main button.button").all()) {
      const [name, title] = [await button.innerText(), await button.getAttribute("title")];
      if (READING.includes(name)) continue;
      buttons.push(name);
      assert.ok(await button.isDisabled(), `${path}: ${name}`);
      assert.match(
        title ?? "",
        /^This needs the permission (?:workspaces:write|containers:(?:control|remove))$/,
      );
    }
  }
  for (const name of ["Register a folder", "Forget this workspace", "Stop", "Restart", "Remove"]) {
    assert.ok(buttons.includes(name), `${name} of ${buttons}`);
  }
  assert.deepEqual(opened.complaints, []);
});

test("a person with one project sees it on every screen, a word where there is nothing, and nothing of the others", async (stage) => {
  const { browser, berth } = stage;
  const made = await berth.call("POST /api/settings/people", {
    name: "sam",
    grants: [{ role: "operator", on: ["workspace:shop", "project:shop"] }],
  });
  const password = "sams own sentence";
  await berth.anonymous().call("POST /api/auth/password-link", { token: made.body.passwordToken, password });
  await using opened = await openPage(browser, berth);
  const { page } = opened;
  await page.getByLabel("Name").fill("sam");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Screens", exact: true }).waitFor();
  const main = page.getByRole("main");
  for (
    const [path, text] of [
      ["/", "shop/compose.yaml:12:12"],
      ["/w/shop", "postgres:16"],
      ["/w/shop?view=graph", "postgres:17"],
      ["/w/shop?view=files", "compose.yaml"],
      ["/w/shop?view=findings", "compose.yaml:"],
      ["/w/shop?view=logs", "job 40 done in 120 ms"],
      ["/w/shop/plan", "db"],
      ["/w/blog", "No workspace has this id"],
      ["/c", "shop_db_1"],
      ["/c/docker/shop_db_1", "postgres:16"],
      ["/c/docker/legacy-cron", "To the containers"],
      ["/logs?project=shop", "job 40 done in 120 ms"],
      ["/images", null],
      ["/volumes", null],
      ["/networks", null],
      ["/disk", null],
      ["/events", null],
      ["/audit", null],
      ["/settings/keys", null],
      ["/settings/people", null],
      ["/settings/sessions", "this one"],
      ["/settings/engines", null],
    ] as const
  ) {
    await opened.visit(path);
    // Null: what may be seen of it, or a word that says why there is nothing.
    const seen = text === null
      ? main.locator(".empty").or(main.getByText(/shop|docker|permission/)).filter({ visible: true })
      : main.getByText(text);
    await seen.first().waitFor();
    // Who asks for something by its name reads that name.
    const others = path.endsWith("legacy-cron") ? /blog_|infra/ : /blog_|infra|legacy-cron|ghost:5|redis:7/;
    assert.doesNotMatch(await main.innerText(), others, path);
  }
  assert.deepEqual(opened.complaints, []);
});

test("who is signed out in the middle keeps the screen and what was typed, and goes on after signing in", async (stage) => {
  const { browser, berth } = stage;
  const made = await berth.call("POST /api/settings/api-keys", { name: "short", role: "viewer" });
  await using opened = await openPage(browser, berth, { key: made.body.key, path: "/c" });
  const { page } = opened;
  await page.getByRole("searchbox").fill("legacy");
  await page.getByText("1 of ").waitFor();
  await berth.call(`DELETE /api/settings/api-keys/${made.body.id}`);
  const dialog = page.getByRole("dialog", { name: "Sign in" });
  await dialog.waitFor();
  assert.equal(await page.getByRole("row", { name: "legacy-cron", includeHidden: true }).count(), 1);
  await assertFitsAll(opened, "signed out");
  await signInWithKey(page, berth.admin!);
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.getByRole("searchbox").inputValue(), "legacy");
  assert.equal(new URL(page.url()).search, "?q=legacy");
  await page.getByText("1 of ").waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("differences and findings are printed with their address and time, without what is around them", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  for (
    const [path, text] of [["/w/shop", "postgres:16"], ["/w/shop?view=findings", "compose.yaml:"]] as const
  ) {
    await opened.visit(path);
    await page.getByRole("main").getByText(text).first().waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const head = page.locator(".print-head");
    assert.ok((await head.innerText()).startsWith(`${berth.url}${path}, `), await head.innerText());
    for (const around of [".bar", ".tabs", ".screen-end"]) {
      assert.equal(await page.locator(around).first().isVisible(), false, around);
    }
    assert.ok(await page.getByRole("main").getByText(text).first().isVisible());
    assert.ok((await page.pdf()).length > 5_000);
    await page.emulateMedia({ media: "screen" });
    assert.equal(await head.isVisible(), false);
  }
  assert.deepEqual(opened.complaints, []);
});
