/** The overview in a real browser, over a real engine: where a difference was written, and what nobody declared. */
import assert from "node:assert/strict";
import { assertFitsAll, openPage } from "./opened.ts";
import { stageOf } from "./stage.ts";

const test = await stageOf("infra");

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
      await opened.visit("/");
      const item = page.getByRole("listitem").filter({
        has: page.getByRole("link", { name: `layers.${unit}`, exact: true }),
      });
      await item.getByText(`layers/${place}`).click();
      const facing = page.getByRole("main").locator(".facing").filter({ hasText: place });
      await facing.getByText(declared).waitFor();
      await facing.getByText(runs).waitFor();
    }
    assert.deepEqual(opened.complaints, []);
  } finally {
    await berth.call(`DELETE /api/workspaces/${body.id}`);
    await engine.cli("rm", "-f", "layers-anchored", "layers-overridden");
  }
});

test("what nobody declared can be ignored in this browser, and what happened last is there", async ({ browser, berth }) => {
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  await page.getByRole("region", { name: "Lately" }).getByRole("link", { name: /_1$/ }).first().waitFor();
  const cron = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "legacy-cron" }) })
    .filter({ hasText: "in no file" });
  await page.getByRole("button", { name: "Ignore … legacy-cron" }).click();
  await assertFitsAll(opened, "the question before ignoring");
  await page.getByRole("dialog").getByRole("button", { name: "Ignore", exact: true }).click();
  await cron.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("1 container is ignored in this browser.").waitFor();
  assert.equal(await cron.count(), 0);
  await page.getByRole("button", { name: "Show again" }).click();
  await cron.waitFor();
  assert.deepEqual(opened.complaints, []);
});
