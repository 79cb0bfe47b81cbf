/** Which packages there are, in which version, and which of them the service itself fetches. */
import assert from "node:assert/strict";
import { packageOf, packagesOf } from "./imports.ts";
import { sources } from "./sources.ts";

const root = new URL("../../", import.meta.url);
const read = (file: string) => Deno.readTextFile(new URL(file, root));
const { imports }: { imports: Record<string, string> } = JSON.parse(await read("deno.json"));

interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, unknown>>;
}
const service: Lock = JSON.parse(await read("deno.lock"));
const all: Lock = JSON.parse(await read("tests/deno.lock"));

Deno.test("a package is named with one exact version, wherever it is named (R60)", async () => {
  const versions = new Map<string, Set<string>>();
  const note = (named: { name: string; version: string } | null) => {
    if (named === null) return;
    const known = versions.get(named.name) ?? new Set();
    versions.set(named.name, known.add(named.version));
  };
  for (const specifier of Object.values(imports)) note(packageOf(specifier));
  for await (const file of sources()) for (const one of packagesOf(await read(file))) note(one);

  assert.ok(versions.has("fast-check") && versions.has("zod"));
  for (const [name, named] of versions) {
    assert.equal(named.size, 1, `${name} is named as ${[...named].join(" and ")}`);
    assert.match([...named][0] ?? "", /^\d+\.\d+\.\d+/, `${name} needs an exact version`);
  }
});

Deno.test("the service names its packages in deno.json; only tests and benches name theirs where they import them", async () => {
  const found: string[] = [];
  for await (const file of sources()) {
    if (/^(?:tests|bench)\//.test(file) || file.endsWith("_test.ts")) continue;
    for (const { name } of packagesOf(await read(file))) found.push(`${file} names ${name}`);
  }
  assert.deepEqual(found, []);
});

Deno.test("deno.lock holds the service's packages alone; if not, run `deno task lock` (R60)", () => {
  assert.deepEqual(Object.keys(service.specifiers).sort(), Object.values(imports).sort());
});

Deno.test("the two lock files agree on every package that both name", () => {
  for (const [name, locked] of Object.entries(service.npm)) assert.deepEqual(all.npm[name], locked, name);
});

Deno.test("page/deno.json names the packages of the page in one exact version each, and its lock holds them alone", async () => {
  const page: { imports: Record<string, string> } = JSON.parse(await read("page/deno.json"));
  const lock: Lock = JSON.parse(await read("page/deno.lock"));
  for (const specifier of Object.values(page.imports)) {
    assert.match(packageOf(specifier)?.version ?? "", /^\d+\.\d+\.\d+$/, specifier);
  }
  const named = new Set(
    Object.values(page.imports).map((one) => `npm:${packageOf(one)?.name}@${packageOf(one)?.version}`),
  );
  assert.deepEqual(Object.keys(lock.specifiers).sort(), [...named].sort());
});
