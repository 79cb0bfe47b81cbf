/** The graph of a workspace in a real browser: frames, cycles, a walk by keyboard, a thousand nodes, hostile names. */
import assert from "node:assert/strict";
import type { Browser } from "npm:playwright-core@1.65.1";
import type { Dag, DagNode } from "../../client/berth/workspaces.ts";
import { layOut, meets } from "../../page/parts/graph_layout.ts";
import { BROWSER_TEST, startBrowser } from "../browser.ts";
import { startService, type TestService } from "../service.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const SHOP = `services:
  db:
    image: postgres:17
  web:
    image: caddy:2
    depends_on: [db, cache]
    volumes: ["data:/data"]
  cache:
    image: redis:7
  left:
    image: caddy:2
    depends_on: [right]
  right:
    image: caddy:2
    depends_on: [left]
  lost:
    image: "<img src=x onerror=alert(1)>"
    depends_on: [nobody]
volumes:
  data:
`;

interface Stage {
  readonly browser: Browser;
  readonly berth: TestService;
}

let stage: Promise<Stage> | null = null;
const owned = new AsyncDisposableStack();
Deno.test.afterAll(async () => await owned.disposeAsync());

async function setStage(): Promise<Stage> {
  const [browser, berth] = await Promise.all([startBrowser(), startService()]);
  owned.use(browser);
  owned.use(berth);
  return { browser, berth };
}

function test(name: string, run: (stage: Stage) => Promise<void>): void {
  Deno.test({ name, ...BROWSER_TEST, fn: async () => await run(await (stage ??= setStage())) });
}

async function workspace(berth: TestService, name: string, files: Readonly<Record<string, string>>) {
  const path = `${berth.folder}/workspaces/${name}`;
  for (const [file, text] of Object.entries(files)) {
    await Deno.mkdir(`${path}/${file}`.replace(/\/[^/]+$/, ""), { recursive: true });
    await Deno.writeTextFile(`${path}/${file}`, text);
  }
  const made = await berth.call("POST /api/workspaces", { path });
  assert.equal(made.status, 201, made.text);
  return made.body.id as string;
}

test("a graph has groups as frames, cycles in red and in words, and is walked by arrows along what needs what", async ({ browser, berth }) => {
  const id = await workspace(berth, "graphs", {
    "shop/compose.yaml": SHOP,
    "blog/compose.yaml": "services:\n  app:\n    image: ghost:5\n",
  });
  await using opened = await openPage(browser, berth, { key: berth.admin, path: `/w/${id}?view=graph` });
  const { page } = opened;
  await page.locator(".cycle", { hasText: "A cycle: shop.left → shop.right → shop.left" }).waitFor();
  assert.deepEqual((await page.locator(".frame text").allTextContents()).sort(), ["blog", "shop"]);
  assert.equal(await page.locator(".edge.is-cycle").count(), 2);
  assert.equal(await page.locator(".node.is-cycle").count(), 2);
  await assertFitsAll(opened, "a graph");
  await page.setViewportSize({ width: 1440, height: 900 });

  const focused = () =>
    page.evaluate<string>("document.activeElement.getAttribute('aria-description') ?? ''");
  const web = page.getByRole("link", { name: "web caddy:2" });
  await web.focus();
  assert.match(await focused(), /^shop\.web, .*caddy:2, needs shop\.cache, shop\.db/);
  assert.equal(await page.locator(".edge.is-lit").count(), 2);
  await page.keyboard.press("ArrowLeft");
  assert.match(await focused(), /^shop\.(?:db|cache), .*needed by shop\.web/);
  await page.keyboard.press("ArrowRight");
  assert.match(await focused(), /^shop\.web, /);
  await page.keyboard.press("Home");
  const first = await focused();
  await page.keyboard.press("End");
  assert.notEqual(await focused(), first);
  await web.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "Differences", selected: true }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("unit"), "shop.web");
  await page.goBack();

  // The list says the same.
  const outline = page.getByRole("navigation", { name: "The graph as a list" });
  await outline.getByRole("link", { name: "web", exact: true }).waitFor();
  assert.match(await outline.innerText(), /needs shop\.cache, shop\.db, /);
  await page.getByLabel(/Networks, volumes and others/).check();
  await page.getByRole("link", { name: /^\S*data volume$/ }).waitFor();
  assert.equal(await page.locator("main img").count(), 0);
  assert.deepEqual(opened.complaints, []);
});

test("of a thousand nodes only those in view are drawn, and the last is reached by keyboard", async ({ browser, berth }) => {
  const services = Array.from(
    { length: 1_000 },
    (_, index) =>
      `  s${index}:\n    image: caddy:2\n${index < 10 ? "" : `    depends_on: [s${index - 10}]\n`}`,
  );
  const id = await workspace(berth, "large", { "compose.yaml": `services:\n${services.join("")}` });
  await using opened = await openPage(browser, berth, { key: berth.admin, path: `/w/${id}?view=graph` });
  const { page } = opened;
  await page.getByText("1,000 nodes").waitFor();
  const drawn = () => page.locator(".node").count();
  assert.ok(await drawn() <= 300, `${await drawn()}`);
  await page.locator(".node").first().focus();
  await page.keyboard.press("End");
  assert.match(
    await page.evaluate<string>("document.activeElement.getAttribute('aria-description') ?? ''"),
    /s99\d, /,
  );
  assert.ok(await drawn() <= 300, `${await drawn()}`);
  await page.getByRole("button", { name: "Smaller" }).click();
  await page.getByText("75 %").waitFor();
  assert.deepEqual(opened.complaints, []);
});

Deno.test("no two nodes stand on each other, frames hold their own, and what starts first is left", () => {
  const node = (
    id: string,
    kind: DagNode["kind"],
    parent: string | null,
    layer: number | null,
    order: number,
  ) =>
    ({
      id,
      kind,
      label: id,
      parent,
      layer,
      order,
      cycle: null,
      data: {},
      diagnostics: {},
      source: null,
    }) as unknown as DagNode;
  const nodes = [
    ...["a", "b", "c"].map((id) => node(id, "group", id === "c" ? "b" : null, null, 0)),
    ...Array.from(
      { length: 120 },
      (_, index) => node(`n${index}`, "unit", ["a", "b", "c", null][index % 4]!, index % 3, index),
    ),
    node("v", "volume", "a", null, 0),
  ];
  const edges = [{ id: "e", source: "n2", target: "n1", kind: "depends_on", inCycle: false }];
  const drawing = layOut({ nodes, edges, view: "all" } as unknown as Dag, () => true);
  assert.equal(drawing.nodes.length, 121);
  for (const one of drawing.nodes) {
    for (const other of drawing.nodes) {
      if (one !== other) assert.ok(!meets(one, other), `${one.node.id} ${other.node.id}`);
    }
    for (const frame of drawing.frames) {
      const isIn = one.node.parent === frame.group.id ||
        (one.node.parent === "c" && frame.group.id === "b");
      assert.equal(meets(frame, one), isIn, `${one.node.id} and the frame of ${frame.group.id}`);
    }
    assert.ok(one.x >= 0 && one.x + one.width <= drawing.width && one.y + one.height <= drawing.height);
  }
  const x = (id: string) => drawing.at.get(id)!.x;
  assert.ok(x("v") < x("n0") && x("n0") < x("n1") && x("n1") < x("n2"));
  assert.deepEqual(drawing.frames.map(({ group }) => group.id).sort(), ["a", "b", "c"]);
  const [line] = drawing.lines;
  assert.ok(line!.x <= x("n2") && line!.path.startsWith(`M${x("n2")} `));
});
