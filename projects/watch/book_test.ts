import assert from "node:assert/strict";
import type { IncidentState } from "../../core/incidents.ts";
import { IncidentBook } from "./book.ts";
import type { Judged } from "./judge.ts";

const subject = {
  kind: "unit",
  workspace: "srv",
  group: "shop",
  project: "shop",
  unit: "unit:shop.web",
  engine: null,
  container: null,
} as const;
const KEY = "unit srv unit:shop.web";
const judged: Judged = { subject, kind: "broken", fields: [], containers: [], unit: null };
const state: IncidentState = {
  kind: "broken",
  since: 1,
  atLatest: false,
  cause: { kind: "ended", exitCode: 1 },
  fields: [],
};
const at = (ms: number) => ({ at: ms, mono: ms });

Deno.test("a subject that flaps keeps one incident, which closes after a minute of being well", () => {
  const book = new IncidentBook(60_000, []);
  book.wrote(book.bad(judged, state, at(0), 1, false));
  const opened = book.of(KEY);
  assert.equal(book.well(KEY, at(1_000)), null);
  assert.equal(book.well(KEY, at(60_000)), null, "59 seconds are not enough");
  book.stillBad(KEY);
  book.wrote(book.bad(judged, state, at(60_500), 3, false));
  assert.equal(book.well(KEY, at(61_000)), null, "it begins anew");
  const closed = book.well(KEY, at(121_000));
  assert.deepEqual(
    [closed?.incident.id, closed?.incident.closedAt, closed?.incident.endings, closed?.incident.lines],
    [opened?.id, 61_000, 4, 1],
    "it was well from 61 s on, and the same cause again is no new line",
  );
});

Deno.test("a cause that was found stays when its evidence is gone, and a clock that steps ends nothing", () => {
  const book = new IncidentBook(60_000, []);
  book.wrote(book.bad(judged, state, at(0), 0, false));
  const unknown = { ...state, cause: { kind: "unknown" } as const, fields: [{ field: "image" }] };
  const later = book.bad(judged, unknown, at(5_000), 0, false);
  assert.deepEqual([later.incident.cause, later.incident.lines], [state.cause, 2]);
  assert.equal(book.well(KEY, { at: 10_000, mono: 10_000 }), null);
  assert.equal(book.well(KEY, { at: 10_000 + 3_600_000, mono: 10_001 }), null);
});

Deno.test("time in which nobody could tell how it was is no time of being well", () => {
  const book = new IncidentBook(60_000, []);
  book.wrote(book.bad(judged, state, at(0), 1, false));
  assert.equal(book.well(KEY, at(1_000)), null);
  book.unsure(KEY);
  assert.equal(book.isWaiting, false, "the answer brings a look by itself");
  assert.equal(book.well(KEY, at(7_200_000)), null, "its engine was away for two hours");
  assert.equal(book.well(KEY, at(7_260_000))?.incident.closedAt, 7_200_000);
});

Deno.test("what became well while berth was away is closed as that, and what is gone at once", () => {
  const { incident } = new IncidentBook(60_000, []).bad(judged, state, at(0), 0, false);
  const away = new IncidentBook(0, [incident]);
  assert.equal(away.well(KEY, at(9))?.incident.end, "away");
  assert.equal(new IncidentBook(60_000, [incident]).gone(KEY, at(9))?.incident.end, "undeclared");
  const seenBad = new IncidentBook(0, [incident]);
  seenBad.stillBad(KEY);
  assert.equal(seenBad.well(KEY, at(9))?.incident.end, "well");
});

Deno.test("an incident says where its containers are from by now, and nothing once they are its file's own", () => {
  const book = new IncidentBook(60_000, []);
  const of = (workspace: string) => ({ ...judged, elsewhere: { workspace, project: "shop" } });
  book.wrote(book.bad(judged, state, at(0), 0, false));
  for (const one of [of("other"), of("third"), judged]) {
    const change = book.bad(one, state, at(1), 0, false);
    assert.deepEqual(change.incident.elsewhere, one.elsewhere);
    book.wrote(change);
  }
});
