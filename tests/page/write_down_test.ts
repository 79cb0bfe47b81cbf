/** Containers that nobody declared, written down in a real browser. */
import assert from "node:assert/strict";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { workspace } from "../streams/live_scene.ts";
import { assertFitsAll, openPage } from "./opened.ts";
import { go } from "./small_world.ts";

const { test } = await sharedEngine("docker");
/** One more than two calls save; `BERTH_PROOF=1` takes all that one draft holds. */
const MANY = Deno.env.get("BERTH_PROOF") === "1" ? 500 : 51;
/** The projects that are saved before the last call. */
const SAVED = MANY - 1 - (MANY - 1) % 25;
/** A machine that does much else takes its time for 500. */
const LATE = { timeout: 300_000 };
const SECRET = "correct-horse-battery";

test(
  "the page writes chosen containers down, and shows their secrets only when it is asked",
  async (engine) => {
    for (const name of ["written-web", "written-db"]) {
      await engine.cli("create", "--name", name, "-e", `DB_PASSWORD=${SECRET}`, "--rm", FIXTURE, "idle");
    }
    await using berth = await serveEngines({ docker: engine });
    await workspace(berth, "home", "name: home\nservices:\n  web:\n    image: none\n");
    await using browser = await startBrowser();
    await using opened = await openPage(browser, berth, { key: berth.admin });
    const { page } = opened;
    await page.getByRole("button", { name: "Show the services of 2 containers on docker" }).click();
    await page.getByRole("checkbox", { name: "Choose written-db" }).check();
    await page.getByRole("link", { name: "Write down 1 container …" }).click();
    await page.getByRole("heading", { name: "Written down" }).waitFor();
    const file = page.getByLabel("compose.yaml", { exact: true });
    assert.match(await file.innerText(), /container_name: written-db/);
    assert.doesNotMatch(await file.innerText(), /written-web/);
    await page.getByText("removesItself").waitFor();
    await page.getByText("The text says all that berth compares.").waitFor();
    assert.ok(!(await page.content()).includes(SECRET));

    const name = page.getByLabel("Project", { exact: true });
    await name.fill("elsewhere");
    await page.getByRole("button", { name: "Show secrets …" }).click();
    await page.getByText(SECRET).waitFor();
    assert.equal(await name.inputValue(), "elsewhere", "the name that was typed stays");

    // Another draft in the same screen is masked, and says what its own container is.
    await go(page, "/write-down?name=written-web&engine=docker");
    await page.getByText("container_name: written-web").waitFor();
    assert.ok(!(await page.content()).includes(SECRET));
    await page.getByRole("button", { name: "Show secrets …" }).waitFor();
    assert.deepEqual(opened.complaints, []);
    for (const name of ["written-web", "written-db"]) await engine.cli("rm", name);
  },
  BROWSER_TEST.ignore ? "there is no browser" : null,
);

test(
  "the page saves what was written down as a project, says why it cannot, and leads to it",
  async (engine) => {
    const name = "saved-web";
    await engine.cli("run", "-d", "--name", name, "-e", `DB_PASSWORD=${SECRET}`, FIXTURE, "idle");
    try {
      await using berth = await serveEngines({ docker: engine });
      await workspace(berth, "home", "name: home\nservices:\n  web:\n    image: none\n");
      await berth.call("PUT /api/workspaces/home", { editable: true });
      await using browser = await startBrowser();
      await using opened = await openPage(browser, berth, {
        key: berth.admin,
        path: `/write-down?name=${name}&engine=docker`,
      });
      const { page } = opened;
      await page.getByLabel("Project", { exact: true }).fill("home");
      assert.equal(await page.getByLabel("Folder in home").inputValue(), "home");
      await page.getByRole("button", { name: "Save as a project" }).click();
      await page.getByText('A workspace has a project "home" already').waitFor();
      await page.getByLabel("Project", { exact: true }).fill("shop");
      await page.getByRole("button", { name: "Save as a project" }).click();
      await page.getByText("Saved. The containers belong to this project now:").waitFor();
      assert.ok(!(await page.content()).includes(SECRET));
      await page.getByRole("link", { name: "shop" }).click();
      await page.getByRole("heading", { name: "shop" }).waitFor();
      assert.match(await Deno.readTextFile(`${berth.folder}/workspaces/home/shop/.env`), new RegExp(SECRET));
      assert.deepEqual(opened.complaints.filter((one) => !one.includes("409")), []);
    } finally {
      await engine.cli("rm", "-f", name);
    }
  },
  BROWSER_TEST.ignore ? "there is no browser" : null,
);

test(
  "the page saves more projects than one call takes, and says how many are saved",
  async (engine) => {
    const names = Array.from({ length: MANY }, (_, n) => `many-${n}`);
    const create = (name: string) =>
      engine.ask(`POST /containers/create?name=${name}`, { Image: FIXTURE, Cmd: ["idle"] });
    for (const name of names) assert.equal((await create(name)).status, 201);
    try {
      await using berth = await serveEngines({ docker: engine });
      await workspace(berth, "home", "name: home\nservices:\n  web:\n    image: none\n");
      await berth.call("PUT /api/workspaces/home", { editable: true });
      await using browser = await startBrowser();
      const query = names.map((name) => `name=${name}`).join("&");
      const path = `/write-down?${query}&engine=docker`;
      await using opened = await openPage(browser, berth, { key: berth.admin, path });
      const { page } = opened;
      // Somebody takes the name of one in the last call.
      const last = await page.getByLabel("Project", { exact: true }).last().inputValue(LATE);
      await workspace(berth, "other", `name: ${last}\nservices:\n  web:\n    image: none\n`);
      await page.getByRole("button", { name: `Save as ${MANY} projects` }).click();
      await page.getByText(`${SAVED} of ${MANY} projects are saved.`).waitFor(LATE);
      await page.getByText(`A workspace has a project "${last}" already`).waitFor();
      assert.equal((await berth.call("GET /api/adoptions")).body.items.length, SAVED);
      await page.getByLabel("Project", { exact: true }).last().fill("elsewhere");
      await page.getByRole("button", { name: /^Save as (?:a project|\d+ projects)$/ }).click();
      await page.getByText("Saved. The containers belong to these projects now:").waitFor(LATE);
      assert.equal((await berth.call("GET /api/adoptions")).body.items.length, MANY);
      assert.equal(await page.getByRole("link", { name: /^(?:many-\d+|elsewhere)$/ }).count(), MANY);
      assert.deepEqual(opened.complaints.filter((one) => !one.includes("409")), []);
    } finally {
      for (const name of names) await engine.ask(`DELETE /containers/${name}?force=1`);
    }
  },
  BROWSER_TEST.ignore ? "there is no browser" : null,
);

test(
  "the page settles a difference in the file, confirms another container under the name, and ends the adoption",
  async (engine) => {
    const name = "settle-page";
    await engine.cli("run", "-d", "--name", name, FIXTURE, "idle");
    try {
      await using berth = await serveEngines({ docker: engine });
      await workspace(berth, "home", "name: home\nservices:\n  web:\n    image: none\n");
      await berth.call("PUT /api/workspaces/home", { editable: true });
      const { body: { items } } = await berth.call("GET /api/containers");
      const { id } = items.find((one: { name: string }) => one.name === name);
      const containers = [{ backend: "docker", id }];
      const draft = await berth.call("POST /api/workspaces/home/adoptions/draft", {
        containers,
        name: "shop",
      });
      const projects = [{ name: "shop", folder: "shop", containers }];
      assert.equal(
        (await berth.call(`POST /api/adoptions/drafts/${draft.body.id}/accept`, { projects })).status,
        201,
      );
      await engine.cli("update", "--restart", "always", name);
      await using browser = await startBrowser();
      await using opened = await openPage(browser, berth, {
        key: berth.admin,
        path: `/c/docker/${name}?view=differences`,
      });
      const { page } = opened;
      const settling = page.getByRole("button", { name: "Write what runs into the file …" });
      await page.route("**/settle?*", async (route) => {
        const body = { code: "sign_in_again", title: "Sign in", errors: [{ path: "body.key" }] };
        await route.fulfill({
          status: 403,
          contentType: "application/problem+json",
          body: JSON.stringify(body),
        });
      }, { times: 1 });
      await settling.click();
      await page.getByRole("dialog", { name: "Is it still you?" }).getByRole("button", { name: "Cancel" })
        .click();
      await page.getByRole("dialog").waitFor({ state: "detached" }); // it was given up as a whole
      await settling.click();
      await page.getByRole("region", { name: "The change of the file" }).getByText("restart: always")
        .waitFor();
      await page.getByRole("button", { name: "Save the file" }).click();
      await page.getByText("It runs as it is written.").waitFor();
      assert.match(
        await Deno.readTextFile(`${berth.folder}/workspaces/home/shop/compose.yaml`),
        /restart: always/,
      );

      // Another container under its name is a guess, until somebody says that it is the one.
      const isGuessed = page.getByText("Another container had this name when it was adopted.");
      const isAdopted = page.getByText("Adopted as it is.");
      await isAdopted.waitFor();
      await engine.cli("rm", "-f", name);
      await engine.cli("run", "-d", "--name", name, FIXTURE, "idle");
      await isGuessed.waitFor();
      await page.getByRole("button", { name: "This is the one …" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Adopted by").waitFor();
      await dialog.getByRole("button", { name: "This is the one" }).click();
      await isAdopted.waitFor();
      assert.equal((await berth.call("GET /api/adoptions")).body.items[0].state, "certain");

      await page.getByRole("button", { name: "End the adoption …" }).click();
      await dialog.getByRole("button", { name: "End the adoption" }).click();
      await isAdopted.waitFor({ state: "hidden" });
      assert.deepEqual((await berth.call("GET /api/adoptions")).body.items, []);
      assert.deepEqual(opened.complaints, []);
    } finally {
      await engine.cli("rm", "-f", name);
    }
  },
  BROWSER_TEST.ignore ? "there is no browser" : null,
);

test(
  "the page reads a line of docker run into a new project, names what it cannot take, and saves it",
  async () => {
    await using berth = await serveEngines({});
    await workspace(berth, "home", "name: home\nservices:\n  web:\n    image: none\n");
    await berth.call("PUT /api/workspaces/home", { editable: true });
    await using browser = await startBrowser();
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/new" });
    const { page } = opened;
    await page.getByRole("button", { name: "A docker run line" }).click();
    await page.getByLabel("The line").fill("docker run --rm -p 8080:80 --name shop nginx:1.27");
    await page.getByRole("button", { name: "Read the line" }).click();
    await page.getByText("Not in the text: --rm").waitFor();
    await page.getByText("container_name").first().waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "shop" }).waitFor();
    const text = await Deno.readTextFile(`${berth.folder}/workspaces/home/shop/compose.yaml`);
    assert.match(text, /image: "nginx:1.27"[^]*8080:80/);

    const secret = "PASSWORD=hush-hush\nVERSION=1.2\n";
    await Deno.writeTextFile(`${berth.folder}/workspaces/home/shop/.env`, secret);
    await eventually("berth has read it", async () => {
      const { files } = (await berth.call("GET /api/projects/shop@home")).body;
      return files.some(({ path }: { path: string }) => path === "shop/.env");
    });
    await opened.visit("/new");
    await page.getByLabel("Name", { exact: true }).fill("second");
    await page.getByRole("button", { name: "Copy of a project" }).click();
    await page.getByLabel("The project to copy").selectOption("shop@home");
    await page.getByText("2 values are hidden and left empty: write them anew.").waitFor();
    await assertFitsAll(opened, "the copy of a project");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "second" }).waitFor();
    const copyOf = (file: string) => Deno.readTextFile(`${berth.folder}/workspaces/home/second/${file}`);
    assert.equal(await copyOf("compose.yaml"), text.replace(/^name: .*\n/m, ""));
    assert.equal(await copyOf(".env"), "PASSWORD=\nVERSION=\n");
    assert.deepEqual(opened.complaints, []);
  },
  BROWSER_TEST.ignore ? "there is no browser" : null,
);
