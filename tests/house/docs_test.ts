/** Promises of the documentation: what it lists is what there is. */
import assert from "node:assert/strict";
import { EXIT, EXIT_MEANINGS } from "../../commands/exit_code.ts";
import { SETTINGS } from "../../config/settings.ts";
import { pluginRows, settingsPage } from "../../docs/settings.ts";
import { faultsPage, numberOf, proofsIn, readProofs } from "../../docs/faults.ts";
import { rulesPage } from "../../docs/rules.ts";
import { speedPage } from "../../docs/speed.ts";
import { readConfig } from "../../config/config.ts";
import { checkPluginSettings } from "../../plugins/plugin_settings.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import { PROMISED, seconds } from "../proof/promised.ts";

const page = (name: string) => Deno.readTextFile(new URL(`../../${name}`, import.meta.url));

Deno.test("docs/settings.md is what `deno task docs` writes", async () => {
  assert.equal(await page("docs/settings.md"), settingsPage(), "run `deno task docs`");
});

Deno.test("docs/rules.md, with its table of all rules, is what `deno task docs` writes", async () => {
  assert.equal(await page("docs/rules.md"), rulesPage(), "run `deno task docs`");
});

Deno.test("docs/faults.md names for each fault and rule what `deno task docs` finds in the names of tests", async () => {
  const written = await page("docs/faults.md");
  const proofs = await readProofs();

  assert.equal(written, faultsPage(written, proofs), "run `deno task docs`");
  const rows = written.split("\n").flatMap((line) => numberOf(line) ?? []);
  assert.equal(new Set(rows).size, rows.length);
  assert.deepEqual(
    rows.filter((row) => !proofs.has(row)),
    [],
    "a test that proves it has its number in its name",
  );
  assert.deepEqual(
    [...proofs.keys()].filter((number) => !rows.includes(number)),
    [],
    "a row says what it is",
  );
  assert.ok(rows.length >= 182, "a fault that was found keeps its row");
});

Deno.test("numbers at the end of names are proofs, of scripts in their first comment, and other columns stay", () => {
  const [one, both] = ["(F1)", "(F1, R2)"];
  const proofs = proofsIn(
    new Map([
      ["tests/b_test.ts", `test("one ${one}");\ntest(\`\${kind}: \\\`two\\\` ${both}\`);\n"${one} three";`],
      ["tests/proof/a.ts", `/**\n * Runs for hours ${one}.\n */\nconst a = "four ${one}";\n`],
    ]),
  );

  const row = "[b_test.ts](../tests/b_test.ts): “one”; “…: `two`”<br>[a.ts](../tests/proof/a.ts)";
  const before = '# Page\n| <a id="f1"></a>F1 | a \\| b | c | old |\n| R2 | rule | |\n| R3 | rule | old |\n';
  assert.equal(
    faultsPage(before, proofs),
    `# Page\n| <a id="f1"></a>F1 | a \\| b | c | ${row} |\n` +
      "| R2 | rule | [b_test.ts](../tests/b_test.ts): “…: `two`” |\n| R3 | rule |  |\n",
  );
});

Deno.test("A time that a fault promises is the bound of its tests", async () => {
  const written = await page("docs/faults.md");
  const proofs = await readProofs();
  const promises = written.split("\n").flatMap((line) => {
    const number = numberOf(line);
    const [, , , holds = ""] = line.split(/(?<!\\)\|/);
    return number?.startsWith("F") ? [{ number, holds }] : [];
  });
  const times = Object.entries(PROMISED).map(([name, ms]) => ({
    use: `PROMISED.${name}`,
    words: seconds(ms),
  }));
  for (const { number, holds } of promises) {
    const others = times.reduce((rest, { words }) => rest.replaceAll(words, ""), holds);
    assert.doesNotMatch(
      others,
      /\b(?:seconds?|minutes?)\b/,
      `${number}: promise it in tests/proof/promised.ts`,
    );
  }
  for (const { use, words } of times) {
    const rows = promises.filter(({ holds }) => holds.includes(words));
    assert.ok(rows.length > 0, `${use} is told by no fault`);
    const files = new Set(rows.flatMap(({ number }) => (proofs.get(number) ?? []).map(({ file }) => file)));
    const texts = await Promise.all([...files].map(page));
    assert.ok(texts.some((text) => text.includes(use)), `${use} bounds no test of a fault that promises it`);
  }
});

Deno.test("what was measured here takes the place of its row in docs/speed.md and leaves the others", async () => {
  const before = await page("docs/speed.md");
  assert.ok(before.split("\n").length <= 121, "one table, of a page that is read");
  const standings = [
    { name: "the peer", median: 2, ratio: 1, spread: [1, 1] as const },
    { name: "berth", median: 123.4, ratio: 0.61728, spread: [0.5, 0.75] as const },
    { name: "another", absent: "no such package" },
  ];
  const about = "A list.";
  const written = speedPage(before, [
    { name: "engine-list-50", about, unit: "ms", better: "less", standings },
  ]);

  const row = "| engine-list-50 | A list: ms, less is better | " +
    "the peer **1** (2)<br>berth **0.617** (123, 0.5 to 0.75)<br>another: absent, no such package |";
  const isOther = (line: string) => !line.startsWith("| engine-list-50 |");
  assert.ok(written.split("\n").includes(row), written);
  assert.deepEqual(written.split("\n").filter(isOther), before.split("\n").filter(isOther));
  assert.equal(speedPage(before, []), before);
});

Deno.test("every setting has a meaning and a default in words", () => {
  for (const { variable, meaning, default: value } of [...SETTINGS, ...PLUGINS.flatMap(pluginRows)]) {
    assert.ok(meaning.length > 10, variable);
    assert.ok(value !== "undefined" && value !== "", variable);
  }
});

Deno.test("the example of docs/settings.md is read without a mistake", async () => {
  const example = /```yaml\n([\s\S]+?)```/.exec(settingsPage())?.[1] ?? "";
  const path = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(path, example);
    const config = await readConfig({ env: (name) => ({ HOME: "/home/ada", BERTH_CONFIG: path })[name] });

    assert.deepEqual(config.roles.map(({ role }) => role), ["admin", "operator", "viewer"]);
    const { settings, mistakes } = checkPluginSettings(PLUGINS, config);
    assert.deepEqual(mistakes, []);
    const { engines } = settings.get("container-runtime") as { engines: { name: string }[] };
    assert.deepEqual(engines.map(({ name }) => name), ["docker", "far"]);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("the pages name exit codes that commands have, with the meaning of the table", async () => {
  const pages = ["ARCHITECTURE.md", "README.md", "packaging/berth.1"];
  for await (const { name } of Deno.readDir(new URL("../../docs/", import.meta.url))) {
    if (name.endsWith(".md")) pages.push(`docs/${name}`);
  }
  const codes = new Set(EXIT_MEANINGS.map(([code]) => code));
  const wrong: string[] = [];
  let named = 0;
  for (const path of pages) {
    const text = (await page(path)).replaceAll(/\s+/g, " ").replaceAll(/\([^()]*\)/g, "");
    for (const [sentence] of text.matchAll(/(?:exit code is|It exits with) \d[^.`#]*/g)) {
      for (const [, code, meaning] of sentence.matchAll(/\b(\d+)\b([^\d.]*)/g)) {
        named++;
        const isUnread = /\bit could not (?:look|run|read)\b/.test(meaning!);
        const isRight = isUnread ? Number(code) === EXIT.INCOMPLETE : codes.has(Number(code));
        if (!isRight) wrong.push(`${path}: ${code}${meaning}`);
      }
    }
  }
  assert.ok(named >= 25, `${named}`);
  assert.deepEqual(wrong, []);
  assert.match(
    await page("ARCHITECTURE.md"),
    new RegExp(`the exit code is ${EXIT.USAGE}, or ${EXIT.NO} where`),
  );
});

Deno.test("a block that restores a backup replaces the sealing key only once the backup was restored, and keeps it", async () => {
  const text = (await page("docs/operations.md")).replaceAll(/\\?\n +/g, " ");
  const restores = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!.split("\n"))
    .flatMap((lines) => lines.some((line) => /\brestore \S/.test(line)) ? [lines] : []);

  assert.equal(restores.length, 3);
  for (const lines of restores) {
    const inward = lines.filter((line) => /\bsealing-key (?:\S+ )?\S*(?:data|berth)\/$/.test(line));
    assert.equal(inward.length, 1, lines.join("\n"));
    assert.match(inward[0]!, /\brestore \S+ && (?:sudo )?(?:cp|install) .*--backup=numbered /);
  }
});

Deno.test("Links and paths in the pages for contributors name files that exist", async () => {
  const pages = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/plugins.md", "tests/README.md"];
  for await (const { name } of Deno.readDir(new URL("../../docs/decisions/", import.meta.url))) {
    pages.push(`docs/decisions/${name}`);
  }
  const missing: string[] = [];
  for (const path of pages) {
    const text = await page(path);
    const named = [
      ...[...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, link]) =>
        new URL(link!, `file:///${path}`).pathname.slice(1)
      ),
      ...[...text.matchAll(/`([a-z_.]+(?:\/[\w-]+)+\.(?:tsx?|md|json))`/g)].map(([, file]) => file!),
    ];
    for (const file of named) {
      await Deno.lstat(new URL(`../../${file}`, import.meta.url)).catch(() =>
        missing.push(`${path}: ${file}`)
      );
    }
  }
  assert.ok(pages.length > 20);
  assert.deepEqual(missing, []);
});

Deno.test("the shipped nginx waits for an answer as long as the page does, and the docs say how long that is", async () => {
  const longS = Number(/LONG_S = (\d+)/.exec(await page("page/live/session.ts"))?.[1]);
  const nginx = await page("packaging/nginx.conf");

  assert.ok(longS > 600, "berth lets an act take ten minutes");
  assert.ok(Number(/^ *proxy_read_timeout (\d+)s;$/m.exec(nginx)?.[1]) >= longS);
  assert.ok((await page("docs/operations.md")).includes(`| wait ${longS / 60} minutes for the next byte `));
});
