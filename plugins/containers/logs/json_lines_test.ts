import assert from "node:assert/strict";
import { jsonText } from "../../../core/json_text.ts";
import type { LiveContainer } from "../backends/live_container.ts";
import { JsonLines } from "./json_lines.ts";
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
  const bytes = new TextEncoder().encode(`2026-01-01T00:00:00.000000000Z ${"x".repeat(30_000)}`);
  const line: Line = {
    stream: 1,
    bytes,
    timeFrom: 0,
    timeTo: 30,
    from: 31,
    to: bytes.byteLength,
    ended: true,
    cut: false,
  };
  for (let at = 0; at < 5; at += 1) {
    position.admit(line, () => assert.fail());
    source.line(line);
  }

  await lines.tell();

  assert.deepEqual([frames, asks, free], [[2, 2, 1], 3, 0]);
});
