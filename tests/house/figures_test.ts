/** The figures that the house has reached are not lost again. */
import assert from "node:assert/strict";
import { figures, readTexts } from "./figures.ts";

/** Rows that are not reached yet. */
const NOT_YET: readonly string[] = [];
const texts = await readTexts();
/** The rows that this code alone decides; speeds are measured by `deno task bench`. */
const counted = (changed: Readonly<Record<string, string>> = {}) =>
  figures(new Map([...texts, ...Object.entries(changed)]), "")
    .filter(({ name }) => !name.endsWith("against the commit before"));

Deno.test("Every figure of the house that was reached is still reached", () => {
  const lost = counted().filter(({ name, isReached }) => !isReached && !NOT_YET.includes(name));
  assert.deepEqual(lost, []);
});

Deno.test("A figure that is reached has no exception any more", () => {
  const reached = counted().filter(({ name, isReached }) => isReached && NOT_YET.includes(name));
  assert.deepEqual(reached.map(({ name }) => name), [], "take these out of NOT_YET");
});

const lines = (count: number) => "  act();\n".repeat(count);

for (
  const [name, file, text] of [
    ["http/: rooms / arrows", "http/new/a.ts", ""],
    ["http/: rooms / arrows", "http/site/a.ts", 'import "../live/b.ts";'],
    ["files by hand over 400 lines", "core/a.ts", lines(401)],
    ["rooms with over 5 % noun-clause comments", "core/new/a.ts", "/** What is read. */\n".repeat(90)],
    ['a bare "who" in code and comments', "core/a.ts", "// null for who signs in"],
    [
      "files for a new screen",
      "page/parts/a.ts",
      'const all = ["/images", "/volumes", "/networks", "/disk", "/events", "/logs", "/audit"];',
    ],
    ["outside edits for a second engine plugin", "routes/a.ts", 'const name = "container-runtime";'],
  ] as const
) {
  Deno.test(`The figures notice ${text.slice(0, 40).trim() || "a new room"} in ${file}`, () => {
    const of = (all: ReturnType<typeof counted>) => {
      const { now, left } = all.find((figure) => figure.name === name)!;
      return JSON.stringify([now, left]);
    };
    assert.notEqual(of(counted({ [file]: text })), of(counted()));
  });
}

Deno.test("The figures notice a second file with the rows of each table", () => {
  const inserts = ["workspaces", "keys", "accounts", "sessions", "offers", "plans", "commands", "applies"];
  const text = inserts.map((table) => `"INSERT INTO ${table} VALUES ($1)";`).join("\n");
  const row = counted({ "store/sqlite/a.ts": text }).find(({ name }) =>
    name.startsWith("files with the rows")
  )!;
  assert.match(row.left.join(), /store\/sqlite\/a\.ts/);
});
