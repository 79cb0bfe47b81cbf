/** Files that were not read are always told, and files that are no artifacts use up no limit. */
import assert from "node:assert/strict";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { LIMITS, reportOn } from "../../artifacts/report/report.ts";
import { textOf } from "../../artifacts/report/text.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";

const one = "services: { web: { image: 'nginx:1.27' } }\n";
const deep = `base/j2ee/${"d/".repeat(12)}`;

async function report(files: Files, budgets: ConstructorParameters<typeof WorkspaceReader>[1] = {}) {
  await using folder = await workspaceFolder(files);
  const model = await new WorkspaceReader(folder.path, budgets).read();
  return { model, report: reportOn(model, "shop") };
}

Deno.test("a limit that was reached stands in the report beside thousands of errors, and in the summary", async () => {
  const broken = `services:\n${
    Array.from({ length: LIMITS.perFile + 20 }, (_, index) => `  s${index}: { imag: x }\n`).join("")
  }`;
  const many = Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [`p${index}/compose.yaml`, broken]),
  );
  const { model, report: found } = await report({
    ...many,
    [`${deep}x/compose.yaml`]: one,
    [`${deep}y/b.yml`]: one,
  });
  assert.equal(found.diagnostics.length, LIMITS.all);
  const limits = found.diagnostics.filter(({ code }) => code === "fs/limit-reached");
  assert.deepEqual(limits.map(({ message }) => message), [
    `Folders more than 12 levels deep below "${deep.slice(0, -3)}" were not read`,
  ]);
  assert.deepEqual([found.complete, model.complete], [false, false]);
  assert.match(
    textOf(found, model),
    /; not everything was read: Folders more than 12 levels deep below "base\/j2ee/,
  );
});

Deno.test("folders without YAML use up no limit, however deep, many or full they are", async () => {
  const others: Record<string, string> = { [`${deep}x/y/z/Main.java`]: "" };
  for (let index = 0; index < 30; index++) others[`src/${index}/README.md`] = "# None\n";
  for (let index = 0; index < 60; index++) others[`photos/${index}.jpg`] = "";
  const { report: found } = await report({ "compose.yaml": one, "z/compose.yaml": one, ...others }, {
    files: 10,
    entries: 40,
  });
  assert.deepEqual([found.complete, found.summary.groups], [true, 2]);
});

Deno.test("a limit inside one file is no complete reading either", async () => {
  const { report: found } = await report({ "compose.yaml": one, ".env": "A=1\n".repeat(20_001) });
  assert.equal(found.complete, false);
});
