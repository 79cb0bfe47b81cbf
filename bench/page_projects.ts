/** The page's first screen: what it loads with 20 projects, socket included, and its frames with 1,000. */
import type { Browser } from "npm:playwright-core@1.65.1";
import { openPage } from "../tests/page/opened.ts";
import { manyProjects } from "../tests/support/many_projects.ts";
import { type Competitor, rounds } from "./rounds.ts";
import { framesOf, slow } from "./slowed_page.ts";

const FEW = 20;
const MANY = 1_000;
const CHANGE_MS = 250;

type Many = Awaited<ReturnType<typeof manyProjects>>;

/** Counts the frames of the socket as they are before they are compressed: over the wire they are fewer bytes. */
async function firstScreen(browser: Browser, { berth }: Many): Promise<number> {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/nowhere" });
  const { page } = opened;
  await page.goto("about:blank");
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  let frames = 0;
  for (const event of ["Network.webSocketFrameReceived", "Network.webSocketFrameSent"] as const) {
    session.on(event, ({ response }) => frames += response.payloadData.length);
  }
  await opened.visit("/");
  for (let project = 0; project < FEW; project++) {
    await page.getByRole("listitem", { name: `p${String(project).padStart(4, "0")}` }).waitFor();
  }
  await page.waitForLoadState("networkidle");
  const sizes = await page.evaluate<number[]>(
    `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .map(({ transferSize }) => transferSize)`,
  );
  return sizes.reduce((all, size) => all + size, frames);
}

async function frames(browser: Browser, { berth, touch }: Many): Promise<number> {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  await opened.page.getByRole("listitem", { name: "p0000" }).waitFor();
  await slow(opened.page);
  let turn = 0;
  const timer = setInterval(() => touch(turn++ % MANY), CHANGE_MS);
  try {
    return await framesOf(opened.page);
  } finally {
    clearInterval(timer);
  }
}

export async function projects(browser: Browser, blank: Competitor): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const few = await manyProjects(stack, FEW);
  await rounds("page-first-screen", [
    { name: `${FEW} projects`, run: () => firstScreen(browser, few) },
  ], {
    unit: "bytes",
    exact: true,
    about:
      "all that a browser with an empty cache loads for the first screen, socket included; the aim is 60,000",
  });
  const many = await manyProjects(stack, MANY);
  await rounds("page-projects", [
    blank,
    { name: `${MANY} rows of projects`, run: () => frames(browser, many) },
  ], {
    unit: "ms a frame",
    about: `p95 of frames while a project changes every ${CHANGE_MS} ms; the aim is 1.5`,
  });
}
