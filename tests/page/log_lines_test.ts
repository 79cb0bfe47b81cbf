/** The parts of a log's view that need no browser: lines in bounded memory, search, scrolling, colours. */
import assert from "node:assert/strict";
import { Lines, Search } from "../../page/live/lines.ts";
import { piecesOf } from "../../page/parts/log/ansi.ts";
import { Scroll } from "../../page/parts/log/scroll.ts";

const nothing = () => {};

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
  const search = new Search(lines, "NeeDle İ");
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
  assert.equal(scroll.offsetOf(top), scroll.place(view, content));
  scroll.moved(9_500, view, content);
  assert.equal(scroll.top, content - view);
  scroll.moved(0, view, content);
  assert.equal(scroll.top, 0);
  const short = new Scroll(10_000);
  short.moved(300, view, 2_000);
  assert.deepEqual([short.top, short.place(view, 2_000), short.offsetOf(360)], [300, 300, 360]);
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
