/** The plan of a folder with several projects: the page asks which one is meant, and each link plans that project. */
import assert from "node:assert/strict";
import { go, here, smallWorld } from "./small_world.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const { test } = smallWorld();

test("a folder with several projects has no plan until one of them is chosen, and each link plans that one", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/w/all/plan" });
  const { page } = opened;
  const main = page.getByRole("main");
  await here(page, "Which project?");
  assert.equal(await main.getByRole("button", { name: "Apply", exact: true }).count(), 0);
  for (const project of ["blog", "shop"]) {
    await go(page, "/w/all/plan");
    const planned = page.waitForRequest((request) => request.url().endsWith("/plan"));
    await main.getByRole("link", { name: project, exact: true }).click();
    assert.equal(
      new URL((await planned).url()).pathname,
      `/api/projects/${encodeURIComponent(`${project}@all`)}/plan`,
    );
    await main.getByRole("heading", { name: `Plan for ${project}` }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/p/${encodeURIComponent(`${project}@all`)}/plan`);
  }

  await go(page, "/w/rest/plan");
  await main.getByRole("heading", { name: "Plan for rest" }).waitFor();
});

test("the address of no project asks which one is meant, and each link plans that one with the act of the address", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/plan?action=restart" });
  const { page } = opened;
  const main = page.getByRole("main");
  await here(page, "Which project?");
  assert.equal(await main.getByRole("button", { name: "Apply", exact: true }).count(), 0);
  await assertFitsAll(opened, "the projects to plan");
  const planned = page.waitForRequest((request) => request.url().endsWith("/plan"));
  await main.getByRole("list", { name: "Which project?" }).getByRole("link", { name: "shop", exact: true })
    .first().click();
  const request = await planned;
  assert.equal(new URL(request.url()).pathname, "/api/projects/shop%40all/plan");
  assert.deepEqual(request.postDataJSON(), { action: "restart" });
  await main.getByRole("heading", { name: "Plan for shop" }).waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("the menu of a row leads to every plan and view of its own project, and closes by Escape", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const row = page.getByRole("main").getByRole("listitem", { name: "shop", exact: true });
  const open = () => row.locator("summary").click();
  await open();
  const menu = row.locator(".menu");
  await menu.getByRole("link", { name: "History" }).waitFor();
  const project = "/p/shop%40all";
  assert.deepEqual(
    await menu.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
    [
      `${project}/plan`,
      ...["update", "restart", "stop", "down"].map((action) => `${project}/plan?action=${action}`),
      ...["files", "logs", "history"].map((view) => `${project}?view=${view}`),
    ],
  );
  await assertFitsAll(opened, "the list with an open menu");
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  await open();
  await menu.getByRole("link", { name: "Take down" }).click();
  await page.getByRole("heading", { name: "Plan for shop" }).waitFor();
  assert.equal(new URL(page.url()).search, "?action=down");
  assert.deepEqual(opened.complaints, []);
});

test("every button of the list of projects plans the project of its own row, and chosen rows are planned together", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const main = page.getByRole("main");
  await here(page, "Is what runs what I wrote?");
  const hrefs = await main.locator(".project-act a[href$='/plan']").evaluateAll((links) =>
    links.map((link) => [
      link.getAttribute("href"),
      link.closest(".project")!.querySelector(".project-name a")!.getAttribute("href"),
    ])
  );
  assert.ok(hrefs.length > 0);
  for (const [plan, project] of hrefs) {
    assert.equal(plan, `${project}/plan`);
    const planned = page.waitForRequest((request) =>
      request.method() === "POST" && request.url().endsWith("/plan")
    );
    await go(page, plan!);
    assert.equal(new URL((await planned).url()).pathname, plan!.replace("/p/", "/api/projects/"));
  }

  await go(page, "/");
  for (const name of ["blog", "shop"]) await main.getByRole("checkbox", { name: `Choose ${name}` }).check();
  await main.getByRole("link", { name: "Bring 2 in line …" }).click();
  for (const name of ["blog", "shop"]) {
    await main.getByRole("listitem", { name, exact: true }).getByRole("link", { name: "Its own plan" })
      .waitFor();
  }
  await main.getByRole("heading", { name: "Plans of 2 projects" }).waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("every option of a plan has a control, and what it chooses is asked of the service", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/p/shop%40all/plan" });
  const { page } = opened;
  const main = page.getByRole("main");
  await main.getByRole("button", { name: "More options" }).click();
  const asked = async (act: () => Promise<unknown>) => {
    const [request] = await Promise.all([
      page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/plan")),
      act(),
    ]);
    return request.postDataJSON();
  };
  assert.deepEqual(
    await asked(() => main.getByLabel("Engine").selectOption("docker")),
    { action: "up", backend: "docker" },
  );
  assert.deepEqual(
    await asked(() => main.getByLabel("Containers of services that are gone").selectOption("remove")),
    { action: "up", backend: "docker", orphans: "remove" },
  );
  await asked(() => main.getByLabel("Images", { exact: true }).selectOption("never"));
  await asked(() => main.getByLabel("Containers to replace").selectOption("always"));
  await asked(() => main.getByLabel("Change in place").uncheck());
  assert.deepEqual(
    await asked(() => main.getByRole("group", { name: "Only these services" }).getByLabel("db").check()),
    {
      action: "up",
      backend: "docker",
      orphans: "remove",
      pull: "never",
      recreate: "always",
      inPlace: false,
      units: ["db"],
    },
  );
  await assertFitsAll(opened, "a plan with all options");
  assert.deepEqual(opened.complaints, []);
});

test("the rows of projects are sorted by a column and backwards, and one box chooses all that are shown", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const main = page.getByRole("main");
  await here(page, "shop");
  const names = () =>
    main.locator(".projects > .project:has(.project-choice)").evaluateAll((rows) =>
      rows.map((row) => row.getAttribute("aria-label"))
    );
  const sort = async (sorted: string) => {
    await main.locator(".project-head").getByRole("link", { name: /^Project/ }).click();
    await main.getByRole("link", { name: `Project ${sorted}`, exact: true }).waitFor();
  };
  const expected = (await names()).sort();
  assert.ok(expected.length > 2, `${expected}`);
  await sort("sorted");
  assert.deepEqual(await names(), expected);
  await sort("sorted backwards");
  assert.deepEqual(await names(), expected.toReversed());
  await sort("sorted");
  assert.deepEqual(await names(), expected);

  const all = main.getByRole("checkbox", { name: "Choose all that are shown" });
  await all.check();
  await main.getByText(`${expected.length} chosen`).waitFor();
  await main.getByRole("checkbox", { name: "Choose shop" }).uncheck();
  assert.equal(await all.isChecked(), false);
  await all.check();
  await all.uncheck();
  assert.equal(await main.getByRole("checkbox", { name: /^Choose (?!all)/, checked: true }).count(), 0);
  await assertFitsAll(opened, "the sorted projects");
});
