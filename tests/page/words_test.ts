/** Every sentence of the page in every language, and the page in the browser's own. */
import assert from "node:assert/strict";
import { words as german } from "../../page/words/de.ts";
import { words as english } from "../../page/words/en_later.ts";
import { BROWSER_TEST, startBrowser } from "../support/browser.ts";
import { startService } from "../support/service.ts";
import { assertFitsAll, openPage } from "./opened.ts";

/** Every word by its path, with what kind of thing it is. */
function* wordsOf(words: unknown, path = ""): Iterable<readonly [path: string, word: unknown]> {
  if (typeof words !== "object" || words === null) yield [path, words];
  else for (const [name, word] of Object.entries(words)) yield* wordsOf(word, `${path}.${name}`);
}

/** Words of the craft that are the same in German, and what has no words. */
const SAME =
  /^(?:|…|[✕!].*|\d.*|Name|Status|Container|Containers|Image|Images|Volume|Volumes|Ports|Port|Log|Logs|Shell|Audit|Engine|Engines|Gateway|Host|Registry|Swarm|Tasks|Registries|Inspect|Variable|Version|Graph|Plan|Info|API.*|Tab|Esc|live|berth|.* · berth|postgres.*|sqlite.*|root)$/;

Deno.test("German has every word of the page, of the same kind, and none is English", () => {
  const own = new Map(wordsOf(german));
  const lacking: string[] = [];
  const untold: string[] = [];
  for (const [path, word] of wordsOf(english)) {
    if (path.startsWith(".files.phrases")) continue; // of CodeMirror, whose English is its own
    const other = own.get(path);
    if (typeof other !== typeof word) lacking.push(path);
    else if (typeof word === "string" && word === other && !SAME.test(word)) untold.push(`${path}: ${word}`);
  }
  assert.deepEqual(lacking, [], "page/words/de*.ts has to say these");
  assert.deepEqual(untold, [], "page/words/de*.ts says these in English");
});

Deno.test("German sentences hold what they are told, with numbers and dates as Germans write them", () => {
  const container = { state: "running", condition: "running", exitCode: null, health: null, restartCount: 0 };
  const given = [
    [container],
    ["running", "differs"],
    ["admin"],
    ["ada", "shop", "web-1", "db-1"],
    [
      1_234_567,
      2_345_678,
      3,
      4,
    ],
    [
      "differs",
      2,
    ],
    [
      2,
      "ada",
      3,
    ],
    [["networks"]],
    ["podman", ["networks", "volumes"], "it hangs"],
  ];
  for (const [path, word] of wordsOf(german)) {
    if (typeof word !== "function") continue;
    const said = given.map((some) => {
      try {
        return word(...some);
      } catch {
        return undefined; // it takes others
      }
    });
    assert.ok(
      said.some((one) => typeof one === "string" && one !== "" && !/undefined|NaN|\[object/.test(one)),
      `${path}: ${said}`,
    );
  }
  assert.equal(german.number(1_234_567), "1.234.567");
  assert.equal(german.bytes(1_500_000), "1,5 MB");
  assert.equal(english.number(1_234_567), "1,234,567");
  assert.match(german.day(Date.UTC(2026, 9, 3)), /^3\. Okt/);
});

Deno.test({
  ...BROWSER_TEST,
  name: "a browser that wants German gets it, and whoever chooses English keeps it",
  fn: async () => {
    await using berth = await startService();
    await using browser = await startBrowser();
    await using opened = await openPage(browser, berth, { locale: "de-AT" });
    const { page } = opened;
    await page.getByRole("heading", { name: "Anmelden" }).waitFor();
    await page.getByRole("button", { name: "Mit einem API-Schlüssel anmelden" }).click();
    await page.getByLabel("API-Schlüssel").fill(berth.admin!);
    await page.getByRole("button", { name: "Anmelden", exact: true }).click();
    await page.getByText("Tragen Sie Ihren ersten Ordner ein").first().waitFor();
    assert.equal(await page.evaluate("document.documentElement.lang"), "de");
    await assertFitsAll(opened, "the overview in German");
    await opened.visit("/settings/people");
    await page.getByRole("button", { name: "Person hinzufügen" }).waitFor();
    await assertFitsAll(opened, "people in German");

    await page.getByLabel("Angemeldet als").click();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Add a person" }).waitFor();
    await opened.visit("/");
    await page.getByText("Register your first folder").first().waitFor();
    assert.equal(await page.evaluate("document.documentElement.lang"), "en");
    assert.deepEqual(opened.complaints, []);
  },
});
