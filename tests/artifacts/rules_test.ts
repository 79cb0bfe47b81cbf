/** Every rule of the table is provoked by one workspace and silent about another. */
import assert from "node:assert/strict";
import { diagnosticOf } from "../../artifacts/report/report.ts";
import { isRuleCode, ruleOf, RULES, SEVERITIES } from "../../artifacts/rules/catalog.ts";
import { check } from "../../artifacts/rules/check.ts";
import type { Diagnostic } from "../../artifacts/report/report_shape.ts";
import { EXAMPLES } from "./rule_examples.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";

/** The findings of one code; rules that are off are switched on. */
async function found(code: string, files: Files): Promise<Diagnostic[]> {
  const settings: Files = isRuleCode(code) && ruleOf(code).off === true
    ? { "berth.yaml": `rules:\n  ${code}: ${ruleOf(code).severity}\n` }
    : {};
  await using folder = await workspaceFolder({ ...settings, ...files });
  const model = await folder.read();
  return check(model).findings.filter((finding) => finding.code === code).map(diagnosticOf);
}

for (const [code, { bad, good }] of Object.entries(EXAMPLES)) {
  Deno.test(`${code} is found in its bad example with a place and a sentence, and not in its good one`, async () => {
    const findings = await found(code, bad);
    assert.notEqual(findings.length, 0, "the bad example goes unnoticed");
    for (const { severity, message, location, fingerprint } of findings) {
      assert.ok(SEVERITIES.includes(severity));
      assert.match(
        message,
        /^[^a-z].*[^.]$/s,
        "messages begin with a capital, a quote or a number, and have no period",
      );
      assert.match(fingerprint, /^[0-9a-f]{16}$/);
      if (!code.startsWith("workspace/")) {
        assert.ok(location !== null, "it says where");
        assert.ok(location.range.start.line >= 1 && location.range.end.offset >= location.range.start.offset);
      }
    }
    assert.deepEqual(await found(code, good), []);
  });
}

/** Rules whose condition a folder of files cannot make, with the test that does. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "workspace/nested": "tests/artifacts/artifacts_test.ts",
  "fs/unreadable": "artifacts/files/safe_reader_test.ts",
};

Deno.test("every rule of the table has an example, and every example a rule", () => {
  const without = Object.keys(RULES).filter((code) =>
    !(code in EXAMPLES) && !(code in ELSEWHERE) && RULES[code as keyof typeof RULES].stage !== "live" // a key of it
  );
  assert.deepEqual(without, []);
  assert.deepEqual(Object.keys(EXAMPLES).filter((code) => !isRuleCode(code)), []);
});

Deno.test("an empty workspace, and a folder with several default files, are each told once", async () => {
  assert.equal((await found("workspace/empty", { "notes.txt": "" })).length, 1);
  const text = "services:\n  web:\n    image: nginx:1.27\n";
  const group =
    "apiVersion: berth/v1\nkind: Group\nmetadata:\n  name: old\nspec:\n  compose: docker-compose.yml\n";
  const files = { "compose.yaml": text, "docker-compose.yml": text, "old.group.yaml": group };
  assert.equal((await found("compose/multiple-defaults", files)).length, 1);
});

const twice = "services:\n  web:\n    image: nginx\n  db:\n    image: postgres\n";

Deno.test("berth.yaml silences a rule or changes its severity", async () => {
  const of = async (rules: string) => {
    await using folder = await workspaceFolder({ "compose.yaml": twice, "berth.yaml": rules });
    return check(await folder.read()).findings.filter(({ code }) => code === "image/no-tag").map((f) =>
      f.severity
    );
  };
  assert.deepEqual(await of("rules: {}\n"), ["warning", "warning"]);
  assert.deepEqual(await of("rules:\n  image/no-tag: off\n"), []);
  assert.deepEqual(await of("rules:\n  image/no-tag: error\n"), ["error", "error"]);
});

Deno.test("a comment silences its line, the next one or the file, by code, and is counted", async () => {
  const of = async (text: string) => {
    await using folder = await workspaceFolder({ "compose.yaml": text });
    const { findings, suppressed } = check(await folder.read());
    return [findings.filter(({ code }) => code === "image/no-tag").length, suppressed];
  };
  assert.deepEqual(await of(twice), [2, 0]);
  assert.deepEqual(await of(twice.replace("nginx", "nginx # berth-disable-line image/no-tag")), [1, 1]);
  assert.deepEqual(await of(twice.replace("nginx", "nginx # berth-disable-line image/latest")), [2, 0]);
  assert.deepEqual(
    await of(
      twice.replace("    image: postgres", "    # berth-disable-next-line image/no-tag\n    image: postgres"),
    ),
    [1, 1],
  );
  assert.deepEqual(await of(`# berth-disable-file image/no-tag\n${twice}`), [0, 2]);
});

for (
  const [line, code, expected] of [
    ["privileged: yes", "sec/privileged", true], // Compose: privileged, with a warning about the word
    ["privileged: 'no'", "sec/privileged", false],
    ["healthcheck: { test: NONE }", "graph/healthcheck-disabled", false], // the command NONE, run by a shell
    ["healthcheck: { test: [NONE] }", "graph/healthcheck-disabled", true],
    ["scale: '0x10'", "schema/invalid", true],
    ["scale: 0x10", "schema/invalid", false],
    ["cpus: ' 5 '", "schema/invalid", true],
    ["cpus: '1e1'", "schema/invalid", false],
    ["deploy: { replicas: 0x10 }\n    scale: 16", "compose/scale-vs-replicas", false],
    ["links: gone", "ref/unknown-link", false], // refused as a whole: schema/invalid says so
    ["links: gone", "schema/invalid", true],
    ["tmpfs: /run\n    volumes: ['/run']", "compose/duplicate-mount-target", true], // one or many
  ] as const
) {
  Deno.test(`\`${line.replaceAll(/\n\s*/g, "; ")}\` is read as Compose reads it: ${code} ${expected ? "is" : "is not"} found`, async () => {
    const text = `services:\n  web:\n    image: nginx:1.27\n    ${line}\n  app:\n    image: nginx:1.27\n` +
      `    depends_on: { web: { condition: service_healthy } }\n`;
    assert.equal((await found(code, { "compose.yaml": text })).length > 0, expected);
  });
}
