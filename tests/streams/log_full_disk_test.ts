/** The log file on a disk that is full for a while. */
import assert from "node:assert/strict";
import { openLog } from "../../log/log.ts";
import { logReader } from "../../log/reader.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";
import { within } from "../support/within.ts";

Deno.test({
  name:
    "a full disk costs log lines, which are counted and told, and leaves none that is glued to another (F61)",
  ignore: !mayMount,
  async fn() {
    await using disk = await SmallDisk.mount();
    const path = `${disk.folder}/berth.log`;
    await using log = openLog({ level: "info", path, console: null });
    log.info("before");
    log.flush();
    disk.fill();
    const many = 200;
    for (let n = 0; n < many; n++) {
      log.info(`full ${n} ${"x".repeat(100)}`);
      if (n % 10 === 0) log.flush();
    }
    log.flush();
    assert.notEqual(log.failure(), null, "the service knows that lines are lost");
    disk.empty();
    await within(6_000, "the loss is told, though nobody logs", () => log.failure() === null);
    log.info("after");
    log.flush();

    const chunks = await logReader(path).tail({ lines: 1_000 });
    const records = chunks.map((chunk) => "line" in chunk ? JSON.parse(chunk.line) : chunk);
    const written = records.filter(({ message }) => message.startsWith("full")).length;
    const lost = records.reduce((sum, record) => sum + (record.lost ?? 0), 0);
    assert.equal(written + lost, many, "every line is there or counted");
    assert.ok(lost > 0);
    assert.deepEqual([records.at(0).message, records.at(-1).message], ["before", "after"]);
    const glued = (await Deno.readTextFile(path)).split("\n").filter((line) =>
      line.split(`{"time"`).length > 2
    );
    assert.deepEqual(glued, []);
  },
});
