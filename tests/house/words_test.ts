/** The project's language, as CONTRIBUTING.md describes it: counted in comments, texts and docs. */
import assert from "node:assert/strict";
import { sources } from "./sources.ts";

const root = new URL("../../", import.meta.url);

/** A comment that begins with a clause instead of a verb or a noun. */
const CLAUSE = /^(?:What|Who|Whose|Whether|Where|How|Why|That|Those|Whoever)\b/;
/** A person without a noun, as in "for who may read". */
const BARE_WHO = /\b(?:for|by|to|of|than|from|as|with) who\b/i;

/** The share of clauses that a room may have, and their number in a room with few comments. */
const MOST_SHARE = 0.05;
const FEW_COMMENTS = 40;
const MOST_OF_FEW = 2;

/** Rooms with more clauses than that, and their number, which may only fall. */
const NOT_YET: Readonly<Record<string, number>> = {
  "bench": 26,
  "plugins/containers": 122,
  "projects/apply": 67,
  "projects/drift": 10,
  "projects/fields": 41,
  "projects/hash": 3,
  "projects/plan": 41,
  "tests/access": 23,
  "tests/apply": 19,
  "tests/artifacts": 18,
  "tests/client": 15,
  "tests/commands": 3,
  "tests/engines": 8,
  "tests/house": 5,
  "tests/http": 7,
  "tests/page": 21,
  "tests/plan": 11,
  "tests/proof": 38,
  "tests/store": 11,
  "tests/streams": 11,
  "tests/support": 35,
};
/** Rooms in which people without a noun are still found. */
const BARE_WHO_NOT_YET = /^(?:tests|bench|projects|plugins\/containers|engines|docs\/faults\.md|CHANGELOG)/;

/** Folders whose rooms are counted one by one. */
const LARGE = /^(?:artifacts|auth|engines|page|plugins|projects|store|tests)\//;

function roomOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, LARGE.test(path) ? 2 : 1).join("/") || "the root";
}

/** A run of comment lines, or a block, without its signs. */
const COMMENT = /\/\*\*?\s*([\s\S]*?)\*\/|((?:^[ \t]*|[ \t])\/\/ [^\n]*(?:\n[ \t]*\/\/ [^\n]*)*)/gm;

function commentsIn(source: string): string[] {
  return [...source.matchAll(COMMENT)]
    .map(([, block, line = ""]) => (block ?? line).replaceAll(/^[ \t]*(?:\*|\/\/)[ \t]?/gm, "").trim())
    .filter((text) => !/^(?:@|deno-|#)/.test(text));
}

interface Room {
  comments: number;
  readonly clauses: string[];
}

async function rooms(): Promise<Map<string, Room>> {
  const found = new Map<string, Room>();
  for await (const path of sources()) {
    if (path === "tests/house/words_test.ts") continue; // its examples are clauses
    const room = found.getOrInsertComputed(roomOf(path), () => ({ comments: 0, clauses: [] }));
    for (const text of commentsIn(await Deno.readTextFile(new URL(path, root)))) {
      room.comments++;
      if (CLAUSE.test(text)) room.clauses.push(`${path}: ${text.split("\n")[0]}`);
    }
  }
  return found;
}

const mostIn = ({ comments }: Room) =>
  comments < FEW_COMMENTS ? MOST_OF_FEW : Math.floor(comments * MOST_SHARE);

Deno.test("Comments begin with a verb or with the thing that they describe", async () => {
  const found = await rooms();
  assert.ok(found.size > 30);
  const worse: string[] = [];
  for (const [name, room] of found) {
    const most = NOT_YET[name] ?? mostIn(room);
    if (room.clauses.length > most) {
      const shown = room.clauses.slice(0, 10).join("\n  ");
      worse.push(
        `${name}: ${room.clauses.length} comments begin with a clause, allowed are ${most}\n  ${shown}`,
      );
    }
  }
  assert.deepEqual(worse, []);
});

Deno.test("A room whose comments are plain has no exception any more", async () => {
  const found = await rooms();
  const over = Object.keys(NOT_YET).filter((name) => {
    const room = found.get(name);
    return room === undefined || room.clauses.length <= mostIn(room);
  });
  assert.deepEqual(over, [], "take these out of NOT_YET");
});

Deno.test("People are named by a noun in comments, texts and docs", async () => {
  const found: string[] = [];
  for await (const path of sources()) {
    if (!BARE_WHO_NOT_YET.test(path)) {
      found.push(...bareIn(path, await Deno.readTextFile(new URL(path, root))));
    }
  }
  for (const folder of ["", "docs/", "client/"]) {
    for await (const { name } of Deno.readDir(new URL(folder || ".", root))) {
      const path = folder + name;
      if (!name.endsWith(".md") || BARE_WHO_NOT_YET.test(path)) continue;
      found.push(...bareIn(path, await Deno.readTextFile(new URL(path, root))));
    }
  }
  assert.deepEqual(found, []);
});

/** Returns the lines with a bare "who"; in code those are comments and quoted texts alone. */
function bareIn(path: string, source: string): string[] {
  return source.split("\n").flatMap((line, index) =>
    BARE_WHO.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []
  );
}

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
    assert.equal(commentsIn(source).filter((text) => CLAUSE.test(text)).length, clauses);
  });
}

Deno.test("The counter finds a bare who", () => {
  assert.equal(bareIn("a", "null for who signs in\nfor people who sign in").length, 1);
});
