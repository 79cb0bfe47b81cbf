/** The time until the largest thing of the first list is painted, with a phone's network and CPU. */
import type { Browser, Page } from "npm:playwright-core@1.65.1";
import { openPage } from "../tests/page/opened.ts";
import type { TestService } from "../tests/support/service.ts";
import { rounds } from "./rounds.ts";
import { slow } from "./slowed_page.ts";

const BITS_A_SECOND = 1.6e6;
const LATENCY_MS = 150;

export async function paint(browser: Browser, berth: TestService): Promise<void> {
  await using sentence = plain();
  await rounds("page-paint", [
    { name: "a page of one sentence", run: () => largest(browser, sentence, null) },
    { name: "a list of 500 containers", run: () => largest(browser, berth, berth.admin) },
  ], {
    about:
      "from the address to the largest paint, with an empty cache, 1.6 Mbit/s, 150 ms of latency and a CPU slowed four times; the aim is 2,000",
  });
}

function plain(): { readonly url: string } & AsyncDisposable {
  const headers = { "content-type": "text/html" };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("<!doctype html><title>One</title><p>One sentence.", { headers }),
  );
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function largest(
  browser: Browser,
  site: { readonly url: string },
  key: string | null,
): Promise<number> {
  await using opened = await openPage(browser, site, { key });
  const { page } = opened;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BITS_A_SECOND / 8,
    uploadThroughput: BITS_A_SECOND / 8,
  });
  await slow(page);
  await opened.visit("/c");
  await page.getByText(key === null ? "One sentence." : "web-1").first().waitFor();
  return await lastLargest(page);
}

/** The largest paint is final once nothing has been painted that is larger for a while. */
async function lastLargest(page: Page): Promise<number> {
  return await page.evaluate<number>(`new Promise((resolve) => {
    let at = 0, timer;
    const wait = () => { clearTimeout(timer); timer = setTimeout(() => resolve(at), 500); };
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) at = startTime;
      wait();
    }).observe({ type: "largest-contentful-paint", buffered: true });
  })`);
}
