/** A shell outlives no crash of berth unnoticed: it is ended after the restart, or listed. */
import assert from "node:assert/strict";
import { startBerthProcess } from "../support/berth_process.ts";
import { browse } from "../support/browse.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { TestCaller } from "../support/service.ts";
import { lawEngine, sharedEngine } from "../support/shared_engine.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";
import { slowness } from "../proof/slowness.ts";

/** On each engine: ten in the proof. */
const SHELLS = Deno.env.get("BERTH_PROOF") === "1" ? 10 : 3;
/** Each look runs a command for each shell, and Podman runs them one after another. */
const LOOK_EVERY_MS = 1_000;
const STUBBORN = "trap '' HUP INT TERM; while [ ! -e /tmp/end ]; do sleep 0.2; done";
const COUNT = "for p in /proc/[0-9]*; do echo; done | wc -l";

const docker = await sharedEngine("docker");
const podman = await lawEngine("podman");

if (podman.engine !== null) {
  const other = podman.engine;
  const name =
    `berth is killed with ${
      2 * SHELLS
    } shells open on two engines: after the restart all are ended,  (F27, F75)` +
    "but those that ignore it, which are listed (F75)";
  docker.test(name, async (engine) => {
    const data = await Deno.makeTempDir({ prefix: "berth-orphans-" });
    try {
      const address = [engine, other].map(({ kind, socket }) => `${kind}=unix://${socket}`).join();
      const options = { data, env: { BERTH_ENGINES: address } };
      const places = await Promise.all([engine, other].map(async (on) => {
        const id = await on.cli("run", "-d", FIXTURE);
        const processes = async () => Number(await on.cli("exec", id, "sh", "-c", COUNT));
        return { on, id, processes, before: await processes() };
      }));
      let key: string;
      {
        await using berth = await startBerthProcess(options);
        key = await berth.setUp();
        const caller = new TestCaller(berth.url, key);
        for (const { id, processes, before } of places) {
          await eventually("it is known", async () => {
            return (await caller.call(`GET /api/containers/${id}`)).status === 200;
          });
          const stubborn = [["cmd", "sh"], ["cmd", "-c"], ["cmd", STUBBORN], ["tty", "false"]];
          for (let n = 0; n < SHELLS; n++) {
            const query = new URLSearchParams(n === 0 ? stubborn : []);
            const { heard } = browse(berth.url, `/containers/${id}/exec?${query}`, key);
            await eventually("it runs", () => heard.texts.some((text) => text.includes(`"ready"`)));
          }
          await eventually("all run", async () => await processes() >= before + SHELLS);
        }
        assert.equal((await berth.end("SIGKILL")).signal, "SIGKILL");
      }
      for (const { processes, before } of places) {
        assert.ok(await processes() >= before + SHELLS, "they outlive berth");
      }

      await using berth = await startBerthProcess(options);
      const caller = new TestCaller(berth.url, key);
      // A berth counts as gone after 12 s; that is looked at every 3 s, and Podman takes 5 s for eight shells
      await Promise.all(places.map(async ({ on, id, processes, before }) => {
        const orphans = async () => (await caller.call(`GET /api/containers/${id}/orphans`)).body;
        const listed = await within(
          PROMISED.shellsEnded,
          "all but one are gone, and that one is listed",
          async () => {
            const found = await orphans();
            return found.total === 1 && await processes() <= before + 2 ? found : null;
          },
          slowness,
          LOOK_EVERY_MS,
        );
        assert.equal(listed.items[0].container, id);
        await on.cli("exec", id, "touch", "/tmp/end");
        await within(PROMISED.shellsEnded, "it has ended", async () => (await orphans()).total === 0);
        await eventually("nothing is left", async () => await processes() === before);
        await on.cli("rm", "-f", id);
      }));
      assert.match(await Deno.readTextFile(`${data}/berth.log`), /had lost its terminal and was hung up/);
    } finally {
      await Deno.remove(data, { recursive: true });
    }
  });
}
