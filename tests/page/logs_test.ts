/** Logs in the page over a real engine: nothing lost over restarts, gaps told, a million lines, several in one. */
import assert from "node:assert/strict";
import type { Browser, Page } from "npm:playwright-core@1.65.1";
import { browserMissing, sharedBrowser } from "../support/browser.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { assertFitsAll, openPage, signInWithKey } from "./opened.ts";

/** Long logs; in `deno task proof` ten times as long. */
const ZEROS = Deno.env.get("BERTH_PROOF") === "1" ? "000" : "00";
const MANY = `5${ZEROS}00`;
/** Five lines of a log of that length match it. */
const NINES = ZEROS.replaceAll("0", "9") + "99";
const IN_THE_MIDDLE = new RegExp(`^2[45]\\d{${ZEROS.length + 1}}$`);

const shared = await sharedEngine("docker");
const browserOf = sharedBrowser();

function test(name: string, run: (engine: TestEngine, browser: Browser) => Promise<void>): void {
  shared.test(
    name,
    async (engine) => await run(engine, await browserOf()),
    browserMissing(),
  );
}

async function run(engine: TestEngine, name: string, script: string, ...options: string[]): Promise<void> {
  await engine.cli("run", "-d", "--name", name, ...options, FIXTURE, "sh", "-c", script);
}

/** Returns the lines that "Save these lines" saves, without the times. */
async function saved(page: Page): Promise<string[]> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save these lines" }).click();
  const text = await Deno.readTextFile(await (await download).path());
  return text.trimEnd().split("\n").map((line) => line.slice(line.indexOf(" ") + 1));
}

async function inLog(page: Page, text: string): Promise<void> {
  await page.getByRole("log").getByText(text, { exact: true }).waitFor();
}

test(
  `a log counts over two restarts of berth and one of the container to 100${ZEROS}: every number once, in order`,
  async (engine, browser) => {
    await run(
      engine,
      "counts",
      `n=$(cat /n 2>/dev/null || echo 0); while [ $n -lt 100 ]; do seq $((n*1${ZEROS}+1)) $((n*1${ZEROS}+1${ZEROS})); n=$((n+1)); echo $n >/n; ` +
        "[ $n -eq 60 ] && exec idle; while [ $n -ge 20 ] && [ ! -e /tmp/go ]; do sleep 0.1; done; sleep 0.05; done; exec idle",
    );
    const folder = await Deno.makeTempDir({ prefix: "berth-counts-" });
    const first = await serveEngines({ docker: engine }, { folder });
    const again = { folder, port: first.port, admin: first.admin! };
    await using opened = await openPage(browser, first, {
      key: first.admin,
      path: "/c/docker/counts?from=all",
    });
    const { page } = opened;
    await inLog(page, `20${ZEROS}`);
    await first[Symbol.asyncDispose]();
    await page.getByText("the connection is lost, trying again").waitFor();
    await engine.cli("exec", "counts", "touch", "/tmp/go");
    {
      await using _second = await serveEngines({ docker: engine }, again);
      await page.locator(".log-text", { hasText: new RegExp(`^(?:2[1-9]|[345]\\d)\\d{${ZEROS.length}}$`) })
        .first().waitFor();
    }
    await using _third = await serveEngines({ docker: engine }, again);
    await inLog(page, `60${ZEROS}`);
    await engine.cli("restart", "-t", "0", "counts");
    await inLog(page, `100${ZEROS}`);
    assert.deepEqual(
      await saved(page),
      Array.from({ length: Number(`100${ZEROS}`) }, (_, index) => String(index + 1)),
    );
    await Deno.remove(folder, { recursive: true });
  },
);

test("lines that the engine has let go of meanwhile are a row that says so", async (engine, browser) => {
  await run(
    engine,
    "forgets",
    "echo first; while [ ! -e /tmp/go ]; do sleep 0.1; done; seq 1 20000; echo last; exec idle",
    ...["--log-opt", "max-size=20k", "--log-opt", "max-file=2"],
  );
  const folder = await Deno.makeTempDir({ prefix: "berth-forgets-" });
  const first = await serveEngines({ docker: engine }, { folder });
  await using opened = await openPage(browser, first, { key: first.admin, path: "/c/docker/forgets" });
  const { page } = opened;
  await inLog(page, "first");
  await first[Symbol.asyncDispose]();
  await engine.cli("exec", "forgets", "touch", "/tmp/go");
  await using _second = await serveEngines({ docker: engine }, {
    folder,
    port: first.port,
    admin: first.admin!,
  });
  await inLog(page, "last");
  await page.getByRole("log").focus();
  await page.keyboard.press("Home");
  await page.getByText(/^the engine lost lines between \d\d:\d\d:\d\d\.\d{3} and \d\d:/).waitFor();
  assert.deepEqual(opened.complaints.filter((one) => !one.includes("WebSocket")), []);
});

test(
  `few elements draw a log of ${MANY} lines, one of 10 MB and colours, a search, and every line laid open`,
  async (engine, browser) => {
    await run(
      engine,
      "writes",
      `echo '{"level":"warn","inner":{"tries":[1,2]},"text":"<b>bold</b>"}'; printf '\\033[32mgreen\\033[0m \\033]8;;http://evil.test\\007away\\n'; ` +
        `head -c 10000000 /dev/zero | tr '\\0' x; echo; seq 1 ${MANY}; exec idle`,
    );
    await using berth = await serveEngines({ docker: engine });
    await using opened = await openPage(browser, berth, {
      key: berth.admin,
      path: "/c/docker/writes?from=all",
    });
    const { page, complaints } = opened;
    await page.getByRole("log").getByText(MANY, { exact: true }).waitFor({ timeout: 60_000 });
    const drawn = () => page.locator(".log-line").count();
    assert.ok(await drawn() <= 200, `${await drawn()}`);

    const log = page.getByRole("log");
    await log.focus();
    await page.keyboard.press("Home");
    await page.getByRole("log").getByText("green", { exact: true }).waitFor();
    assert.equal(await page.locator(".log-text .ansi-2").innerText(), "green");
    await page.keyboard.press("Enter");
    const detail = page.getByRole("region", { name: "The line" });
    await detail.getByText("tries").waitFor();
    await detail.getByText('"<b>bold</b>"').waitFor();
    await page.keyboard.press("Escape");
    await log.focus();
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });

    await page.getByText(/characters in all/).first().click();
    await detail.locator("pre").waitFor();
    assert.ok((await detail.locator("pre").innerText()).length >= 200_000);
    await detail.getByRole("button", { name: "Close" }).click();

    await page.getByRole("searchbox").fill(NINES);
    await page.getByText("5 lines fit").waitFor();
    await page.locator(".log-text mark").first().waitFor();
    await page.locator(".log-text", { hasText: new RegExp(`^2${NINES}$`) }).click();
    await page.getByRole("button", { name: "Show it among the others" }).click();
    await page.getByRole("log").getByText(`30${ZEROS}0`, { exact: true }).waitFor();
    assert.equal(await page.locator(".log-line.is-chosen .log-text").innerText(), `2${NINES}`);
    await assertFitsAll(opened, "a long log with a line laid open");

    // From end to end and through the middle, with the wheel too.
    await log.focus();
    await page.keyboard.press("End");
    await page.getByRole("log").getByText(MANY, { exact: true }).waitFor();
    await page.keyboard.press("Home");
    await page.getByRole("log").getByText("green", { exact: true }).waitFor();
    await log.hover();
    await page.mouse.wheel(0, 900);
    await page.getByRole("log").getByText("green", { exact: true }).waitFor({ state: "detached" });
    await page.evaluate(
      `(() => { const log = document.querySelector(".log"); log.scrollTop = log.scrollHeight / 2; })()`,
    );
    await page.locator(".log-text", { hasText: IN_THE_MIDDLE }).first().waitFor();
    assert.ok(await drawn() <= 200, `${await drawn()}`);

    await page.getByRole("button", { name: "Wrap" }).click();
    assert.match(page.url(), /[?&]wrap=1/);
    await page.locator(".log-text", { hasText: IN_THE_MIDDLE }).first().waitFor();
    await log.focus();
    await page.keyboard.press("Home");
    const row = async (text: string) =>
      (await page.locator(".log-line", { has: page.getByText(text, { exact: true }) }).boundingBox())!.y;
    await inLog(page, "green");
    const long = page.locator(".log-line", { hasText: "xxx" });
    assert.ok((await long.boundingBox())!.height >= 10 * 18, "4,096 characters take many rows");
    const before = await row("20");
    await log.hover();
    await page.mouse.wheel(0, 450);
    await eventually("it was scrolled", async () => await row("20") < before);
    assert.equal(await row("20"), before - 450, "as far as the wheel was turned, over rows of any height");
    assert.ok(await drawn() <= 200, `${await drawn()}`);
    await log.focus();
    await page.keyboard.press("End");
    await inLog(page, MANY);
    const box = (await log.boundingBox())!;
    assert.equal(await row(MANY), box.y + box.height - 18, "the last line ends with the view");
    assert.deepEqual(complaints, []);
  },
);

test(
  "a log whose reader was signed out goes on behind its last line once they are back",
  async (engine, browser) => {
    await run(engine, "waits", "echo one; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo two; exec idle");
    await using berth = await serveEngines({ docker: engine });
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c/docker/waits" });
    const { page } = opened;
    await inLog(page, "one");
    {
      await using other = await openPage(browser, berth, { key: berth.admin, path: "/settings/sessions" });
      await other.page.getByRole("button", { name: "End all others" }).click();
      await other.page.getByRole("dialog").getByRole("button", { name: "End all others" }).click();
      await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    }
    await engine.cli("exec", "waits", "touch", "/tmp/go");
    await signInWithKey(page, berth.admin!);
    await inLog(page, "two");
    assert.deepEqual(await saved(page), ["one", "two"]);
  },
);

test(
  "logs of chosen containers, of a project and of all are one, each line with its writer",
  async (engine, browser) => {
    for (const name of ["one", "two", "three"]) {
      await run(
        engine,
        `m-${name}`,
        `echo from ${name}; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo more from ${name}; exec idle`,
        ...["--label", `com.docker.compose.project=${name === "three" ? "<img src=x>" : "pair"}`],
        ...["--label", `com.docker.compose.service=${name}`],
      );
    }
    const folder = await Deno.makeTempDir({ prefix: "berth-merged-" });
    const first = await serveEngines({ docker: engine }, { folder });
    await using opened = await openPage(browser, first, { key: first.admin, path: "/c?q=m-" });
    const { page } = opened;
    await page.getByRole("row", { name: "m-one" }).press("x");
    await page.getByRole("row", { name: "m-three" }).press("x");
    await page.getByRole("button", { name: "Logs together" }).click();
    await page.getByRole("heading", { name: "Logs" }).waitFor();
    const line = (writer: string, text: string) =>
      page.locator(".log-line").filter({ has: page.getByText(writer, { exact: true }) })
        .filter({ has: page.getByText(text, { exact: true }) });
    await line("m-one", "from one").waitFor();
    await line("m-three", "from three").waitFor();
    assert.equal(await page.getByText("from two").count(), 0);
    await assertFitsAll(opened, "/logs of two containers");
    await page.getByRole("combobox", { name: "Logs of" }).selectOption({ label: "m-two" });
    await line("m-two", "from two").waitFor();
    await page.getByRole("button", { name: "Without m-three" }).click();
    await page.getByText("from three").waitFor({ state: "detached" });
    for (const name of ["one", "two"]) await line(`m-${name}`, `from ${name}`).waitFor(); // read anew
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText(/^paused · following/).waitFor();
    await engine.cli("exec", "m-one", "touch", "/tmp/go");
    const come = page.getByRole("button", { name: "1 new ↓" });
    await come.waitFor();
    assert.equal(await line("m-one", "more from one").count(), 0, "what comes in waits");
    await come.click();
    await line("m-one", "more from one").waitFor();
    await page.getByText(/^following/).waitFor();

    await opened.visit("/logs?project=pair");
    await line("m-two", "from two").waitFor();
    assert.equal(await page.getByText("from three").count(), 0);
    await page.getByRole("combobox", { name: "Logs of" }).selectOption({ label: "Project <img src=x>" });
    await line("m-three", "from three").waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    await first[Symbol.asyncDispose]();
    await page.getByText("the connection is lost, trying again").waitFor();
    await using _second = await serveEngines({ docker: engine }, {
      folder,
      port: first.port,
      admin: first.admin!,
    });
    await page.getByText("following").waitFor();
    await engine.cli("exec", "m-three", "touch", "/tmp/go");
    await line("m-three", "more from three").waitFor();
    await opened.visit("/logs");
    await page.getByText("Choose whose logs are shown together.").waitFor();
    await page.getByRole("link", { name: "All containers" }).click();
    await line("m-one", "from one").waitFor();
    await line("m-three", "from three").waitFor();
    await run(engine, "m-later", "echo from later; exec idle");
    await line("m-later", "from later").waitFor(); // without a project
    await opened.visit("/logs");
    await page.getByText("Choose whose logs are shown together.").waitFor();
    await assertFitsAll(opened, "/logs");
  },
);

test(
  "older lines come in above, a search goes from one to the next by keys, and a line has a link, alone and merged",
  async (engine, browser) => {
    const script = (word: string) =>
      `i=0; while [ $i -lt 2600 ]; do i=$((i+1)); echo ${word} $i; done; echo "ERROR: ${word} broke"; echo on; exec idle`;
    await run(engine, "older-a", script("a"));
    await run(engine, "older-b", script("b"));
    await using berth = await serveEngines({ docker: engine });
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c/docker/older-a" });
    const { page, complaints } = opened;
    const log = page.getByRole("log");
    const first = () => page.locator(".log-line .log-text").first().innerText();
    const atTop = async () => {
      const box = (await log.boundingBox())!;
      return await page.evaluate<string>(
        `document.elementFromPoint(${box.x + 300}, ${box.y + 10}).closest(".log-line").innerText`,
      );
    };
    await inLog(page, "on");
    await log.focus();
    await page.keyboard.press("Home");
    await inLog(page, "a 1603"); // the last 1,000 are 1603 to 2600, and two more
    const top = await atTop();
    await page.keyboard.press("o");
    await page.getByText("1,500 lines").waitFor();
    await inLog(page, "a 1590");
    assert.equal(await atTop(), top, "the reader is where they were");
    for (const amount of ["2,000", "2,500", "2,602"]) {
      await page.getByRole("button", { name: "older ↑" }).click();
      await page.getByText(`${amount} lines`).waitFor();
    }
    await page.getByText("nothing older").waitFor();
    await log.focus();
    await page.keyboard.press("Home");
    await inLog(page, "a 1");
    assert.match(await first(), /^a 1$/);

    const field = page.getByRole("searchbox");
    await field.fill("^A 1\\d$");
    await page.getByRole("button", { name: "Regular expression" }).click();
    await page.getByText("10 lines fit").waitFor();
    await page.getByRole("button", { name: "Match case" }).click();
    await page.getByText("No line holds it.").waitFor();
    await page.getByRole("button", { name: "Match case" }).click();
    await field.fill("(a|b");
    await page.getByText("This pattern is not complete.").waitFor();
    await field.fill("^a 1\\d$");
    await page.getByRole("button", { name: "Among the others" }).click();
    await field.press("Enter");
    await page.getByText("1 of 10 lines").waitFor();
    await inLog(page, "a 9"); // among the others
    await log.focus();
    await page.keyboard.press("n");
    await page.getByText("2 of 10 lines").waitFor();
    assert.equal(await page.locator(".is-chosen mark").innerText(), "a 11");
    await page.keyboard.press("N");
    await page.keyboard.press("N");
    await page.getByText("10 of 10 lines").waitFor();
    assert.match(page.url(), /[?&]q=[^&]+&pattern=1&among=1/);
    await assertFitsAll(opened, "a log that is searched");
    await field.fill("");
    await page.getByRole("button", { name: "Errors" }).click();
    await page.getByText("1 line fits").waitFor();

    const linked = async () => {
      await page.locator(".log-line", { hasText: "a 1234" }).click();
      await page.route("**/api/logs?*", (route) => route.fulfill({ status: 429, body: "{}" }), { times: 1 });
      await page.getByRole("button", { name: "Link to this line" }).click();
      // Only for a moment: the line is not lost.
      await page.getByRole("alert").getByText("berth answered with status 429").waitFor();
      await page.getByRole("alert").getByRole("button", { name: "Try again" }).click();
      return (await page.getByRole("link", { name: "This line" }).getAttribute("href"))!;
    };
    await opened.visit("/c/docker/older-a?from=all&q=a+1234");
    const alone = await linked();
    assert.match(alone, /\?at=/);
    await opened.visit("/logs?c=docker%2Folder-a&c=docker%2Folder-b&from=all&q=a+1234");
    const merged = await linked();
    for (const href of [alone, merged]) {
      await opened.visit(href);
      await page.locator(".log-line.is-chosen", { hasText: "a 1234" }).waitFor();
      await inLog(page, "a 1230"); // what was before it is there, too
    }
    await opened.visit("/logs?c=docker%2Folder-a&c=docker%2Folder-b");
    await page.getByText("400 lines").waitFor();
    await page.getByRole("button", { name: "older ↑" }).click();
    await page.getByText("900 lines").waitFor();
    const whole = (await saved(page)).filter((line) => line.startsWith("older-a | a "));
    const numbers = whole.map((line) => Number(line.split(" ").at(-1)));
    assert.deepEqual(
      numbers,
      Array.from({ length: whole.length }, (_, index) => 2_601 - whole.length + index),
    );
    assert.deepEqual(complaints, []);
  },
);
