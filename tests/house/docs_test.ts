/** Promises of the documentation: what it lists is what there is. */
import assert from "node:assert/strict";
import { SETTINGS } from "../../config/settings.ts";
import { pluginRows, settingsPage } from "../../docs/settings.ts";
import { faultsPage } from "../../docs/faults.ts";
import { rulesPage } from "../../docs/rules.ts";
import { speedPage } from "../../docs/speed.ts";
import { readConfig } from "../../config/config.ts";
import { checkPluginSettings } from "../../plugins/plugin_settings.ts";
import { FAULTS } from "../proof/faults.ts";
import { SECURITY_RULES } from "../proof/security_rules.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import { PROMISED, seconds } from "../proof/promised.ts";

const page = (name: string) => Deno.readTextFile(new URL(`../../${name}`, import.meta.url));

Deno.test("docs/settings.md is what `deno task docs` writes", async () => {
  assert.equal(await page("docs/settings.md"), settingsPage(), "run `deno task docs`");
});

Deno.test("docs/rules.md, with its table of all rules, is what `deno task docs` writes", async () => {
  assert.equal(await page("docs/rules.md"), rulesPage(), "run `deno task docs`");
});

Deno.test("docs/faults.md, with every fault and rule and what proves it, is what `deno task docs` writes", async () => {
  assert.equal(await page("docs/faults.md"), faultsPage(), "run `deno task docs`");
});

Deno.test("what a fault or a rule is proven by is there, and what is not proven says so", async () => {
  const rows = [...FAULTS.flatMap(({ faults }) => faults), ...SECURITY_RULES];
  const lost: string[] = [];
  for (const { id, proofs, open } of rows) {
    assert.ok(proofs.length > 0 || open !== undefined, `${id} is neither proven nor open`);
    for (const [file, name] of proofs) {
      const text = await page(file).catch(() => null);
      if (text === null || (name !== undefined && !text.includes(name))) lost.push(`${id}: ${file}: ${name}`);
    }
  }
  assert.deepEqual(
    lost,
    [],
    "say in tests/proof/faults.ts or tests/proof/security_rules.ts what proves it now",
  );
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  assert.deepEqual([FAULTS.flatMap(({ faults }) => faults).length, SECURITY_RULES.length], [119, 63]);
});

Deno.test("A time that a fault promises is the bound of its tests", async () => {
  const source = await page("tests/proof/faults.ts");
  const told = [...source.matchAll(/ holds:\s*((?:["`][^"`]*["`][\s+]*)+)/g)].map(([, words]) => words!); // the group
  assert.equal(told.length, FAULTS.flatMap(({ faults }) => faults).length);
  for (const words of told) {
    const written = words.replaceAll(/\$\{\s*seconds\(PROMISED\.\w+\)\s*\}/g, "");
    assert.doesNotMatch(written, /\b(?:seconds?|minutes?)\b/, "promise it in tests/proof/promised.ts");
  }
  for (const name of Object.keys(PROMISED)) {
    const use = `PROMISED.${name}`;
    assert.ok(source.includes(`seconds(${use})`), `${use} is told by no fault`);
    const rows = FAULTS.flatMap(({ faults }) => faults).filter(({ holds }) =>
      holds.includes(seconds(PROMISED[name as keyof typeof PROMISED]))
    );
    const files = new Set(rows.flatMap(({ proofs }) => proofs.map(([file]) => file)));
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
