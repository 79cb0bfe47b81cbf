/** The graph of a workspace in a real browser: frames, cycles, a walk by keyboard, a thousand nodes, hostile names. */
import assert from "node:assert/strict";
import type { Browser } from "npm:playwright-core@1.65.1";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const SHOP = `services:
  db:
    image: postgres:17
  web:
    image: caddy:2
    depends_on: [db, cache]
    volumes: ["data:/data"]
  cache:
    image: redis:7
  left:
    image: caddy:2
    depends_on: [right]
  right:
    image: caddy:2
    depends_on: [left]
  lost:
    image: "<img src=x onerror=alert(1)>"
    depends_on: [nobody]
volumes:
  data:
`;

interface Stage {
  readonly browser: Browser;
  readonly berth: TestService;
}

let stage: Promise<Stage> | null = null;
const owned = new AsyncDisposableStack();
Deno.test.afterAll(async () => await owned.disposeAsync());

async function setStage(): Promise<Stage> {
  const [browser, berth] = await Promise.all([startBrowser(), startService()]);
  owned.use(browser);
  owned.use(berth);
  return { browser, berth };
}

function test(name: string, run: (stage: Stage) => Promise<void>): void {
  Deno.test({ name, ...BROWSER_TEST, fn: async () => await run(await (stage ??= setStage())) });
}

async function workspace(berth: TestService, name: string, files: Readonly<Record<string, string>>) {
  const path = `${berth.folder}/workspaces/${name}`;
  for (const [file, text] of Object.entries(files)) {
    await Deno.mkdir(`${path}/${file}`.replace(/\/[^/]+$/, ""), { recursive: true });
    await Deno.writeTextFile(`${path}/${file}`, text);
  }
  const made = await berth.call("POST /api/workspaces", { path });
  assert.equal(made.status, 201, made.text);
  return made.body.id as string;
}

test("a graph has groups as frames, cycles in red and in words, and is walked by arrows along what needs what", async ({ browser, berth }) => {
  const id = await workspace(berth, "graphs", {
    "shop/compose.yaml": SHOP,
    "blog/compose.yaml": "services:\n  app:\n    image: ghost:5\n",
  });
  await using opened = await openPage(browser, berth, { key: berth.admin, path: `/w/${id}?view=graph` });
  const { page } = opened;
  await page.locator(".cycle", { hasText: "A cycle: shop.left → shop.right → shop.left" }).waitFor();
  assert.deepEqual((await page.locator(".frame text").allTextContents()).sort(), ["blog", "shop"]);
  assert.equal(await page.locator(".edge.is-cycle").count(), 2);
  assert.equal(await page.locator(".node.is-cycle").count(), 2);
  await assertFitsAll(opened, "a graph");

  const focused = () =>
    page.evaluate<string>("document.activeElement.getAttribute('aria-description') ?? ''");
  const web = page.getByRole("link", { name: "web caddy:2" });
  await web.focus();
  assert.match(await focused(), /^shop\.web, .*caddy:2, needs shop\.cache, shop\.db/);
  assert.equal(await page.locator(".edge.is-lit").count(), 2);
  await page.keyboard.press("ArrowLeft");
  assert.match(await focused(), /^shop\.(?:db|cache), .*needed by shop\.web/);
  await page.keyboard.press("ArrowRight");
  assert.match(await focused(), /^shop\.web, /);
  await page.keyboard.press("Home");
  const first = await focused();
  await page.keyboard.press("End");
  assert.notEqual(await focused(), first);
  await web.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "Differences", selected: true }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("unit"), "shop.web");
  await page.goBack();

  // The list says the same.
  const outline = page.getByRole("navigation", { name: "The graph as a list" });
  await outline.getByRole("link", { name: "web", exact: true }).waitFor();
  assert.match(await outline.innerText(), /needs shop\.cache, shop\.db, /);
  await page.getByLabel(/Networks, volumes and others/).check();
  await page.getByRole("link", { name: /^\S*data volume$/ }).waitFor();
  assert.equal(await page.locator("main img").count(), 0);
  assert.deepEqual(opened.complaints, []);
});

test("of a thousand nodes only those in view are drawn, and the last is reached by keyboard", async ({ browser, berth }) => {
  const services = Array.from(
    { length: 1_000 },
    (_, index) =>
      `  s${index}:\n    image: caddy:2\n${index < 10 ? "" : `    depends_on: [s${index - 10}]\n`}`,
  );
  const id = await workspace(berth, "large", { "compose.yaml": `services:\n${services.join("")}` });
  await using opened = await openPage(browser, berth, { key: berth.admin, path: `/w/${id}?view=graph` });
  const { page } = opened;
  await page.getByText("1,000 nodes").waitFor();
  const drawn = () => page.locator(".node").count();
  assert.ok(await drawn() <= 300, `${await drawn()}`);
  await page.locator(".node").first().focus();
  await page.keyboard.press("End");
  assert.match(
    await page.evaluate<string>("document.activeElement.getAttribute('aria-description') ?? ''"),
    /s99\d, /,
  );
  assert.ok(await drawn() <= 300, `${await drawn()}`);
  await page.getByRole("button", { name: "Smaller" }).click();
  await page.getByText("75 %").waitFor();
  assert.deepEqual(opened.complaints, []);
});
