/** Swaps of containers that their engine removes as soon as they stop (`--rm`). */
import assert from "node:assert/strict";
import type { EngineActs } from "../../core/engine_acts.ts";
import { failure } from "../../core/error.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { Undeclarable } from "../../core/undeclarable.ts";
import type { Hand } from "./hand.ts";
import { carryOut } from "./carry_out.ts";
import { swap } from "./swap.ts";
import { MARK, markOf } from "./work.ts";

const APPLY = "79081761-87a9-4634-923e-22c5c5cf2ec3";
const DATA = { type: "volume", source: "a".repeat(64), target: "/data" };

/** An engine with the running container "web" of `--rm`, which it removes two looks after its stop. */
function engineWith(given: { readonly mounts: readonly object[]; readonly exitCode: number | null }) {
  const all = new Map<string, InspectedContainer>();
  const containerOf = (id: string, name: string, more: object) =>
    ({
      id,
      name,
      state: "running",
      labels: {},
      restart: { name: "no", maximumRetries: 0 },
      networks: [],
      mounts: [],
      undeclarable: [],
      restartCount: 0,
      health: "healthy",
      exitCode: null,
      ...more,
    }) as unknown as InspectedContainer; // nothing else is asked for
  const undeclarable: Undeclarable[] = ["removesItself"];
  all.set("old", containerOf("old", "web", { mounts: given.mounts, undeclarable }));
  let looks = Infinity;
  const change = (id: string, more: object) => {
    const before = all.get(id);
    if (before === undefined) {
      throw failure({ container_not_found: 404 }, "container_not_found", "no such container");
    }
    all.set(id, { ...before, ...more });
  };
  const acts = {
    isAway: () => false,
    find: (key) => {
      if (--looks <= 0) all.delete("old");
      return Promise.resolve([...all.values()].find(({ id, name }) => id === key || name === key) ?? null);
    },
    create: (name, spec) => {
      all.set("new", containerOf("new", name, { ...spec, state: "created" }));
      return Promise.resolve("new");
    },
    copy: () => Promise.resolve(),
    checkHealth: () => Promise.resolve(),
    start: (id) => {
      const { exitCode } = given;
      const ended = exitCode === null ? { state: "running" } : { state: "exited", exitCode };
      return Promise.resolve(change(id, { ...ended, startedAt: "2026-01-01T00:00:00Z" }));
    },
    stop: (id) => {
      change(id, { state: "exited" });
      looks = 3;
      return Promise.resolve();
    },
    rename: (id, name) => {
      if ([...all.values()].some((one) => one.name === name)) {
        return Promise.reject(failure({ name_taken: 409 }, "name_taken", "the name is in use"));
      }
      return Promise.resolve(change(id, { name }));
    },
    remove: (id) => Promise.resolve(void all.delete(id)),
  } as Partial<EngineActs> as EngineActs;
  return { acts, left: () => [...all.values()].map(({ name, state }) => `${name} ${state}`) };
}

function handOn(acts: EngineActs, mounts: readonly object[]): Hand {
  const noted: Record<string, unknown> = {};
  const unit = { value: { kind: "map", entries: new Map() }, id: "web" };
  return {
    apply: APPLY,
    step: { n: 1, target: "web" },
    subject: { id: "old", name: "web" },
    acts,
    noted,
    work: { timeouts: {} },
    stopping: new AbortController().signal,
    orders: {
      kind: "docker",
      nameAfter: () => "web",
      container: () => Promise.resolve({ mounts, labels: { [MARK]: markOf(APPLY, 1) } }),
      declared: () => ({ unit, service: {}, group: { units: [] } }),
    },
    note: (more: object) => Promise.resolve(void Object.assign(noted, more)),
    hooks: () => Promise.resolve(),
    keepWords: () => Promise.resolve(),
    siblings: () => Promise.resolve([]),
  } as unknown as Hand; // as above
}

Deno.test("A container that its engine removes at its stop is replaced, and takes no other one along", async () => {
  const bare = { ...DATA, source: "" };
  const sound = engineWith({ mounts: [DATA], exitCode: null });
  await swap(handOn(sound.acts, [bare]));
  assert.deepEqual(sound.left(), ["web running"]);

  const broken = engineWith({ mounts: [DATA], exitCode: 7 });
  await assert.rejects(
    swap(handOn(broken.acts, [bare])),
    /ended .*7.*cannot come back: it was made with --rm/,
  );
  assert.deepEqual(broken.left(), ["web exited"], "the new one keeps its volume");
});

Deno.test("A container whose data its engine would remove with it is not stopped", async () => {
  const engine = engineWith({ mounts: [DATA], exitCode: null });

  await assert.rejects(swap(handOn(engine.acts, [])), /would remove its volume at "\/data".*is back/);

  assert.deepEqual(engine.left(), ["web running"]);
});

Deno.test("A stop whose answer was lost is done although the engine has removed its container by then", async () => {
  const engine = engineWith({ mounts: [], exitCode: null });
  const hand = handOn(engine.acts, []);
  const stop = { ...hand, step: { ...hand.step, kind: "container.stop" as const }, isAgain: true };
  await assert.rejects(carryOut({ ...stop, acts: { ...engine.acts, find: () => Promise.resolve(null) } }), {
    message: /was removed by somebody else/,
  }, "nothing was asked for before");
  const lost = failure({ engine_unavailable: 503 }, "engine_unavailable", "its answer was lost");
  const acts = {
    ...engine.acts,
    stop: async (id: string) => {
      await engine.acts.stop(id, 1);
      throw lost;
    },
  };
  await assert.rejects(carryOut({ ...stop, acts, isAgain: false }), lost);
  while (await acts.find("old") !== null);

  await carryOut({ ...stop, acts });

  assert.deepEqual(engine.left(), []);
});
