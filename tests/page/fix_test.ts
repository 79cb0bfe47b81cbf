/** From "which of mine differs" to "fixed": two clicks and one confirmation, several at once, and each remedy by its button. */
import assert from "node:assert/strict";
import type { Page } from "npm:playwright-core@1.65.1";
import { ApplyScene, project, service } from "../apply/apply_scene.ts";
import { messy } from "../plan/messy_project.ts";
import { browserMissing, sharedBrowser } from "../support/browser.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const { test } = await sharedEngine("docker");
const browserOf = sharedBrowser();

const row = (page: Page, name: string) => page.getByRole("main").getByRole("listitem", { name, exact: true });

test(
  "a drifted row is in line after two clicks and one confirmation, and the list follows by itself",
  async (engine) => {
    const browser = await browserOf();
    await using berth = await serveEngines({ docker: engine });
    const scene = await ApplyScene.on(engine, berth, "drifted", project("drifted", [service("web")]));
    try {
      await scene.apply();
      await using opened = await openPage(browser, berth, { key: berth.admin });
      const { page } = opened;
      await row(page, "drifted").getByText("as written").waitFor();
      await scene.write(project("drifted", [service("web", "environment: { COLOUR: red }")]));
      await row(page, "drifted").getByText("COLOUR").waitFor();
      await row(page, "drifted").getByRole("link", { name: "Bring in line" }).click();
      await page.getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
      await page.getByRole("status").getByText("done").waitFor();
      const [web] = Object.values(await scene.containers());
      assert.ok(web!.env.includes("COLOUR=red"));
      await page.getByRole("link", { name: "Projects", exact: true }).click();
      await row(page, "drifted").getByText("as written").waitFor();
      await engine.cli("stop", "--time", "1", "drifted-web-1");
      await row(page, "drifted").getByRole("link", { name: "Start" }).waitFor();
      assert.deepEqual(opened.complaints, []);
    } finally {
      await scene.clear();
    }
  },
  browserMissing(),
);

test(
  "several projects are planned together, and one button carries out those that can be, each told by its own row",
  async (engine) => {
    const browser = await browserOf();
    await using berth = await serveEngines({ docker: engine });
    const names = ["one", "two", "three"];
    const scenes: ApplyScene[] = [];
    try {
      for (const name of names) {
        scenes.push(await ApplyScene.on(engine, berth, name, project(name, [service("web")])));
      }
      await scenes[2]!.write(project("three", [service("web", "user: '${NOBODY}'")]));
      await using opened = await openPage(browser, berth, { key: berth.admin });
      const { page } = opened;
      for (const name of names) await page.getByRole("checkbox", { name: `Choose ${name}` }).check();
      await page.getByRole("link", { name: "Bring 3 in line …" }).click();
      await row(page, "three").getByText("is not set").waitFor();
      await assertFitsAll(opened, "the plans of several projects");
      await page.getByRole("button", { name: "Show the plan for one" }).click();
      await page.getByText("one-web-1").first().waitFor();
      await page.getByRole("button", { name: "Apply 2 of 3" }).click();
      await page.getByRole("dialog").getByText("Apply the plans of one, two?").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Apply 2 of 3" }).click();
      for (const name of ["one", "two"]) await row(page, name).getByRole("link", { name: "done" }).waitFor();
      assert.equal(await row(page, "three").getByRole("link", { name: "done" }).count(), 0);
      assert.deepEqual(
        await Promise.all(scenes.map(async (scene) => Object.keys(await scene.containers()))),
        [
          ["one-web-1"],
          ["two-web-1"],
          [],
        ],
      );
      await opened.visit("/");
      for (const name of ["one", "two"]) await page.getByRole("checkbox", { name: `Choose ${name}` }).check();
      await page.getByRole("toolbar").getByRole("button", { name: "Logs", exact: true }).click();
      for (const name of ["one-web-1", "two-web-1"]) {
        await page.locator(".chip").filter({ hasText: name }).waitFor();
      }
      assert.deepEqual(opened.complaints, []);
    } finally {
      for (const scene of scenes) await scene.clear();
    }
  },
  browserMissing(),
);

test(
  "each message of a plan has a button that ends it, and the address keeps what was chosen",
  async (engine) => {
    const browser = await browserOf();
    await using berth = await serveEngines({ docker: engine });
    await using scene = await messy(engine, berth, "messy");
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    const path = `/p/messy%40${scene.id}/plan`;
    const note = (text: string) => page.getByRole("main").getByRole("listitem").filter({ hasText: text });
    // Each begins with the plan as it is without an option.
    for (
      const [text, button, kept] of [
        ["ghost", "Remove it, too", "orphans=remove"],
        ["job", "Run job again", "rerun=job"],
        ["page.txt", "Restart", "action=restart"],
      ] as const
    ) {
      await opened.visit(path);
      await note(text).getByRole("button", { name: button }).click();
      await note(text).and(page.locator(".note")).waitFor({ state: "detached" });
      assert.ok(page.url().includes(kept), page.url());
      await page.reload();
      await page.getByRole("button", { name: "Plan again" }).waitFor();
      assert.equal(
        await note(text).and(page.locator(".note")).count(),
        0,
        "a link shows the same plan",
      );
    }
    await opened.visit(path);
    await note("messy-still-1").getByRole("button", { name: "Resume messy-still-1" }).click();
    await note("messy-still-1").and(page.locator(".note")).waitFor({ state: "detached" });
    const state = await engine.cli("inspect", "--format", "{{.State.Status}}", "messy-still-1");
    assert.equal(state.trim(), "running");
    assert.deepEqual(opened.complaints, []);
  },
  browserMissing(),
);

test(
  "a plan names the variable that is not set, and its button leads to the line where it is given a value",
  async (engine) => {
    const browser = await browserOf();
    await using berth = await serveEngines({ docker: engine });
    const scene = await ApplyScene.on(
      engine,
      berth,
      "unset",
      project("unset", [service("web", "environment: { A: '${COLOUR}', B: '${SHAPE}' }")]),
    );
    try {
      await berth.call(`PUT /api/workspaces/${scene.workspace}`, { editable: true });
      const plan = await berth.call(`POST /api/projects/unset/plan`, {});
      assert.deepEqual(plan.body.blocked.map(({ remedies }: { remedies: unknown }) => remedies), [
        [{ kind: "set", name: "COLOUR", file: ".env" }, { kind: "edit", file: "compose.yaml", line: 7 }],
        [{ kind: "set", name: "SHAPE", file: ".env" }, { kind: "edit", file: "compose.yaml", line: 7 }],
      ]);
      await using opened = await openPage(browser, berth, {
        key: berth.admin,
        path: `/p/unset%40${scene.workspace}/plan`,
      });
      const { page } = opened;
      // A link from elsewhere makes no file with lines that its button does not name.
      const hostile = encodeURIComponent("COLOUR=red\nEVIL");
      await opened.visit(`/p/unset%40${scene.workspace}?view=files&file=.env&set=${hostile}`);
      await page.getByText("This file is not read any more.").waitFor();
      assert.equal(await page.getByRole("button", { name: /^Make \.env/ }).count(), 0);

      await opened.visit(`/p/unset%40${scene.workspace}/plan`);
      await page.getByText('The variable "COLOUR" is not set').waitFor();
      await page.getByRole("link", { name: "Set COLOUR in .env" }).click();
      await page.getByRole("button", { name: "Make .env with COLOUR" }).click();
      await page.locator(".cm-content").getByText("COLOUR=").waitFor();
      await assertFitsAll(opened, "a variable to set");
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+End");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("End");
      await page.keyboard.type("red");
      await page.getByRole("button", { name: "Save …" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Saved", { exact: true }).first().waitFor();
      assert.equal(await Deno.readTextFile(`${scene.path}/.env`), "COLOUR=red\n");

      await opened.visit(`/p/unset%40${scene.workspace}/plan`);
      await page.getByRole("link", { name: "Set SHAPE in .env" }).click();
      await page.locator(".cm-content").getByText("SHAPE=").waitFor();
      assert.match(await page.locator(".cm-content").innerText(), /COLOUR=.+\nSHAPE=/);

      const show = async () => {
        await page.getByRole("button", { name: "Show the values …" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Show the values", exact: true }).click();
      };
      await show();
      await page.getByRole("region", { name: ".env in clear, to read" }).getByText("COLOUR=red").waitFor();
      await assertFitsAll(opened, "values in clear");
      await page.getByRole("button", { name: "Mask them again" }).click();
      await page.locator(".cm-content").getByText("SHAPE=").waitFor();

      await Deno.writeTextFile(`${scene.path}/.env`, "COLOUR=red\nSHAPE=round\nREGISTRY_TOKEN=hush-hush\n");
      await scene.write(
        project("unset", [service("web"), "  other:\n    image: example/${REGISTRY_TOKEN}:1\n"]),
      );
      await opened.visit(`/p/unset%40${scene.workspace}`);
      await page.getByText("example/********:1").waitFor();
      await show();
      await page.getByText("example/hush-hush:1").waitFor();
      const { text } = await berth.call("GET /api/system/audit?limit=50");
      assert.match(text, /"project":"unset@unset","shown":"secrets"/);
    } finally {
      await scene.clear();
    }
  },
  browserMissing(),
);

test(
  "a plan shows the values of its variables to those who ask, until it is planned again",
  async (engine) => {
    const browser = await browserOf();
    await using berth = await serveEngines({ docker: engine });
    const scene = await ApplyScene.on(engine, berth, "valued", project("valued", [service("web")]));
    try {
      await scene.apply();
      await Deno.writeTextFile(`${scene.path}/.env`, "HOST_TOKEN=hush-hush\n");
      await scene.write(project("valued", [service("web", "hostname: '${HOST_TOKEN}'")]));
      await using opened = await openPage(browser, berth, { key: berth.admin });
      const { page } = opened;
      await opened.visit(`/p/valued%40${scene.workspace}/plan`);
      await page.getByText("********").first().waitFor();
      assert.ok(!(await page.content()).includes("hush-hush"));

      await page.getByRole("button", { name: "Show the values …" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Show the values", exact: true }).click();
      await page.getByText("hush-hush").waitFor();
      await assertFitsAll(opened, "a plan with its values");

      await page.getByRole("button", { name: "Plan again" }).click();
      await page.getByText("********").first().waitFor();
      assert.ok(!(await page.content()).includes("hush-hush"));
      const { text } = await berth.call("GET /api/system/audit?limit=50");
      assert.match(text, /"project":"valued@valued","shown":"secrets"/);
      assert.deepEqual(opened.complaints, []);
    } finally {
      await scene.clear();
    }
  },
  browserMissing(),
);
