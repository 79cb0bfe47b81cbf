/** The project's language, as CONTRIBUTING.md describes it: counted in comments, texts and docs. */
import assert from "node:assert/strict";
import { bareIn, clausesIn, mostIn, type Room, roomsOf } from "./comments.ts";
import { sources } from "./sources.ts";

const root = new URL("../../", import.meta.url);

/** Their examples are bare. */
const EXAMPLES = /^tests\/house\//;

async function rooms(): Promise<Map<string, Room>> {
  const texts = new Map<string, string>();
  for await (const path of sources()) texts.set(path, await Deno.readTextFile(new URL(path, root)));
  return roomsOf(texts);
}

Deno.test("Comments begin with a verb or with the thing that they describe", async () => {
  const found = await rooms();
  assert.ok(found.size > 30);
  const worse: string[] = [];
  for (const [name, room] of found) {
    const most = mostIn(room);
    if (room.clauses.length > most) {
      const shown = room.clauses.slice(0, 10).join("\n  ");
      worse.push(
        `${name}: ${room.clauses.length} comments begin with a clause, allowed are ${most}\n  ${shown}`,
      );
    }
  }
  assert.deepEqual(worse, []);
});

Deno.test("People are named by a noun in comments, texts and docs", async () => {
  const found: string[] = [];
  for await (const path of sources()) {
    if (!EXAMPLES.test(path)) {
      found.push(...bareIn(path, await Deno.readTextFile(new URL(path, root))));
    }
  }
  for (const folder of ["", "docs/", "client/"]) {
    for await (const { name } of Deno.readDir(new URL(folder || ".", root))) {
      const path = folder + name;
      if (!name.endsWith(".md")) continue;
      found.push(...bareIn(path, await Deno.readTextFile(new URL(path, root))));
    }
  }
  assert.deepEqual(found, []);
});

Deno.test("Nothing that the API document says begins with a clause", async () => {
  const found: string[] = [];
  for await (const path of sources("client/berth/")) { // its comments are the document's descriptions
    for (const text of clausesIn(await Deno.readTextFile(new URL(path, root)))) {
      found.push(`${path}: ${text}`);
    }
  }
  assert.deepEqual(found, []);
});

for (
  const [source, clauses] of [
    ["/** What is read. */", 1],
    ["/**\n * Whether it\n * runs. */", 1],
    ["/** Returns what is read. */", 0],
    ["const a = 1; // How often\n", 1],
    ["// Reads\n// What follows\n", 0],
  ] as const
) {
  Deno.test(`The counter finds ${clauses} clauses in ${JSON.stringify(source)}`, () => {
    assert.equal(clausesIn(source).length, clauses);
  });
}

Deno.test("The counter finds a bare who", () => {
  assert.equal(bareIn("a", "null for who signs in\nfor people who sign in").length, 1);
});
