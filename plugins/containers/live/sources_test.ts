import assert from "node:assert/strict";
import { Reach } from "../../../core/access.ts";
import { pause } from "../../../core/pause.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { eventually } from "../../../tests/support/eventually.ts";
import { EventFeed } from "../../../engines/mirror/event_feed.ts";
import type { Engines } from "../backends/seen.ts";
import { type Joined, Sources } from "./sources.ts";

/** Sources of all containers of one engine, which has none at first. */
function scene(begin: (source: string) => void = () => {}) {
  const feed = new EventFeed(0);
  const rows = new Map<string, Record<string, unknown>>();
  const engine = {
    name: "one",
    get: () => Promise.resolve({ State: { Running: true } }),
    greet: () => Promise.resolve({ kind: "docker" }),
    mustAnswer() {},
  };
  const mirror = { containers: { rows, look: () => Promise.resolve(), rowOf: () => null } };
  const link = { name: "one", engine, mirror };
  const readable = { up: [link], shown: [link], unavailable: [], stale: [] };
  // The other parts are never asked
  const engines = {
    backends: { links: [link], feed, fresh: () => Promise.resolve(readable), pick: () => [link] },
    sights: {
      of: () => ({ reach: Reach.EVERYWHERE, sees: () => true }),
      ownership: { revision: 1, settle: () => false },
    },
  } as unknown as Engines;
  const begun = new Map<string, Joined>();
  const told: string[] = [];
  const sources: Sources = new Sources({
    engines,
    reaches: [Reach.EVERYWHERE],
    asked: { all: true },
    doing: "read the logs of",
    signal: new AbortController().signal,
    begin: (target, joined) => {
      begun.set(target.id, joined);
      begin(`one/${target.id}`);
    },
    clockMs: 4,
    stop: () => {},
    tell: (states) => told.push(...states.map(({ state, reason = "" }) => `${state} ${reason}`.trim())),
  });
  const have = (id: string) => void rows.set(id, { id, name: id, backend: "one", labels: {}, compose: null });
  const happen = (id: string, action: string) =>
    feed.publish("one", {
      time: "2026-01-01T00:00:05.000Z",
      timeNano: 1,
      type: "container",
      action,
      id,
      attributes: {},
    });
  return { sources, begun, told, have, happen };
}

Deno.test("Sources tells a container that was made meanwhile from an old one that starts", async () => {
  const { sources, begun, have, happen } = scene();
  using _sources = sources;
  have("listed");
  await sources.begin((error) => assert.fail(String(error)));
  have("old");
  happen("old", "start");
  happen("late", "create"); // the engine does not show it yet
  await eventually("the old one is followed", () => begun.size === 2);
  have("late");
  happen("late", "start");
  await eventually("the late one is followed", () => begun.size === 3);

  assert.deepEqual(Object.fromEntries(begun), {
    listed: "listed",
    old: { startedAt: "2026-01-01T00:00:05.000Z" },
    late: "made",
  });
});

Deno.test("Sources tries a log that cannot be read ever more rarely, and says that it is followed once it was read", async () => {
  let tries = 0;
  const { sources, told, have } = scene((source) => {
    tries += 1;
    queueMicrotask(() => sources.over(source, engineError("engine_failed", "It cannot be read")));
  });
  using _sources = sources;
  have("quiet");
  await sources.begin((error) => assert.fail(String(error)));
  await pause(200);

  assert.ok(tries >= 2 && tries <= 8, `${tries} tries`);
  assert.deepEqual(told, ["following", "waiting engine_failed"]);
});
