/**
 * The page in Chromium with its CPU slowed four times, beside a blank page: frames under load, its bytes, its heap, what
 * it paints and how soon, berth's start. `deno task bench page:graph` measures one part.
 */
import type { Browser } from "npm:playwright-core@1.65.1";
import { buildPage } from "../page/build.ts";
import { browserMissing, startBrowser } from "../tests/support/browser.ts";
import { FastLog } from "../tests/support/scripted_log.ts";
import { inspected, scriptedId, ScriptedWorld } from "../tests/support/scripted_world.ts";
import { serveEngines, type TestService } from "../tests/support/service.ts";
import { openPage } from "../tests/page/opened.ts";
import { hour } from "./page_hour.ts";
import { million } from "./page_lines.ts";
import { layout } from "./page_layout.ts";
import { paint } from "./page_paint.ts";
import { projects } from "./page_projects.ts";
import { shell } from "./page_shell.ts";
import { type Competitor, rounds } from "./rounds.ts";
import { framesOf, slow } from "./slowed_page.ts";
import { startServer } from "./server_process.ts";

const CHANGES_A_SECOND = 36;
const LINES_A_SECOND = 10_000;

const PARTS: Readonly<Record<string, (browser: Browser) => Promise<unknown>>> = {
  list: (browser) =>
    using(listed(500), ({ berth }) =>
      rounds("page-first-list", [
        { name: "a list of 500 containers", run: () => firstList(browser, berth) },
        { name: "Dozzle's page", absent: "its build needs a package manager and registries of its own" },
      ], {
        unit: "bytes",
        exact: true,
        about:
          "all that a browser with an empty cache loads until the first list is there, but for its rows, which come over the socket; the aim is 60,000 in 5 requests",
      })),
  projects: (browser) => projects(browser, blank(browser)),
  paint: (browser) => using(listed(500), ({ berth }) => paint(browser, berth)),
  rows: async (browser) => {
    await using small = await listed(500);
    await using large = await listed(5_000);
    await rounds("page-rows", [
      blank(browser),
      { name: "500 rows", run: () => rows(browser, small) },
      { name: "5,000 rows", run: () => rows(browser, large) },
    ], {
      unit: "ms a frame",
      about: `p95 of frames while ${CHANGES_A_SECOND} containers a second change; the aims are 1.5 and 3`,
    });
  },
  graph: (browser) =>
    using(listed(1), async ({ berth }) => {
      const id = await declare(berth, 1_000);
      await layout(browser, berth, id);
      await rounds("page-graph", [
        blank(browser),
        { name: "a graph of 1,000 units", run: () => graph(browser, berth, id) },
      ], {
        unit: "ms a frame",
        about: "p95 of frames while a graph is moved across, 40 pixels a frame; the aim is 2",
      });
    }),
  log: (browser) =>
    using(listed(1), ({ berth }) =>
      rounds("page-log", [
        blank(browser),
        { name: "a log at its end", run: () => log(browser, berth) },
      ], {
        unit: "ms a frame",
        about: `p95 of frames while a followed log writes ${LINES_A_SECOND} lines a second; the aim is 2`,
      })),
  lines: million,
  shell,
  hour,
};

await buildPage();
const chosen = Deno.args.length === 0 ? [...Object.keys(PARTS), "start"] : Deno.args;
const unknown = chosen.filter((name) => !(name in PARTS) && name !== "start");
if (unknown.length > 0) throw new Error(`There is no part ${unknown}: ${Object.keys(PARTS)}, start`);
const missing = browserMissing();
if (missing !== null) console.warn(`Only berth's start is measured: ${missing}`);
else {
  await using browser = await startBrowser();
  for (const name of chosen) await PARTS[name]?.(browser);
}
if (chosen.includes("start")) {
  await rounds("page-start", [start("without the page", "container-runtime"), start("with it", null)], {
    rounds: 9,
    unit: "ms",
    about:
      "from the start of the process to the first answer, without the page's plugin and with it; the aim is 1.05",
  });
}

async function using<T extends AsyncDisposable>(
  made: Promise<T>,
  act: (made: T) => Promise<unknown>,
): Promise<void> {
  await using one = await made;
  await act(one);
}

interface Listed extends AsyncDisposable {
  readonly berth: TestService;
  /** Begins to change containers; the end of it. */
  readonly change: () => () => void;
}

/** A berth over an engine with so many containers; each of them writes a log without end. */
async function listed(amount: number): Promise<Listed> {
  const stack = new AsyncDisposableStack();
  const containers = new Map(
    Array.from(
      { length: amount },
      (_, n) => [scriptedId(n + 1), inspected(scriptedId(n + 1), `web-${n + 1}`)],
    ),
  );
  const world = stack.use(
    new ScriptedWorld({
      containers,
      override: (request, path) => /^\/containers\/\w+\/logs$/.test(path) ? endlessLog(request) : undefined,
    }),
  );
  const berth = stack.use(await serveEngines({ docker: world }));
  const change = () => {
    let turn = 0;
    const timer = setInterval(() => {
      const id = scriptedId((turn++ * 7_919) % amount + 1);
      const status = turn % 2 === 0 ? "running" : "exited";
      containers.set(id, inspected(id, `web-${Number.parseInt(id, 16)}`, status));
      const action = status === "running" ? "start" : "die";
      world.tell({
        Type: "container",
        Action: action,
        Actor: { ID: id, Attributes: {} },
        timeNano: Date.now() * 1e6,
      });
    }, 1_000 / CHANGES_A_SECOND);
    return () => clearInterval(timer);
  };
  return { berth, change, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A hundred lines, and then so many a second for a follower. */
function endlessLog(request: Request): Response {
  const isFollowed = /[?&]follow=(?:1|true)/.test(request.url);
  const text = (number: number) => `GET /basket ${number} 200 in 12 ms`;
  return new FastLog(isFollowed ? Infinity : 100, { text, perSecond: LINES_A_SECOND }).answer();
}

function blank(browser: Browser): Competitor {
  return {
    name: "a blank page",
    async run() {
      const page = await browser.newPage();
      try {
        await slow(page);
        return await framesOf(page);
      } finally {
        await page.close();
      }
    },
  };
}

async function rows(browser: Browser, { berth, change }: Listed): Promise<number> {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c" });
  await opened.page.getByRole("row", { name: "web-1" }).first().waitFor();
  await slow(opened.page);
  const stop = change();
  try {
    return await framesOf(opened.page);
  } finally {
    stop();
  }
}

async function log(browser: Browser, berth: TestService): Promise<number> {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c/docker/web-1" });
  await opened.page.getByText("GET /basket").first().waitFor();
  await slow(opened.page);
  return await framesOf(opened.page);
}

/** A workspace of so many units, each of which needs the one before it in its project of twenty. */
async function declare(berth: TestService, units: number): Promise<string> {
  const path = `${berth.folder}/workspaces/many`;
  for (let project = 0; project < units / 20; project++) {
    const services = Array.from(
      { length: 20 },
      (_, n) => `  s${n}:\n    image: web:1\n${n === 0 ? "" : `    depends_on: [s${n - 1}]\n`}`,
    );
    await Deno.mkdir(`${path}/p${project}`, { recursive: true });
    await Deno.writeTextFile(`${path}/p${project}/compose.yaml`, `services:\n${services.join("")}`);
  }
  return (await berth.call("POST /api/workspaces", { path })).body.id;
}

async function graph(browser: Browser, berth: TestService, id: string): Promise<number> {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: `/w/${id}?view=graph` });
  const { page } = opened;
  await page.locator("main svg g").first().waitFor({ timeout: 60_000 });
  await slow(page);
  await page.evaluate(`{
    const box = document.querySelector(".graph-box");
    let way = 40;
    requestAnimationFrame(function next() {
      const before = box.scrollTop;
      box.scrollTop += way;
      if (box.scrollTop === before) way = -way;
      requestAnimationFrame(next);
    });
  }`);
  return await framesOf(page);
}

async function firstList(browser: Browser, berth: TestService): Promise<number> {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  await opened.visit("/c");
  await page.getByRole("row", { name: "web-1" }).first().waitFor();
  const sizes = await page.evaluate<number[]>(
    `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .map(({ transferSize }) => transferSize)`,
  );
  return sizes.reduce((all, size) => all + size, 0);
}

function start(name: string, plugins: string | null): Competitor {
  return {
    name,
    async run() {
      const data = await Deno.makeTempDir({ prefix: "berth-bench-" });
      try {
        await using server = await startServer({
          args: ["-A", new URL("../main.ts", import.meta.url).pathname, "serve"],
          path: "/api/health",
          env: {
            BERTH_DATA: data,
            BERTH_PORT: "PORT",
            BERTH_ENGINES: "none",
            ...(plugins === null ? {} : { BERTH_PLUGINS: plugins }),
          },
        });
        return server.firstAnswerMs;
      } finally {
        await Deno.remove(data, { recursive: true });
      }
    },
  };
}
