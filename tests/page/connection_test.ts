/** Every screen whose connection, session or engine is gone: it says so, keeps what it shows, and goes on by itself. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { assertFits, openPage, signInWithKey } from "./opened.ts";
import { gated, go, here, READING, smallWorld } from "./small_world.ts";

const { test } = smallWorld();

/** Screens that lose their colour with the connection. */
const DIMMED = ["/", "/c", "/c/docker/shop-web"];

/** One of each that asks for something in its own way. */
const ASKING =
  /^\/(?:$|w\/all$|w\/all.*(?:files|logs|plan)|c$|c\/docker\/shop-web$|logs|images|events|audit|settings\/keys)/;

test("a screen whose connection is lost says since when, empties nothing, and is live again by itself", async (world) => {
  await using opened = await gated(world);
  const { page, gate } = opened;
  for (const [path, text] of READING) {
    await go(page, path);
    await here(page, text);
    await page.locator(".is-live").waitFor();
    gate.set("cut");
    await page.getByText(/^not live since \d\d:\d\d:\d\d/).waitFor();
    await page.locator("main.is-stale").waitFor();
    await here(page, text);
    if (DIMMED.includes(path)) await assertFits(opened, `${path}, not live`);
    gate.set("open");
    await page.evaluate("dispatchEvent(new Event('online'))");
  }
  await page.locator(".is-live").waitFor();
});

test("a screen whose session has ended stays behind the question to sign in, and goes on", async (world) => {
  const { berth } = world;
  await using opened = await openPage(world.browser, berth, { key: berth.admin }); // no gate: it writes to ended sockets
  const { page } = opened;
  const dialog = page.getByRole("dialog", { name: "Sign in" });
  for (const [path, text] of READING.filter(([path]) => ASKING.test(path))) {
    await go(page, path);
    await here(page, text);
    await page.locator(".is-live").waitFor();
    assert.equal((await berth.call("DELETE /api/auth/sessions")).status, 200);
    await dialog.waitFor();
    await here(page, text);
    if (path === "/") await assertFits(opened, "the question to sign in again");
    await signInWithKey(page, berth.admin!);
    await dialog.waitFor({ state: "detached" });
    await here(page, text);
  }
  assert.deepEqual(opened.complaints, []);
});

test("a question about a plan stays with that plan when another one is read under it, as after a sign-in", async (world) => {
  const { berth } = world;
  await using opened = await openPage(world.browser, berth, { key: berth.admin });
  const { page } = opened;
  const plans: string[] = [];
  const applied: string[] = [];
  await page.route("**/api/projects/*/plan", async (route) => {
    const response = await route.fetch();
    plans.push((await response.json()).id);
    await route.fulfill({ response });
  });
  await page.route("**/api/plans/*/apply", async (route) => {
    applied.push(new URL(route.request().url()).pathname.split("/").at(-2)!);
    await route.fulfill({ status: 409, contentType: "application/problem+json", body: "{}" });
  });
  await go(page, "/p/shop%40all/plan?action=stop&backend=docker");
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  const question = page.getByRole("dialog", { name: "Apply" });
  await question.waitFor();
  assert.equal((await berth.call("DELETE /api/auth/sessions")).status, 200);
  const signIn = page.getByRole("dialog", { name: "Sign in" });
  await signIn.waitFor();
  for (let times = 0; times < 5; times++) await page.keyboard.press("Escape");
  await signInWithKey(page, berth.admin!);
  await signIn.waitFor({ state: "detached" });
  await eventually("it is planned again", () => plans.length > 1);
  await question.getByRole("button", { name: "Apply" }).click();
  await question.getByRole("alert").waitFor();
  assert.deepEqual(applied, [plans[0]]);
  assert.notEqual(plans[1], plans[0]);
});

test("a log that its engine refuses says why, and not that nothing was written", async (world) => {
  const engine = world.worlds["docker"]!;
  const { override } = engine.world;
  engine.world.override = (request, path) =>
    path.endsWith("/logs")
      ? Response.json({ message: "this driver keeps nothing" }, { status: 501 })
      : override?.(request, path);
  await using opened = await openPage(world.browser, world.berth, { key: world.berth.admin });
  const { page } = opened;
  await go(page, "/c/docker/shop-web");
  await page.getByRole("alert").getByText(/this driver keeps nothing/).waitFor();
  await page.getByText(/^trying again · 0 lines/).waitFor();
  assert.equal(await page.getByText("It has not written anything yet.").count(), 0);
  await go(page, "/logs?project=shop");
  await page.getByRole("alert").getByText(/^The log of shop-(?:web|db) on docker.* cannot be read/).waitFor();
  engine.world.override = override!;
});

test("a list that an engine does not give says so with the reason, shows what was known, and so does the overview, but no other list", async (world) => {
  const engine = world.worlds["docker"]!;
  const { override } = engine.world;
  let isBroken = true;
  engine.world.override = (request, path) =>
    isBroken && path === "/networks"
      ? Response.json({ message: "no bridge has room" }, { status: 500 })
      : override?.(request, path);
  const timeNano = Date.now() * 1e6;
  engine.tell({ Type: "network", Action: "create", Actor: { ID: "0".repeat(64) }, timeNano });
  await using opened = await openPage(world.browser, world.berth, { key: world.berth.admin });
  const { page } = opened;
  const told = page.getByRole("main").getByText(/docker does not/);
  await go(page, "/networks");
  await here(page, /docker does not list its networks: Cannot .*no bridge has room/);
  await here(page, "shop_default");
  await assertFits(opened, "/networks, as last known");
  await go(page, "/");
  await here(page, /docker does not list its networks: Cannot .*no bridge has room/);
  await here(page, "shop");
  await go(page, "/settings/engines");
  await here(page, "up, does not list its networks");
  await go(page, "/volumes");
  await here(page, "shop_data");
  assert.equal(await told.count(), 0);
  await go(page, "/networks");
  await told.waitFor();
  isBroken = false;
  await told.waitFor({ state: "detached" });
  await here(page, "shop_default");
  assert.deepEqual(opened.complaints, []);
});

test("every list that lacks an engine says which one and why above the rest", async (world) => {
  await world.worlds["podman"]![Symbol.asyncDispose]();
  await using opened = await openPage(world.browser, world.berth, { key: world.berth.admin });
  const { page } = opened;
  for (
    const [path, text, told = /podman does not answer: \S/] of [
      ["/", "shop"],
      ["/c", "shop-web"],
      ["/images", "web:1"],
      ["/volumes", "shop_data"],
      ["/networks", "shop_default"],
      ["/disk", "Build cache", /podman is not in these figures: \S/],
      ["/settings/engines", "docker", "away"],
    ] as const
  ) {
    await go(page, path);
    await here(page, told);
    await here(page, text);
    await assertFits(opened, `${path}, in part`);
    if (path !== "/") continue;
    const why = page.getByRole("listitem", { name: "blog", exact: true }).locator(".project-why");
    const first = await why.innerText();
    assert.match(first, /podman/);
    await eventually("the time goes on", async () => await why.innerText() !== first);
  }
});
