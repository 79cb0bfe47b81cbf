/** What the page shows to whom, in a real browser over a real engine: as far as their rights reach, and no further. */
import assert from "node:assert/strict";
import { assertFitsAll, openPage, signInWithKey } from "./opened.ts";
import { stageOf } from "./stage.ts";

const test = await stageOf("shop", "blog", "infra");

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
