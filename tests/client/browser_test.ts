/** The client's promises in a real browser: a page of the playground runs them and posts its results back. */
import { equal, ok } from "node:assert/strict";
import { browserMissing, startBrowser } from "../support/browser.ts";
import { bundleSuite } from "./package.ts";
import { playground } from "./playground.ts";
import { esbuild } from "./runtimes.ts";
import { promises } from "./suite/all.ts";

const bundler = await esbuild();
const absent = bundler.absent ?? browserMissing() ?? undefined;
if (absent) console.warn(`SKIPPED: the client's promises in a browser: ${absent}`);

Deno.test({
  name: "client: the promises that a browser can keep are kept in Chromium",
  ignore: absent !== undefined,
  // Playwright keeps timers and sockets of its own until its process is gone.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    const folder = await Deno.makeTempDir({ prefix: "berth-browser-" });
    try {
      await bundleSuite(bundler.path ?? "", `${folder}/suite.js`, "inside");
      const reported = Promise.withResolvers<string>();
      const script = await Deno.readTextFile(`${folder}/suite.js`);
      await using servers = await playground({ script, report: reported.resolve });
      await using browser = await startBrowser();
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(String(error)));
      const ground = encodeURIComponent(JSON.stringify({ ...servers.ground, runtime: "browser" }));
      await page.goto(`${servers.ground.http}/page#${ground}`);
      const overdue = setTimeout(() => reported.reject(new Error(`no report: ${problems}`)), 180_000);
      const results = JSON.parse(await reported.promise.finally(() => clearTimeout(overdue)));
      equal(results.length, promises.filter(({ not }) => !not.includes("browser")).length);
      for (const { name, error } of results) await t.step(name, () => ok(!error, error));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
