/** A failure that no handler catches is one line in the log, and everybody else is served as before. */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";

const STRAY = `
Deno.addSignalListener("SIGUSR1", () => {
  Promise.reject(new Error("a stray rejection"));
  setTimeout(() => {
    throw new Error("a stray exception");
  }, 0);
});
`;

Deno.test({
  name:
    "a rejection that nobody handles, and an exception in a timer, end neither process nor service (F9, R51)",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const script = await Deno.makeTempFile({ suffix: ".js" });
    try {
      await Deno.writeTextFile(script, STRAY);
      await using berth = await startBerthProcess({ permissions: ["-A", "--preload", script] });
      berth.child.kill("SIGUSR1");

      const log = await eventually("both are logged", async () => {
        const log = await Deno.readTextFile(`${berth.data}/berth.log`);
        return log.includes("a stray rejection") && log.includes("a stray exception") ? log : null;
      });

      assert.match(log, /A promise was rejected without a handler/);
      assert.match(log, /An exception was not caught/);
      assert.equal(berth.hasEnded, false);
      const health = await fetch(`${berth.url}/api/health`);
      assert.deepEqual([health.status, (await health.json()).status], [200, "ok"]);
      assert.equal((await berth.end()).code, 0);
    } finally {
      await Deno.remove(script);
    }
  },
});
