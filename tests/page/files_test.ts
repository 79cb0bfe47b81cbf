/** Files in a real browser: read with findings on their lines, written, compared, saved, and put back. */
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import type { Browser, Page } from "npm:playwright-core@1.65.1";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";
import { isLeftToProof } from "../proof/long.ts";
import { assertFitsAll, inaccessible, openPage } from "./opened.ts";

const SECRET = "correct-horse-9182";
const COMPOSE = `name: shop
services:
  db:
    image: postgres:17
    environment:
      POSTGRES_PASSWORD: ${SECRET}
      NOTE: "<img src=x onerror=alert(1)> \u202eright"
    nonsense: here
  web:
    image: nginx:1.27
`;

interface Stage {
  readonly berth: TestService;
  readonly browser: Browser;
  readonly folder: string;
}

let stage: Promise<Stage> | null = null;
const owned = new AsyncDisposableStack();
Deno.test.afterAll(async () => await owned.disposeAsync());

async function setStage(): Promise<Stage> {
  const browser = owned.use(await startBrowser());
  const berth = owned.use(await startService());
  return { berth, browser, folder: `${berth.folder}/workspaces` };
}

/** A workspace of its own for each test. */
function test(
  name: string,
  run: (stage: Stage & { readonly id: string; readonly file: string }) => Promise<void>,
) {
  Deno.test({
    ...BROWSER_TEST,
    name,
    ignore: BROWSER_TEST.ignore || isLeftToProof(name),
    fn: async () => {
      const { berth, browser, folder } = await (stage ??= setStage());
      const path = `${folder}/w${crypto.randomUUID().slice(0, 8)}`;
      await Deno.mkdir(`${path}/<b>blog`, { recursive: true });
      await Deno.writeTextFile(`${path}/compose.yaml`, COMPOSE);
      await Deno.writeTextFile(`${path}/.env`, `PORT=${SECRET}\n`);
      await Deno.writeTextFile(`${path}/<b>blog/compose.yaml`, "services:\n  app:\n    image: ghost:5\n");
      const { body } = await berth.call("POST /api/workspaces", { path });
      await berth.call(`PUT /api/workspaces/${body.id}`, { editable: true });
      await run({ berth, browser, folder: path, id: body.id, file: `${path}/compose.yaml` });
    },
  });
}

const text = (page: Page) => page.getByRole("textbox", { name: /^Text of/ });

/** Writes at the end of the line that holds these words. */
async function typeBehind(page: Page, words: string, typed: string): Promise<void> {
  await text(page).getByText(words).first().click();
  await page.keyboard.press("End");
  await page.keyboard.type(typed);
}

test("a file is shown with its masks and its findings on their lines, at its own address, to everybody", async ({ berth, browser, id }) => {
  const viewer = await berth.key("viewer");
  await using opened = await openPage(browser, berth, { key: viewer.credential });
  const { page } = opened;
  await opened.visit(`/w/${id}?view=files`);
  await text(page).getByText("postgres:17").waitFor();
  const shown = await text(page).innerText();
  assert.match(shown, /POSTGRES_PASSWORD: \*{8}/);
  assert.match(shown, /<img src=x onerror=alert\(1\)>/);
  assert.ok(!shown.includes("\u202e"), "what turns the line around is a sign");
  const findings = page.getByRole("list", { name: "Findings" });
  await findings.getByText("nonsense").first().waitFor();
  await page.locator(".cm-lint-marker").first().waitFor();
  await findings.getByRole("button", { name: "Line 8" }).first().click();
  assert.match(await page.locator(".cm-activeLine").innerText(), /nonsense: here/);
  await assertFitsAll(opened, "a file");

  await page.getByRole("navigation", { name: "Files of" }).getByRole("link", { name: ".env" }).click();
  await text(page).getByText("PORT=").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("file"), ".env");
  assert.doesNotMatch(await page.content(), new RegExp(SECRET));
  await page.getByRole("link", { name: "<b>blog/compose.yaml" }).click();
  await text(page).getByText("ghost:5").waitFor();
  await page.keyboard.type("never");
  assert.equal(await page.getByRole("button", { name: "Save …" }).count(), 0);
  await page.getByText("you need the permission workspaces:files").waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("findings come while one types; what changes is shown before it is saved; the secret stays in its place", async ({ berth, browser, id, file }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  await opened.visit(`/w/${id}?view=files&file=compose.yaml`);
  await text(page).getByText("nginx:1.27").waitFor();
  const save = page.getByRole("button", { name: "Save …" });
  assert.ok(await save.isDisabled());
  await typeBehind(page, "nginx:1.27", "\nports: [no:80]");
  await page.getByRole("list", { name: "Findings" }).getByText("compose/bad-port").first().waitFor();
  assert.deepEqual(await inaccessible(page), []);

  await page.getByRole("link", { name: ".env" }).click();
  await text(page).getByText("PORT=").waitFor();
  await page.getByRole("link", { name: "compose.yaml", exact: false }).first().waitFor();
  await page.getByRole("link", { name: /^compose\.yaml/ }).click();
  await text(page).getByText("no:80").waitFor();

  await page.keyboard.press("Tab");
  await save.click();
  const dialog = page.getByRole("dialog", { name: "Save compose.yaml?" });
  await dialog.getByText("ports: [no:80]").waitFor();
  await assertFitsAll(opened, "before it is saved");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("status").getByText("Saved").waitFor();
  assert.equal(
    await Deno.readTextFile(file),
    COMPOSE.replace("nginx:1.27\n", "nginx:1.27\n    ports: [no:80]\n"),
  );
  assert.ok(await save.isDisabled());
  assert.deepEqual(opened.complaints, []);
});

test("a saved file keeps the line ends that it had, of Windows or of several kinds", async ({ berth, browser, id, file }) => {
  const windows = COMPOSE.replaceAll("\n", "\r\n");
  const mixed = COMPOSE.replace("name: shop\n", "name: shop\r\n");
  for (const text of [windows, mixed]) {
    await Deno.writeTextFile(file, text);
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    await opened.visit(`/w/${id}?view=files&file=compose.yaml`);
    await typeBehind(page, "nginx:1.27", ".1\nscale: 2");
    await page.getByRole("button", { name: "Save …" }).click();
    const dialog = page.getByRole("dialog", { name: "Save compose.yaml?" });
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("status").getByText("Saved").waitFor();
    const end = text === windows ? "\r\n" : "\n";
    assert.equal(await Deno.readTextFile(file), text.replace("1.27", `1.27.1${end}    scale: 2`));
  }
});

test("a mask that was moved is refused with its line, and nothing is lost", async ({ berth, browser, id, file }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  await opened.visit(`/w/${id}?view=files&file=compose.yaml`);
  await typeBehind(page, "POSTGRES_PASSWORD", "");
  await page.keyboard.press("Home");
  await page.keyboard.type("OLD_");
  await page.getByRole("button", { name: "Save …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByRole("alert").getByText("in line 6 is not where it was").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await text(page).getByText("OLD_").waitFor();
  assert.equal(await Deno.readTextFile(file), COMPOSE);
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await eventually("it is as it was", async () => !(await text(page).innerText()).includes("OLD_"));
  assert.deepEqual(opened.complaints, []);
});

test("when somebody else was faster both texts are there, and one can go on with either", async ({ berth, browser, id, file }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  await opened.visit(`/w/${id}?view=files&file=compose.yaml`);
  await typeBehind(page, "nginx:1.27", "-alpine");
  await Deno.writeTextFile(file, COMPOSE.replace("postgres:17", "postgres:18"));
  const alert = page.getByRole("alert").filter({ hasText: "Somebody else has saved" });
  await alert.waitFor();
  assert.ok(await page.getByRole("button", { name: "Save …" }).isDisabled());
  await alert.getByRole("button", { name: "What they changed" }).click();
  const theirs = page.getByRole("dialog", { name: "What they changed" });
  await theirs.getByText("postgres:18").waitFor();
  await assertFitsAll(opened, "what somebody else changed");
  await theirs.getByRole("button", { name: "Close" }).click();
  await alert.getByRole("button", { name: "Go on with mine" }).click();
  await alert.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save …" }).click();
  await page.getByRole("dialog").getByText("postgres:17").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await text(page).getByText("postgres:18").waitFor();
  assert.equal(await Deno.readTextFile(file), COMPOSE.replace("postgres:17", "postgres:18"));
  assert.deepEqual(opened.complaints, []);
});

test("earlier texts are compared and put back with their secrets; an admin switches writing on and off", async ({ berth, browser, id, file }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  await opened.visit(`/w/${id}?view=files&file=compose.yaml`);
  await typeBehind(page, "nginx:1.27", "-alpine");
  await page.keyboard.press("Control+s");
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("status").getByText("Saved").waitFor();
  await page.getByRole("button", { name: "Earlier texts" }).click();
  const dialog = page.getByRole("dialog", { name: "Earlier texts" });
  await dialog.getByRole("button", { name: "replaced by test admin" }).click();
  await dialog.getByText("nginx:1.27-alpine").waitFor();
  await assertFitsAll(opened, "an earlier text");
  await dialog.getByRole("button", { name: "Put it back" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await Deno.readTextFile(file), COMPOSE);

  await typeBehind(page, "nginx:1.27", "-perl");
  await page.getByRole("button", { name: "Earlier texts" }).click();
  await dialog.getByRole("button", { name: "replaced by test admin" }).first().click();
  await dialog.getByRole("button", { name: "Put it back" }).click();
  await dialog.waitFor({ state: "detached" });
  const moved = page.getByRole("alert").filter({ hasText: "Somebody else has saved" });
  await moved.waitFor();
  assert.match(await text(page).innerText(), /nginx:1\.27-perl/, "what was written is still there");
  await moved.getByRole("button", { name: "Take theirs" }).click();
  await moved.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Make it read-only" }).click();
  await page.getByText("Read only: an admin has not made").waitFor();
  assert.equal(await page.getByRole("button", { name: "Earlier texts" }).count(), 0);
  await page.getByRole("button", { name: "Make it editable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make it editable" }).click();
  await page.getByRole("button", { name: "Earlier texts" }).waitFor();
  assert.equal((await berth.call(`GET /api/workspaces/${id}`)).body.editable, true);
  assert.deepEqual(opened.complaints, []);
});

test("a project that was read before its file changed is read again, although its row told the change first", async ({ berth, browser, id, file }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const project = `shop@${id}`;
  const revision = async () =>
    (await berth.call("GET /api/projects")).body.items.find((one: { id: string }) => one.id === project)
      ?.revision;
  const before = await eventually("its row is there", revision);
  const told: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      told.push(typeof payload === "string" ? payload : `${gunzipSync(payload)}`);
    }));
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const { promise: isChanged, resolve: changed } = Promise.withResolvers<void>();
  await page.route(`**/api/projects/${encodeURIComponent(project)}`, async (route) => {
    const response = await route.fetch();
    asked();
    await isChanged;
    await route.fulfill({ response });
  }, { times: 1 });
  await page.goto(`${berth.url}/p/${encodeURIComponent(project)}`);
  await isAsked;
  await Deno.writeTextFile(file, `${COMPOSE}  cache:\n    image: redis:8\n`);
  const after = await eventually("it has changed", async () => {
    const now = await revision();
    return now !== before && now;
  });
  await eventually("the page was told", () => told.some((one) => one.includes(after)));
  changed();
  await page.getByRole("main").getByText("cache").first().waitFor();
  assert.deepEqual(opened.complaints, []);
});
