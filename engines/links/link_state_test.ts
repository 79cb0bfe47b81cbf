import assert from "node:assert/strict";
import {
  backendState,
  complete,
  CONNECTING,
  cut,
  failed,
  type Failure,
  fellSilent,
  heard,
  isKnown,
  type LinkState,
  lostAt,
  opened,
  reasonOf,
  silentSince,
} from "./link_state.ts";

const AWAY: Failure = { state: "away", reason: "nothing listens at its address" };
const REFUSED: Failure = { state: "refused", reason: "the user may not open it" };
const NOON = new Date("2026-03-01T12:00:00.789Z");
const LATER = new Date("2026-03-01T12:30:00.000Z");

const READING: LinkState = opened(CONNECTING);
const CURRENT: LinkState = complete(READING);
const DOWN: LinkState = failed(CURRENT, AWAY, NOON);
const SILENT: LinkState = fellSilent(CURRENT, NOON, LATER);
const RETURNING: LinkState = heard(SILENT);
const ALL = [CONNECTING, READING, CURRENT, DOWN, SILENT, RETURNING];

/** All that others see of a state. */
const seen = (state: LinkState) => [
  backendState(state),
  reasonOf(state),
  isKnown(state),
  silentSince(state),
  lostAt(state),
];

Deno.test("An engine that has not answered yet is away, with no rows and no time", () => {
  assert.deepEqual(seen(CONNECTING), ["away", "it has not answered yet", false, null, null]);
});

Deno.test("opened: an engine that answers is up, and has no rows before the first reading", () => {
  assert.deepEqual(seen(READING), ["up", "", false, null, null]);
  assert.deepEqual(opened(DOWN), READING, "also one that was down");
  assert.equal(opened(READING), READING);
});

Deno.test("opened: an engine that was silent keeps its rows while it is read again", () => {
  assert.deepEqual(seen(opened(RETURNING)), ["up", "", true, null, null]);
  assert.equal(isKnown(opened(heard(fellSilent(READING, NOON, LATER)))), false, "without any it has none");
});

Deno.test("complete: a mirror that was read whole is current", () => {
  assert.deepEqual([CURRENT.kind, ...seen(CURRENT)], ["current", "up", "", true, null, null]);
});

Deno.test("complete: a reading that ends after its engine was lost changes nothing", () => {
  for (const state of [CONNECTING, DOWN, SILENT, RETURNING]) assert.equal(complete(state), state);
});

Deno.test("cut: an engine whose events ended stays up with its rows, and is not current", () => {
  assert.deepEqual([cut(CURRENT).kind, ...seen(cut(CURRENT))], ["reading", "up", "", true, null, null]);
  assert.equal(cut(READING), READING, "one that was never read has none");
});

Deno.test("failed: an engine that is lost is down since that second, and its rows are gone", () => {
  for (const state of [READING, CURRENT]) {
    assert.deepEqual(seen(failed(state, AWAY, NOON)), [
      "away",
      "nothing listens at its address",
      false,
      null,
      "2026-03-01T12:00:00Z",
    ]);
  }
});

Deno.test("failed: an engine that was never up has no time at which it was lost", () => {
  assert.deepEqual(seen(failed(CONNECTING, REFUSED, NOON)), [
    "refused",
    "the user may not open it",
    false,
    null,
    null,
  ]);
});

Deno.test("failed: a further attempt keeps the time at which the engine was lost", () => {
  assert.equal(lostAt(failed(DOWN, REFUSED, LATER)), "2026-03-01T12:00:00Z");
  assert.equal(lostAt(failed(RETURNING, AWAY, NOON)), "2026-03-01T12:30:00Z");
});

Deno.test("failed: an engine that does not answer stays silent, since its connections were cut by berth", () => {
  assert.equal(failed(SILENT, AWAY, LATER), SILENT);
});

Deno.test("fellSilent: every state leads there, and only an engine that was known keeps its rows", () => {
  for (const state of ALL) {
    const silent = fellSilent(state, NOON, LATER);
    assert.deepEqual(
      [silent.kind, backendState(silent), reasonOf(silent), silentSince(silent)],
      ["silent", "unresponsive", "it has not answered since 2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"],
    );
    assert.equal(isKnown(silent), isKnown(state));
  }
});

Deno.test("fellSilent: an engine that was up was lost now, one that was down was lost before", () => {
  assert.equal(lostAt(fellSilent(CURRENT, NOON, LATER)), "2026-03-01T12:30:00Z");
  assert.equal(lostAt(fellSilent(DOWN, LATER, LATER)), "2026-03-01T12:00:00Z");
  assert.equal(lostAt(fellSilent(CONNECTING, NOON, LATER)), null);
});

Deno.test("heard: an engine that answers again is unresponsive until it is read or found to be down", () => {
  assert.deepEqual([RETURNING.kind, ...seen(RETURNING)], ["returning", ...seen(SILENT)]);
  for (const state of ALL.filter((one) => one !== SILENT)) assert.equal(heard(state), state);
});
