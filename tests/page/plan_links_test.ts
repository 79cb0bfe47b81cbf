/** The plan of a folder with several projects: the page asks which one is meant, and each link plans that project. */
import assert from "node:assert/strict";
import { go, here, smallWorld } from "./small_world.ts";
import { openPage } from "./opened.ts";

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
    await main.getByRole("region", { name: "Which project?" }).getByRole("link", { name: project }).click();
    assert.equal(
      new URL((await planned).url()).pathname,
      `/api/workspaces/all/artifacts/groups/${project}/plan`,
    );
    await main.getByRole("heading", { name: `Plan for ${project}` }).waitFor();
  }

  await go(page, "/w/rest/plan");
  await main.getByRole("heading", { name: "Plan for rest" }).waitFor();
});
