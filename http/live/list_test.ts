import assert from "node:assert/strict";
import { eventually } from "../../tests/support/eventually.ts";
import type { Subscription } from "./feed.ts";
import { LiveList } from "./list.ts";
import { jsonText } from "../../core/json_text.ts";
import { Reach } from "../../core/access.ts";

/** Follows a list, and takes a message only when it is let. */
class Reader {
  readonly rows = new Map<string, unknown>();
  readonly ending = new AbortController();
  cursor: string | undefined;
  resets = 0;
  told = 0;
  bytes = 0;
  /** The longest message. */
  longest = 0;
  #isStalled = false;
  #lifted: () => void = () => {};

  stall(): void {
    this.#isStalled = true;
  }

  lift(): void {
    this.#isStalled = false;
    this.#lifted();
  }

  get subscription(): Subscription {
    return {
      principal: { kind: "apiKey", id: "a", name: "a", role: null, permissions: [], grants: [] },
      reach: Reach.EVERYWHERE,
      asked: {},
      signal: this.ending.signal,
      tell: (_, members) => this.#take(members),
      room: async () => {
        if (this.#isStalled && !this.ending.signal.aborted) {
          await new Promise<void>((resolve) => {
            this.#lifted = resolve;
            this.ending.signal.addEventListener("abort", () => resolve());
          });
        }
      },
    };
  }

  #take(members: string): void {
    const { reset, put, removed, cursor } = JSON.parse(`{${members}}`);
    if (reset) {
      this.rows.clear();
      this.resets++;
    }
    for (const [key, row] of Object.entries(put)) this.rows.set(key, row);
    for (const key of removed) this.rows.delete(key);
    this.cursor = cursor ?? this.cursor;
    this.told++;
    this.bytes += members.length;
    this.longest = Math.max(this.longest, members.length);
  }
}

const row = (number: number, state: string) =>
  jsonText({ id: String(number).padStart(64, "0"), state, labels: { about: "x".repeat(380) } });

/** 5,000 rows of 470 bytes, as of containers. */
function scene() {
  const rows = new Map(
    Array.from({ length: 5_000 }, (_, at) => [`docker/${at}`, row(at, "running")] as const),
  );
  const seen = { reads: 0 };
  const list = new LiveList({
    everyMs: 5,
    read: () => {
      seen.reads++;
      return { rows };
    },
  });
  const same = (reader: Reader) =>
    reader.rows.size === rows.size &&
    [...rows].every(([key, text]) => JSON.stringify(reader.rows.get(key)) === text);
  return { rows, list, seen, same };
}

Deno.test("whoever reads slowly is told the present and not the past: changes of one row are one, however many there were", async () => {
  const { rows, list, same } = scene();
  using _ = list;
  const fast = new Reader();
  const slow = new Reader();
  const following = [fast, slow].map((reader) => list.follow(reader.subscription, "rows"));
  await eventually("both know it", () => same(fast) && same(slow));
  assert.ok(fast.longest < 80 * 1024, `${fast.longest} characters in a message`);
  const [bytes, told] = [slow.bytes, slow.told];
  slow.stall();
  for (let at = 0; at < 720; at++) { // 36 changes a second for 20 s
    rows.set(`docker/${at % 90}`, row(at % 90, `state ${at}`));
    if (at % 36 === 0) await eventually("the fast one is told", () => same(fast));
  }
  rows.delete("docker/4999");
  await eventually("the fast one is told", () => same(fast));
  assert.equal(slow.told - told <= 1, true, "a reader without room is told nothing more");
  slow.lift();
  await eventually("the slow one is told", () => same(slow));
  assert.ok(slow.bytes - bytes < 2 * 90 * 500 + 1_000, `${slow.bytes - bytes} characters to catch up`);
  assert.deepEqual([fast.resets, slow.resets], [1, 1]);
  for (const { ending } of [fast, slow]) ending.abort();
  await Promise.all(following);
});

Deno.test("a list that changes while it is told ends as it is", async () => {
  const { rows, list, same } = scene();
  using _ = list;
  const reader = new Reader();
  reader.stall();
  const following = list.follow(reader.subscription, "rows");
  for (let at = 0; at < 200; at++) {
    rows.set(`docker/${at * 25}`, row(at * 25, "exited"));
    rows.delete(`docker/${at * 25 + 1}`);
    reader.lift();
    reader.stall();
    if (at % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  reader.lift();
  await eventually("it is told", () => same(reader));
  assert.equal(reader.resets, 1);
  reader.ending.abort();
  await following;
});

Deno.test("a cursor goes on behind what was told; of another list, or from before too many removals, it is told whole", async () => {
  const { rows, list, same } = scene();
  using _ = list;
  const first = new Reader();
  let following = list.follow(first.subscription, "rows");
  await eventually("it is told", () => same(first));
  first.ending.abort();
  await following;
  rows.set("docker/7", row(7, "exited"));
  rows.delete("docker/8");

  const back = new Reader();
  following = list.follow(back.subscription, "rows", first.cursor);
  await eventually("what was missed", () => back.told > 0);
  assert.deepEqual([[...back.rows.keys()], back.resets], [["docker/7"], 0]);
  back.ending.abort();
  await following;

  const strange = new Reader();
  following = list.follow(strange.subscription, "rows", "another-list.3");
  await eventually("it is told", () => same(strange));
  assert.equal(strange.resets, 1);
  for (let at = 100; at < 4_400; at++) rows.delete(`docker/${at}`);
  await eventually("the removals", () => same(strange));
  strange.ending.abort();
  await following;

  const late = new Reader();
  following = list.follow(late.subscription, "rows", first.cursor);
  await eventually("it is told", () => same(late));
  assert.equal(late.resets, 1, "nobody remembers all that was removed since");
  late.ending.abort();
  await following;
});

Deno.test("nobody reads for a list that nobody follows, and what fails is told to all who do", async () => {
  let failure: Error | null = null;
  let reads = 0;
  using list = new LiveList({
    everyMs: 1,
    read: () => {
      reads++;
      if (failure !== null) throw failure;
      return { rows: new Map([["a", jsonText(1)]]) };
    },
  });
  const reader = new Reader();
  const following = list.follow(reader.subscription, "rows");
  await eventually("it is read again", () => reads > 3);
  failure = new Error("the disk is gone");
  await assert.rejects(following, /the disk is gone/);
  const before = reads;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(reads - before <= 1, "it is read no more");
  failure = null;
  const again = new Reader();
  const back = list.follow(again.subscription, "rows");
  await eventually("it is told", () => again.rows.size === 1);
  again.ending.abort();
  await back;
});
