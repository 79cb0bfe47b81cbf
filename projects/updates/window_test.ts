import assert from "node:assert/strict";
import { isTimeZone, openSince } from "./window.ts";

const at = (text: string) => Date.parse(text);

Deno.test("a window is open between its times in its own time zone, also over midnight and in summer", () => {
  const night = { from: "23:30", to: "05:00", timeZone: "Europe/Berlin" };
  const since = (time: string) => {
    const start = openSince(night, at(time));
    return start === null ? null : new Date(start).toISOString();
  };
  assert.equal(since("2026-01-10T22:29:59Z"), null);
  assert.equal(since("2026-01-10T22:30:00Z"), "2026-01-10T22:30:00.000Z");
  assert.equal(since("2026-01-11T03:59:59Z"), "2026-01-10T22:30:00.000Z");
  assert.equal(since("2026-01-11T04:00:00Z"), null);
  assert.equal(since("2026-07-10T21:30:00Z"), "2026-07-10T21:30:00.000Z");
  assert.equal(openSince({ from: "02:00", to: "04:00", timeZone: "UTC" }, at("2026-01-10T04:00:00Z")), null);
  assert.equal(openSince(null, 86_400_000 * 3), 86_400_000 * 2);
});

Deno.test("a time zone is one that this machine knows", () => {
  assert.deepEqual(["Europe/Berlin", "UTC", "Mars/Olympus", ""].map(isTimeZone), [true, true, false, false]);
});
