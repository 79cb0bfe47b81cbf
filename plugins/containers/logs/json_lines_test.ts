import assert from "node:assert/strict";
import { jsonText } from "../../../core/json_text.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import { JsonLines, sinceOf } from "./json_lines.ts";
import type { Line } from "./lines.ts";
import { LogPosition } from "./log_position.ts";

Deno.test("JsonLines asks for room before each frame, also before the first", async () => {
  let free = 0;
  let asks = 0;
  const frames: number[] = [];
  const lines = new JsonLines({
    frame: (messages, cursors) => {
      free -= 1;
      frames.push(messages.length);
      assert.equal(cursors.size, 1);
    },
    ready: () => {
      asks += 1;
      free += 1;
      return Promise.resolve();
    },
    write: () => ({ line: ({ text }) => jsonText(text), gap: () => jsonText(null) }),
  });
  const position = new LogPosition();
  const source = lines.of("a", {} as LiveContainer, position, false);
  const line = lineOf("2026-01-01T00:00:00.000000000Z", "x".repeat(30_000));
  for (let at = 0; at < 5; at += 1) {
    position.admit(line, () => assert.fail());
    source.line(line);
  }

  await lines.tell();

  assert.deepEqual([frames, asks, free], [[2, 2, 1], 3, 0]);
});

Deno.test("JsonLines cuts a line that as JSON is longer than a socket takes, and says so", async () => {
  const told: { readonly text: string; readonly cut: boolean }[] = [];
  let longest = 0;
  const lines = new JsonLines({
    frame: (messages) => {
      longest = Math.max(longest, ...messages.map((text) => new TextEncoder().encode(text).byteLength));
      told.push(...messages.map((text) => JSON.parse(text)));
    },
    ready: () => Promise.resolve(),
    write: () => ({ line: ({ text, cut }) => jsonText({ text, cut }), gap: () => jsonText(null) }),
  });
  const position = new LogPosition();
  const source = lines.of("a", {} as LiveContainer, position, false);
  const texts = ["\0", '"', "\u{1f600}", "x", "\ufffd"].map((text) => text.repeat(256 * 1024 / sizeOf(text)));
  for (const [at, text] of texts.entries()) {
    const line = lineOf(`2026-01-01T00:00:0${at}.000000000Z`, text);
    position.admit(line, () => assert.fail());
    source.line(line);
  }

  await lines.tell();

  assert.deepEqual(told.map(({ cut }) => cut), [true, true, false, false, false]);
  for (const [at, { text, cut }] of told.entries()) {
    assert.ok(cut ? texts[at]!.startsWith(text) && text.length > 32_000 : texts[at] === text);
  }
  assert.ok(longest <= 384 * 1024, `${longest} bytes`);
});

Deno.test("JsonLines tells once how far a source was read of which it has no line, and not while one waits", async () => {
  const told: (readonly [number, Record<string, string>])[] = [];
  const lines = new JsonLines({
    frame: (messages, cursors) => told.push([messages.length, Object.fromEntries(cursors)]),
    ready: () => Promise.resolve(),
    write: () => ({ line: ({ text }) => jsonText(text), gap: () => jsonText(null) }),
  });
  const searched = new LogPosition();
  const source = lines.of("searched", {} as LiveContainer, searched, false);
  lines.of("quiet", {} as LiveContainer, new LogPosition(), false);
  const times = [1, 2, 3].map((at) => `2026-01-01T00:00:00.00000000${at}Z`);
  const [first, second, third] = times.map((time) => lineOf(time, "no match")) as [Line, Line, Line];
  searched.admit(first, () => assert.fail());

  await lines.tellPlaces(["searched", "quiet"]);
  await lines.tellPlaces(["searched", "quiet"]);
  const [[, { quiet = "", ...others }]] = told as [(typeof told)[0]];
  assert.deepEqual([told.length, others], [1, { searched: `o${times[0]}` }]);
  assert.ok(Math.abs((sinceOf(quiet)?.seconds ?? 0) - Date.now() / 1000) < 60, quiet);

  searched.admit(second, () => assert.fail());
  source.line(second);
  searched.admit(third, () => assert.fail());
  await lines.tellPlaces(["searched"]);
  assert.equal(told.length, 1, "a line waits that it would skip");
  await lines.tell();
  await lines.tellPlaces(["searched"]);
  assert.deepEqual(told.slice(1), [[1, { searched: `o${times[1]}` }], [0, { searched: `o${times[2]}` }]]);
});

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** A line as an engine writes it; its time has 30 characters. */
function lineOf(time: string, text: string): Line {
  const bytes = new TextEncoder().encode(`${time} ${text}`);
  return {
    stream: 1,
    bytes,
    timeFrom: 0,
    timeTo: 30,
    from: 31,
    to: bytes.byteLength,
    ended: true,
    cut: false,
  };
}
