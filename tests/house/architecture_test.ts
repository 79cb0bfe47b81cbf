/** The rules of the project that a program can hold. */
import assert from "node:assert/strict";
import { breaches, circles, importsOf, ROOMS, withoutComments } from "./imports.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import { sources } from "./sources.ts";

const root = new URL("../../", import.meta.url);

const files: string[] = [];
for await (const file of sources()) files.push(file);
const text = (file: string) => Deno.readTextFile(new URL(file, root));

Deno.test("every import keeps to the table of ARCHITECTURE.md", async () => {
  const found: string[] = [];
  for (const file of files) found.push(...breaches(file, await text(file)));
  assert.ok(files.length > 5);
  assert.deepEqual(found, []);
});

for (
  const [file, source, what] of [
    ["core/error.ts", `import { Hono } from "hono";`, "a package in the core"],
    ["client/mod.ts", `import type { X } from "../../core/error.ts";`, "a client that is no leaf"],
    ["client/mod.ts", `export * from "zod";`, "a client with a dependency"],
    ["artifacts/graph/a.ts", `const x = await import("../../http/router.ts");`, "HTTP in the artifacts"],
    ["artifacts/yaml/a.ts", `import type { X } from "../compose/b.ts";`, "a room that imports one above it"],
    ["artifacts/compose/a.ts", `import "../../artifacts/reading/b.ts";`, "the same by way of the root"],
    ["artifacts/extras/a.ts", "", "a room that is not in the table"],
    ["plugins/containers/a.ts", `import "../other/b.ts";`, "a plugin that imports its neighbour"],
    [
      "plugins/other/a.ts",
      `import "../containers/runtime.ts";`,
      "any plugin that imports its neighbour",
    ],
    ["plugins/other/a.ts", `import "../host.ts";`, "a plugin that imports more than the contract"],
    ["plugins/host.ts", `import "./other/a.ts";`, "a plugin imported by somebody else than the list"],
    ["engines/mirror/a.ts", `import "../links/b.ts";`, "an import upwards among the engine's rooms"],
    ["engines/links/a.ts", `import "../../http/answer.ts";`, "an engine that knows HTTP routes"],
    ["plugins/containers/logs/a.ts", `import "../exec/b.ts";`, "an import of a room beside its own"],
    ["plugins/containers/new/a.ts", `import "../backends/b.ts";`, "a room that the table does not name"],
    ["page/live/a.ts", `import { may } from "../../core/access.ts";`, "a page that imports the service"],
    ["page/screens/a/a.tsx", `import { b } from "../b/b.tsx";`, "a screen that imports another"],
    [
      "http/serve/edge.ts",
      `import { start } from "../../app/start.ts";`,
      "somebody who knows the composition root",
    ],
    ["auth/sessions/session.ts", `import { DatabaseSync } from "node:sqlite";`, "SQL outside the store"],
  ] as const
) {
  Deno.test(`the table refuses ${what}`, () => assert.notDeepEqual(breaches(file, source), []));
}

Deno.test("a breach between two rooms is said in words", () => {
  assert.deepEqual(breaches("artifacts/graph/a.ts", `import { x } from "../live/join.ts";`), [
    "artifacts/graph/a.ts imports artifacts/live/join.ts: live/ stands above graph/",
  ]);
});

Deno.test("every room of the tables is there", () => {
  for (const [folder, rows] of Object.entries(ROOMS)) {
    const missing = rows.flat().filter((room) => !files.some((file) => file.startsWith(folder + room)));
    assert.deepEqual(missing, [], `rooms of ${folder} without a file`);
  }
});

/** Modules of the runtime that take longer to load than everything else before the first answer. */
const SLOW_TO_LOAD = ["node:crypto", "node:http", "node:zlib", "node:fs"];

Deno.test("what a start loads before its first answer waits for no slow module", async () => {
  const loaded = new Set(["commands/serve.ts", "store/sqlite/store.ts", "plugins/plugin_settings.ts"]);
  for (const file of loaded) {
    const source = (await text(file)).replaceAll(/(?:im|ex)port\s+type\b[^;]*;|\bimport\([^)]*\)/g, "");
    for (const target of importsOf(file, source)) {
      assert.ok(!SLOW_TO_LOAD.includes(target), `${file} imports ${target}: load it where it is needed`);
      if (target.endsWith(".ts")) loaded.add(target);
    }
  }
  assert.ok(loaded.has("http/serve/listener.ts") && loaded.has("app/start.ts"));
});

Deno.test("no files import each other in a circle", async () => {
  const imports = new Map<string, string[]>();
  for (const file of files) imports.set(file, importsOf(file, await text(file)));
  assert.deepEqual(circles(imports), []);
});

Deno.test("a circle of imports is told as the way round, also when a type or a late import closes it", () => {
  const sources = {
    "log/a.ts": `import { b } from "./b.ts";`,
    "log/b.ts": `export type { C } from "./c.ts";`,
    "log/c.ts": `const { b } = await import("./b.ts");`,
    "log/d.ts": `import "./a.ts";\n/* import "./e.ts"; */`,
    "log/e.ts": `import "./d.ts";`,
  };
  const imports = new Map(Object.entries(sources).map(([file, source]) => [file, importsOf(file, source)]));
  assert.deepEqual(circles(imports), ["log/b.ts → log/c.ts → log/b.ts"]);
});

Deno.test("imports of every form are seen, and those in comments are not", () => {
  const source =
    `/** import "a"; */\nimport type {\n  B,\n} from "b";\nexport { c } from "c";\nimport "d";\nawait import("e");`;
  assert.deepEqual(importsOf("core/x.ts", source), ["b", "c", "d", "e"]);
});

Deno.test("every file of the product opens with a sentence that says why it exists", async () => {
  const silent: string[] = [];
  for (const file of files) {
    if (file.endsWith("_test.ts")) continue;
    if (!/^(?:#!.*\n)?(?:\/\/ deno-lint.*\n)?\s*\/\*\*/.test(await text(file))) silent.push(file);
  }
  assert.deepEqual(silent, []);
});

Deno.test("the product runs no shell or eval, starts programs in */process.ts and page/build.ts alone, and reads its environment in one place (R62)", async () => {
  const found: string[] = [];
  for (const file of files) {
    if (/^(?:tests|bench|docs|tools)\//.test(file) || file.endsWith("_test.ts")) continue;
    const source = withoutComments(await text(file));
    if (/new Function\(|\beval\(|Deno\.dlopen/.test(source)) found.push(`${file}: runs what it should not`);
    if (
      /Deno\.Command/.test(source) &&
      !/^(?:(?:plugins\/[^/]+|engines|git)\/process|page\/build)\.ts$/.test(file)
    ) {
      found.push(`${file}: starts a program, which only */process.ts and the build of the page may`);
    }
    if (/Deno\.env/.test(source) && !/^config\//.test(file)) {
      found.push(`${file}: reads the environment`);
    }
  }
  assert.deepEqual(found, []);
});

Deno.test("nothing but plugins/plugins.ts names a plugin, or a permission that a plugin declares", async () => {
  const names = PLUGINS.flatMap(({ name, permissions }) => [name, ...permissions.map((one) => one.name)]);
  const found: string[] = [];
  for (const file of files) {
    if (
      /^(?:plugins\/[^/]+\/|client\/|page\/|tests\/|bench\/|docs\/|tools\/)/.test(file) ||
      file.endsWith("_test.ts")
    ) {
      continue;
    }
    const source = withoutComments(await text(file));
    for (const name of names) {
      const isImport = file === "plugins/plugins.ts" && source.includes(`"./${name}/plugin.ts"`);
      if (source.includes(name) && !isImport) found.push(`${file} names ${name}`);
    }
  }
  assert.ok(names.includes("container-runtime") && names.includes("containers:exec"), names.join());
  assert.deepEqual(found, []);
});

Deno.test("the version of Deno is the same wherever it is named", async () => {
  const { deno } = JSON.parse(await text(".ci/versions.json"));
  for (const file of ["README.md", "CONTRIBUTING.md", "client/README.md", ".github/workflows/publish.yml"]) {
    const named = await text(file).catch(() => "");
    for (const [, version] of named.matchAll(/\bdeno@(\d+\.\d+\.\d+)/g)) assert.equal(version, deno, file);
  }
});

/** The paths that the tree of ARCHITECTURE.md names: a folder's lines are indented below it. */
function pathsOfTree(page: string): Set<string> {
  const tree = /## The tree\s+```\n([\s\S]*?)```/.exec(page)![1]!;
  const paths = new Set<string>();
  const folders: [indent: number, path: string][] = [];
  for (const line of tree.split("\n").filter((line) => line.trim() !== "")) {
    const indent = line.search(/\S/);
    while ((folders.at(-1)?.[0] ?? -1) >= indent) folders.pop();
    const parent = folders.at(-1)?.[1] ?? "";
    const names = /^(?:[\w.-]+(?:\/|\.\w+) ?)+/.exec(line.trim())?.[0].trim().split(" ") ?? [];
    for (const name of names) paths.add(parent + name);
    if (names.length === 1 && names[0]!.endsWith("/")) folders.push([indent, parent + names[0]!]);
  }
  return paths;
}

Deno.test("every file that ARCHITECTURE.md answers a question with is there, and the tree names it or its folder", async () => {
  const page = await text("ARCHITECTURE.md");
  const answers = /## Where is …\?([\s\S]*?)\n## /.exec(page)![1]!.split("\n").slice(3);
  const named = answers.flatMap((row) =>
    [...(row.split("|")[2] ?? "").matchAll(/`([^`]+)`/g)].map(([, path]) => path!)
  );
  assert.ok(named.length >= 10, `${named.length} files answer questions`);
  const tree = pathsOfTree(page);
  for (const path of named) {
    assert.ok(files.includes(path), `${path} is not there`);
    assert.ok(
      tree.has(path) || tree.has(path.slice(0, path.lastIndexOf("/") + 1)),
      `the tree does not name ${path}`,
    );
  }
});

Deno.test("every path that the tree of ARCHITECTURE.md names is there", async () => {
  for (const path of pathsOfTree(await text("ARCHITECTURE.md"))) await Deno.lstat(new URL(path, root));
});
