/** `berth validate`: its exit codes, and each of its formats. */
import assert from "node:assert/strict";
import { parseLine } from "../../commands/parse.ts";
import type { Line } from "../../commands/command.ts";
import { commandOf } from "../../commands/table.ts";
import { run as validate } from "../../commands/validate.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";

async function run(files: Files | string, ...args: string[]) {
  await using folder = typeof files === "string" ? null : await workspaceFolder(files);
  let out = "";
  let error = "";
  const line = parseLine(commandOf("validate")!, [folder?.path ?? String(files), ...args]) as Line;
  const code = await validate(line, {
    out: (text) => out += text,
    error: (text) => error += text,
  });
  return { code, out, error };
}

const GOOD: Files = { "compose.yaml": "name: shop\nservices:\n  web:\n    image: nginx:1.27\n" };
const BAD: Files = {
  "compose.yaml": "name: shop\nservices:\n  web:\n    image: nginx:1.27\n    depends_on:\n\t  - db\n",
  "b/compose.yaml":
    "name: b\nservices:\n  wéb:\n    image: nginx:1.27\n    depends_on: [api]\n  api:\n    image: '界:1'\n    depends_on: [wéb]\n",
};

Deno.test("berth validate exits with 0 without errors, 1 with, and 64 for what is no folder", async () => {
  assert.equal((await run(GOOD)).code, 0);
  assert.equal((await run(BAD)).code, 1);
  assert.equal(
    (await run({ "compose.yaml": "services:\n  web:\n    image: nginx\n" })).code,
    0,
    "a warning is no error",
  );
  const { code, error } = await run("/nowhere/at/all");
  assert.deepEqual([code, error], [
    64,
    'berth validate: "/nowhere/at/all" is not a folder that can be read\n',
  ]);
});

Deno.test("the text names file, line and column, and shows the line with a caret under the place", async () => {
  const { out } = await run({
    "compose.yaml":
      "name: shop\nservices:\n  web:\n    image: nginx:1.27\n    depends_on: [bé]\n  db:\n    image: postgres:17\n",
  });
  assert.equal(
    out,
    `compose.yaml:5:18: error: "web" needs the undefined service "bé" [ref/unknown-service]
 5 |     depends_on: [bé]
   |                  ^^
invalid: 1 error in 1 file, 1 group, 2 units, 1 edge
`,
  );
});

Deno.test("the text keeps tabs, counts wide characters as two, cuts long lines and lets no control character through", async () => {
  const { out } = await run({
    "compose.yaml": `services:\n  web: { labels: { a: "界界" }, image: nginx }\n  long: { labels: { a: "${
      "x".repeat(300)
    }" }, image: nginx }\n  "e\\e[31mvil": { image: nginx, depends_on: ["\\e[2Jx"] }\n`,
  });
  const lines = out.split("\n");
  const at = (start: string) => lines.findIndex((line) => line.startsWith(start));
  const web = at("compose.yaml:2:");
  assert.equal(lines[web + 2]!.indexOf("^"), ` 2 |   web: { labels: { a: "界界" }, image: `.length + 2);
  assert.ok(lines[at("compose.yaml:3:") + 1]!.length < 130);
  // deno-lint-ignore no-control-regex
  assert.ok(!/[\u0000-\u0009\u000b-\u001f\u007f]/.test(out), JSON.stringify(out));
});

Deno.test("the github format is one escaped workflow command a finding", async () => {
  const text = "services:\n  web: { image: nginx, depends_on: ['100%'] }\n";
  const { out } = await run({ "a,b/compose.yaml": text }, "--format", "github");
  assert.deepEqual(out.trimEnd().split("\n"), [
    "::warning file=a%2Cb/compose.yaml,line=2,col=17,endLine=2,endColumn=22,title=image/no-tag::" +
    '"nginx" has no tag, so it means "latest", which changes over time',
    "::error file=a%2Cb/compose.yaml,line=2,col=37,endLine=2,endColumn=43,title=ref/unknown-service::" +
    '"web" needs the undefined service "100%25"',
  ]);
});

Deno.test("the json format is the report, the sarif format a SARIF log", async () => {
  const report = JSON.parse((await run(BAD, "--format=json")).out);
  assert.deepEqual([report.schemaVersion, report.workspace, report.valid], [1, "shop", false]);
  const sarif = JSON.parse((await run(BAD, "--format=sarif")).out);
  assert.equal(sarif.version, "2.1.0");
  assert.equal(sarif.runs[0].results.length, report.diagnostics.length);
});

Deno.test("a report is bounded, keeps the worst, and counts the rest", async () => {
  const services = Array.from({ length: 400 }, (_, i) => `  s${i}: { image: nginx }`).join("\n");
  const { out } = await run({ "compose.yaml": `services:\n${services}\n  bad: {}\n` }, "--format", "json");
  const report = JSON.parse(out);
  assert.equal(report.diagnostics.length, 100);
  assert.equal(report.summary.warning, 400);
  assert.equal(
    report.diagnostics.filter(({ severity }: { severity: string }) => severity === "error").length,
    1,
  );
  assert.deepEqual(report.truncated, { diagnostics: 301, files: 1 });
});
