/** The parts of a log's view that need no browser: lines in bounded memory, search, patterns, scrolling, colours. */
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { type Earlier, Lines, Search } from "../../page/live/lines.ts";
import { isError } from "../../page/live/log_level.ts";
import { PatternError } from "../../page/live/pattern/parse.ts";
import { Pattern } from "../../page/live/pattern/pattern.ts";
import { Wanted } from "../../page/live/wanted.ts";
import { piecesOf } from "../../page/parts/log/ansi.ts";
import { Scroll } from "../../page/parts/log/scroll.ts";

const nothing = () => {};
const plain = { isPattern: false, matchCase: false, onlyErrors: false };

Deno.test("a million lines take 40 bytes each at most beyond their text, and no more are ever held", () => {
  const lines = new Lines(nothing);
  for (let index = 0; index < 1_200_000; index++) {
    lines.add(index, "stdout", 0, `2026-11-22 request ${index} answered in ${index % 97} ms`);
  }
  assert.ok(lines.length > 990_000 && lines.length <= 1_000_000, `${lines.length}`);
  assert.equal(lines.end, 1_200_000);
  const { held, text } = lines.bytes;
  const beyond = (held - text) / lines.length;
  assert.ok(beyond <= 40, `${beyond} bytes a line`);
  assert.equal(lines.at(lines.first - 1), null);
  for (const number of [lines.first, lines.first + 4_095, lines.first + 4_096, lines.end - 1]) {
    assert.match(lines.at(number)!.text, new RegExp(` request ${number} `));
    assert.equal(lines.at(number)!.time, number);
  }
});

Deno.test("long lines are held whole, and the oldest go when their bytes are too many", () => {
  const lines = new Lines(nothing, { lines: 1_000, bytes: 4 * 1024 * 1024 });
  for (let index = 0; index < 40; index++) {
    lines.add(0, "stderr", index, `${index} ${"ä".repeat(128 * 1024)}`);
  }
  assert.ok(lines.first > 0 && lines.bytes.held <= 6 * 1024 * 1024, `${lines.first} ${lines.bytes.held}`);
  const last = lines.at(39)!;
  assert.deepEqual([last.text.length, last.kind, last.source], [128 * 1024 + 3, "stderr", 39]);
});

Deno.test("a search finds every line in any case, goes on as lines come, and forgets what was let go", () => {
  const lines = new Lines(nothing, { lines: 20_000, bytes: 2 ** 30 });
  const search = new Search(lines, new Wanted({ ...plain, text: "NeeDle İ" }));
  const add = (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const isGap = index % 50 === 0;
      lines.add(
        0,
        isGap ? "gap" : "stdout",
        0,
        index % 10 === 0 ? `a nEEdle i\u0307, a needle ${index}` : "hay\r",
      );
    }
  };
  const look = () => {
    while (search.step(1)) { /* some at a time */ }
    return search.found;
  };
  add(0, 9_995);
  const wanted = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index).filter((one) =>
      one % 10 === 0 && one % 50 !== 0
    );
  assert.deepEqual(look(), wanted(0, 9_995));
  add(9_995, 30_000);
  assert.ok(lines.first > 9_000);
  assert.deepEqual(look(), wanted(lines.first, 30_000));
  assert.equal(search.found.length + search.gone <= wanted(0, 30_000).length, true);
});

Deno.test("earlier lines come before the others, in the order of the times of all logs, and a search finds them, too", () => {
  const lines = new Lines(nothing);
  const at = (time: number, source: number): Earlier => ({
    time,
    kind: "stdout",
    source,
    text: `${source} at ${time}`,
  });
  for (const one of [at(1, 1), at(2, 1), at(50, 0), at(51, 1), at(52, 0)]) {
    lines.add(one.time, one.kind, one.source, one.text);
  }
  const search = new Search(lines, new Wanted({ ...plain, text: "1 at" }));
  const look = () => {
    while (search.step(1)) { /* some at a time */ }
    return search.found.map((number) => lines.at(number)!.time);
  };
  assert.deepEqual(look(), [1, 2, 51]);
  const all = () => Array.from({ length: lines.length }, (_, index) => lines.at(lines.first + index)!.time);
  const moved = lines.addBefore([at(0, 0), at(1.5, 0), at(40, 0)])!;
  assert.deepEqual(all(), [0, 1, 1.5, 2, 40, 50, 51, 52]);
  assert.deepEqual([lines.first, lines.end, moved.from, moved.to], [-3, 5, -3, 2]);
  assert.deepEqual([0, 1, 2, 4].map((old) => lines.at(moved.numberOf(old))!.time), [1, 2, 50, 52]);
  search.lookBefore(moved);
  assert.deepEqual(look(), [1, 2, 51]);
  assert.equal(search.gone, 0);
  search.lookBefore(lines.addBefore([at(-5, 1)])!);
  assert.deepEqual(look(), [-5, 1, 2, 51]);
  assert.equal(search.gone, -1, "as many came in before the first one");

  const few = new Lines(nothing, { lines: 10_000, bytes: 2 ** 30 });
  for (let index = 0; index < 9_999; index++) few.add(index, "stdout", 0, "x");
  assert.equal(few.addBefore([at(-2, 0), at(-1, 0)]), null, "there is no room");
  for (let index = 0; index < 9_999; index++) few.add(index, "stdout", 0, "x");
  assert.ok(few.gone > 0 && few.length <= 10_000);
  assert.equal(few.addBefore([at(-1, 0)]), null, "what would come between was let go");
});

/** Patterns out of all that berth reads. */
const pattern = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: "small" }, tie("one"), tie("times"), tie("all"), tie("either")),
  one: fc.constantFrom(
    "a",
    "b",
    "-",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "[ab]",
    "[^a]",
    "[0-9_]",
    "^",
    "$",
    "\\b",
    "\\B",
    "A",
    "\\x41",
  ),
  times: fc.tuple(
    fc.constantFrom("a", "b", "[^b]", "."),
    fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}", "*?"),
  ).map((parts) => parts.join("")),
  all: fc.array(tie("any"), { maxLength: 4 }).map((parts) => `(?:${parts.join("")})`),
  either: fc.tuple(tie("any"), tie("any")).map(([one, other]) => `(${one}|${other})`),
})).any as fc.Arbitrary<string>;

Deno.test("a pattern fits what a regular expression fits, in either case", () => {
  const text = fc.string({ unit: fc.constantFrom(..."abAB-_1 é"), maxLength: 12 });
  fc.assert(
    fc.property(pattern, text, fc.boolean(), (pattern, text, matchCase) => {
      const native = new RegExp(pattern, matchCase ? "" : "i");
      assert.equal(new Pattern(pattern, matchCase).isIn(text), native.test(text));
    }),
    { numRuns: 500 },
  );
  assert.deepEqual(new Pattern("b+|c", false).spansIn("abbacB"), [[1, 3], [4, 5], [5, 6]]);
  for (
    const [text, reason] of [
      ["(", "unfinished"],
      ["[z-a]", "unfinished"],
      ["(?=a)", "unknown"],
      ["(a)\\1", "unknown"],
      ["a{999}", "long"],
      ["(((((){99}){99}){99}){99}){99}", "long"],
    ] as const
  ) {
    assert.throws(
      () => new Pattern(text, true),
      (error) => error instanceof PatternError && error.reason === reason,
    );
  }
});

Deno.test("no pattern takes longer with what it does not fit", () => {
  for (const text of ["(a+)+$", "(a|a)*c", "(.*a){9}x", "(a?){30}a{30}b", "(a|b)*a(a|b){20}c"]) {
    const lines = new Lines(nothing);
    lines.add(0, "stdout", 0, "ab".repeat(30_000));
    lines.add(0, "stdout", 0, "a".repeat(60_000));
    const search = new Search(lines, new Wanted({ ...plain, text, isPattern: true }));
    while (search.step(5)) { /* it ends */ }
    assert.deepEqual(search.found, text === "(a+)+$" ? [1] : [], text);
  }
});

Deno.test("a line tells of an error by its level, and by its stream where it names none", () => {
  for (
    const [text, kind, expected] of [
      ["2026-11-22 12:00:00 UTC [31] ERROR:  deadlock detected", "stderr", true],
      ["2026-11-22 12:00:00 UTC [31] LOG:  checkpoint", "stderr", true],
      ['{"level":"info","msg":"no error"}', "stderr", false],
      ['{"level":50,"msg":"x"}', "stdout", true],
      ['{"level":30,"msg":"x"}', "stderr", false],
      ["E1122 12:00:00.000001 1 x.go:1] gone", "stdout", true],
      ["I1122 12:00:00.000001 1 x.go:1] error count", "stderr", false],
      ["WARN retrying after error", "stdout", false],
      ["GET /errors 200", "stdout", false],
      ["panic: runtime error", "stderr", true],
      ["listening", "stdout", false],
    ] as const
  ) assert.equal(isError(text, kind), expected, text);
});

Deno.test("a list longer than an element can be is walked pixel by pixel, jumped through, and reaches both ends", () => {
  const scroll = new Scroll(10_000);
  const [view, content] = [500, 18_000_000];
  assert.equal(scroll.place(view, content), 0);
  for (let at = 100; at <= 1_000; at += 100) scroll.moved(at, view, content);
  assert.equal(scroll.top, 1_000);
  scroll.moved(5_000, view, content);
  assert.ok(Math.abs(scroll.top - 5_000 / 9_500 * (content - view)) < 1);
  const { top } = scroll;
  assert.ok(Math.abs(scroll.place(view, content) - 5_000) <= 1);
  assert.equal(scroll.top, top, "placing moves nothing");
  assert.equal(scroll.offsetOf(0), scroll.place(view, content));
  scroll.moved(9_500, view, content);
  assert.equal(scroll.top, content - view);
  scroll.moved(0, view, content);
  assert.equal(scroll.top, 0);
  const short = new Scroll(10_000);
  short.moved(300, view, 2_000);
  assert.deepEqual([short.top, short.place(view, 2_000), short.offsetOf(300 - 360)], [300, 300, 360]);
});

Deno.test("colours become classes, sixteen in all, and every other sequence is left out", () => {
  const read = (text: string) => piecesOf(text).map(({ text, classes }) => [text, classes]);
  assert.deepEqual(read("plain"), [["plain", ""]]);
  assert.deepEqual(read("\x1b[1;31mred\x1b[39m bold\x1b[0m end"), [
    ["red", "ansi-1 is-bold"],
    [" bold", "is-bold"],
    [" end", ""],
  ]);
  assert.deepEqual(read("\x1b[38;5;196ma\x1b[38;2;20;40;250mb\x1b[48;5;22mc\x1b[7md"), [
    ["a", "ansi-9"],
    ["b", "ansi-12"],
    ["c", "ground-2"],
    ["d", "ground-12"],
  ]);
  assert.deepEqual(read("\x1b]8;;http://evil.test\x07link\x1b]8;;\x1b\\ \x1b[2J\x1b[?25lrest\x1b"), [
    ["link", ""],
    [" ", ""],
    ["rest\x1b", ""],
  ]);
});
