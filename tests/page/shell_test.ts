/** A shell in the page over real engines: it is asked for with a proof, follows the window, and ends with its view. */
import assert from "node:assert/strict";
import type { Browser, Page } from "npm:playwright-core@1.65.1";
import { MovableClock } from "../support/access_service.ts";
import { browserMissing, sharedBrowser } from "../support/browser.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const browserOf = sharedBrowser();

/** Returns the text that the terminal shows. */
async function screen(page: Page): Promise<string> {
  return await page.locator(".xterm-rows").innerText();
}

async function says(page: Page, text: string | RegExp): Promise<void> {
  await page.locator(".xterm-rows > div", { hasText: text }).first().waitFor();
}

async function enter(page: Page, line: string): Promise<void> {
  await page.keyboard.type(line);
  await page.keyboard.press("Enter");
}

async function processes(engine: TestEngine, container: string): Promise<string> {
  return await engine.cli("exec", container, "ps", "-o", "args");
}

for (const kind of ["docker", "podman"] as const) {
  const shared = await lawEngine(kind);
  const test = (name: string, run: (engine: TestEngine, browser: Browser) => Promise<void>) =>
    shared.test(
      name,
      async (engine) => await run(engine, await browserOf()),
      browserMissing(),
    );

  test(
    "a shell takes what is typed, follows window and theme, copies, and ends with its view",
    async (engine, browser) => {
      await engine.cli("run", "-d", "--name", "sh-work", FIXTURE, "idle");
      await using berth = await serveEngines({ [kind]: engine });
      await using opened = await openPage(browser, berth, {
        key: berth.admin,
        path: `/c/${kind}/sh-work?view=shell`,
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const { page, complaints } = opened;
      await page.getByRole("button", { name: "Open a shell" }).waitFor();
      await assertFitsAll(opened, "before a shell is opened");
      await page.getByRole("button", { name: "Open a shell" }).click();
      await says(page, "#");
      await enter(page, "echo $((6*7)) $(stty size)");
      await says(page, /^42 \d+ \d+/);
      const [, columns = ""] = /^42 \d+ (\d+)/m.exec(await screen(page)) ?? [];
      await assertFitsAll(opened, "an open shell");
      await page.setViewportSize({ width: 720, height: 600 });
      await eventually("the shell has another size", async () => {
        await enter(page, "clear; echo is $(stty size)");
        await says(page, /^is \d+ \d+/);
        const [, now = ""] = /^is \d+ (\d+)/m.exec(await screen(page)) ?? [];
        return Number(now) < Number(columns);
      });

      // True colours are styles of their own, and every colour moves with the theme.
      await enter(page, "clear; printf '\\033[38;2;10;200;30mtrue\\033[0m \\033[31mred\\033[0m\\n'");
      await says(page, /^true red/);
      const colours = () =>
        page.evaluate<string[]>(
          `[...document.querySelectorAll(".xterm-rows span")].filter((one) => /^(true|red)$/.test(one.textContent))
          .map((one) => getComputedStyle(one).color)`,
        );
      await page.emulateMedia({ colorScheme: "dark" });
      await eventually(
        "a true colour is as it was sent",
        async () => (await colours())[0] === "rgb(10, 200, 30)",
      );
      const dark = await colours();
      await page.emulateMedia({ colorScheme: "light" });
      await eventually("the colours are those of the other theme", async () => {
        const light = await colours();
        return light.length === 2 && light.every((colour, index) => colour !== dark[index]);
      });

      // Pasted from the clipboard, and copied into it; what a program sends changes nothing in it.
      await page.evaluate(`navigator.clipboard.writeText("echo pasted-$((1+1))")`);
      await page.getByRole("button", { name: "Paste" }).click();
      await says(page, "echo pasted-");
      await page.keyboard.press("Enter");
      await says(page, /^pasted-2/);
      await enter(
        page,
        "clear; printf '\\033]52;c;b3duZWQ=\\007'; printf '\\033]8;;http://evil.test\\007away\\033]8;;\\007\\n'",
      );
      await says(page, /^away/);
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), "echo pasted-$((1+1))");
      const at = (await page.locator(".xterm-rows > div", { hasText: /^away/ }).first().boundingBox())!;
      await page.mouse.dblclick(at.x + 12, at.y + at.height / 2);
      await page.keyboard.press("Control+Shift+C");
      await eventually(
        "it is copied",
        async () => await page.evaluate("navigator.clipboard.readText()") === "away",
      );
      assert.equal(page.context().pages().length, 1);

      // A program on the whole screen lives through another theme and size, and ends with the view.
      await enter(page, "top -d 1");
      await says(page, "Mem:");
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 1000, height: 700 });
      await says(page, "Mem:");
      const isTopThere = async () => /^top/m.test(await processes(engine, "sh-work"));
      assert.ok(await isTopThere());
      await page.keyboard.press("Control+Shift+L");
      await eventually(
        "the way out has the focus",
        async () => await page.evaluate("document.activeElement.textContent") === "End it",
      );
      await page.getByRole("tab", { name: "Mounts" }).click();
      await eventually("top is gone", async () => !await isTopThere());

      // And so it does with the tab of the browser.
      await page.getByRole("tab", { name: "Shell" }).click();
      await page.getByRole("button", { name: "Open a shell" }).click();
      await says(page, "#");
      await enter(page, "top -d 1");
      await eventually("top runs", isTopThere);
      await page.close();
      await eventually("top is gone with the tab", async () => !await isTopThere());
      assert.deepEqual(complaints, []);
      await engine.cli("rm", "-f", "sh-work");
    },
  );

  test(
    "a shell that ends, is refused or loses its connection says so, and another can be opened",
    async (engine, browser) => {
      await engine.cli("run", "-d", "--name", "sh-ends", FIXTURE, "idle");
      const clock = new MovableClock();
      const folder = await Deno.makeTempDir({ prefix: "berth-shell-" });
      const first = await serveEngines({ [kind]: engine }, { clock, folder });
      await using opened = await openPage(browser, first, {
        key: first.admin,
        path: `/c/${kind}/sh-ends?view=shell`,
      });
      const { page } = opened;
      clock.move(16 * 60_000);
      await page.getByLabel("Command").fill("sh -c 'echo hello; exit 7'");
      await page.getByRole("button", { name: "Open a shell" }).click();
      const proof = page.getByRole("dialog", { name: "Is it still you?" });
      await proof.getByLabel("The key that you signed in with").fill(first.admin!);
      await proof.getByRole("button", { name: "Go on" }).click();
      await page.getByText("It has ended with code 7.").waitFor();
      await says(page, "hello");
      await page.getByLabel("Command").fill("no-such-program");
      await page.getByRole("button", { name: "Open another" }).click();
      await page.getByText(/It has ended with code 12[67]\.|no-such-program/).first().waitFor();

      await page.getByLabel("Command").fill("");
      await page.getByLabel("User").fill("root");
      await page.getByRole("button", { name: "Open another" }).click();
      await says(page, "#");
      await enter(page, "echo before-$((40+2)); sleep 1000");
      await says(page, /^before-42/);
      await first[Symbol.asyncDispose]();
      await page.getByText("berth stops, and ended the shell.").waitFor();
      await says(page, /^before-42/);
      await eventually(
        "what ran in it was ended",
        async () => !/^sleep 1000/m.test(await processes(engine, "sh-ends")),
      );
      {
        await using _second = await serveEngines({ [kind]: engine }, {
          folder,
          port: first.port,
          admin: first.admin!,
          clock,
        });
        await page.locator(".is-live").waitFor();
        await page.getByRole("button", { name: "Open another" }).click();
        await page.getByText("Tab belongs to the shell").waitFor();
        await enter(page, "echo after-$((40+2))");
        await says(page, /^after-42/);
        await engine.cli("stop", "-t", "0", "sh-ends");
        await page.getByText("This container does not run").or(page.getByText("It has ended")).first()
          .waitFor();
        await page.getByRole("button", { name: "Open another" }).waitFor({ state: "detached" });
      }
      await Deno.remove(folder, { recursive: true });
      await engine.cli("rm", "-f", "sh-ends");
    },
  );
}
