/** The promises of the common ruler: turns in order, honest medians, absent peers named. */
import { deepEqual, equal, match } from "node:assert/strict";
import { median, rounds } from "./rounds.ts";

Deno.test("rounds() lets competitors take turns and divides medians", async () => {
  const turns: string[] = [];
  const name = `ruler-${crypto.randomUUID()}`;
  const figures = { a: [1, 2, 30, 2, 2, 2], b: [4, 4, 4, 4, 4, 4] };
  const competitor = (name: "a" | "b") => ({
    name,
    run: () => {
      turns.push(name);
      return figures[name].shift() ?? NaN;
    },
  });
  const file = new URL(`./results/${name}.json`, import.meta.url);
  try {
    const standings = await rounds(name, [
      competitor("a"),
      competitor("b"),
      { name: "gone", absent: "no such package" },
    ], { rounds: 5 });
    equal(turns.join(""), "ab".repeat(6));
    deepEqual(standings.map((s) => s.ratio), [1, 2, undefined]);
    deepEqual(standings[1]?.spread, [4 / 30, 2]);
    match(standings[2]?.absent ?? "", /no such package/);
    equal(JSON.parse(await Deno.readTextFile(file)).standings.length, 3);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("median() takes the middle, or the mean of the two in the middle", () => {
  deepEqual([median([3, 1, 2]), median([4, 1, 2, 3]), Number.isNaN(median([]))], [2, 2.5, true]);
});
