/** Incidents and notices in a real browser: strips, endings with their words, mutes, and a target that is tried. */
import assert from "node:assert/strict";
import type { Incident, IncidentSubject } from "../../core/incidents.ts";
import { placeOfWords, zipped } from "../../projects/watch/ending_words.ts";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { openPage } from "./opened.ts";

const DAY_MS = 86_400_000;
const NOBODY = { workspace: null, group: null, project: null, unit: null, engine: null, container: null };
const LONG = `shop.${"a-service-with-a-very-long-name-".repeat(6)}`;
const HOSTILE = "<img src=x onerror=alert(1)>\u202e";

function incident(id: string, subject: Partial<IncidentSubject>, over: Partial<Incident> = {}): Incident {
  const at = Date.now() - 3_600_000;
  return {
    id,
    subject: {
      ...NOBODY,
      kind: "unit",
      workspace: "all",
      group: "shop",
      project: "shop",
      engine: "one",
      ...subject,
    },
    kind: "broken",
    since: at,
    atLatest: false,
    cause: { kind: "ended", exitCode: 137, memoryLimit: 268_435_456 },
    fields: [],
    openedAt: at,
    closedAt: null,
    end: null,
    endings: 3,
    atFirst: false,
    lines: 1,
    ...over,
  };
}

/** Unkind data: long and hostile names, every kind, and words that are cut, gone and masked. */
async function plantIncidents({ berth }: TestService): Promise<void> {
  const old = Date.now() - 3 * DAY_MS;
  const field = { field: "memory", declared: "512m", actual: "256m", file: "compose.yaml", line: 18 };
  const all = [
    incident("web", { unit: "unit:shop.web" }),
    incident("webbefore", { unit: "unit:shop.web" }, {
      kind: "differs",
      cause: { kind: "outside", act: "update" },
      fields: [field, { field: "environment.TOKEN" }],
      since: old,
      openedAt: old,
      closedAt: old + 7_200_000,
      end: "well",
      endings: 0,
    }),
    incident("db", { unit: "unit:shop.db" }, {
      kind: "stopped",
      cause: { kind: "berth", act: "stop" },
      endings: 0,
    }),
    incident("long", { unit: `unit:${LONG}` }, { cause: { kind: "unknown" }, endings: 1_234 }),
    incident("hostile", { kind: "container", container: HOSTILE, workspace: null }, { endings: 0 }),
    incident("engine", { kind: "engine", workspace: null, group: null, project: null }, {
      kind: "engine",
      cause: { kind: "engine", reason: "nothing listens at its address" },
      atLatest: true,
      endings: 0,
    }),
    incident("gap", { kind: "berth", container: "store", workspace: null, group: null, project: null }, {
      kind: "berth",
      cause: { kind: "unrecorded", reason: "Cannot use the store: the disk is full" },
      since: old - 2 * DAY_MS,
      openedAt: old - 2 * DAY_MS,
      closedAt: old - 2 * DAY_MS + 600_000,
      end: "well",
      endings: 0,
    }),
    incident("watch", { kind: "berth", container: "first", workspace: null, group: null, project: null }, {
      kind: "berth",
      cause: { kind: "firstWatch", units: 3, bad: 0 },
      since: old - 2 * DAY_MS,
      openedAt: old - 2 * DAY_MS,
      closedAt: old - 2 * DAY_MS,
      end: "well",
      endings: 0,
    }),
    incident("folder", { kind: "workspace", group: null, project: null }, {
      kind: "workspace",
      cause: { kind: "unknown" },
      endings: 0,
    }),
  ];
  await berth.store.incidents.write(all.map((one) => {
    const { kind, since, atLatest, cause, fields } = one;
    return { incident: one, line: { at: one.openedAt, kind, since, atLatest, cause, fields } };
  }));
  const lines = ["listening on 8080", `${HOSTILE} ${"x".repeat(300)}`, "DB_PASSWORD=********", "Killed"];
  const ending = {
    engine: "one",
    containerId: "c".repeat(64),
    container: "shop-web-1",
    workspace: "all",
    group: "shop",
    unit: "unit:shop.web",
    project: "shop",
    startedFrom: null,
    exitCode: 137,
  };
  const words = await zipped({ lines, isCut: true, health: "GET /health failed: 503" });
  const sealed = await berth.access.endingSeal.seal(words, placeOfWords("e1"));
  const at = Date.now() - 3_600_000;
  await berth.store.endings.add(
    { ...ending, id: "e1", at, outOfMemory: true, words: "kept", more: 41 },
    sealed,
  );
  for (const [n, state] of (["none", "removedTooSoon", "unreadable", "forgotten"] as const).entries()) {
    await berth.store.endings.add(
      { ...ending, id: `f${n}`, at: at + n + 1, outOfMemory: false, words: state, more: 0 },
      null,
    );
  }
}

/** Registers the folder that the planted incidents are of. */
async function served(): Promise<TestService> {
  const berth = await startService();
  const path = `${berth.folder}/workspaces/all`;
  await Deno.mkdir(path);
  assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
  await plantIncidents(berth);
  return berth;
}

/** The folder for photographs, of every state in both themes and three widths. */
const SHOTS = Deno.env.get("BERTH_TEST_SHOTS");

Deno.test({
  name: "an incident shows how its containers ended and what they said, and is muted by a button",
  ...BROWSER_TEST,
  fn: async () => {
    await using browser = await startBrowser();
    await using berth = await served();
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/incidents" });
    const { page, complaints } = opened;
    const week = page.getByRole("list", { name: "The last seven days of shop.web" });
    await week.waitFor();
    const days = (await week.getByRole("listitem").allInnerTexts()).map((text) => text.replace(/^.*: /s, ""));
    assert.equal(days.length, 7);
    assert.deepEqual([days[6], days.includes("differs")], ["broken", true]);
    assert.deepEqual(days.slice(0, 2), ["not watched yet", "not recorded"], "neither is shown as fine");
    await page.getByRole("note").filter({ hasText: /^Nothing could be recorded from .* to / }).waitFor();
    assert.equal(await page.locator("img").count(), 0, "a hostile name is text");

    const reading = /\/api\/(?:endings|mutes)(?:\?|$)/;
    await page.route(reading, (route) => {
      const body = JSON.stringify({
        code: "store_unavailable",
        title: `no disk for ${route.request().url()}`,
      });
      return route.fulfill({ status: 503, contentType: "application/problem+json", body });
    });
    await opened.visit("/incidents");
    await page.getByRole("alert").getByText(/no disk for .*mutes/).waitFor();
    await page.getByRole("link", { name: "shop.web" }).first().click();
    await page.getByRole("alert").getByText(/no disk for .*endings/).waitFor();
    await page.unroute(reading);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Endings" }).waitFor();
    await page.getByRole("cell", { name: "it was removed before its engine could be asked" }).waitFor();
    await page.getByText("and 41 further endings").waitFor();
    await page.getByRole("button", { name: "show", exact: true }).click();
    await page.getByText("GET /health failed: 503").waitFor();
    assert.match(await page.locator("figure pre").innerText(), /listening on 8080\n[^]*Killed$/);

    await page.getByRole("button", { name: "Mute" }).click();
    await page.getByRole("dialog").getByRole("combobox").selectOption("28800");
    await page.getByRole("dialog").getByRole("button", { name: "Mute" }).click();
    await page.getByText(/muted until/).waitFor();
    await opened.visit("/incidents");
    await page.getByText("open, muted").waitFor();
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByRole("heading", { name: "Muted" }).waitFor({ state: "detached" });
    assert.deepEqual((await berth.call("GET /api/mutes")).body.items, []);
    assert.deepEqual(complaints, []);
  },
});

Deno.test({
  name: "the page adds a webhook and a mailbox, tries them, and removes one",
  ...BROWSER_TEST,
  fn: async () => {
    const taken: string[] = [];
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      taken.push(await request.text());
      return new Response(null, { status: 204 });
    });
    await using browser = await startBrowser();
    await using berth = await served();
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/settings/notices" });
    const { page, complaints } = opened;
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Add a notice" }).first().click();
    await dialog.getByLabel("Name").fill("ops");
    await dialog.getByLabel("Address").fill(`http://127.0.0.1:${server.addr.port}/canary`);
    await dialog.getByRole("button", { name: "Add it" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Test: ops" }).or(page.getByRole("button", { name: /Test.*ops/ }))
      .click();
    await page.getByText(/taken with 204 in \d+ ms/).waitFor();
    assert.ok(!(await page.content()).includes("canary"));

    await page.getByRole("button", { name: "Add a notice" }).first().click();
    await dialog.getByLabel("Name").fill("mailbox");
    await dialog.getByRole("combobox", { name: "Sent to" }).selectOption("mail");
    await dialog.getByLabel("Mail server").fill("127.0.0.1:1");
    await dialog.getByLabel("From").fill("berth@example.org");
    await dialog.getByLabel("To", { exact: true }).fill("ada+home@example.org, bob@example.org");
    await dialog.getByRole("button", { name: "Add it" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: /Test.*mailbox/ }).click();
    await page.getByText("it cannot be reached").waitFor();
    await page.getByRole("button", { name: /Remove.*ops/ }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.waitFor({ state: "detached" });
    const { items } = (await berth.call("GET /api/notices")).body;
    assert.deepEqual(items.map(({ name }: { readonly name: string }) => name), ["mailbox"]);
    assert.equal(JSON.parse(taken.at(-1)!).type, "test");
    assert.deepEqual(complaints, []);
  },
});

Deno.test({
  name: "the screens of incidents and notices, photographed with unkind data",
  ...BROWSER_TEST,
  ignore: BROWSER_TEST.ignore || SHOTS === undefined,
  fn: async () => {
    await using browser = await startBrowser();
    await using berth = await served();
    for (const name of ["ops", `n${"o".repeat(90)}tice`]) {
      const address = "http://127.0.0.1:1/hook";
      await berth.call("POST /api/notices", { name, kind: "webhook", address, on: ["project:shop"] });
    }
    await berth.call("POST /api/mutes", { on: "project:shop", unit: LONG, forS: 3_600 });
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [1440, 1024, 390]) {
        const viewport = { width, height: 900 };
        await using opened = await openPage(browser, berth, { key: berth.admin, viewport, colorScheme });
        const { page } = opened;
        const shoot = (name: string) =>
          page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        await opened.visit("/incidents");
        await page.getByRole("heading", { name: "Seven days" }).waitFor();
        await shoot("incidents");
        await opened.visit("/incidents/web");
        await page.getByRole("button", { name: "show", exact: true }).click();
        await page.locator("figure pre").waitFor();
        await shoot("incident");
        await opened.visit("/settings/notices");
        await page.getByRole("button", { name: "Add a notice" }).first().waitFor();
        await shoot("notices-list");
        await page.getByRole("button", { name: "Add a notice" }).first().click();
        await page.getByRole("combobox", { name: "Sent to" }).selectOption("mail");
        await shoot("notices");
      }
    }
  },
});
