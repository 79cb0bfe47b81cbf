/** Promise: endings are counted by the replica that watches while they happen. */
import assert from "node:assert/strict";
import type { ContainerEvent } from "../../core/container_event.ts";
import type { ActingRuntime } from "../../core/engine_acts.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import type { Endings } from "../../projects/watch/endings.ts";
import { Unrecorded } from "../../projects/watch/unrecorded.ts";
import { Watcher } from "../../projects/watch/watcher.ts";
import type { WatcherOptions } from "../../projects/watch/watch_options.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { eventually } from "../support/eventually.ts";
import { SILENT } from "../support/silent_log.ts";

const BROKEN = {
  id: "c1",
  name: "stray",
  backend: "one",
  compose: null,
  condition: "failed",
  state: "exited",
  exitCode: 1,
  startedAt: null,
  finishedAt: null,
  reason: null,
  ending: { oomKilled: false },
};

/** A watcher of one container that ended and that no file declares, with a turn that the test gives. */
async function scene(isOurTurn: () => Promise<boolean>) {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "berth-turns-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const store = stack.use(await openSqliteStore(`${folder}/store.db`));
  const told: ((event: ContainerEvent) => void)[] = [];
  const kept: ContainerEvent[] = [];
  const none = () => Promise.resolve([]);
  const runtime: Partial<ActingRuntime> = {
    follow: (listener) => {
      told.push(listener);
      return { [Symbol.dispose]: () => {} };
    },
    settle: () => Promise.resolve(),
    backends: () => [],
    containers: () => Promise.resolve([BROKEN as unknown as RunningContainer]),
    unheard: () => new Map(),
    stamp: "1",
  };
  const endings: Partial<Endings> = {
    know: () => {},
    hear: (event) => void kept.push(event),
    settle: () => Promise.resolve(),
    over: () => Promise.resolve(),
  };
  const clocks = { now: () => Date.now(), steady: () => Date.now() };
  const tell = () => Promise.resolve(true);
  const watcher = stack.use(
    new Watcher({
      ...clocks,
      store: store.incidents,
      notices: { list: none },
      audit: { between: none },
      applies: { list: none },
      versions: { newest: none },
      ignored: { list: none },
      registry: { models: none, list: none },
      runtime: () => runtime as ActingRuntime,
      ownership: {
        startedFrom: () => null,
        settle: () => Promise.resolve(),
      } as unknown as WatcherOptions["ownership"],
      own: () => Promise.reject(new Error("there is no workspace")),
      isOurTurn,
      endings: endings as Endings,
      unrecorded: new Unrecorded({ ...clocks, notices: { list: none }, mutes: { list: none }, tell }),
      log: SILENT,
      times: { beginMs: 0, tickMs: 5 },
    }),
  );
  const owned = stack.move();
  return {
    store,
    watcher,
    kept,
    dies: () =>
      told[0]!({
        ...{ engine: "one", id: "c1", name: "stray", action: "die", heardAt: Date.now(), exitCode: 1 },
        ...{ signal: null, compose: null },
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

Deno.test("a replica that takes the turn over does not count the endings that it heard before", async () => {
  let isOurs = false;
  let asked = 0;
  await using berth = await scene(() => {
    asked++;
    return Promise.resolve(isOurs);
  });
  await eventually("it asks for the turn", () => asked > 0);
  berth.dies();
  berth.dies();
  const before = asked;
  await eventually("it asks again", () => asked > before + 1);
  isOurs = true;
  const [found] = await eventually("the incident is open", async () => {
    const open = await berth.store.incidents.open();
    return open.length > 0 ? open : null;
  });
  assert.deepEqual([found!.kind, found!.endings], ["broken", 0]);
});
