/** The findings of a folder in a real browser: by rule and by file, filtered by the address and the keyboard. */
import assert from "node:assert/strict";
import type { Diagnostic } from "../../client/berth/models.ts";
import { byFile, byRule } from "../../page/parts/findings_groups.ts";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { startService } from "../support/service.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const FILES = {
  "a/compose.yaml": `services:
  web:
    image: nginx
    volumes: ["/var/run/docker.sock:/var/run/docker.sock"]
  db:
    image: postgres
    image: postgres:17
`,
  "b/compose.yaml": "services:\n  cache:\n    image: redis\n    depends_on: [nobody]\n",
};

Deno.test({
  ...BROWSER_TEST,
  name: "findings stand by rule or by file, the address keeps what is chosen, and the keyboard is enough",
  fn: async () => {
    await using berth = await startService();
    const path = `${berth.folder}/workspaces/all`;
    for (const [file, text] of Object.entries(FILES)) {
      await Deno.mkdir(`${path}/${file.slice(0, 1)}`, { recursive: true });
      await Deno.writeTextFile(`${path}/${file}`, text);
    }
    await berth.call("POST /api/workspaces", { path });
    await using browser = await startBrowser();
    await using opened = await openPage(browser, berth, { key: berth.admin, path: "/w/all?view=findings" });
    const { page } = opened;
    const main = page.getByRole("main");
    const shown = async () => ({
      groups: await main.locator(".findings-name").allInnerTexts(),
      rows: await main.locator(".diagnostic").count(),
      asked: new URL(page.url()).search,
    });
    await main.getByText("6 findings").waitFor();
    assert.deepEqual(await shown(), {
      groups: ["yaml/duplicate-key 1", "ref/unknown-service 1", "image/no-tag 3", "sec/docker-socket 1"],
      rows: 6,
      asked: "?view=findings",
    });
    await assertFitsAll(opened, "findings by rule");

    await page.getByRole("tab", { name: "Findings" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.type("w"); // as a list of choices is used: warning
    await main.getByText("3 of 6").waitFor();
    assert.deepEqual(await shown(), {
      groups: ["image/no-tag 3"],
      rows: 3,
      asked: "?view=findings&severity=warning",
    });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await main.locator(".findings-name", { hasText: "a/compose.yaml" }).waitFor();
    assert.deepEqual(await shown(), {
      groups: ["a/compose.yaml 2", "b/compose.yaml 1"],
      rows: 3,
      asked: "?view=findings&severity=warning&by=file",
    });
    await assertFitsAll(opened, "findings by file");

    await opened.visit("/w/all?view=findings&severity=error&rule=image%2Fno-tag&by=file");
    await main.getByText("No finding fits.").waitFor();
    await assertFitsAll(opened, "no finding fits");
    await main.getByRole("link", { name: "Show all" }).press("Enter");
    await main.getByText("6 findings").waitFor();
    await main.getByRole("link", { name: "yaml/duplicate-key" }).press("Enter");
    await main.getByText("1 of 6").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("rule"), "yaml/duplicate-key");
    await page.goBack();
    await main.getByText("6 findings").waitFor();

    // Findings of the text before stay, below the reason that those of the new one are not known
    await page.route("**/artifacts/validate", (route) => route.fulfill({ status: 503, body: "{}" }), {
      times: 1,
    });
    await Deno.writeTextFile(`${path}/b/compose.yaml`, FILES["b/compose.yaml"].replace("redis", "redis:8"));
    const failure = main.getByRole("alert");
    await failure.waitFor();
    await main.getByText("6 findings").waitFor();
    await failure.getByRole("button", { name: "Try again" }).click();
    await main.getByText("5 findings").waitFor();
    await failure.waitFor({ state: "detached" });
    await Deno.writeTextFile(`${path}/b/compose.yaml`, FILES["b/compose.yaml"]);
    await main.getByText("6 findings").waitFor();

    await main.getByRole("link", { name: "b/compose.yaml", exact: true }).press("Enter");
    await main.getByText("depends_on: [nobody]").waitFor();

    await using german = await openPage(browser, berth, {
      key: null,
      locale: "de",
      path: "/w/all?view=findings",
    });
    await german.page.getByRole("button", { name: "Mit einem API-Schlüssel anmelden" }).click();
    await german.page.getByLabel("API-Schlüssel").fill(berth.admin!);
    await german.page.getByRole("button", { name: "Anmelden", exact: true }).click();
    await german.page.getByRole("combobox", { name: "Ordnung" }).selectOption("nach Datei");
    await german.page.getByRole("combobox", { name: "Schwere" }).selectOption("Fehler");
    await german.page.getByText("2 von 6").waitFor();
    assert.deepEqual([...opened.complaints, ...german.complaints], []);
  },
});

Deno.test("rules stand by their worst finding, then by how many, and what is about no file has a group of its own", () => {
  const found = (code: string, severity: Diagnostic["severity"], file: string | null) =>
    ({ code, severity, location: file === null ? null : { file } }) as Diagnostic;
  const all = [
    found("x/whole", "info", null),
    found("x/some", "warning", "a"),
    found("x/many", "info", "a"),
    found("x/many", "warning", "b"),
    found("x/bad", "error", "b"),
  ];
  const told = (groups: ReturnType<typeof byRule>) =>
    groups.map(({ name, findings }) => [name, findings.length]);
  assert.deepEqual(told(byRule(all)), [["x/bad", 1], ["x/many", 2], ["x/some", 1], ["x/whole", 1]]);
  assert.deepEqual(told(byFile(all)), [[null, 1], ["a", 2], ["b", 2]]);
});
