/** The audit log and events, in a real browser over a real engine. */
import assert from "node:assert/strict";
import type { Browser } from "npm:playwright-core@1.65.1";
import { browserMissing, startBrowser } from "../support/browser.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const shared = await sharedEngine("docker");
const MARKUP = `<img src=x onerror="document.title='owned'">`;

interface Stage {
  readonly browser: Browser;
  readonly berth: TestService;
  readonly engine: TestEngine;
}

let stage: Promise<Stage> | null = null;
const owned = new AsyncDisposableStack();
Deno.test.afterAll(async () => await owned.disposeAsync());

async function setStage(engine: TestEngine): Promise<Stage> {
  const [browser, berth] = await Promise.all([startBrowser(), serveEngines({ docker: engine })]);
  owned.use(browser);
  owned.use(berth);
  return { browser, berth, engine };
}

function test(name: string, run: (stage: Stage) => Promise<void>): void {
  shared.test(name, async (engine) => await run(await (stage ??= setStage(engine))), browserMissing());
}

test("the audit is read by person, kind of act and result, page by page, with strangers as counts", async ({ browser, berth }) => {
  const made = await berth.call("POST /api/settings/api-keys", { name: MARKUP, role: "viewer" });
  const viewer = berth.as(made.body.key);
  assert.equal((await viewer.call("DELETE /api/containers/none")).status, 403);
  for (let count = 0; count < 3; count++) await berth.anonymous().call("GET /api/containers");
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/audit" });
  const { page } = opened;
  const strangers = page.getByRole("region", { name: "Strangers this hour" });
  await strangers.getByRole("row", { name: "GET /api/containers" }).getByText("3 times").waitFor();
  await assertFitsAll(opened, "/audit");

  for (let number = 0; number < 52; number++) {
    const { body } = await berth.call("POST /api/settings/api-keys", {
      name: `brief ${number}`,
      role: "viewer",
    });
    await berth.call(`DELETE /api/settings/api-keys/${body.id}`);
  }
  const rows = page.getByRole("table", { name: "Audit" }).getByRole("row");
  await opened.visit("/audit");
  await rows.nth(100).waitFor();
  const first = await rows.nth(1).innerText();
  await page.getByRole("link", { name: "Older" }).click();
  await page.getByRole("link", { name: "Newest" }).waitFor();
  assert.notEqual(await rows.nth(1).innerText(), first);
  await page.goBack();
  await strangers.waitFor();
  assert.equal(await rows.nth(1).innerText(), first);

  await opened.visit("/audit?result=forbidden");
  await page.getByRole("link", { name: MARKUP }).click();
  await page.getByText("1 entry").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("actor"), made.body.id);
  assert.equal(await page.locator("main img").count(), 0);
  await assertFitsAll(opened, "what one key was refused");
  await page.getByRole("combobox", { name: "Result" }).selectOption("");
  await opened.visit("/audit");
  const kind = page.getByRole("combobox", { name: "Kind of act" });
  await kind.selectOption({ label: "containers" });
  await page.getByText("1 entry").waitFor(); // the removal that was refused
  await rows.getByText("not done: removed the container none").waitFor();
  await kind.selectOption({ label: "people and keys" });
  const wanted = ["POST /api/settings/api-keys", "DELETE /api/settings/api-keys/{id}", "signing_keys.add"];
  const asked = new URLSearchParams([...wanted, "signing_keys.activate"].map((one) => ["action", one]));
  const { total } = (await berth.call(`GET /api/system/audit?${asked}`)).body;
  assert.ok(total >= 105, `${total}`); // one key, and fifty-two that were made and deleted
  await page.getByText(`${total} entries`).waitFor();
  assert.equal(new URL(page.url()).search, "?kind=access");
  await opened.visit("/audit?action=nothing");
  await page.getByRole("combobox", { name: "What" }).waitFor();
  await page.getByText("No entry fits.").waitFor();
  await assertFitsAll(opened, "no entry fits");

  await using hers = await openPage(browser, berth, { key: made.body.key, path: "/audit" });
  await hers.page.getByText("Ask an admin for the permission audit:read").waitFor();
  assert.deepEqual([...opened.complaints, ...hers.complaints], []);
});

test("events show as they happen, by kind and action, and lead to their container", async ({ browser, berth, engine }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/events" });
  const { page } = opened;
  const rows = page.getByRole("table", { name: "What happened" }).getByRole("row");
  await engine.cli("run", "-d", "--name", "brief", FIXTURE, "sh", "-c", "exit 3");
  await engine.cli("volume", "create", "noted");
  await rows.filter({ hasText: "brief" }).filter({ hasText: "die" }).getByText("die 3", { exact: true })
    .waitFor();
  await rows.filter({ hasText: "noted" }).filter({ hasText: "create" }).waitFor();
  await assertFitsAll(opened, "/events");

  await page.getByRole("combobox", { name: "Kind" }).selectOption("volume");
  await rows.filter({ hasText: "noted" }).first().waitFor();
  assert.equal(await rows.filter({ hasText: "brief" }).count(), 0);
  await page.getByRole("combobox", { name: "Action" }).selectOption("oom");
  await page.getByText("Nothing that fits has happened yet.").waitFor();
  assert.equal(new URL(page.url()).search, "?kind=volume&action=oom");
  await assertFitsAll(opened, "no event fits");

  await opened.visit("/events?action=start");
  await page.getByRole("link", { name: "brief" }).first().click();
  await page.getByRole("heading", { name: "brief" }).waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("events go on by themselves when berth is back, and say that what was between is not known", async ({ browser, engine }) => {
  const folder = await Deno.makeTempDir({ prefix: "berth-events-" });
  try {
    const first = await serveEngines({ docker: engine }, { folder });
    await using opened = await openPage(browser, first, { key: first.admin, path: "/events" });
    const { page } = opened;
    await engine.cli("volume", "create", "before");
    await page.getByText("before", { exact: true }).waitFor();
    await first[Symbol.asyncDispose]();
    await page.getByText("the connection is lost").waitFor();
    await using second = await serveEngines({ docker: engine }, {
      folder,
      port: first.port,
      admin: first.admin!,
    });
    await page.getByText(/^What happened before .* is not known/).first().waitFor();
    await engine.cli("volume", "create", "after");
    await page.getByText("after", { exact: true }).waitFor();
    assert.equal(await page.getByText("before", { exact: true }).count(), 1);
    assert.equal(second.url, first.url);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
