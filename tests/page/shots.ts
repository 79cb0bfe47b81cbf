/** `deno task page:shots`: photographs of every screen in each state, to be looked at side by side. */
import type { Page } from "npm:playwright-core@1.65.1";
import { startEngine } from "../support/engine.ts";
import { startBrowser } from "../support/browser.ts";
import { crowd } from "./crowd.ts";
import { openPage } from "./opened.ts";
import { seed, startScene } from "./scene.ts";
import { keyOn } from "../support/scoped_world.ts";
import { besideStack, NO_QUORUM_SCREENS, startSwarmScene, SWARM_SCREENS } from "./swarm_scene.ts";

const FOLDER = new URL("../../page/shots/", import.meta.url).pathname;
const PROJECTS = "/srv/projects";
const WIDTHS = [1440, 1024, 390];
const THEMES = ["light", "dark"] as const;
const SCREENS: readonly (readonly [name: string, path: string])[] = [
  ["overview", "/"],
  ["overview-filtered", "/?verdict=broken"],
  ["folders", "/folders"],
  ["new", "/new"],
  ["plan-which", "/plan"],
  ["updates", "/updates"],
  ["swarm", "/swarm"],
  ["services", "/services"],
  ["source", "/w/shop/source"],
  ["incidents", "/incidents"],
  ["settings-notices", "/settings/notices"],
  ["settings-registries", "/settings/registries"],
  ["write-down", "/write-down?engine=docker&name=legacy-cron"],
  ["project", "/p/shop%40shop"],
  ["project-unit", "/p/shop%40shop?unit=shop.db"],
  ["project-files", "/p/blog%40blog?view=files"],
  ["project-graph", "/p/shop%40shop?view=graph"],
  ["project-logs", "/p/shop%40shop?view=logs"],
  ["workspace", "/w/shop"],
  ["workspace-well", "/w/infra"],
  ["graph", "/w/shop?view=graph"],
  ["files", "/w/shop?view=files"],
  ["files-line", "/w/shop?view=files&line=12"],
  ["findings", "/w/shop?view=findings"],
  ["workspace-logs", "/w/shop?view=logs"],
  ["logs", "/logs?project=shop"],
  ["containers", "/c"],
  ["containers-none", "/c?q=nothing-like-it"],
  ["container-log", "/c/docker/shop_worker_1"],
  ["container-differences", "/c/docker/shop_db_1?view=differences"],
  ["container-shell", "/c/docker/shop_db_1?view=shell"],
  ["container-measures", "/c/docker/shop_db_1?view=measures"],
  ["container-mounts", "/c/docker/shop_db_1?view=mounts"],
  ["container-networks", "/c/docker/shop_db_1?view=networks"],
  ["container-environment", "/c/docker/shop_db_1?view=environment"],
  ["container-inspect", "/c/docker/shop_db_1?view=inspect"],
  ["container-gone", "/c/docker/never-was"],
  ["logs", "/logs?c=docker%2Fshop_worker_1&c=docker%2Fshop_db_1"],
  ["images", "/images"],
  ["volumes", "/volumes"],
  ["networks", "/networks"],
  ["disk", "/disk"],
  ["events", "/events"],
  ["audit", "/audit"],
  ["settings-keys", "/settings/keys"],
  ["settings-people", "/settings/people"],
  ["settings-sessions", "/settings/sessions"],
  ["settings-engines", "/settings/engines"],
  ["no-such-screen", "/nowhere"],
];

/** The same for a person with one project. */
const SCOPED: readonly (readonly [name: string, path: string])[] = [
  ["scoped-overview", "/"],
  ["scoped-project", "/p/shop%40shop"],
  ["scoped-containers", "/c"],
  ["scoped-folder", "/w/shop"],
];

/** Waits until the screen has read what it shows; a log goes on. */
async function settled(page: Page, ms = 1_500): Promise<void> {
  await page.getByText("Reading …", { exact: true }).first().waitFor({ state: "hidden", timeout: 5_000 })
    .catch(() => {});
  await page.waitForLoadState("networkidle", { timeout: ms }).catch(() => {});
}

const planned = (page: Page) => page.locator(".step").first().waitFor({ timeout: 60_000 });

/** Dialogs and states that a screen has only after an act. */
const ACTS: readonly (readonly [name: string, path: string, act: (page: Page) => Promise<void>])[] = [
  ["palette", "/", async (page) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().waitFor();
  }],
  ["overview-unfolded", "/", async (page) => {
    await page.getByRole("button", { name: "Show the services of shop" }).click();
    await page.getByRole("button", { name: "Show the services of blog" }).click();
    if ((page.viewportSize()?.width ?? 0) > 700) {
      await page.getByRole("checkbox", { name: "Choose infra" }).check();
    }
    await page.locator(".project-units .facing").first().waitFor();
  }],
  ["keys", "/", (page) => page.keyboard.type("?")],
  ["files-save", "/w/shop?view=files", async (page) => {
    await page.getByText("postgres:17").first().click();
    await page.keyboard.press("End");
    await page.keyboard.type(".1");
    await page.getByRole("button", { name: "Save …" }).click();
    await page.getByRole("dialog").waitFor();
  }],
  ["plan", "/w/shop/plan", planned],
  ["plan-down", "/w/blog/plan?action=down", planned],
  ["new-key", "/settings/keys", (page) => page.getByRole("button", { name: "Make a key" }).click()],
  ["rights", "/settings/people", async (page) => {
    await page.getByRole("button", { name: "Change grace" }).click();
    await page.getByRole("dialog").getByLabel("On", { exact: true }).selectOption("only");
    const add = page.getByRole("dialog").getByRole("combobox", { name: "Add …" });
    await add.selectOption("project:shop");
    await add.selectOption("workspace:infra");
  }],
  ["new-copy", "/new", async (page) => {
    await page.getByLabel("Name", { exact: true }).fill("shop-two");
    await page.getByRole("button", { name: "Copy of a project" }).click();
    await page.getByLabel("The project to copy").selectOption("shop@shop");
    await page.getByRole("list", { name: "Findings" }).waitFor({ timeout: 10_000 }).catch(() => {});
  }],
  ["project-menu", "/p/shop%40shop", (page) => page.getByLabel("More for shop").click()],
];

/** `deno task page:shots overview,containers 1440,360 dark` takes these alone. */
const [only = "", widths = WIDTHS.join(), themes = THEMES.join()] = Deno.args;
const wanted = (name: string) => only === "" || only.split(",").includes(name);

// Disposed of last: something of the browser keeps the process alive.
using _end = { [Symbol.dispose]: () => Deno.exit() };
await Deno.mkdir(FOLDER, { recursive: true });
await using engine = await startEngine("docker");
// As somebody has it whose page this could be; nobody's own is written over.
await Deno.mkdir(PROJECTS);
await using _projects = { [Symbol.asyncDispose]: () => Deno.remove(PROJECTS, { recursive: true }) };
await seed(engine, PROJECTS);
await using browser = await startBrowser();
{
  await using berth = await startScene(engine, PROJECTS, { projects: [], setup: false });
  await inAll(async (look, suffix) => {
    const path = `/#setup=${berth.berth.access.setupToken}`;
    await using opened = await openPage(browser, berth, { ...look, path });
    await opened.page.getByRole("button", { name: "Make me the admin" }).waitFor();
    if (wanted("setup")) {
      await opened.page.screenshot({ path: `${FOLDER}setup-${suffix}.png`, animations: "disabled" });
    }
  });
}
{
  await using berth = await startScene(engine, PROJECTS, { projects: [] });
  await inAll(async (look, suffix) => {
    await using out = await openPage(browser, berth, look);
    await out.page.getByLabel("Name").waitFor();
    if (wanted("sign-in")) {
      await out.page.screenshot({ path: `${FOLDER}sign-in-${suffix}.png`, animations: "disabled" });
    }
  });
}
await using berth = await startScene(engine, PROJECTS);
await berth.call("POST /api/settings/people", { name: "ada", role: "admin" });
await berth.call("POST /api/settings/people", { name: "grace", role: "viewer" });
await berth.call("POST /api/settings/api-keys", {
  name: "backup-job",
  permissions: ["system:read", "containers:read", "volumes:read"],
  expiresInDays: 90,
  from: ["10.0.0.0/8"],
});
await berth.anonymous().call("GET /api/containers");
await berth.call("PUT /api/workspaces/shop", { editable: true });
await inAll(async (look, suffix) => {
  await using opened = await openPage(browser, berth, { ...look, key: berth.admin });
  for (const [name, path] of SCREENS.filter(([name]) => wanted(name))) {
    await opened.visit(path);
    await opened.page.getByRole("main").waitFor();
    await settled(opened.page);
    await opened.page.screenshot({ path: `${FOLDER}${name}-${suffix}.png`, animations: "disabled" });
  }
  for (const [name, path, act] of ACTS.filter(([name]) => wanted(name))) {
    await opened.visit(path);
    await opened.page.getByRole("main").waitFor();
    await settled(opened.page);
    await act(opened.page);
    await opened.page.screenshot({ path: `${FOLDER}${name}-${suffix}.png`, animations: "disabled" });
  }
  if (opened.complaints.length > 0) console.error(suffix, opened.complaints);
});
{
  const caller = await keyOn(berth, "project:shop");
  await inAll(async (look, suffix) => {
    await using opened = await openPage(browser, berth, { ...look, key: caller.credential });
    for (const [name, path] of SCOPED.filter(([name]) => wanted(name))) {
      await opened.visit(path);
      await settled(opened.page);
      await opened.page.screenshot({ path: `${FOLDER}${name}-${suffix}.png`, animations: "disabled" });
    }
  });
}

/** The same screens with much that is not well. */
const CROWD: readonly (readonly [name: string, path: string])[] = [
  ["crowd-overview", "/"],
  ["crowd-folders", "/folders"],
  ["crowd-new", "/new"],
  ["crowd-project", "/p/changed"],
  ["crowd-edge", "/p/edge%40engine%3Adocker"],
  ["crowd-write-down", "/write-down?engine=docker&project=edge"],
  ["crowd-plan", "/p/changed/plan"],
  ["crowd-plans", "/plan?p=changed&p=not-started&p=variables&p=partly"],
  ["crowd-containers", "/c"],
  ["crowd-incidents", "/incidents"],
  ["crowd-images", "/images"],
  ["crowd-audit", "/audit"],
];
if (CROWD.some(([name]) => wanted(name))) {
  await using strangers = await startEngine("docker");
  const folder = `${await Deno.makeTempDir()}/stacks`;
  await using many = await crowd(strangers, folder);
  await inAll(async (look, suffix) => {
    await using opened = await openPage(browser, many, { ...look, key: many.admin });
    for (const [name, path] of CROWD.filter(([name]) => wanted(name))) {
      await opened.visit(path);
      await opened.page.getByRole("main").waitFor();
      await settled(opened.page, 3_000);
      await opened.page.screenshot({
        path: `${FOLDER}${name}-${suffix}.png`,
        animations: "disabled",
        fullPage: true,
      });
    }
  });
  const plan = (await many.call("POST /api/projects/changed/plan", { action: "up" })).body;
  const { body: begun } = await many.call(`POST /api/plans/${plan.id}/apply`);
  await inAll(async (look, suffix) => {
    await using opened = await openPage(browser, many, { ...look, key: many.admin });
    for (const [name, path] of [["crowd-apply", `/applies/${begun.id}`], ["crowd-history", "/p/changed"]]) {
      await opened.visit(path!);
      await settled(opened.page, 3_000);
      await opened.page.screenshot({ path: `${FOLDER}${name}-${suffix}.png`, animations: "disabled" });
    }
  });
  await Deno.remove(folder, { recursive: true });
}

if ([...SWARM_SCREENS, ...NO_QUORUM_SCREENS].some(([name]) => wanted(name))) {
  await using swarm = await startSwarmScene();
  const { berth } = swarm;
  await besideStack(berth);
  const shoot = (screens: typeof SWARM_SCREENS) =>
    inAll(async (look, suffix) => {
      await using opened = await openPage(browser, berth, { ...look, key: berth.admin });
      for (const [name, path, chosen = []] of screens.filter(([name]) => wanted(name))) {
        await opened.visit(path);
        await opened.page.getByRole("main").waitFor();
        await settled(opened.page);
        for (const one of look.viewport.width > 700 ? chosen : []) {
          await opened.page.getByRole("checkbox", { name: `Choose ${one}`, exact: true }).click();
        }
        await opened.page.screenshot({
          path: `${FOLDER}${name}-${suffix}.png`,
          animations: "disabled",
          fullPage: true,
        });
      }
    });
  await shoot(SWARM_SCREENS);
  if (NO_QUORUM_SCREENS.some(([name]) => wanted(name))) {
    await swarm.loseQuorum();
    await shoot(NO_QUORUM_SCREENS);
  }
}

async function inAll(
  shoot: (
    look: { colorScheme: "light" | "dark"; viewport: { width: number; height: number } },
    suffix: string,
  ) => Promise<void>,
): Promise<void> {
  for (const colorScheme of THEMES.filter((one) => themes.split(",").includes(one))) {
    for (const width of widths.split(",").map(Number)) {
      await shoot(
        { colorScheme, viewport: { width, height: width < 500 ? 780 : 900 } },
        `${width}-${colorScheme}`,
      );
    }
  }
}
