/** Promises of every store for notices and their outbox. */
import assert from "node:assert/strict";
import type { Incident, IncidentChange } from "../../core/incidents.ts";
import type { MuteRecord } from "../../core/mutes.ts";
import type { NoticeRecord } from "../../core/notices.ts";
import type { Store } from "../../core/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { bytes, type Change, MANY, type Promised, refused } from "./store_records.ts";

const notice = (id: string): NoticeRecord => ({
  id,
  name: `name of ${id}`,
  kind: "webhook",
  host: "ops.lan",
  tells: ["broken", "engine"],
  on: ["project:shop"],
  afterS: 60,
  quiet: { from: "22:00", to: "07:00", zone: "Europe/Berlin" },
  by: { kind: "user", id: "ada", name: "Ada" },
  at: 5,
  sealed: bytes(8, 1),
});

const mute = (id: string, over: Partial<MuteRecord> = {}): MuteRecord => ({
  id,
  on: "engine:one",
  unit: null,
  incident: null,
  kinds: [],
  until: 100,
  by: { kind: "user", id: "ada", name: "Ada" },
  at: 5,
  ...over,
});

const NOWHERE = { workspace: null, group: null, project: null, unit: null, container: null };

function incident(engine: string, over: Partial<Incident> = {}): Incident {
  return {
    id: `i-${engine}`,
    subject: { kind: "engine", engine, ...NOWHERE },
    kind: "engine",
    since: 1,
    atLatest: false,
    cause: { kind: "engine" },
    fields: [],
    openedAt: 1,
    closedAt: null,
    end: null,
    endings: 0,
    atFirst: false,
    lines: 1,
    ...over,
  };
}

const told = (of: Incident, dueAt: number, over: Partial<IncidentChange["outbox"]> = {}): IncidentChange => ({
  incident: of,
  line: null,
  outbox: { to: [{ notice: "a", dueAt }], soonerAt: null, isWorse: false, ...over },
});

const closed = (of: Incident): IncidentChange => ({
  incident: { ...of, closedAt: 50, end: "well" },
  line: null,
});

/** Plants a batch that was tried once. */
async function stuck(store: Store): Promise<void> {
  await store.notices.add(notice("a"), MANY, ENTRY);
  await store.incidents.write([told(incident("one"), 10)]);
  await store.notices.take("a", 20, "batch", []);
  await store.notices.failed({
    id: "batch",
    attempts: 1,
    refusals: 1,
    nextAt: 30,
    state: "dead",
    problem: "it answered 403",
  });
}

export const CHANGES_OF_NOTICES: readonly Change[] = [
  {
    name: "notices.add",
    change: (store, entry) => store.notices.add(notice("a"), MANY, entry),
    state: (store) => store.notices.list(),
  },
  {
    name: "notices.remove",
    before: (store) => store.notices.add(notice("a"), MANY, ENTRY),
    change: (store, entry) => store.notices.remove("a", entry),
    state: (store) => store.notices.list(),
  },
  {
    name: "notices.retry",
    before: stuck,
    change: (store, entry) => store.notices.retry("batch", 99, entry),
    state: (store) => store.notices.counts(),
  },
  {
    name: "mutes.add",
    change: (store, entry) => store.mutes.add(mute("a"), MANY, 0, entry),
    state: (store) => store.mutes.list(0),
  },
  {
    name: "mutes.remove",
    before: (store) => store.mutes.add(mute("a"), MANY, 0, ENTRY),
    change: (store, entry) => store.mutes.remove("a", entry),
    state: (store) => store.mutes.list(0),
  },
  {
    name: "notices.drop",
    before: stuck,
    change: (store, entry) => store.notices.drop("batch", entry),
    state: (store) => store.notices.counts(),
  },
];

export function noticesContract(promise: Promised): void {
  promise("remembers notices by name, and no more than it may", async (under) => {
    {
      await using store = await under.open("a");
      await store.notices.add(notice("b"), 2, ENTRY);
      await store.notices.add(notice("a"), 2, ENTRY);
      await refused("too_many_notices", store.notices.add(notice("c"), 2, ENTRY));
    }
    await using store = await under.open("a");
    assert.deepEqual(await store.notices.list(), [notice("a"), notice("b")]);
    assert.equal(await store.notices.remove("c", ENTRY), false);
  });

  promise("gives out what is due as one batch with one id, until the target has taken it", async (under) => {
    await using store = await under.open("a");
    await store.notices.add(notice("a"), MANY, ENTRY);
    await store.incidents.write([
      told(incident("one"), 10),
      told(incident("two"), 10),
      told(incident("late"), 90),
    ]);
    assert.equal(await store.notices.take("a", 9, "early", []), null);
    assert.deepEqual(await store.notices.due(9), []);
    assert.deepEqual(await store.notices.due(10), ["a"]);
    const batch = await store.notices.take("a", 20, "first", []);
    assert.deepEqual([batch?.id, batch?.incidents], ["first", ["i-one", "i-two"]]);
    await using other = await under.open("a");
    assert.deepEqual(
      await other.notices.take("a", 21, "second", []),
      batch,
      "another one goes on with the same",
    );
    await store.notices.failed({ ...batch!, attempts: 1, nextAt: 40, problem: "late" });
    assert.equal(await store.notices.take("a", 30, "third", []), null, "it waits");
    assert.deepEqual([await store.notices.due(30), await store.notices.due(40)], [[], ["a"]]);
    assert.deepEqual((await store.notices.stuck(9)).map(({ id, attempts }) => [id, attempts]), [[
      "first",
      1,
    ]]);
    assert.equal((await store.notices.take("a", 40, "third", []))?.id, "first");
    await store.notices.sent("first");
    assert.deepEqual(await store.notices.counts(), { waiting: 1, told: 2, dead: 0 });
    assert.deepEqual((await store.notices.take("a", 95, "fourth", []))?.incidents, ["i-late"]);
  });

  promise(
    "tells an end to those that were told, also while a message is under way, and to no other",
    async (under) => {
      await using store = await under.open("a");
      await store.notices.add(notice("a"), MANY, ENTRY);
      const [one, two, three] = ["one", "two", "three"].map((name) => incident(name));
      await store.incidents.write([told(one!, 10)]);
      await store.notices.take("a", 20, "first", []);
      await store.notices.sent("first");
      await store.incidents.write([told(two!, 10), told(three!, 90)]);
      assert.deepEqual((await store.notices.take("a", 30, "second", []))?.incidents, ["i-two"]);
      await store.incidents.write([closed(one!), closed(two!), closed(three!)]);
      await store.notices.sent("second");
      const ends = await store.notices.take("a", 60, "third", []);
      assert.deepEqual(ends?.incidents, ["i-one", "i-two"], "the third was never told");
      await store.notices.sent("third");
      assert.deepEqual(await store.notices.counts(), { waiting: 0, told: 0, dead: 0 });
    },
  );

  promise("tells what gets worse once more, and sooner what is no longer on purpose", async (under) => {
    await using store = await under.open("a");
    await store.notices.add(notice("a"), MANY, ENTRY);
    const one = incident("one");
    await store.incidents.write([told(one, 3_600)]);
    await store.incidents.write([told(one, 3_600, { soonerAt: 20 })]);
    assert.equal((await store.notices.take("a", 20, "first", []))?.id, "first");
    await store.notices.sent("first");
    await store.incidents.write([told(one, 30)]);
    assert.equal(await store.notices.take("a", 99, "second", []), null, "it is told already");
    await store.incidents.write([told({ ...one, lines: 2 }, 30, { isWorse: true })]);
    assert.equal((await store.notices.take("a", 99, "second", []))?.id, "second");
    // The message is on its way with the text of before.
    await store.incidents.write([told({ ...one, lines: 3 }, 30, { isWorse: true })]);
    await store.notices.sent("second");
    assert.equal((await store.notices.take("a", 99, "third", []))?.id, "third");
    await store.incidents.write([closed(one)]);
    await store.notices.sent("third");
    assert.deepEqual((await store.notices.take("a", 99, "end", []))?.incidents, ["i-one"]);
  });

  promise(
    "keeps the attempts of a message whose incident gets worse, and tells that after it",
    async (under) => {
      await using store = await under.open("a");
      await store.notices.add(notice("a"), MANY, ENTRY);
      const one = incident("one");
      await store.incidents.write([told(one, 10)]);
      const batch = await store.notices.take("a", 20, "first", []);
      await store.notices.failed({ ...batch!, attempts: 5, nextAt: 30, problem: "it answered 503" });
      await store.incidents.write([told({ ...one, lines: 2 }, 10, { isWorse: true })]);
      await store.notices.bound(25, [{ id: "a", mostMs: 100 }], 60);
      assert.equal(await store.notices.take("a", 29, "second", []), null, "it waits for its next attempt");
      const again = await store.notices.take("a", 30, "second", []);
      assert.deepEqual([again?.id, again?.attempts, again?.firstAt], ["first", 5, 20]);
      await store.notices.sent("first");
      const worse = await store.notices.take("a", 31, "second", []);
      assert.deepEqual([worse?.id, worse?.attempts, worse?.incidents], ["second", 0, ["i-one"]]);
      await store.notices.sent("second");
      assert.equal(
        await store.notices.take("a", 99, "third", []),
        null,
        "it is told once more, not for ever",
      );
    },
  );

  promise("gives out what a person sends again at once, also while another message waits", async (under) => {
    await using store = await under.open("a");
    await store.notices.add(notice("a"), MANY, ENTRY);
    // In the order of their ids, and against it.
    for (const [dead, waits] of [["b", "a"], ["c", "d"]] as const) {
      await store.incidents.write([told(incident(dead), 10)]);
      const batch = await store.notices.take("a", 20, dead, []);
      await store.notices.failed({ ...batch!, attempts: 3, state: "dead", problem: "it answered 403" });
      await store.incidents.write([told(incident(waits), 10)]);
      const other = await store.notices.take("a", 20, waits, []);
      await store.notices.failed({ ...other!, attempts: 1, nextAt: 3_600, problem: "it answered 503" });
      assert.equal(await store.notices.retry(dead, 30, ENTRY), true);
      assert.equal((await store.notices.take("a", 30, "new", []))?.id, dead);
      for (const id of [dead, waits]) await store.notices.sent(id);
    }
  });

  promise("tells what gets worse after its message was given up, and its end", async (under) => {
    await using store = await under.open("a");
    await stuck(store);
    const one = incident("one");
    await store.incidents.write([told({ ...one, lines: 2 }, 10, { isWorse: true })]);
    assert.deepEqual(await store.notices.stuck(9), [], "what was given up is no longer");
    const worse = await store.notices.take("a", 40, "second", []);
    assert.deepEqual([worse?.id, worse?.attempts, worse?.refusals], ["second", 0, 0]);
    await store.notices.sent("second");
    await store.incidents.write([closed(one)]);
    assert.deepEqual((await store.notices.take("a", 99, "end", []))?.incidents, ["i-one"]);
  });

  promise(
    "gives out nothing that is muted until the mute ends, and then what is still bad",
    async (under) => {
      await using store = await under.open("a");
      await store.notices.add(notice("a"), MANY, ENTRY);
      const take = async (now: number, batch: string) =>
        await store.notices.take("a", now, batch, await store.mutes.list(now));
      const [one, two, three] = ["one", "two", "three"].map((name) => incident(name));
      await store.mutes.add(mute("scope"), MANY, 0, ENTRY);
      await store.mutes.add(mute("single", { on: null, incident: "i-two", until: 50 }), MANY, 0, ENTRY);
      await store.mutes.add(mute("other", { on: "engine:three", kinds: ["broken"] }), MANY, 0, ENTRY);
      await store.incidents.write([told(one!, 10), told(two!, 10), told(three!, 10)]);
      assert.deepEqual((await take(20, "first"))?.incidents, ["i-three"]);
      await store.notices.sent("first");
      assert.equal(await take(49, "second"), null);
      assert.deepEqual(
        (await take(50, "second"))?.incidents,
        ["i-two"],
        "its mute has ended",
      );
      await store.notices.sent("second");
      assert.equal(await store.mutes.remove("scope", ENTRY), true);
      await store.mutes.add(mute("again"), MANY, 60, ENTRY);
      await store.incidents.write([closed(one!), closed(two!)]);
      assert.deepEqual(
        (await take(99, "third"))?.incidents,
        ["i-two"],
        "one was never told",
      );
    },
  );

  promise("holds a message back whose incidents were all muted since it was first tried", async (under) => {
    await using store = await under.open("a");
    await store.notices.add(notice("a"), MANY, ENTRY);
    const take = async (now: number, batch: string) =>
      await store.notices.take("a", now, batch, await store.mutes.list(now));
    await store.incidents.write([told(incident("one"), 10), told(incident("two"), 30)]);
    const batch = await take(20, "first");
    await store.notices.failed({ ...batch!, attempts: 1, nextAt: 25, problem: "it answered 503" });
    await store.mutes.add(mute("scope"), MANY, 0, ENTRY);
    assert.equal(await take(29, "second"), null);
    assert.deepEqual(
      (await take(30, "second"))?.incidents,
      ["i-two"],
      "another message does not wait for it",
    );
    await store.notices.sent("second");
    const again = await take(100, "third");
    assert.deepEqual([again?.id, again?.attempts], ["first", 1], "the mute has ended");
  });

  promise(
    "tells later what somebody has done on purpose meanwhile, and only those that want it",
    async (under) => {
      await using store = await under.open("a");
      for (const id of ["a", "b"]) await store.notices.add(notice(id), MANY, ENTRY);
      const to = (dueAt: number, ...ids: string[]) => ({ to: ids.map((id) => ({ notice: id, dueAt })) });
      const [one, two] = ["one", "two"].map((name) => incident(name));
      await store.incidents.write([told(one!, 0, to(10, "a", "b")), told(two!, 0, to(5, "a", "b"))]);
      for (const id of ["a", "b"]) await store.notices.take(id, 9, `first of ${id}`, []);
      for (const id of ["a", "b"]) await store.notices.sent(`first of ${id}`);
      const stopped = { ...to(3_600, "a"), isLater: true } as const;
      await store.incidents.write([one!, two!].map((of) => told({ ...of, lines: 2 }, 0, stopped)));
      assert.deepEqual(await store.notices.due(3_599), []);
      assert.deepEqual(await store.notices.due(3_600), ["a"]);
      assert.deepEqual(
        await store.notices.counts(),
        { waiting: 1, told: 2, dead: 0 },
        "what is told stays told",
      );
    },
  );

  promise("shortens waits that another clock has written, and no others", async (under) => {
    await using store = await under.open("a");
    for (const id of ["a", "b"]) await store.notices.add(notice(id), MANY, ENTRY);
    await store.incidents.write([told(incident("one"), 10)]);
    const batch = await store.notices.take("a", 20, "first", []);
    await store.notices.failed({ ...batch!, attempts: 1, nextAt: 9_000, problem: "late" });
    const both = [{ notice: "a", dueAt: 9_000 }, { notice: "b", dueAt: 9_000 }];
    await store.incidents.write([told(incident("two"), 0, { to: both }), told(incident("three"), 60)]);
    const bounds = [{ id: "a", mostMs: 100 }, { id: "b", mostMs: 90_000 }];
    await store.notices.bound(10, bounds, 30);
    assert.equal(await store.notices.take("a", 39, "second", []), null);
    const again = await store.notices.take("a", 40, "second", []);
    assert.deepEqual([again?.id, again?.firstAt], ["first", 10], "it was first tried in the future");
    await store.notices.sent("first");
    assert.deepEqual((await store.notices.take("a", 109, "third", []))?.incidents, ["i-three"]);
    await store.notices.sent("third");
    assert.deepEqual((await store.notices.take("a", 110, "fourth", []))?.incidents, ["i-two"]);
    assert.equal(await store.notices.take("b", 8_999, "fifth", []), null, "its notice may wait for so long");
  });

  promise("remembers mutes until they end, and no more than it may", async (under) => {
    await using store = await under.open("a");
    await store.mutes.add(mute("a", { kinds: ["differs"], unit: "unit:shop.web" }), 2, 0, ENTRY);
    await store.mutes.add(mute("b", { until: 50 }), 2, 0, ENTRY);
    await refused("too_many_mutes", store.mutes.add(mute("c"), 2, 49, ENTRY));
    assert.deepEqual((await store.mutes.list(10)).map(({ id }) => id), ["b", "a"]);
    assert.deepEqual(await store.mutes.list(50), [mute("a", { kinds: ["differs"], unit: "unit:shop.web" })]);
    await store.mutes.add(mute("c"), 2, 50, ENTRY);
    assert.equal(await store.mutes.remove("b", ENTRY), false);
  });

  promise("forgets the outbox with its notice, and dead messages after a while", async (under) => {
    await using store = await under.open("a");
    await stuck(store);
    assert.equal(await store.notices.take("a", 99, "other", []), null, "a dead one is not tried");
    assert.equal(await store.notices.forgetDead(20), 0);
    assert.equal(await store.notices.forgetDead(21), 1);
    await store.incidents.write([told(incident("two"), 10)]);
    assert.equal(await store.notices.remove("a", ENTRY), true);
    assert.deepEqual(await store.notices.counts(), { waiting: 0, told: 0, dead: 0 });
  });
}
