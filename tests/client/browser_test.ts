/** The client's promises in a real browser: a page of the playground runs them and posts its results back. */
import { equal, ok } from "node:assert/strict";
import { chromium } from "npm:playwright-core@1.65.1";
import { bundleSuite } from "./package.ts";
import { playground } from "./playground.ts";
import { esbuild } from "./runtimes.ts";
import { promises } from "./suite/all.ts";

const EXECUTABLE = "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

const bundler = await esbuild();
const browser = await Deno.stat(EXECUTABLE).then(() => undefined, () => `there is no ${EXECUTABLE}`);
const absent = bundler.absent ?? browser;
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
      const chrome = await launch();
      try {
        const page = await chrome.newPage();
        const problems: string[] = [];
        page.on("pageerror", (error) => problems.push(String(error)));
        const ground = encodeURIComponent(JSON.stringify({ ...servers.ground, runtime: "browser" }));
        await page.goto(`${servers.ground.http}/page#${ground}`);
        const overdue = setTimeout(() => reported.reject(new Error(`no report: ${problems}`)), 180_000);
        const results = JSON.parse(await reported.promise.finally(() => clearTimeout(overdue)));
        equal(results.length, promises.filter(({ not }) => !not.includes("browser")).length);
        for (const { name, error } of results) await t.step(name, () => ok(!error, error));
      } finally {
        await chrome.close();
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** Starts the browser; a busy machine may need a second try. */
async function launch() {
  const options = { executablePath: EXECUTABLE, headless: true, args: [...FLAGS, ...QUIET], timeout: 90_000 };
  return await chromium.launch(options).catch(() => chromium.launch(options));
}
