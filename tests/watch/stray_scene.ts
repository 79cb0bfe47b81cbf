/** A watcher of one container that no file declares, without a service around it. */
import type { ContainerEvent } from "../../core/container_event.ts";
import type { ActingRuntime } from "../../core/engine_acts.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import type { Endings } from "../../projects/watch/endings.ts";
import { Unrecorded } from "../../projects/watch/unrecorded.ts";
import { Watcher } from "../../projects/watch/watcher.ts";
import type { WatcherOptions } from "../../projects/watch/watch_options.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { SILENT } from "../support/silent_log.ts";

type StrayState = "failed" | "running" | "away";

const containerIn = (condition: string) =>
  ({
    id: "c1",
    name: "stray",
    backend: "one",
    compose: null,
    condition,
    state: condition === "failed" ? "exited" : condition,
    exitCode: 1,
    startedAt: null,
    finishedAt: null,
    reason: null,
    ending: { oomKilled: false },
  }) as unknown as RunningContainer;

/** A watcher of one container that ended and that no file declares, with a turn that the test gives. */
export async function strayScene(isOurTurn: () => Promise<boolean>, wellMs = 60_000) {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "berth-turns-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const store = stack.use(await openSqliteStore(`${folder}/store.db`));
  const told: ((event: ContainerEvent) => void)[] = [];
  const kept: ContainerEvent[] = [];
  const stray: { state: StrayState } = { state: "failed" };
  const none = () => Promise.resolve([]);
  const runtime: Partial<ActingRuntime> = {
    follow: (listener) => {
      told.push(listener);
      return { [Symbol.dispose]: () => {} };
    },
    settle: () => Promise.resolve(),
    backends: () => [],
    containers: () => Promise.resolve(stray.state === "away" ? [] : [containerIn(stray.state)]),
    unheard: () => new Map(stray.state === "away" ? [["one", "it does not answer"]] : []),
    get stamp() {
      return stray.state;
    },
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
      times: { beginMs: 0, tickMs: 5, wellMs },
    }),
  );
  const owned = stack.move();
  return {
    store,
    stray,
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
