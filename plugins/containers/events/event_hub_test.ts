import assert from "node:assert/strict";
import { eventually } from "../../../tests/support/eventually.ts";
import { EventFeed } from "../../../engines/mirror/event_feed.ts";
import { type EventFilter, EventHub } from "./event_hub.ts";

const ALL: EventFilter = { key: "all", wants: () => true, wantsEngine: () => true };

function raw(id: string, action = "start", attributes: Record<string, string> = {}) {
  return { time: "2026-11-21T22:34:19.000Z", timeNano: 1, type: "container", action, id, attributes };
}

/** A viewer that takes frames apart. */
class Screen {
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was said
  readonly messages: any[] = [];
  readonly frames: string[] = [];
  constructor(readonly filter: EventFilter = ALL) {}
  /** With each frame. */
  readonly seqs: number[] = [];
  frame(messages: readonly string[], seq: number): void {
    this.frames.push(messages.join());
    this.seqs.push(seq);
    this.messages.push(...messages.map((message) => JSON.parse(message)));
  }
  get events() {
    return this.messages.filter(({ type }) => type === "event");
  }
}

Deno.test("all events of one tick come in one frame, in order, and the frame is written once for equal filters", async () => {
  const feed = new EventFeed(0);
  using hub = new EventHub(feed);
  const screens = [
    new Screen(),
    new Screen(),
    new Screen({ key: "even", wants: ({ seq }) => seq % 2 === 0, wantsEngine: () => true }),
  ];
  for (const screen of screens) hub.add(screen, {});
  for (let at = 0; at < 50; at++) feed.publish("docker", raw(`c${at}`));
  await eventually("they are told", () => screens[0]!.events.length === 50);

  assert.deepEqual(screens[0]!.events.map(({ seq }) => seq), Array.from({ length: 50 }, (_, at) => at + 1));
  assert.equal(screens[0]!.frames.length, 1);
  assert.equal(screens[2]!.events.length, 25);
  assert.deepEqual(screens[0]!.frames, screens[1]!.frames);
});

Deno.test("since resumes without loss or repeats, and what is not known any more is a resync", async () => {
  const feed = new EventFeed(0);
  using hub = new EventHub(feed);
  for (let at = 0; at < 10; at++) feed.publish("docker", raw(`c${at}`));
  const screen = new Screen();
  hub.add(screen, { since: 4 });
  feed.publish("docker", raw("c10"));
  await eventually("the live one", () => screen.events.length === 7);

  assert.deepEqual(screen.seqs, [10, 11]);
  assert.deepEqual(screen.events.map(({ seq }) => seq), [5, 6, 7, 8, 9, 10, 11]);

  for (let at = 0; at < 5_000; at++) feed.publish("docker", raw(`d${at}`));
  for (const since of [4, 999_999]) {
    const late = new Screen();
    hub.add(late, { since });
    assert.deepEqual(late.messages.map(({ type }) => type), ["resync"]);
  }
});

Deno.test("the last events come first where they are asked for, in pieces that each can be resumed behind", () => {
  const feed = new EventFeed(0);
  using hub = new EventHub(feed);
  for (let at = 0; at < 5_000; at++) feed.publish("docker", raw(`c${at}`));
  const odd: EventFilter = { key: "odd", wants: ({ seq }) => seq % 2 === 1, wantsEngine: () => true };
  const screen = new Screen(odd);
  hub.add(screen, { earlier: 500 });
  const seqs = screen.events.map(({ seq }) => seq);
  assert.deepEqual(seqs, Array.from({ length: 500 }, (_, at) => 4_001 + 2 * at));
  assert.deepEqual(screen.seqs, [seqs[199], seqs[399], 5_000]);

  feed.resync("docker");
  const back = new Screen(odd);
  hub.add(back, { since: 4_990, earlier: 500 });
  assert.deepEqual(back.messages.map(({ type, seq }) => seq ?? type), [
    "resync",
    4_991,
    4_993,
    4_995,
    4_997,
    4_999,
  ]);
  assert.deepEqual(back.seqs, [4_990, 5_000], "what was seen is not told again");
});

Deno.test("a container that loops is told of now and then with a count, and the last word is never lost", async () => {
  const feed = new EventFeed(0);
  using hub = new EventHub(feed);
  const screen = new Screen();
  hub.add(screen, {});
  for (let at = 0; at < 500; at++) {
    feed.publish("docker", raw("looping", at % 2 === 0 ? "start" : "die"));
    if (at % 50 === 0) feed.publish("docker", raw(`calm${at}`));
  }
  await eventually("the last word", () => screen.events.some(({ seq }) => seq === feed.seq));

  const looping = screen.events.filter(({ container }) => container.id === "looping");
  assert.ok(looping.length < 40, `${looping.length} events of one container`);
  const told = looping.reduce((sum, { repeated = 1 }) => sum + repeated, 0);
  assert.equal(told, 500);
  assert.equal(screen.events.filter(({ container }) => container.id !== "looping").length, 10);
});

Deno.test("what happens to engines is told to everybody, and other things than containers to nobody", async () => {
  const feed = new EventFeed(0);
  using hub = new EventHub(feed);
  const screen = new Screen({ key: "none", wants: () => false, wantsEngine: () => true });
  hub.add(screen, {});
  feed.publish("docker", { ...raw("i"), type: "image" });
  feed.publish("docker", raw("c"));
  feed.backend("docker", "away");
  feed.resync("docker");
  await eventually("told", () => screen.messages.length === 2);

  assert.deepEqual(screen.messages, [
    { type: "backend", backend: "docker", state: "away" },
    { type: "resync", backend: "docker" },
  ]);
});

Deno.test("an exec's command line is not in an event, whoever let it through (R50)", () => {
  const feed = new EventFeed(0);
  using hub = new EventHub(feed);
  feed.publish("docker", raw("c", "exec_create: sh -c export PW=hunter2"));
  const screen = new Screen();
  hub.add(screen, { since: 0 });
  assert.equal(screen.events[0].action, "exec_create");
  assert.doesNotMatch(screen.frames.join(), /hunter2/);
});

Deno.test("a viewer who comes back after many events is told a resync and the last of them, not more than a socket holds", () => {
  const feed = new EventFeed(0);
  using hub = new EventHub(feed);
  const image = "x".repeat(900);
  for (let at = 0; at < 3_000; at++) feed.publish("docker", raw(`c${at}`, "start", { image }));
  for (const past of [{ since: 5 }, { earlier: 2_000 }]) {
    const screen = new Screen();
    hub.add(screen, past);

    const size = screen.frames.reduce((sum, frame) => sum + frame.length, 0);
    assert.ok(size > 400_000 && size < 600_000, `${size}`);
    assert.equal(screen.messages[0].type, "since" in past ? "resync" : "event");
    const seqs = screen.events.map(({ seq }) => seq);
    assert.deepEqual(seqs, Array.from(seqs, (_, at) => 3_000 - seqs.length + 1 + at), "without a hole");
    assert.equal(screen.seqs[0], "since" in past ? seqs[0]! - 1 : seqs[199]);
  }
});
