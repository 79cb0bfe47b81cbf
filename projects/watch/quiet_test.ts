import assert from "node:assert/strict";
import { isQuiet } from "./quiet.ts";

const NIGHT = { from: "22:00", to: "02:30", zone: "Europe/Berlin" };
const at = (text: string) => isQuiet(NIGHT, Date.parse(text));

Deno.test("quiet hours follow the clock on the wall over midnight and over both changes of daylight saving", () => {
  assert.deepEqual(["2026-06-01T19:59:00Z", "2026-06-01T20:00:00Z"].map(at), [false, true]);
  // In spring 02:00 is 03:00: the end is skipped, and the hours end with the step.
  assert.deepEqual(["2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z"].map(at), [true, false]);
  // In autumn 02:00 to 03:00 comes twice: they are quiet both times.
  assert.deepEqual(
    ["2026-10-25T00:29:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:29:00Z", "2026-10-25T01:30:00Z"].map(at),
    [true, false, true, false],
  );
});
