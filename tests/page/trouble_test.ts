/** Failures while a user looks: each has its state on the screen, and the screen recovers by itself. */
import assert from "node:assert/strict";
import type { Browser, Page } from "npm:playwright-core@1.65.1";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { FastLog } from "../support/scripted_log.ts";
import { inspected, scriptedId, ScriptedWorld, type World } from "../support/scripted_world.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { openPage, signInWithKey } from "./opened.ts";

const HOUR_MS = 3_600_000;

interface Stage {
  readonly browser: Browser;
  readonly engine: ScriptedWorld;
  readonly berth: TestService;
}

let stage: Promise<Stage> | null = null;
const owned = new AsyncDisposableStack();
Deno.test.afterAll(async () => await owned.disposeAsync());

/** Containers that began to run a minute and a half ago. */
function containers(...names: readonly string[]): Map<string, unknown> {
  return new Map(names.map((name, index) => {
    const one = inspected(scriptedId(index + 1), name);
    const StartedAt = new Date(Date.now() - 90_000).toISOString();
    return [scriptedId(index + 1), { ...one, State: { ...one["State"] as object, StartedAt } }];
  }));
}

async function setStage(): Promise<Stage> {
  const browser = owned.use(await startBrowser());
  const logs = (_: Request, path: string) =>
    path.endsWith("/logs") ? new FastLog(Infinity, { perSecond: 100 }).answer() : undefined;
  const engine = owned.use(new ScriptedWorld({ containers: containers("web", "db"), override: logs }));
  return { browser, engine, berth: owned.use(await serveEngines({ docker: engine })) };
}

function test(name: string, run: (stage: Stage) => Promise<void>): void {
  Deno.test({ ...BROWSER_TEST, name, fn: async () => await run(await (stage ??= setStage())) });
}

const row = (page: Page, name: string) => page.getByRole("row", { name });

for (const [word, aheadMs] of [["ahead", HOUR_MS], ["behind", -HOUR_MS]] as const) {
  test(`a clock that is an hour ${word} makes nothing older or younger`, async ({ browser, berth }) => {
    await using opened = await openPage(browser, berth);
    const { page } = opened;
    await page.addInitScript(`{
      const Own = Date;
      globalThis.Date = class extends Own {
        constructor(...parts) { if (parts.length === 0) super(Own.now() + ${aheadMs}); else super(...parts); }
        static now() { return Own.now() + ${aheadMs}; }
      };
    }`);
    await opened.visit("/c");
    assert.ok(Math.abs(await page.evaluate<number>("Date.now()") - Date.now() - aheadMs) < HOUR_MS / 2);
    await signInWithKey(page, berth.admin!);
    await row(page, "web").getByText(/^[1-9]\d? min$/).waitFor();
    await opened.visit("/");
    await page.getByRole("region", { name: "Not declared" }).waitFor();
    assert.deepEqual(opened.complaints, []);
  });
}

test("two tabs are one person: both are live, a reload signs nobody out, and signing out in one ends both", async ({ browser, berth, engine }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c" });
  const { page } = opened;
  const other = await page.context().newPage();
  await other.goto(`${berth.url}/c`);
  for (const one of [page, other]) await row(one, "web").getByText("running").waitFor();
  await Promise.all([page.reload(), other.reload()]); // each spends the token that the other one got
  const id = scriptedId(1);
  const before = engine.world.containers!.get(id);
  engine.world.containers!.set(id, inspected(id, "web", "paused"));
  const timeNano = Date.now() * 1e6;
  engine.tell({ Type: "container", Action: "pause", Actor: { ID: id, Attributes: {} }, timeNano });
  for (const one of [page, other]) await row(one, "web").getByText("paused").waitFor();
  engine.world.containers!.set(id, before);
  engine.tell({ Type: "container", Action: "unpause", Actor: { ID: id, Attributes: {} }, timeNano });
  for (const one of [page, other]) await row(one, "web").getByText("running").waitFor();

  await other.locator(".person summary").click();
  await other.getByRole("button", { name: "Sign out" }).click();
  for (const one of [page, other]) await one.getByRole("dialog", { name: "Sign in" }).waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("who loses a right in the middle is told so where they are, and keeps the rest", async ({ browser, berth }) => {
  const made = await berth.call("POST /api/settings/people", { name: "kim", role: "operator" });
  const password = "kims own sentence";
  await berth.anonymous().call("POST /api/auth/password-link", { token: made.body.passwordToken, password });
  await using opened = await openPage(browser, berth, { path: "/c/docker/web" });
  const { page } = opened;
  await page.getByLabel("Name").fill("kim");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("log").getByText(/^line \d+ of a log$/).first().waitFor();
  const read = ["containers:read", "system:read", "events:read"];
  const changed = await berth.call(`PUT /api/settings/people/${made.body.id}`, {
    disabled: false,
    grants: [{ permissions: read }],
  });
  assert.equal(changed.status, 200, changed.text);
  await page.getByText(/you may not read it any more|Ask an admin for the permission containers:logs/).first()
    .waitFor();
  await page.getByRole("button", { name: "Stop" }).and(page.locator("[disabled]")).waitFor();
  await page.getByRole("link", { name: "Containers", exact: true }).click();
  await row(page, "web").waitFor();
  await opened.visit("/images");
  await page.getByText("Ask an admin for the permission images:read").waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("an engine that goes away is named with its reason while the others go on, and is forgotten when it is back", async ({ browser, engine }) => {
  const world: World = { containers: containers("far-away"), podman: true };
  const far = new ScriptedWorld(world);
  await using berth = await serveEngines({ docker: engine, podman: far });
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c" });
  const { page } = opened;
  await row(page, "far-away").waitFor();
  await far[Symbol.asyncDispose]();
  await page.getByText(/podman does not answer: \S/).waitFor();
  await row(page, "web").waitFor();
  await using _again = new ScriptedWorld(world, far.socket);
  await page.getByText(/podman does not answer/).waitFor({ state: "detached" });
  await row(page, "far-away").waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("a socket that falls silent is told, replaced, and what changed meanwhile is there", async ({ browser, berth, engine }) => {
  await using opened = await openPage(browser, berth);
  const { page } = opened;
  let isSilent = false;
  let sockets = 0;
  await page.routeWebSocket(/\/api\/live(?:\?|$)/, (socket) => {
    const own = ++sockets;
    socket.connectToServer().onMessage((message) => {
      if (!isSilent || own > 1) socket.send(message);
    });
  });
  await page.clock.install();
  await opened.visit("/c");
  await signInWithKey(page, berth.admin!);
  await row(page, "db").getByText("running").waitFor();
  isSilent = true;
  const id = scriptedId(2);
  const before = engine.world.containers!.get(id);
  engine.world.containers!.set(id, inspected(id, "db", "paused"));
  const timeNano = Date.now() * 1e6;
  engine.tell({ Type: "container", Action: "pause", Actor: { ID: id, Attributes: {} }, timeNano });
  await page.locator(".is-live").waitFor();
  await page.clock.fastForward(30_000);
  await page.getByText(/^not live since/).waitFor();
  await page.clock.fastForward(10_000);
  await page.locator(".is-live").waitFor();
  await row(page, "db").getByText("paused").waitFor();
  assert.ok(sockets > 1);
  engine.world.containers!.set(id, before);
  assert.deepEqual(opened.complaints, []);
});

test("a log that floods leaves the tab answering in bounded memory, and what it lost is a row", async ({ browser }) => {
  // The engine ends the first connection in the middle of it, and has let go of what came next.
  const told = [
    new FastLog(200_000, { perSecond: 100_000 }),
    new FastLog(300_000, { perSecond: 100_000, first: 250_001 }),
  ];
  const world: World = {
    containers: containers("flood"),
    override: (request, path) => {
      if (!path.endsWith("/logs")) return undefined;
      const isFollowed = /[?&]follow=(?:1|true)/.test(request.url);
      return isFollowed ? told.shift()?.answer() ?? new FastLog(0).answer() : new Response();
    },
  };
  await using engine = new ScriptedWorld(world);
  await using berth = await serveEngines({ docker: engine });
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c/docker/flood?from=all" });
  const { page } = opened;
  const log = page.getByRole("log");
  await log.getByText(/^line \d+ of a log$/).first().waitFor();
  await page.getByRole("searchbox").fill("line 77 of"); // while they come
  await page.getByText("1 line fits").waitFor();
  await page.getByRole("searchbox").fill("");
  await log.getByText("line 300000 of a log", { exact: true }).waitFor({ timeout: 120_000 });
  assert.ok(await page.locator(".log-line").count() <= 200);
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  assert.ok(usedSize < 64 * 1024 * 1024, `${usedSize} bytes beside the lines`);
  await page.getByRole("searchbox").fill("line 250001 of");
  await page.locator(".log-text", { hasText: "line 250001 of" }).click();
  await page.getByRole("button", { name: "Show it among the others" }).click();
  await page.getByText(/^the engine lost lines between /).waitFor();
  assert.deepEqual(opened.complaints, []);
});
