/** A manager's log, for readers who take it at once and for those who stall. */
import assert from "node:assert/strict";
import { readCursor } from "../../plugins/containers/logs/of_services/cursors.ts";
import { eventually } from "../support/eventually.ts";
import { ManagedLog } from "./managed_log.ts";
import type { Told } from "./service_log_world.ts";

const MANY = 10_000;
const FILL = "x".repeat(200);
/** Bytes of a piece, and of a line as a record at most. */
const PIECE = 64 * 1024;
const RECORD = 1_000;

const linesOf = (count: number) => Array.from({ length: count }, (_, at) => `${at} ${FILL}`);
const isGap = ({ gap }: Told) => gap !== undefined;
const pauseMs = (ms: number) => new Promise((done) => setTimeout(done, ms));

for (const follow of [false, true]) {
  Deno.test(`serviceLog tells ${follow ? "a burst" : "all the past"} of a manager's log to a reader who takes everything`, async () => {
    const lines = linesOf(MANY);
    await using log = new ManagedLog(follow ? { live: (say) => say(...lines) } : { past: lines });
    await using reader = log.read({ follow });

    await reader.until((all) =>
      follow && all.length >= MANY && reader.lines.length === MANY || all.some(isGap)
    );

    assert.deepEqual(reader.all.filter(isGap), []);
    assert.deepEqual(reader.lines, lines);
  });
}

Deno.test("serviceLog tells a cursor with each piece, which is the place of its last line", async () => {
  await using log = new ManagedLog({ past: linesOf(2_000) });
  await using reader = log.read({ follow: false });
  await pauseMs(500); // so that more waits than one piece

  const sizes: number[] = [];
  for (let text = await reader.take(); text !== null; text = await reader.take()) {
    sizes.push(text.length);
    assert.match(text, /"cursor":"[^"]+"}\n$/, "no piece is sent without it");
  }

  assert.ok(sizes.length > 5 && sizes.every((size) => size < PIECE + RECORD), `${sizes}`);
  for (const [at, { cursor }] of reader.all.entries()) {
    if (cursor === undefined) continue;
    assert.equal(readCursor(cursor).get("a"), `o${reader.all[at - 1]?.time}`);
  }
});

Deno.test("serviceLog closes a manager's log that tells little at a time, too, for a reader who stalls", async () => {
  let count = 0;
  await using log = new ManagedLog({
    live: async (say) => {
      for (;;) { // less than a piece in the time in which lines are sorted
        await say(...Array.from({ length: 15 }, () => `${count++} ${"x".repeat(3_500)}`));
        await pauseMs(300);
      }
    },
  });
  await using reader = log.read({ follow: true });
  await reader.until(({ length }) => length > 0);

  await eventually("the manager has nothing to send", () => log.open === 0, { timeoutMs: 20_000 });
  const told = count;
  await reader.until((all) => all.some(isGap));

  assert.ok(reader.lines.length < told, `${reader.lines.length} of ${told} lines were kept`);
  assert.ok(reader.lines.length * 3_500 < 1_024 * 1_024, `${reader.lines.length} lines were kept`);
});

for (const isClosed of [false, true]) {
  Deno.test(`serviceLog tells what it left out of a burst though nothing follows it${isClosed ? ", and its log was closed meanwhile" : ""}`, async () => {
    const lines = linesOf(MANY);
    let isSaid = false;
    await using log = new ManagedLog({
      live: async (say, time) => {
        if (time > 1) return;
        await say(...lines);
        isSaid = true;
        while (isClosed) {
          await say("further");
          await pauseMs(50);
        }
      },
    });
    await using reader = log.read({ follow: true });
    await reader.until(({ length }) => length > 0);

    if (isClosed) await eventually("it is closed", () => log.open === 0);
    else {
      await eventually("the burst is said", () => isSaid, { timeoutMs: 60_000 });
      await pauseMs(1_000);
    }
    const late = setTimeout(() => reader.stop(), 5_000);
    await reader.until((all) => all.some(({ gap }) => gap?.before === null));
    clearTimeout(late);

    const last = reader.all.findLast(({ line }) => line !== undefined);
    assert.ok(reader.lines.length < MANY);
    assert.deepEqual(reader.all.findLast(isGap)?.gap, { after: last?.time, before: null });
  });
}

Deno.test("serviceLog that is stopped tells its last lines and their cursor before its end", async () => {
  let isTold = false;
  for (let turn = 0; turn < 10 && !isTold; turn += 1) {
    await using log = new ManagedLog({
      live: async (say) => {
        await say("first");
        await pauseMs(400);
        await say("last"); // waits for lines of other tasks, to be sorted with them
      },
    });
    await using reader = log.read({ follow: true });
    await reader.until((all) => all.some(({ cursor }) => cursor !== undefined));
    await pauseMs(250);
    reader.stop();
    await reader.until(() => false);

    isTold = reader.lines.at(-1) === "last";
    const kinds = reader.all.map((one) => Object.keys(one).at(-1));
    assert.deepEqual(kinds.slice(isTold ? -3 : -1), isTold ? ["line", "cursor", "end"] : ["end"]);
  }
  assert.ok(isTold, "it was stopped while a line waited");
});
