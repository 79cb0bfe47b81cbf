/** The state of a mounted file, from its identity and its times. */
import assert from "node:assert/strict";
import type { BindSource } from "../../core/bind_source.ts";
import { stateOfMount } from "./mount_sources_now.ts";

const STARTED = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;
const source = (parts: Partial<BindSource> = {}): BindSource => ({
  identity: "1:1",
  isFolder: false,
  bornAt: STARTED - HOUR,
  writtenAt: STARTED - HOUR,
  changedAt: STARTED - HOUR,
  ...parts,
});
const stateOf = (now: BindSource | "absent" | null, atStart?: string, clock = STARTED + 2 * HOUR) =>
  stateOfMount({ now, atStart, startedAt: STARTED, clock })?.state ?? "current";

Deno.test("a file that nothing happened to is current, whether berth was there at the start or not", () => {
  assert.deepEqual([stateOf(source()), stateOf(source(), "1:1")], ["current", "current"]);
});

Deno.test("a source that cannot be looked at, or has no birth time, is unknown unless berth was there at the start", () => {
  assert.deepEqual([stateOf(null), stateOf(null, "1:1")], ["unknown", "unknown"]);
  assert.deepEqual([stateOf(source({ bornAt: null })), stateOf(source({ bornAt: null }), "1:1")], [
    "unknown",
    "current",
  ]);
});

Deno.test("a file that was born while the start was told is replaced, although it has the remembered identity", () => {
  assert.equal(stateOf(source({ bornAt: STARTED + 100 }), "1:1"), "replaced");
});

Deno.test("a clock that was set back by an hour after a file was written makes no difference of it", () => {
  const ahead = source({ bornAt: STARTED + HOUR, writtenAt: STARTED + HOUR, changedAt: STARTED + HOUR });
  const now = STARTED + 60_000;
  assert.equal(stateOf(ahead, "1:1", now), "current");
  assert.equal(stateOf(ahead, undefined, now), "unknown");
  // The clock has caught up.
  assert.notEqual(stateOf(ahead, "1:1"), "replaced");
});

Deno.test("a change within the second of the start is doubtful, because Deno tells whole seconds", () => {
  assert.equal(stateOf(source({ changedAt: STARTED - 500 })), "maybeReplaced");
  assert.equal(stateOf(source({ changedAt: STARTED - 1_000 })), "current");
});
