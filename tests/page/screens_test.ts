/** Every screen of the page in a real browser, over a real engine: by its address, for everybody, on paper. */
import assert from "node:assert/strict";
import { assertFitsAll, openPage } from "./opened.ts";
import { stageOf } from "./stage.ts";

/** Every screen in the proof, a third of them on every commit. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";
const { test } = await stageOf("shop", "infra");

test("every screen opens by its address, accessible in both themes and at 360 px", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  for (
    const [nth, [path, text]] of ([
      ["/", "Is what runs what I wrote?"],
      ["/?verdict=asWritten", "infra"],
      ["/?q=no-such-project", "No project matches"],
      ["/folders", "Register a folder"],
      ["/p/shop", "postgres:17"],
      ["/p/shop%40shop?unit=shop.db", "Orders and customers"],
      ["/p/shop%40shop?view=files", "compose.yaml"],
      ["/p/shop%40shop?view=graph", "postgres:17"],
      ["/p/shop%40shop?view=logs", "job 40 done in 120 ms"],
      ["/p/shop%40shop?view=history", "exited with 137"],
      ["/p/no-such-project", "There is no project"],
      ["/w/shop", "shop.migrate"],
      ["/w/shop?view=findings", "compose.yaml:"],
      ["/w/shop?view=graph", "postgres:17"],
      ["/w/shop?view=logs", "job 40 done in 120 ms"],
      ["/w/infra", "What runs is what is written"],
      ["/w/none", "No workspace has this id"],
      ["/c", "legacy-cron"],
      ["/c?q=no-such-thing", "No container fits"],
      ["/logs?workspace=shop", "job 40 done in 120 ms"],
      ["/c/docker/shop_worker_1", "job 40 done in 120 ms"],
      ["/c/docker/shop_db_1?view=differences", "postgres:17"],
      ["/c/docker/legacy-cron?view=differences", "No file of a registered folder declares this container"],
      ["/c/docker/shop_db_1?view=shell", "Open a shell"],
      ["/c/docker/shop_migrate_1?view=shell", "This container does not run"],
      ["/c/docker/shop_migrate_1?view=measures", "It does not run"],
      ["/c/docker/shop_db_1?view=mounts", "/var/lib/postgresql/data"],
      ["/c/docker/shop_db_1?view=networks", "shop_default"],
      ["/c/docker/shop_db_1?view=environment", "POSTGRES_PASSWORD"],
      ["/c/docker/shop_db_1?view=inspect", "HostConfig"],
      ["/c/docker/never-was", "never-was"],
      ["/nowhere", "There is no such screen"],
    ] as const).entries()
  ) {
    if (!isProof && nth % 3 > 0) continue;
    await opened.visit(path);
    await page.getByRole("main").getByText(text).first().waitFor();
    await assertFitsAll(opened, path);
  }
});

test("nothing moves for users who want it still, and in forced colours every line and sign is there", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, {
    key: berth.admin,
    path: "/w/shop?view=graph",
    reducedMotion: "reduce",
    forcedColors: "active",
  });
  const { page } = opened;
  const db = page.getByRole("link", { name: "db postgres:17" });
  await db.focus();
  assert.deepEqual(
    await page.evaluate("document.getAnimations().map(({ constructor }) => constructor.name)"),
    [],
  );
  const colours = await page.evaluate<string[]>(
    `[".node rect", ".node .sign path", ".edge", ".frame rect"].map((one) =>
      getComputedStyle(document.querySelector(one)).stroke)`,
  );
  const ground = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  for (const colour of colours) assert.ok(colour !== "none" && colour !== ground, colours.join(", "));
  await opened.visit("/c/docker/shop_db_1?view=shell");
  await page.getByRole("button", { name: "Open a shell" }).click();
  await page.locator(".xterm-cursor").waitFor();
  assert.equal(
    await page.evaluate("getComputedStyle(document.querySelector('.xterm-cursor')).outlineStyle"),
    "solid",
  );
  assert.deepEqual(opened.complaints, []);
});

test("the first list costs at most 60 KB in at most 5 requests", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  await opened.visit("/c");
  await page.getByRole("link", { name: "legacy-cron" }).waitFor();

  const loads = await page.evaluate<{ name: string; transferSize: number }[]>(
    `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
      ({ name, transferSize }) => ({ name, transferSize }))`,
  );
  const bytes = loads.reduce((all, { transferSize }) => all + transferSize, 0);
  const said = loads.map(({ name, transferSize }) => `${name} ${transferSize}`).join("\n");
  assert.ok(loads.length <= 5 && loads.every(({ transferSize }) => transferSize > 0), said);
  assert.ok(
    loads.find(({ name }) => name.endsWith("/main.js"))!.transferSize > 5_000,
    `not from a cache: ${said}`,
  );
  assert.ok(bytes <= 60_000, said);
  console.log(`      ${loads.length} requests, ${bytes} bytes`);
});

test("a value that an override or an anchor set differs on the line that set it, in that file", async (stage) => {
  const { browser, berth, engine, folder } = stage;
  const path = `${folder}/layers`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(
    `${path}/compose.yaml`,
    `x-common: &common
  image: postgres:17
services:
  anchored:
    <<: *common
  overridden:
    image: caddy:2
`,
  );
  await Deno.writeTextFile(
    `${path}/compose.override.yaml`,
    "services:\n  overridden:\n    image: redis:7\n",
  );
  for (const [service, image] of [["anchored", "postgres:16"], ["overridden", "caddy:2"]] as const) {
    await engine.cli(
      ...["run", "-d", "--name", `layers-${service}`, "--label", "com.docker.compose.project=layers"],
      ...["--label", `com.docker.compose.service=${service}`, image, "idle"],
    );
  }
  const { body } = await berth.call("POST /api/workspaces", { path });
  try {
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    for (
      const [unit, place, declared, runs] of [
        ["anchored", "compose.yaml:2:10", "postgres:17", "postgres:16"],
        ["overridden", "compose.override.yaml:3:12", "redis:7", "caddy:2"],
      ] as const
    ) {
      await opened.visit("/p/layers%40layers");
      const item = page.getByRole("listitem").filter({
        has: page.getByRole("link", { name: unit, exact: true }),
      });
      const facing = item.locator(".facing").filter({ hasText: place });
      await facing.getByText(declared).waitFor();
      await facing.getByText(runs).waitFor();
      await facing.getByText(place).click();
      assert.equal(new URL(page.url()).searchParams.get("file"), place.split(":")[0]);
    }
    assert.deepEqual(opened.complaints, []);
  } finally {
    await berth.call(`DELETE /api/workspaces/${body.id}`);
    await engine.cli("rm", "-f", "layers-anchored", "layers-overridden");
  }
});

test("differences and findings are printed with their address and time, without what is around them", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  for (
    const [path, text] of [["/w/shop", "postgres:16"], ["/w/shop?view=findings", "compose.yaml:"]] as const
  ) {
    await opened.visit(path);
    await page.getByRole("main").getByText(text).first().waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const head = page.locator(".print-head");
    assert.ok((await head.innerText()).startsWith(`${berth.url}${path}, `), await head.innerText());
    for (const around of [".bar", ".tabs", ".screen-end"]) {
      assert.equal(await page.locator(around).first().isVisible(), false, around);
    }
    assert.ok(await page.getByRole("main").getByText(text).first().isVisible());
    assert.ok((await page.pdf()).length > 5_000);
    await page.emulateMedia({ media: "screen" });
    assert.equal(await head.isVisible(), false);
  }
  assert.deepEqual(opened.complaints, []);
});
