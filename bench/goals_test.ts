import assert from "node:assert/strict";
import { goalLines, GOALS } from "./goals.ts";

Deno.test("A goal is reached, missed or not measured, and is told with its peer and its spread", () => {
  const of = (name: string, unit: string, berth: object) => ({
    name,
    unit,
    against: "the peer",
    standings: [{ name: "the peer", median: 1, ratio: 1 }, { name: "berth", ...berth }],
  });
  const lines = goalLines([
    of("house-start", "ms", { median: 50, ratio: 1.9, spread: [1.8, 2.1] }),
    of("house-requests", "requests/s", { median: 50, ratio: 0.36, spread: [0.3, 0.4] }),
    of("memory-50", "MiB", { median: 104, ratio: 1, figures: [104] }),
    of("memory-500", "MiB", { absent: "not run" }),
  ]);

  const limitOf = (result: string) => GOALS.find((goal) => goal.result === result)?.limit;
  const shown = ["house-start", "house-requests", "memory-50", "memory-500"].map((name) =>
    lines.find((line) => line.startsWith(`${name}:`))
  );
  assert.deepEqual(shown, [
    'house-start: 1.9 (1.8 to 2.1) of "the peer", at most 2: reached',
    `house-requests: 0.36 (0.3 to 0.4) of "the peer", at least 0.45: missed: ${limitOf("house-requests")}`,
    `memory-50: 104 (104 to 104) MiB, at most 100: missed: ${limitOf("memory-50")}`,
    "memory-500: not measured, at most 110",
  ]);
  assert.equal(lines.length, GOALS.length);
});
