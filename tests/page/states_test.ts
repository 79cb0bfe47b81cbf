/** Every screen while it waits, cannot read or has nothing to show: it says so, and shows what comes. */
import assert from "node:assert/strict";
import { BROWSER_TEST } from "../support/browser.ts";
import { berthOf, NOTHING } from "../support/scoped_world.ts";
import { FAILURE } from "./gate.ts";
import { assertFits, inaccessible, openPage } from "./opened.ts";
import { gated, go, here, READING, smallWorld } from "./small_world.ts";

const { test, world } = smallWorld();

/** Screens that follow a feed try again by themselves. */
const FED = /^\/(?:$|c$|images|volumes|networks|events|logs|settings\/engines)/;

/** The words for loading, where they are not the usual ones. */
const WAITING: Readonly<Record<string, string>> = { "/events": "connecting" };

test("every screen says that it reads where that takes long, and shows what comes", async (world) => {
  await using opened = await gated(world);
  const { page, gate } = opened;
  for (const [path, text] of READING) {
    await go(page, "/nowhere");
    gate.set("held");
    await go(page, path);
    await here(page, WAITING[path] ?? /^(?:Reading …|reading · )/);
    assert.deepEqual(await inaccessible(page), [], `${path}, waiting`);
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
    assert.deepEqual(await inaccessible(page), [], `${path}, failing`);
    gate.set("open");
    try {
      if (!FED.test(path)) await alert.getByRole("button", { name: "Try again" }).click();
      await here(page, text);
    } catch (cause) {
      throw new Error(`${path} shows nothing once it can be read again`, { cause });
    }
  }
});

Deno.test({
  ...BROWSER_TEST,
  name: "every screen that has nothing to show says why, and what would be there",
  async fn() {
    await using owned = new AsyncDisposableStack();
    const { browser } = await world();
    const { berth } = await berthOf({ docker: NOTHING }, [], owned);
    const path = `${berth.folder}/workspaces/bare`;
    await Deno.mkdir(path);
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    const says = async (path: string, text: string) => {
      await go(page, path);
      await here(page, text);
      await assertFits(opened, `${path}, with nothing in it`);
    };
    await says("/", "Register your first folder");
    await berth.call("POST /api/workspaces", { path });
    for (
      const [path, text] of [
        ["/w/bare", "No file of this folder declares a service."],
        ["/w/bare?view=graph", "No file of this folder declares a service."],
        ["/w/bare?view=files", "No file of this folder was read."],
        ["/w/bare?view=findings", "No Compose files or other artifacts in this folder"],
        ["/w/bare?view=logs", "It has not written anything yet."],
        ["/w/bare/plan", "Nothing in this folder can be brought up."],
        ["/c", "No container exists on any engine."],
        ["/logs", "Choose whose logs are shown together."],
        ["/images", "No image is on any engine."],
        ["/volumes", "No volume is on any engine."],
        ["/networks", "No network is on any engine."],
        ["/events", "Nothing has happened yet."],
        ["/settings/people", "Nobody has signed in yet."],
      ] as const
    ) await says(path, text);
    assert.deepEqual(opened.complaints, []);
  },
});
