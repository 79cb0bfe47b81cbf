/** Every screen while it waits, cannot read, lost its connection, or whoever looks at it was signed out: told, and then well again. */
import assert from "node:assert/strict";
import type { Page } from "npm:playwright-core@1.65.1";
import { BROWSER_TEST } from "../browser.ts";
import { FAILURE, Gate } from "./gate.ts";
import { assertFits, type Opened, openPage, signInWithKey } from "./opened.ts";
import { SCREENS, type SmallWorld, startSmallWorld } from "./small_world.ts";

let world: Promise<SmallWorld> | null = null;
const owned = new AsyncDisposableStack();
Deno.test.afterAll(async () => await owned.disposeAsync());

function test(name: string, run: (world: SmallWorld) => Promise<void>): void {
  Deno.test({ ...BROWSER_TEST, name, fn: async () => await run(await (world ??= startSmallWorld(owned))) });
}

/** Those that read something of their own, when one comes to them from the one before. */
const READING = SCREENS.filter(([path]) => !/view=(?:shell|mounts|networks|environment)/.test(path));

/** What says that it is on its way, where it is not the same words. */
const WAITING: Readonly<Record<string, string>> = { "/events": "connecting" };

async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`,
  );
}

const here = (page: Page, text: string | RegExp) =>
  page.getByRole("main").getByText(text).filter({ visible: true }).first().waitFor();

async function gated({ browser, berth }: SmallWorld): Promise<Opened & { readonly gate: Gate }> {
  const opened = await openPage(browser, berth, { key: berth.admin, path: "/nowhere" });
  const gate = await Gate.before(opened.page);
  await opened.visit("/nowhere");
  await here(opened.page, "There is no such screen");
  return Object.assign(opened, { gate });
}

test("every screen says that it reads where that takes long, and shows what comes", async (world) => {
  await using opened = await gated(world);
  const { page, gate } = opened;
  for (const [path, text] of READING) {
    await go(page, "/nowhere");
    gate.set("held");
    await go(page, path);
    await here(page, WAITING[path] ?? /^(?:Reading …|reading · )/);
    await assertFits(opened, `${path}, waiting`);
    gate.set("open");
    await here(page, text);
  }
});

test("every screen that cannot be read says why, with the request to look for, and another try shows it", async (world) => {
  await using opened = await gated(world);
  const { page, gate } = opened;
  for (const [path, text] of READING) {
    await go(page, "/nowhere");
    gate.set("failing");
    await go(page, path);
    const alert = page.getByRole("alert").filter({ hasText: FAILURE.title }).first();
    await alert.waitFor();
    await assertFits(opened, `${path}, failing`);
    gate.set("open");
    await alert.getByRole("button", { name: "Try again" }).click();
    await here(page, text);
  }
});
