/** A person brings a folder up with the page: plans, reads why, applies, breaks it, and sees the old container serve again. */
import assert from "node:assert/strict";
import { mortal } from "../apply/apply_mortal.ts";
import { ApplyScene, project, service } from "../apply/apply_scene.ts";
import { browserMissing, sharedBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, TestCaller } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const HOOK = "post_start: [{ command: [echo, hello there], user: '1000' }]";

const { test } = await sharedEngine("docker");
const browserOf = sharedBrowser();

test(
  "a person plans a folder, reads why, applies it, breaks a command, sees the old container serve again, and takes it down with its data",
  async (engine) => {
    const browser = await browserOf();
    await using berth = await serveEngines({ docker: engine });
    const text = project(
      "front",
      [service("web", `environment: { COLOUR: red }\nvolumes: ['data:/data']\n${HOOK}`)],
      "volumes: { data: {} }\n",
    );
    const scene = await ApplyScene.on(engine, berth, "front", text);
    try {
      await using opened = await openPage(browser, berth, { key: berth.admin, path: "/w/front" });
      const { page } = opened;
      const main = page.getByRole("main");
      const apply = async () => {
        await page.getByRole("button", { name: "Apply", exact: true }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
      };
      await main.getByRole("link", { name: "Plan", exact: true }).click();
      await main.getByText("Create").first().waitFor();
      await main.getByText("it does not exist yet").first().waitFor();
      await main.getByText('echo "hello there"').waitFor();
      await main.getByText("after its start, as 1000").waitFor();
      await assertFitsAll(opened, "plan");
      await apply();
      await page.getByRole("status").getByText("done").waitFor();
      await main.locator(".last-words").getByText("hello there").waitFor();
      await assertFitsAll(opened, "apply");
      const before = await scene.ids();
      assert.deepEqual(Object.keys(before), ["front-web-1"]);

      await scene.write(text.replace("[idle]", "[sh, -c, 'echo out of order; exit 9']"));
      await page.getByRole("link", { name: "To the plan" }).click();
      await main.getByText("Replace").waitFor();
      await main.getByRole("link", { name: "compose.yaml:5:14" }).waitFor();
      await main.getByText("out of order").first().waitFor();
      await apply();
      await page.getByRole("alert").getByText("ended with code 9; the old container serves again").waitFor();
      await main.locator(".last-words").getByText("out of order").waitFor();
      await assertFitsAll(opened, "an apply that failed");
      assert.deepEqual(await scene.ids(), before);

      await page.getByRole("link", { name: "To the plan" }).click();
      await page.getByRole("link", { name: "To the project" }).click();
      await page.getByRole("tab", { name: "History" }).click();
      await main.getByText("failed").waitFor();
      assert.equal(await main.locator(".journal-row a[href^='/applies/']").count(), 2);
      await page.getByRole("link", { name: "Bring in line" }).click();

      await main.getByLabel("Action", { exact: true }).selectOption("down");
      await main.getByText("These volumes stay, with their data").waitFor();
      await main.getByRole("button", { name: "Remove it, too" }).click();
      await main.getByText("with all its data").waitFor();
      await assertFitsAll(opened, "a plan that loses data");
      await page.getByRole("button", { name: "Apply", exact: true }).click();
      const sure = page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true });
      assert.equal(await sure.isDisabled(), true, "its name was not typed");
      await page.getByLabel("Type the name of the volume").fill("front_data");
      await sure.click();
      await page.getByRole("status").getByText("done").waitFor();
      assert.deepEqual(await scene.containers(), {});
      assert.equal((await engine.ask("GET /volumes/front_data")).status, 404);
      assert.deepEqual(opened.complaints, []);
    } finally {
      await scene.clear();
    }
  },
  browserMissing(),
);

test(
  "a person sees which container an apply started that does not stay up, and goes to its log",
  async (engine) => {
    const browser = await browserOf();
    await using berth = await serveEngines({ docker: engine }, { applyTimes: { judgedMs: 3_000 } });
    const text = project("looped", [service("web", "restart: always", "[sh, -c, 'echo why; exit 4']")]);
    const scene = await ApplyScene.on(engine, berth, "looped", text);
    try {
      const { id } = await scene.apply();
      await using opened = await openPage(browser, berth, { key: berth.admin, path: `/applies/${id}` });
      const { page } = opened;
      await page.getByRole("status").getByText("done, but not all is well").waitFor();
      await page.getByRole("alert").getByText("1 container keeps restarting.").waitFor();
      await assertFitsAll(opened, "an apply whose container does not stay up");
      await page.getByRole("alert").getByRole("link", { name: "Log of looped-web-1" }).click();
      await page.getByRole("heading", { name: "looped-web-1" }).waitFor();
      assert.deepEqual(opened.complaints, []);
    } finally {
      await scene.clear();
    }
  },
  browserMissing(),
);

test(
  "a hook whose end nobody knows waits for a person, who has it run again or says that it is done",
  async (engine) => {
    const text = project("asked", [
      service(
        "web",
        "volumes: ['./out:/out']\npost_start: [{ command: [sh, -c, 'echo ran >> /out/log; while [ -e /out/hold ]; do sleep 0.1; done'] }]",
      ),
    ]);
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-asked-" }));
    const options = { folder, applyTimes: { leaseMs: 1_000 } };
    const browser = await browserOf();
    let berth = await serveEngines({ docker: engine }, options);
    const { admin } = berth;
    const scene = await ApplyScene.on(engine, berth, "asked", text);
    const ran = async () =>
      (await Deno.readTextFile(`${scene.path}/out/log`).catch(() => "")).split("ran").length - 1;
    try {
      for (const [word, runs] of [["Run the hook again", 2], ["Take the hook for done", 3]] as const) {
        await Deno.mkdir(`${scene.path}/out`, { recursive: true });
        await Deno.writeTextFile(`${scene.path}/out/hold`, "");
        await berth.berth.stop();
        const { child, url } = await mortal({ folder, admin }, engine, ["before", "nothing"]);
        const caller = new TestCaller(url, admin);
        await eventually(
          "it is ready",
          async () => (await caller.call("GET /api/health/ready")).status === 200,
        );
        const before = await ran();
        const { body: { id } } = await scene.begin(await scene.plan({}, caller), {}, caller);
        await eventually("the hook runs", async () => await ran() > before);
        child.kill("SIGKILL");
        await child.status;

        berth = await serveEngines({ docker: engine }, { ...options, admin: admin ?? "" });
        assert.equal((await scene.over(id, berth)).state, "paused");
        await Deno.remove(`${scene.path}/out/hold`);
        await using opened = await openPage(browser, berth, { key: admin, path: `/applies/${id}` });
        const { page } = opened;
        await page.getByRole("alert").getByText(/^Nobody knows whether the hook/).waitFor();
        await assertFitsAll(opened, "an apply that asks about a hook");
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.getByRole("button", { name: word }).click();
        await page.getByRole("status").getByText("done").waitFor();
        assert.equal(await ran(), runs);
        assert.deepEqual(opened.complaints, []);
        await scene.clear();
      }
    } finally {
      await scene.clear();
      await berth[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    }
  },
  browserMissing(),
);
