/** A reader who takes nothing of a log that a manager tells: managers keep what they have not sent in their memory. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { ManagedLog } from "./managed_log.ts";

/** Bytes between two pauses of the manager. */
const BLOCK = 100_000;
/** Lengths of lines; one of the longer ones does not come in one piece. */
const LENGTHS = [1_000, 20_000];

for (const length of LENGTHS) {
  Deno.test(`serviceLog closes a manager's log of lines of ${length} for a reader who stalls, and goes on behind a gap that it tells`, async () => {
    const fill = "x".repeat(length);
    let count = 0;
    await using log = new ManagedLog({
      live: async (say) => {
        for (;;) {
          await say(...Array.from({ length: BLOCK / length }, () => `${fill} ${++count}`));
          await new Promise((done) => setTimeout(done, 1));
        }
      },
    });
    await using reader = log.read({ follow: true });
    await reader.until(({ length }) => length > 0);

    await eventually("the manager has nothing to send", () => log.open === 0);
    const written = count;
    await new Promise((done) => setTimeout(done, 200));
    assert.deepEqual([log.open, count], [0, written], "and is left alone while the reader takes nothing");
    count += 1_000; // written meanwhile
    await reader.until((all) => all.some(({ line }) => Number(line?.split(" ")[1]) > written + 1_000));

    assert.ok(log.asked.slice(1).every((path) => path.includes("tail=0")), `${log.asked}`); // not read from its beginning
    let last = 0;
    let isOpen = false;
    for (const { line, gap } of reader.all) {
      isOpen ||= gap !== undefined;
      if (line === undefined) continue;
      const number = Number(line.split(" ")[1]);
      assert.ok(isOpen ? number > last : number === last + 1, `${number} behind ${last}`);
      [last, isOpen] = [number, false];
    }
    assert.ok(reader.all.some(({ gap }) => gap !== undefined));
  });
}
