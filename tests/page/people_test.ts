/** People on the page: the first quarter of an hour with berth, the rights of each, and signing in again. */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import { BROWSER_TEST } from "../support/browser.ts";
import { assertFitsAll, openPage, signInWithKey } from "./opened.ts";
import { stageOf } from "./stage.ts";

const { test, browserOf } = await stageOf("shop", "blog", "infra");

test(
  "from an empty data folder and the printed link over setup and first folder to the line that differs",
  async ({ browser, engine, folder }) => {
    await using berth = await startBerthProcess({
      env: { BERTH_ENGINES: engine.setting, BERTH_ROOTS: `${folder}/shop` },
    });
    const [, path] = /http:\/\/[^/\s]+(\/#setup=\S+)/.exec(berth.stdout) ?? [];
    assert.ok(path !== undefined, berth.stdout);
    await using opened = await openPage(browser, berth, { path });
    const { page, complaints } = opened;

    await page.getByRole("heading", { name: "Set up berth" }).waitFor();
    assert.equal(page.url(), `${berth.url}/`);
    await page.getByLabel("Your name").fill("ada");
    await page.getByLabel("A password").fill("ada");
    await page.getByRole("button", { name: "Make me the admin" }).click();
    await page.getByText("Expected at least 12 characters").waitFor();
    await page.getByLabel("A password").fill("harbour lights at dusk");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "Register your first folder" }).waitFor();
    await page.getByText("in no file that berth reads").first().waitFor();
    await assertFitsAll(opened, "nothing registered yet, beside containers that run");
    await page.getByText(`Allowed are ${folder}/shop and all folders below.`).waitFor();
    const places = page.getByRole("list", { name: "Folders of what runs" });
    await places.getByText("2 running projects: blog, infra").waitFor();
    await places.getByRole("button", { name: "How to allow it" }).first().click();
    await places.getByText(`BERTH_ROOTS=${folder}/shop:${folder}`, { exact: true }).waitFor();
    await places.getByRole("button", { name: `${folder}/shop` }).click();
    await page.getByRole("heading", { name: "Is what runs what I wrote?" }).waitFor();
    await page.getByRole("button", { name: "Show the services of shop" }).click();
    const row = page.getByRole("listitem").filter({ hasText: "compose.yaml:12:12" }).last();
    await row.getByText("compose.yaml:12:12").waitFor();
    assert.equal(
      (await row.innerText()).replace(/\s+/g, " ").trim(),
      "db differs Log shop_db_1 Shell shop_db_1 image declared postgres:17 runs postgres:16 compose.yaml:12:12",
    );
    await row.getByRole("link", { name: "db", exact: true }).click();
    const line = page.locator(".line.is-differing").first();
    await line.getByText("postgres:16").waitFor();
    assert.match(
      (await line.innerText()).replace(/\s+/g, " "),
      /^12 image: postgres:17 image runs postgres:16$/,
    );
    assert.equal(new URL(page.url()).pathname, "/p/shop%40shop");

    // A person who comes back is still signed in, and the old link shows no setup.
    await opened.visit("/");
    await page.getByRole("listitem", { name: "shop" }).getByText("restarting").waitFor();
    await using other = await openPage(browser, berth, { path });
    await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await other.page.getByLabel("Name").fill("ada");
    await other.page.getByLabel("Password").fill("harbour lights at noon");
    await other.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await other.page.getByRole("alert").waitFor();
    await other.page.getByLabel("Password").fill("harbour lights at dusk");
    await other.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await other.page.getByRole("listitem", { name: "shop" }).getByText("restarting").waitFor();
    assert.deepEqual([...complaints, ...other.complaints], []);
  },
);

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
  for (const path of ["/", "/p/shop%40shop", "/w/shop", "/c", "/c/docker/legacy-cron"]) {
    await opened.visit(path);
    await page.getByRole("main").getByText(/legacy-cron|shop\.db|postgres:16/).first().waitFor();
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
  for (const name of ["Forget this folder", "Stop", "Restart", "Remove"]) {
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
  await opened.visit("/folders");
  await main.getByText("This needs the permission workspaces:write").first().waitFor();
  assert.deepEqual([await page.getByRole("alert").count(), await main.getByRole("textbox").count()], [0, 0]);
  for (
    const [path, text] of [
      ["/", "restarting"],
      ["/p/shop", "compose.yaml:12:12"],
      ["/p/shop%40shop?unit=shop.db", "postgres:16"],
      ["/p/shop%40shop?view=files", "compose.yaml"],
      ["/p/shop%40shop?view=logs", "job 40 done in 120 ms"],
      ["/p/shop%40shop?view=graph", "postgres:17"],
      ["/p/blog", "There is no project"],
      ["/folders", "shop"],
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
    // A caller who asks for something by its name reads that name.
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

Deno.test({
  name: "sign-in and setup are accessible in both themes and at 360 px, and a key can be the first admin",
  ...BROWSER_TEST,
  async fn() {
    await using berth = await startBerthProcess();
    const [, path] = /http:\/\/[^/\s]+(\/#setup=\S+)/.exec(berth.stdout) ?? [];
    const browser = await browserOf();
    await using stranger = await openPage(browser, berth);
    await stranger.page.getByRole("heading", { name: "berth waits for its first admin" }).waitFor();
    await assertFitsAll(stranger, "setup without a token");

    await using opened = await openPage(browser, berth, { path: path! });
    const { page } = opened;
    await page.getByRole("button", { name: "I want an API key instead" }).click();
    await page.getByLabel("A name for the key").fill("first");
    await page.getByRole("button", { name: "Make the key" }).click();
    const key = await page.locator(".secret code").innerText();
    assert.match(key, /^berth_/);
    await assertFitsAll(opened, "the new key");
    await page.getByRole("button", { name: "I have saved it, go on" }).click();
    await page.getByRole("heading", { name: "Register your first folder" }).waitFor();
    await assertFitsAll(opened, "nothing registered yet");
    const stored = await page.evaluate<string>(
      "JSON.stringify([localStorage, sessionStorage, location.href])",
    );
    assert.ok(!stored.includes(key) && !(await page.content()).includes(key));

    await page.getByText("first", { exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await stranger.visit("/");
    await stranger.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await assertFitsAll(stranger, "sign-in");
  },
});
