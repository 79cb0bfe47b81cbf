/** Text of others is only ever text on the page; their secrets are nowhere; a log is bounded and stays put. */
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { BROWSER_TEST, browserMissing, sharedBrowser } from "../support/browser.ts";
import { FIXTURE } from "../support/engine.ts";
import { FastLog } from "../support/scripted_log.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const shared = await sharedEngine("docker");
const browserOf = sharedBrowser();
const test: typeof shared.test = (name, run) => shared.test(name, run, browserMissing());

const MARKUP = `<img src=x onerror="document.title='owned'">`;
const TURNED = "safe\u202egnp.exe";

test("markup and characters that turn a line around are text, as label, name, command, log line and file (F56, R48)", async (engine) => {
  await engine.cli(
    ...["run", "-d", "--name", "hostile", "--label", `note=${MARKUP}`, "--env", `NOTE=${MARKUP}`],
    ...[
      "--label",
      `com.docker.compose.project=${MARKUP}`,
      "--label",
      "com.docker.compose.service=web",
      FIXTURE,
      "sh",
      "-c",
    ],
    `printf '%s\\n' '${MARKUP}' '${TURNED}' '\u001b[31mred\u001b[0m \u001b]8;;http://evil.test\u0007link'; exec idle`,
  );
  await using berth = await serveEngines({ docker: engine });
  const path = `${berth.folder}/workspaces/evil`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(
    `${path}/compose.yaml`,
    `services:\n  web:\n    image: caddy:2 # ${MARKUP} ${TURNED}\n    labels: { note: '${MARKUP}' }\n`,
  );
  await Deno.mkdir(`${path}/sound`);
  await Deno.writeTextFile(
    `${path}/sound/compose.yaml`,
    `services:\n  db:\n    image: caddy:2 # ${TURNED}\n`,
  );
  await berth.call("POST /api/workspaces", { path, name: `${MARKUP}` });
  const browser = await browserOf();
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const { id } = (await berth.call("GET /api/workspaces")).body.items[0];
  for (
    const [path, text] of [
      ["/", MARKUP],
      [`/w/${id}`, MARKUP],
      [`/w/${id}?file=sound/compose.yaml`, "safe\\u{202e}gnp.exe"],
      [`/w/${id}?view=findings`, "compose.yaml"],
      [`/c?q=${encodeURIComponent("onerror")}`, MARKUP],
      ["/c/docker/hostile", MARKUP],
      ["/c/docker/hostile", "safe\\u{202e}gnp.exe"],
      ["/c/docker/hostile?view=inspect", "Config"],
      ["/c/docker/hostile?view=shell", "Open a shell"],
      ["/c/docker/hostile?view=measures", "CPU"],
      ["/c/docker/hostile?view=differences", "No file of a registered folder"],
      [`/c/docker/hostile?view=${encodeURIComponent(MARKUP)}`, MARKUP],
      ["/logs?c=docker/hostile", "<img src=x onerror="],
      ["/logs?c=docker/hostile", "safe\\u{202e}gnp.exe"],
      [`/logs?project=${encodeURIComponent(MARKUP)}`, "hostile"],
      [`/logs?c=${encodeURIComponent(`docker/${MARKUP}`)}`, "onerror"],
      [`/w/${id}?view=graph`, "caddy:2"],
      [`/w/${id}?view=graph&group=${encodeURIComponent(MARKUP)}`, "onerror"],
      [`/c/docker/${encodeURIComponent(MARKUP)}`, "onerror"],
    ] as const
  ) {
    await opened.visit(path);
    await page.getByRole("main").getByText(text).filter({ visible: true }).first().waitFor();
    assert.equal(await page.locator("main img").count(), 0, path);
    assert.ok(!(await page.locator("main").innerText()).includes("\u202e"), path);
    assert.notEqual(await page.title(), "owned");
  }
  await opened.visit("/c/docker/hostile");
  await page.locator(".log-text", { hasText: "red " }).click();
  await page.getByRole("region", { name: "The line" }).getByText("red link").waitFor();
  await page.locator(".log-text", { hasText: "safe" }).click();
  await page.getByRole("region", { name: "The line" }).getByText("safe\\u{202e}gnp.exe").waitFor();
  assert.equal(await page.locator("main a[href*='evil']").count(), 0);
  assert.deepEqual(opened.complaints, []);
});

Deno.test({
  ...BROWSER_TEST,
  name:
    "what a hostile engine calls its containers, writes and answers, and hostile files and searches, are only ever text",
  fn: async () => {
    const id = scriptedId(1);
    const both = `${MARKUP} ${TURNED}`;
    const container = inspected(id, both);
    await using world = new ScriptedWorld({
      containers: new Map([[id, {
        ...container,
        Config: { Image: both, Labels: { note: both }, Env: [`NOTE=${both}`] },
      }]]),
      override: (_, path) => {
        if (path.endsWith("/logs")) {
          return new FastLog(20, { text: (number) => `${number} ${both}` }).answer();
        }
        if (/\/(?:stop|restart)$/.test(path)) return Response.json({ message: both }, { status: 500 });
        return undefined;
      },
    });
    await using berth = await serveEngines({ docker: world });
    const path = `${berth.folder}/workspaces/evil`;
    await Deno.mkdir(`${path}/${both}`, { recursive: true });
    await Deno.writeTextFile(
      `${path}/${both}/compose.yaml`,
      `services:\n  web:\n    image: "${both.replaceAll('"', "'")}"\n    "${both.replaceAll('"', "'")}": 1\n`,
    );
    await berth.call("POST /api/workspaces", { path });
    const browser = await browserOf();
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c" });
    const { page } = opened;
    const sign = "safe\\u{202e}gnp.exe";
    const onlyText = async (where: string) => {
      // The editor puts empty ones beside what it stands signs for.
      assert.equal(await page.locator("img:not(.cm-widgetBuffer)").count(), 0, where);
      assert.ok(!(await page.locator("body").innerText()).includes("\u202e"), where);
      const title = await page.title();
      assert.ok(title !== "owned" && !title.includes("\u202e"), where);
    };
    const main = page.getByRole("main");
    const row = page.getByRole("row", { name: sign });
    await row.waitFor();
    await onlyText("a name");
    await row.press("x");
    await page.getByRole("button", { name: "Stop" }).click();
    await row.getByText(/onerror.*onerror/).first().waitFor();
    await onlyText("an error");
    await page.getByRole("searchbox").fill(both);
    await onlyText("a search");
    await row.getByRole("link").first().click();
    await main.getByRole("alert").getByText("is not an identifier").waitFor();
    await onlyText("the name in an address");
    await opened.visit(`/c/docker/${id}`);
    await page.getByRole("log").getByText(sign).first().waitFor();
    await onlyText("a log");
    await page.getByRole("searchbox").fill(MARKUP);
    await page.locator("mark").first().waitFor();
    await onlyText("a search in a log");
    await opened.visit("/");
    await main.getByText(sign).first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^A screen/ }).waitFor();
    await page.keyboard.type("onerror");
    await page.getByRole("option").first().waitFor();
    await onlyText("the palette");
    await page.keyboard.press("Escape");
    for (const view of ["", "?view=findings", "?view=files", "?view=graph"]) {
      await opened.visit(`/w/evil${view}`);
      await main.getByText(/onerror/).first().waitFor();
      await onlyText(`a file, ${view}`);
    }
    assert.deepEqual(opened.complaints, []);
  },
});

test("a secret in environment, label, file and difference is nowhere in document, storage, address or any answer (F60)", async (engine) => {
  const secret = "canary-4471-hunter2";
  const run = [
    ...["run", "-d", "--name", "keeper", "--env", `DB_PASSWORD=${secret}`, "--label", `api_token=${secret}`],
    ...["--label", "com.docker.compose.project=keeper", "--label", "com.docker.compose.service=db"],
    ...[FIXTURE, "sh", "-c", "exec idle"],
  ];
  await engine.cli(...run);
  await using berth = await serveEngines({ docker: engine });
  const path = `${berth.folder}/workspaces/keeper`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(`${path}/.env`, `OTHER_TOKEN=${secret}\n`);
  await Deno.writeTextFile(
    `${path}/compose.yaml`,
    `services:\n  db:\n    image: keeper:1\n    environment:\n      DB_PASSWORD: ${secret}-now\n`,
  );
  await berth.call("POST /api/workspaces", { path });
  const browser = await browserOf();
  await using opened = await openPage(browser, berth, { key: berth.admin });
  const { page } = opened;
  const told: Promise<string>[] = [];
  page.on("response", (response) => told.push(response.text().catch(() => ""))); // a stream, or left before its end
  page.on(
    "websocket",
    (socket) =>
      socket.on(
        "framereceived",
        ({ payload }) =>
          told.push(Promise.resolve(typeof payload === "string" ? payload : `${gunzipSync(payload)}`)),
      ),
  );
  for (
    const [view, text] of [
      ["/", "keeper"],
      ["/p/keeper", "keeper:1"],
      ["/p/keeper%40keeper?unit=keeper.db", "DB_PASSWORD"],
      ["/p/keeper%40keeper?view=files", "compose.yaml"],
      ["/p/keeper%40keeper/plan", "Action"],
      ["/c/docker/keeper", "Image"],
      ["/c/docker/keeper?view=environment", "DB_PASSWORD"],
      ["/c/docker/keeper?view=differences", "keeper:1"],
      ["/c/docker/keeper?view=inspect", "HostConfig"],
      ["/w/keeper", "DB_PASSWORD"],
      ["/w/keeper?view=graph", "keeper:1"],
      ["/w/keeper?view=files&file=compose.yaml", "DB_PASSWORD"],
      ["/w/keeper?view=files&file=.env", "OTHER_TOKEN"],
    ] as const
  ) {
    await opened.visit(view);
    await page.getByRole("main").getByText(text).first().waitFor();
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    const all = await page.evaluate<string>(
      "JSON.stringify([document.documentElement.outerHTML, localStorage, sessionStorage, location.href, history.state])",
    );
    assert.ok(all.includes("keeper") && !all.includes(secret), view);
    assert.ok(!all.includes(berth.admin!), view);
  }
  await opened.visit("/w/keeper");
  await page.getByText("environment.DB_PASSWORD").or(page.getByText("environment")).first().waitFor();
  await page.close();
  const answers = (await Promise.all(told)).join("\n");
  assert.ok(answers.includes("DB_PASSWORD") && answers.includes("OTHER_TOKEN"));
  assert.ok(!answers.includes(secret));
  assert.deepEqual(opened.complaints, []);

  await using asked = await openPage(browser, berth, {
    key: berth.admin,
    path: "/c/docker/keeper?view=environment",
  });
  await asked.page.getByRole("button", { name: "Show the values …" }).click();
  await assertFitsAll(asked, "the question before values are shown");
  await asked.page.getByRole("dialog").getByRole("button", { name: "Show the values" }).click();
  await asked.page.getByText(secret, { exact: true }).waitFor();
  await asked.page.getByRole("tab", { name: "Mounts" }).click();
  await asked.page.getByRole("tab", { name: "Environment" }).click();
  await asked.page.getByRole("button", { name: "Show the values …" }).waitFor();
  assert.equal(await asked.page.getByText(secret).count(), 0, "it went with the view");
  await asked.page.getByRole("button", { name: "Show the values …" }).click();
  await asked.page.getByRole("dialog").getByRole("button", { name: "Show the values" }).click();
  await asked.page.getByText(secret, { exact: true }).waitFor();
  await engine.cli("rm", "-f", "keeper");
  await engine.cli(...run);
  await asked.page.getByRole("button", { name: "Show the values …" }).waitFor();
  assert.equal(await asked.page.getByText(secret).count(), 0, "it went with the container");
  const { text } = await berth.call("GET /api/system/audit?limit=20");
  assert.match(text, /"GET \/api\/containers\/\{id\}"/, "only a look at values in clear is noted");
});

test("a log draws only what is in view, and stays where the reader is while it grows", async (engine) => {
  await engine.cli(
    ...["run", "-d", "--name", "counter", FIXTURE, "sh", "-c"],
    "i=0; while [ $i -lt 900 ]; do i=$((i+1)); echo line $i; done; " +
      "while [ ! -e /tmp/more ]; do sleep 0.1; done; while [ $i -lt 11000 ]; do i=$((i+1)); echo line $i; done; exec idle",
  );
  await using berth = await serveEngines({ docker: engine });
  const browser = await browserOf();
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c/docker/counter" });
  const { page } = opened;
  await page.getByText("line 900", { exact: true }).waitFor();
  const drawn = () => page.locator(".log-line").count();
  assert.ok(await drawn() <= 200, `${await drawn()}`);

  await page.getByRole("log").focus();
  await page.keyboard.press("Home");
  await page.getByText("line 1", { exact: true }).waitFor();
  const firstInView = () =>
    page.evaluate<string>(
      `(() => { const log = document.querySelector(".log"), top = log.getBoundingClientRect().top;
      return [...log.querySelectorAll(".log-line")].find((one) => one.getBoundingClientRect().bottom > top)
        .querySelector(".log-text").textContent; })()`,
    );
  const before = await firstInView();
  await engine.cli("exec", "counter", "touch", "/tmp/more");
  await page.getByRole("button", { name: "10,100 new" }).waitFor();
  assert.equal(await firstInView(), before);
  await page.getByRole("button", { name: "10,100 new" }).click();
  await page.getByText("line 11000", { exact: true }).waitFor();
  assert.ok(await drawn() <= 200, `${await drawn()}`);
  await page.getByRole("searchbox").fill("line 799");
  await page.getByText("11 lines fit").waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("a berth that stops is told in the bar, and the screen goes on by itself when it is back", async (engine) => {
  const folder = await Deno.makeTempDir({ prefix: "berth-away-" });
  try {
    const first = await serveEngines({ docker: engine }, { folder });
    const browser = await browserOf();
    await using opened = await openPage(browser, first, { key: first.admin, path: "/c" });
    const { page } = opened;
    await page.locator(".is-live").waitFor();
    await first[Symbol.asyncDispose]();
    await page.getByText(/^not live since/).waitFor();
    await using second = await serveEngines({ docker: engine }, {
      folder,
      port: first.port,
      admin: first.admin!,
    });
    await page.locator(".is-live").waitFor();
    await engine.cli("run", "-d", "--name", "newcomer", FIXTURE, "idle");
    await page.getByRole("link", { name: "newcomer" }).waitFor();
    assert.equal(second.url, first.url);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
