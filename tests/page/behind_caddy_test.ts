/** The page behind Caddy with TLS, as people put it on a network. */
import assert from "node:assert/strict";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { freePort } from "../support/free_port.ts";
import { proxy } from "../support/reverse_proxy.ts";
import { FastLog } from "../support/scripted_log.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { startService } from "../support/service.ts";
import { openPage } from "./opened.ts";

Deno.test({
  ...BROWSER_TEST,
  name: "behind Caddy with TLS one signs in, stays so over a reload, and sees rows and a log as they come",
  fn: async () => {
    const id = scriptedId(1);
    const containers = new Map([[id, inspected(id, "web")]]);
    await using engine = new ScriptedWorld({
      containers,
      override: (_, path) =>
        path.endsWith("/logs") ? new FastLog(Infinity, { perSecond: 100 }).answer() : undefined,
    });
    const port = freePort();
    const url = `https://localhost:${port}`;
    await using berth = await startService({
      engines: [{ name: "docker", url: `unix://${engine.socket}` }],
      trustedProxies: ["127.0.0.1"],
      baseUrl: url,
    });
    await using front = await proxy("caddy", `reverse_proxy 127.0.0.1:${berth.port}`, { port, tls: true });
    if (front === null) return;
    await using browser = await startBrowser();
    await using opened = await openPage(browser, { url }, {
      key: berth.admin,
      path: "/c",
      ignoreHTTPSErrors: true,
    });
    const { page } = opened;
    const row = page.getByRole("row", { name: "web" });
    await row.getByText("running").waitFor();
    containers.set(id, inspected(id, "web", "paused"));
    const timeNano = Date.now() * 1e6;
    engine.tell({ Type: "container", Action: "pause", Actor: { ID: id, Attributes: {} }, timeNano });
    await row.getByText("paused").waitFor();
    await page.reload();
    await row.getByText("paused").waitFor();
    await opened.visit("/c/docker/web");
    await page.getByRole("log").getByText(/^line \d{2,} of a log$/).first().waitFor();
    await page.locator(".is-live").waitFor();
    assert.deepEqual(opened.complaints, []);
  },
});
