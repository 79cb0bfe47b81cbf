/** A person with one project follows every link that the page shows: each leads somewhere, and to nothing of others. */
import assert from "node:assert/strict";
import { keyOn } from "../support/scoped_world.ts";
import { go, here, smallWorld } from "./small_world.ts";
import { openPage } from "./opened.ts";

const { test } = smallWorld();

/** A viewer sees some of the operator's links: `BERTH_PROOF=1` follows theirs, too. */
const ROLES = Deno.env.get("BERTH_PROOF") === "1" ? ["viewer", "operator"] : ["operator"];

/** More than the page has for one project, so that a circle of ever new addresses ends. */
const MOST_PAGES = 150;

/** An address without what only orders or filters a list. */
const bare = (href: string) => href.replace(/[?&](?:sort|verdict|q)=[^&#]*/g, "");

for (const role of ROLES) {
  test(`Every link that the page shows to the ${role} of one project leads to a screen, and to no other project`, async ({ browser, berth }) => {
    const caller = await keyOn(berth, "project:shop", role);
    await using opened = await openPage(browser, berth, { key: caller.credential });
    const { page } = opened;
    const main = page.getByRole("main");
    const faults: string[] = [];
    const planned: string[] = [];
    let at = "/";
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() === 404) faults.push(`${at}: ${response.request().method()} ${pathname}`);
    });
    page.on("request", (request) => { // its answer may come when the walk is elsewhere
      const { pathname } = new URL(request.url());
      if (/^\/api\/.*\/plan$/.test(pathname)) planned.push(decodeURIComponent(pathname));
    });
    await here(page, "shop");
    const waiting = new Set(["/"]);
    const seen = new Set<string>();
    for (const path of waiting) {
      if (seen.size >= MOST_PAGES) break;
      at = path;
      seen.add(path);
      await go(page, path);
      await page.waitForLoadState("networkidle");
      await main.locator("h1, h2, .empty").filter({ visible: true }).first().waitFor();
      const text = await main.innerText();
      const fault =
        /There is no such screen|There is no project|No workspace has this id|blog|rest-idle|\btool\b/
          .exec(text);
      if (fault !== null) faults.push(`${path}: ${fault[0]}`);
      for (const summary of await main.locator("summary").filter({ visible: true }).all()) {
        await summary.click({ timeout: 1_000 }).catch(() => {}); // a live row may have moved away
      }
      const hrefs: string[] = await page.locator("a[href^='/']").evaluateAll((links) =>
        links.map((link) => link.getAttribute("href") ?? "")
      );
      // A download is no screen.
      for (const href of hrefs) if (!href.startsWith("/api/")) waiting.add(bare(href));
    }
    console.log(`${role}: ${seen.size} screens, ${planned.length} plans`);
    assert.ok(seen.size > 20 && seen.size < MOST_PAGES, [...seen].join("\n"));
    assert.deepEqual(faults, []);
    assert.deepEqual([...new Set(planned)].filter((one) => !/shop/.test(one)), []);
    assert.equal(planned.length > 0, role === "operator", "an operator plans, a viewer does not");
    assert.deepEqual(opened.complaints, []);
  });
}
