/** Every screen of the page over two scripted engines and two folders: set up quickly, and nothing on it moves. */
import type { Browser, Page } from "npm:playwright-core@1.65.1";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { berthOf, FILES, ONE, type Path, TWO } from "../support/scoped_world.ts";
import { FastLog } from "../support/scripted_log.ts";
import type { ScriptedWorld } from "../support/scripted_world.ts";
import type { TestService } from "../support/service.ts";
import { Gate } from "./gate.ts";
import { type Opened, openPage } from "./opened.ts";

export interface SmallWorld {
  readonly browser: Browser;
  readonly berth: TestService;
  readonly worlds: Readonly<Record<string, ScriptedWorld>>;
}

/** A berth over both engines and all folders, and a browser. */
export async function startSmallWorld(owned: AsyncDisposableStack): Promise<SmallWorld> {
  const [browser, { berth, worlds }] = await Promise.all([
    startBrowser(),
    berthOf({ docker: ONE, podman: TWO }, Object.keys(FILES) as Path[], owned),
  ]);
  owned.use(browser);
  for (const { world } of Object.values(worlds)) {
    const { override } = world;
    world.override = (request, path) => path.endsWith("/logs") ? logOf(request) : override?.(request, path);
  }
  return { browser, berth, worlds };
}

const LINES = 20;

/** Twenty lines, and whoever follows waits for the next one for ever. */
function logOf({ url }: Request): Response {
  const isFollowed = /[?&]follow=(?:1|true)/.test(url);
  let isTold = false;
  const until = (): Promise<number> => {
    if (isTold && isFollowed) return new Promise(() => {});
    isTold = true;
    return Promise.resolve(LINES);
  };
  return new FastLog(isFollowed ? Infinity : LINES, { until }).answer();
}

/** The address of each screen and view, and what shows that it is there. */
const EVERY: readonly (readonly [path: string, text: string | RegExp])[] = [
  ["/", "shop"],
  ["/folders", "Register a folder"],
  ["/new", "Nothing starts before"],
  ["/p/shop%40all", "declared in"],
  ["/p/shop%40all?unit=shop.db", "db:1"],
  ["/p/shop%40all?view=graph", "web:1"],
  ["/p/shop%40all?view=files", "depends_on: [db]"],
  ["/p/shop%40all?view=history", "Nothing has happened"],
  ["/w/all", "db:1"],
  ["/w/all?view=graph", "web:1"],
  ["/w/all?view=files&file=shop%2Fcompose.yaml", "depends_on: [db]"],
  ["/w/all?view=findings", "port/conflict-across-groups"],
  ["/w/all?view=logs", "line 20 of a log"],
  ["/w/all/plan", "Which project?"],
  ["/p/shop%40all/plan", "Action"],
  ["/write-down?engine=docker&name=shop-web", "shop-web"],
  ["/plan", "Which project?"],
  ["/plan?p=shop%40all&p=blog%40all", "Plans of 2 projects"],
  ["/c", "shop-web"],
  ["/c/docker/shop-web", "line 20 of a log"],
  ["/c/docker/shop-web?view=shell", "Open a shell"],
  ["/c/docker/shop-web?view=differences", "web:1"],
  ["/c/docker/shop-web?view=mounts", "/d"],
  ["/c/docker/shop-web?view=networks", "It is connected to no network"],
  ["/c/docker/shop-web?view=environment", "It has no environment variables"],
  ["/c/docker/shop-web?view=inspect", "HostConfig"],
  ["/logs?project=shop", "line 20 of a log"],
  ["/images", "web:1"],
  ["/volumes", "shop_data"],
  ["/networks", "shop_default"],
  ["/disk", "Build cache"],
  ["/events", "Nothing has happened yet"],
  ["/audit", "test admin"],
  ["/settings/keys", "test admin"],
  ["/settings/people", "People"],
  ["/settings/sessions", "this one"],
  ["/settings/engines", "podman"],
];

/** One of each kind: a list, a project, a plan, a container, a folder, a table that is read page by page. */
const SAMPLE = [
  "/",
  "/p/shop%40all",
  "/p/shop%40all/plan",
  "/w/all?view=findings",
  "/c",
  "/c/docker/shop-web",
  "/c/docker/shop-web?view=shell",
  "/images",
  "/events",
  "/audit",
  "/settings/keys",
];

/** The sample; every screen in `deno task proof`. */
export const SCREENS = Deno.env.get("BERTH_PROOF") === "1"
  ? EVERY
  : EVERY.filter(([path]) => SAMPLE.includes(path));

/** Screens that read something of their own when one comes to them from the one before. */
export const READING = SCREENS.filter(([path]) => !/view=(?:shell|mounts|networks|environment)/.test(path));

/** Tests over one such world, for a file. */
export function smallWorld(): {
  readonly world: () => Promise<SmallWorld>;
  readonly test: (name: string, run: (world: SmallWorld) => Promise<void>) => void;
} {
  let started: Promise<SmallWorld> | null = null;
  const owned = new AsyncDisposableStack();
  Deno.test.afterAll(async () => await owned.disposeAsync());
  const world = () => started ??= startSmallWorld(owned);
  return {
    world,
    test: (name, run) => Deno.test({ ...BROWSER_TEST, name, fn: async () => await run(await world()) }),
  };
}

/** To another address, as a link of the page leads there. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`,
  );
}

/** Shown, in the middle of the page. */
export const here = (page: Page, text: string | RegExp) =>
  page.getByRole("main").getByText(text).filter({ visible: true }).first().waitFor();

/** Signed in, with a gate between page and berth. */
export async function gated({ browser, berth }: SmallWorld): Promise<Opened & { readonly gate: Gate }> {
  const opened = await openPage(browser, berth, { key: berth.admin, path: "/nowhere" });
  const gate = await Gate.before(opened.page);
  await opened.visit("/nowhere");
  await here(opened.page, "There is no such screen");
  return Object.assign(opened, { gate });
}
