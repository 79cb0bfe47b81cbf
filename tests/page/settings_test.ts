/** The settings in a real browser: keys, people, sessions and engines, with the fresh proof that they ask for. */
import assert from "node:assert/strict";
import type { Browser, Page } from "npm:playwright-core@1.65.1";
import { MovableClock } from "../support/access_service.ts";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const MARKUP = `<img src=x onerror="document.title='owned'">`;
const PASSWORD = "a sentence of ada's own";

interface Stage {
  readonly browser: Browser;
  readonly berth: TestService;
  readonly clock: MovableClock;
}

let stage: Promise<Stage> | null = null;
const owned = new AsyncDisposableStack();
Deno.test.afterAll(async () => await owned.disposeAsync());

async function setStage(): Promise<Stage> {
  const clock = new MovableClock();
  const [browser, berth] = await Promise.all([startBrowser(), startService({ clock })]);
  owned.use(browser);
  owned.use(berth);
  return { browser, berth, clock };
}

function test(name: string, run: (stage: Stage) => Promise<void>): void {
  Deno.test({ name, ...BROWSER_TEST, fn: async () => await run(await (stage ??= setStage())) });
}

async function signIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Screens", exact: true }).waitFor();
}

/** A person who has set their password by the API. */
async function addPerson(berth: TestService, name: string, role: string): Promise<void> {
  const made = await berth.call("POST /api/settings/people", { name, role });
  const set = await berth.anonymous().call("POST /api/auth/password-link", {
    token: made.body.passwordToken,
    password: PASSWORD,
  });
  assert.equal(set.status, 200, set.text);
}

test("every screen of the settings opens by its address, with hostile names as text", async ({ browser, berth }) => {
  await berth.call("POST /api/settings/api-keys", {
    name: MARKUP,
    permissions: ["system:read"],
    expiresInDays: 9,
  });
  await berth.call("POST /api/settings/people", { name: MARKUP, role: "viewer" });
  await using opened = await openPage(browser, berth, { key: berth.admin, userAgent: MARKUP });
  const { page } = opened;
  for (
    const [path, text] of [
      ["/settings/keys", MARKUP],
      ["/settings/people", MARKUP],
      ["/settings/sessions", MARKUP],
      ["/settings/engines", "No container engine is known"],
    ] as const
  ) {
    await opened.visit(path);
    await page.getByRole("main").getByText(text).first().waitFor();
    await assertFitsAll(opened, path);
    assert.equal(await page.locator("main img").count(), 0, path);
    assert.notEqual(await page.title(), "owned");
  }
});

test("a key is made with what is ticked alone and shown once, rotated, and deleted", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/settings/keys" });
  const { page } = opened;
  await page.getByRole("button", { name: "Make a key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox").first().waitFor();
  assert.equal(await dialog.getByRole("checkbox", { checked: true }).count(), 1, "the fewest");
  await assertFitsAll(opened, "a key is made");
  await dialog.getByLabel("A name for the key").fill("backup-job");
  await dialog.getByRole("checkbox", { name: "containers:read" }).check();
  await dialog.getByRole("button", { name: "Make the key" }).click();
  await dialog.getByText("It is shown this once").waitFor();
  await assertFitsAll(opened, "a key is shown");
  for (let times = 0; times < 5; times++) await page.keyboard.press("Escape"); // a browser closes it by itself
  await dialog.getByText("It is shown this once").waitFor();
  const first = await dialog.getByRole("code").innerText();
  const me = await berth.as(first).call("GET /api/auth/me");
  assert.deepEqual(me.body.permissions.toSorted(), ["containers:read", "system:read"]);
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  await dialog.waitFor({ state: "detached" });
  const row = page.getByRole("row", { name: "backup-job" });
  await row.getByText("test admin").waitFor();
  assert.ok(!(await page.content()).includes(first), "it is shown once");

  await row.getByRole("button", { name: "Rotate backup-job" }).click();
  await dialog.getByRole("button", { name: "Rotate" }).click();
  await dialog.getByText("It is shown this once").waitFor();
  const second = await dialog.getByRole("code").innerText();
  assert.deepEqual(
    [
      (await berth.as(first).call("GET /api/auth/me")).status,
      (await berth.as(second).call("GET /api/auth/me")).status,
    ],
    [401, 200],
  );
  await dialog.getByRole("button", { name: "I have saved it" }).click();

  await row.getByRole("button", { name: "Delete backup-job" }).press("Enter");
  await dialog.getByText("Delete the key backup-job?").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await row.getByRole("button", { name: "Delete backup-job" }).press("Enter");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
  assert.equal((await berth.as(second).call("GET /api/auth/me")).status, 401);
  assert.deepEqual(opened.complaints, []);
});

test("a person is added, sets their password by the link, and is given another role, disabled, and deleted", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/settings/people" });
  const { page } = opened;
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add a person" }).click();
  await dialog.getByLabel("Their name").fill("Bob");
  await dialog.getByRole("button", { name: "Add them" }).click();
  const link = await dialog.getByRole("code").innerText();
  await assertFitsAll(opened, "the link is shown");
  await dialog.getByRole("button", { name: "I have saved it" }).click();

  await using his = await openPage(browser, berth, { path: link.slice(berth.url.length) });
  await his.page.getByRole("heading", { name: "Set your password" }).waitFor();
  assert.equal(new URL(his.page.url()).hash, "", "the token has left the address");
  await assertFitsAll(his, "the password is set");
  await his.page.getByLabel("A password").fill("short");
  await his.page.getByRole("button", { name: "Set it and sign in" }).click();
  await his.page.getByRole("alert").waitFor();
  await his.page.getByLabel("A password").fill(PASSWORD);
  await his.page.getByRole("button", { name: "Set it and sign in" }).click();
  await his.page.getByRole("navigation", { name: "Screens", exact: true }).waitFor();
  for (
    const [path, permission] of [["/settings/keys", "keys:manage"], [
      "/settings/people",
      "people:manage",
    ]] as const
  ) {
    await his.visit(path);
    await his.page.getByText(`Ask an admin for the permission ${permission}`).waitFor();
    assert.equal(await his.page.getByRole("main").getByRole("button").count(), 0, path);
  }

  const row = page.getByRole("row", { name: "Bob" });
  await row.getByRole("button", { name: "Change Bob" }).click();
  await dialog.getByLabel("They may").selectOption("operator");
  await dialog.getByRole("button", { name: "Save" }).click();
  await row.getByText("operator").waitFor();
  await row.getByRole("button", { name: "Disable Bob" }).click();
  await dialog.getByRole("button", { name: "Disable" }).click();
  await row.getByRole("button", { name: "Let in again Bob" }).waitFor();
  await his.page.getByRole("dialog", { name: "Sign in" }).waitFor();
  await row.getByRole("button", { name: "Delete Bob" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
  assert.deepEqual([...opened.complaints, ...his.complaints], []);
});

test("after a while a key asks for the password again, says when it is wrong, and then the act goes on", async ({ browser, berth, clock }) => {
  await addPerson(berth, "ada", "admin");
  await using opened = await openPage(browser, berth, { path: "/settings/keys" });
  const { page } = opened;
  await signIn(page, "ada", PASSWORD);
  clock.move(16 * 60_000);
  const asks = async () => {
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.getByLabel("A name for the key").fill("late-key");
    await page.getByRole("button", { name: "Make the key" }).click();
  };
  await asks();
  const proof = page.getByRole("dialog", { name: "Is it still you?" });
  await proof.waitFor();
  await assertFitsAll(opened, "the fresh proof");
  await page.keyboard.press("Escape");
  await proof.waitFor({ state: "detached" });
  assert.equal(await page.getByRole("alert").count(), 0, "who gives up is told no failure");
  await page.getByRole("button", { name: "Make the key" }).click();
  await proof.getByLabel("Your password").fill("not hers at all, no");
  await proof.getByRole("button", { name: "Go on" }).click();
  await proof.getByRole("alert").waitFor();
  await proof.getByLabel("Your password").fill(PASSWORD);
  await proof.getByRole("button", { name: "Go on" }).click();
  await page.getByText("This is the key late-key").waitFor();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByRole("row", { name: /late-key.* ada / }).waitFor();

  // Every form asks so, not only those of the settings.
  const folder = `${berth.folder}/workspaces/late`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/compose.yaml`, "services:\n  web:\n    image: web:1\n");
  assert.equal((await berth.call("POST /api/workspaces", { path: folder })).status, 201);
  clock.move(16 * 60_000);
  await opened.visit("/w/late?view=files");
  await page.getByRole("button", { name: "Make it editable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make it editable" }).click();
  await proof.getByLabel("Your password").fill(PASSWORD);
  await proof.getByRole("button", { name: "Go on" }).click();
  await page.getByRole("button", { name: "Make it read-only" }).waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("of one's sessions one ends, all others end, and the password changes", async ({ browser, berth }) => {
  await addPerson(berth, "eve", "viewer");
  const open = async (userAgent: string) => {
    const opened = await openPage(browser, berth, { userAgent, path: "/settings/sessions" });
    await signIn(opened.page, "eve", PASSWORD);
    return opened;
  };
  await using first = await open("the first");
  await using second = await open("the second");
  await using third = await open("the third");
  const { page } = first;
  const dialog = page.getByRole("dialog");
  await page.reload();
  await page.getByRole("row", { name: "the first" }).getByText("this one").waitFor();
  await assertFitsAll(first, "three sessions");
  await page.getByRole("button", { name: "End the second" }).click();
  await dialog.getByRole("button", { name: "End", exact: true }).click();
  await page.getByRole("row", { name: "the second" }).waitFor({ state: "detached" });
  await second.page.reload();
  await second.page.getByRole("heading", { name: "Sign in" }).waitFor();

  await page.getByRole("button", { name: "End all others" }).click();
  await dialog.getByRole("button", { name: "End all others" }).click();
  await page.getByRole("row", { name: "the third" }).waitFor({ state: "detached" });
  await third.page.reload();
  await third.page.getByRole("heading", { name: "Sign in" }).waitFor();

  await page.getByRole("button", { name: "Change my password" }).click();
  await dialog.getByLabel("Your password now").fill(PASSWORD);
  await dialog.getByLabel("Your new password").fill("another sentence of eve's");
  await dialog.getByRole("button", { name: "Change it" }).click();
  await page.getByText("Your password is another one now.").waitFor();
  await signIn(third.page, "eve", "another sentence of eve's");
  assert.deepEqual(first.complaints, []);
});

test("a person holds rights on scopes, their sessions are ended by an admin, and their key is taken over", async ({ browser, berth }) => {
  const path = `${berth.folder}/workspaces/shop`;
  await Deno.mkdir(`${path}/blog`, { recursive: true });
  await Deno.writeTextFile(`${path}/blog/compose.yaml`, "services: { web: { image: web:1 } }\n");
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  await addPerson(berth, "cleo", "admin");
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/settings/people" });
  await using hers = await openPage(browser, berth, { path: "/settings/keys" });
  await signIn(hers.page, "cleo", PASSWORD);
  await hers.page.getByRole("button", { name: "Make a key" }).click();
  await hers.page.getByLabel("A name for the key").fill("cleos-key");
  await hers.page.getByLabel("On", { exact: true }).selectOption("only what is chosen");
  await hers.page.getByText("choose at least one").waitFor();
  assert.equal(await hers.page.getByRole("button", { name: "Make the key" }).isDisabled(), true);
  const add = hers.page.getByRole("combobox", { name: "Add …" });
  await add.selectOption("workspace:shop");
  await add.selectOption("project:blog");
  await add.selectOption("label");
  await hers.page.getByLabel("Label, as team=web").fill("team=web");
  await hers.page.keyboard.press("Enter");
  await hers.page.getByRole("button", { name: "Remove label team=web" }).click();
  await hers.page.getByRole("button", { name: "Make the key" }).click();
  await hers.page.getByRole("button", { name: "I have saved it" }).click();
  const { page } = opened;
  const dialog = page.getByRole("dialog");

  await opened.visit("/settings/keys");
  const key = page.getByRole("row", { name: "cleos-key" });
  await key.getByText("system:read on workspace:shop, project:blog").waitFor();
  await key.getByRole("button", { name: "Take over cleos-key" }).click();
  await dialog.getByRole("button", { name: "Take over" }).click();
  await key.getByText("test admin").waitFor();
  assert.equal(await key.getByRole("button", { name: "Take over" }).count(), 0);

  await opened.visit("/settings/people");
  const row = page.getByRole("row", { name: "cleo" });
  await row.getByRole("button", { name: "Change cleo" }).click();
  await dialog.getByLabel("They may").selectOption("viewer");
  await dialog.getByRole("button", { name: "Another right" }).click();
  await dialog.getByLabel("They may").nth(1).selectOption("operator");
  await dialog.getByLabel("On", { exact: true }).nth(1).selectOption("only what is chosen");
  await dialog.getByRole("combobox", { name: "Add …" }).selectOption("workspace:shop");
  await dialog.getByRole("combobox", { name: "Add …" }).selectOption("label");
  await dialog.getByLabel("Label, as team=web").fill("-=web");
  await assertFitsAll(opened, "two rights");
  await dialog.getByRole("button", { name: "Add the label" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText('There is no scope "label:-=web"').waitFor();
  await dialog.getByRole("button", { name: "Remove label -=web" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await row.getByText("viewer; operator on workspace:shop").waitFor();

  await row.getByRole("link", { name: /^\d+$/ }).click();
  await page.getByRole("heading", { name: "Sessions of cleo" }).waitFor();
  await assertFitsAll(opened, "somebody's sessions");
  await page.getByRole("button", { name: "End all" }).click();
  await dialog.getByRole("button", { name: "End all" }).click();
  await hers.page.getByRole("dialog", { name: "Sign in" }).waitFor();
  assert.deepEqual([...opened.complaints, ...hers.complaints], []);
});
