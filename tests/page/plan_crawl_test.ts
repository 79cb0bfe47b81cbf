/** An administrator follows every link to a plan: each plans the project that the place of the link is about. */
import assert from "node:assert/strict";
import type { Page } from "npm:playwright-core@1.65.1";
import { eventually } from "../support/eventually.ts";
import { FILES } from "../support/scoped_world.ts";
import type { TestService } from "../support/service.ts";
import { go, smallWorld } from "./small_world.ts";
import { openPage } from "./opened.ts";

const { test } = smallWorld();

/** More than the page has for these projects, so that a circle of ever new addresses ends. */
const MOST_PAGES = 400;
const isWhole = Deno.env.get("BERTH_PROOF") === "1";

interface Link {
  readonly href: string;
  /** The project that the place of the link is about, by its address; null where it names several. */
  readonly about: string | null;
}

/** Reads every link of the document with what its row, its header or the screen's address is about. */
const LINKS = `[...document.querySelectorAll("a[href^='/']")].map((link) => {
  const href = link.getAttribute("href");
  const row = link.closest("li.project, tr, li.finding");
  const project = (within) => within?.querySelector("a[href^='/p/']:not([href*='/plan'])")?.getAttribute("href");
  const own = /^\\/p\\/[^/?]+/.exec(location.pathname)?.[0];
  const near = own ?? project(row) ?? project(link.closest("header"));
  return { href, about: near === undefined ? null : near.split("?")[0] };
})`;

const KEPT = ["view", "p", "action", "workspace", "project", "engine", "name"];

/** An address without what only filters a screen, or marks something on it. */
function bare(href: string): string {
  const { pathname, searchParams } = new URL(href, "http://berth.test");
  const kept = [...searchParams].filter(([name]) => KEPT.includes(name));
  return kept.length === 0 ? pathname : `${pathname}?${new URLSearchParams(kept)}`;
}

/** The screens with links to plans; in `deno task proof` the walk goes on from here to every screen. */
const STARTS = [
  "/",
  "/plan",
  "/w/all/plan",
  "/incidents",
  ...["all", "other"].flatMap((one) => [`/incidents/of-${one}`, `/p/shop%40${one}`]),
  "/c/docker/shop-web",
  "/c/docker/shop-web?view=differences",
  "/updates",
];

/** Returns the links of a screen once nothing is loading and no link comes any more. */
async function settledLinks(page: Page): Promise<Link[]> {
  let before = -1;
  return await eventually("the screen has its links", async () => {
    const links = await page.evaluate<Link[]>(LINKS);
    const isSettled = links.length === before && await page.locator(".loading").count() === 0;
    before = links.length;
    return isSettled ? links : null;
  });
}

/** An incident of the project `shop` of this workspace. */
async function plantIncident({ berth }: TestService, workspace: string): Promise<void> {
  const at = Date.now() - 60_000;
  const said = {
    kind: "differs",
    since: at,
    atLatest: false,
    cause: { kind: "unknown" },
    fields: [],
  } as const;
  const subject = {
    kind: "unit",
    workspace,
    group: "shop",
    project: "shop",
    unit: "unit:shop.db",
    engine: "docker",
    container: null,
  } as const;
  const more = { openedAt: at, closedAt: null, end: null, endings: 0, atFirst: false, lines: 1 };
  await berth.store.incidents.write([{
    incident: { id: `of-${workspace}`, subject, ...said, ...more },
    line: { at, ...said },
  }]);
}

test("every link to a plan that an administrator sees plans the project that is meant, also of two with one name", async ({ browser, berth }) => {
  const path = `${berth.folder}/workspaces/other`;
  await Deno.mkdir(`${path}/shop`, { recursive: true });
  await Deno.writeTextFile(
    `${path}/shop/compose.yaml`,
    FILES["all/shop/compose.yaml"].replace(/ {4}container_name.*\n/, ""),
  );
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  for (const workspace of ["all", "other"]) await plantIncident(berth, workspace);
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const main = page.getByRole("main");
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === "POST" && /^\/api\/projects\/[^/]+\/plan$/.test(pathname)) asked.push(pathname);
  });

  const waiting = new Set(STARTS);
  const seen = new Set<string>();
  const plans = new Map<string, string>(); // by the place of the first link
  for (const path of waiting) {
    if (seen.size >= MOST_PAGES) break;
    seen.add(path);
    await go(page, path);
    await page.waitForLoadState("networkidle");
    await main.locator("h1, h2, .empty").filter({ visible: true }).first().waitFor();
    const links = await settledLinks(page);
    for (const menu of await main.locator(".row-menu").filter({ visible: true }).all()) {
      await menu.locator("summary").click();
      await menu.locator(".menu a, .menu button").first().waitFor();
      links.push(...await page.evaluate<Link[]>(LINKS));
      await page.keyboard.press("Escape"); // an open menu lies above the next one
    }
    for (const { href, about } of links) {
      const plan = /^(\/p\/[^/?]+)\/plan/.exec(href)?.[1];
      if (plan !== undefined) {
        if (about !== null) assert.equal(plan, about, `${path}: ${href}`);
        if (!plans.has(href)) plans.set(href, path);
      } else if (isWhole && !href.startsWith("/api/")) waiting.add(bare(href));
    }
  }
  assert.ok(seen.size < MOST_PAGES, [...seen].join("\n"));
  assert.ok(plans.size >= 20, `${[...plans.keys()]}`); // five ways for each of four projects
  for (const start of ["/incidents/of-all", "/incidents/of-other"]) {
    const [, workspace] = start.split("-");
    assert.ok(plans.has(`/p/shop%40${workspace}/plan`), start);
  }

  for (const [href, from] of plans) {
    const before = asked.length;
    await go(page, href);
    await eventually(`${href} plans`, () => asked.length > before);
    const project = /^\/p\/([^/?]+)/.exec(href)![1]!; // only such links are kept
    assert.deepEqual(asked.slice(before), [`/api/projects/${project}/plan`], `${href} on ${from}`);
    await page.waitForLoadState("networkidle");
  }
  console.log(`${seen.size} screens, ${plans.size} links to plans`);
  assert.deepEqual(opened.complaints, []);
});
