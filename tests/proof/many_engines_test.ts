/**
 * Hundreds of engines, and storms over all of them. The engines are scripted, for their number; what a real one does is
 * proved elsewhere. `BERTH_PROOF=1` takes as many as are promised.
 */
import assert from "node:assert/strict";
import { readConfig } from "../../config/config.ts";
import { checkPluginSettings } from "../../plugins/plugin_settings.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import { startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { startManyEngines } from "./many_engines.ts";
import { isLeftToProof } from "./long.ts";
import { FOR_HELD_BYTES, heldBytes } from "./process_memory.ts";
import { startService, TestCaller } from "../support/service.ts";
import { within } from "../support/within.ts";

const isProof = Deno.env.get("BERTH_PROOF") === "1";
const MANY = isProof ? 512 : 24;
const [ENGINES, CONTAINERS, RATE, STORM_MS] = isProof ? [100, 200, 2_000, 5_000] : [20, 25, 500, 1_500];
/** Promised: a list in a second, and true two seconds after it. A busy machine may take somewhat longer. */
const LIST_MS = 5_000;
const TRUE_MS = isProof ? 60_000 : 15_000;
/** Promised: a tenth. One of fewer rows weighs more beside them. */
const MOST_GROWTH = isProof ? 1.1 : 1.25;
/** No promise: a busy machine is slow to greet so many. */
const LISTED = { timeoutMs: 240_000 };

async function listed(berth: TestCaller, query = "limit=50"): Promise<{ total: number; stale?: string[] }> {
  return (await berth.call(`GET /api/containers?${query}`)).body;
}

const long = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore: isLeftToProof(name), fn });

Deno.test(`${MANY} engines are all followed, and each is found by name`, async () => {
  await using many = await startManyEngines(MANY, 3);
  await using berth = await startService({ unclaimed: { engines: many.setting } });
  await eventually("all are listed", async () => (await listed(berth)).total === MANY * 3, LISTED);

  const { body } = await berth.call("GET /api/system/backends");
  assert.equal(body.total, MANY);
  assert.ok(body.items.every(({ state }: { state: string }) => state === "up"));
  assert.equal((await listed(berth, `backend=e${MANY - 1}`)).total, 3);
  assert.equal((await berth.call(`GET /api/containers/e${MANY - 1}-app2`)).status, 200);
  assert.equal((await listed(berth, "project=p1")).total, MANY);
});

long(
  "a list answers within a second in a storm over all engines, names who is behind, is true soon after it, and the memory is back (F101)",
  async () => {
    await using many = await startManyEngines(ENGINES, CONTAINERS);
    await using process = await startBerthProcess({
      env: { ...FOR_HELD_BYTES, BERTH_ENGINES: many.setting },
    });
    const berth = new TestCaller(process.url, await process.setUp());
    await eventually(
      "all are listed",
      async () => (await listed(berth)).total === ENGINES * CONTAINERS,
      LISTED,
    );
    await many.storm(RATE, STORM_MS / 5); // what runs for the first time is compiled, and stays
    const before = await heldBytes(process.pid);

    let isOver = false;
    const storm = many.storm(RATE, STORM_MS).finally(() => isOver = true);
    let lists = 0;
    let longest = 0;
    while (!isOver) {
      const began = performance.now();
      const { total } = await listed(berth, `limit=50&label=team=t${lists % 7}`);
      longest = Math.max(longest, performance.now() - began);
      assert.ok(total > 0);
      lists += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const sent = await storm;
    const running = await many.running();
    const took = performance.now();
    await within(TRUE_MS, "the list is true", async () => {
      const { total, stale } = await listed(berth, "state=running&limit=1");
      return (total === running && stale === undefined) ||
        Promise.reject(new Error(`${total} of ${running} run, ${stale ?? "nobody"} is behind`));
    });

    console.log(
      `${sent} events, ${lists} lists, the longest ${longest.toFixed(0)} ms, true after ${
        (performance.now() - took).toFixed(0)
      } ms`,
    );
    assert.ok(longest < LIST_MS, `a list took ${longest} ms`);
    const growth = await heldBytes(process.pid) / before;
    console.log(`${(before / 2 ** 20).toFixed(0)} MiB before, ${growth.toFixed(3)} of that after`);
    assert.ok(growth < MOST_GROWTH, `it holds ${growth} times as much memory`);
  },
);

Deno.test("513 engines are one too many, and the setting says so", async () => {
  const engines = Array.from({ length: 513 }, (_, at) => `e${at}=unix:///run/e${at}`).join();
  const values: Record<string, string> = { BERTH_DATA: "/tmp/x", HOME: "/tmp", BERTH_ENGINES: engines };
  const config = await readConfig({ env: (name) => values[name], isContained: false });
  assert.deepEqual(checkPluginSettings(PLUGINS, config).mistakes, ["BERTH_ENGINES: at most 512 engines"]);
});
