import assert from "node:assert/strict";
import { Reach } from "../../../core/access.ts";
import { jsonText } from "../../../core/json_text.ts";
import { pause } from "../../../core/pause.ts";
import { Sights } from "../../../core/sight.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import type { EnginePath } from "../../../engines/calls/path.ts";
import { EventFeed } from "../../../engines/mirror/event_feed.ts";
import { eventually } from "../../../tests/support/eventually.ts";
import { NO_OWNER } from "../../../tests/support/no_owner.ts";
import type { Engines } from "../backends/seen.ts";
import type { ContainerFilter, Seen } from "./event_filter.ts";
import { FollowedLogs } from "./followed_logs.ts";

/** The logs of so many containers on one engine; the first one cannot be read. */
async function follow(amount: number) {
  const ids = Array.from({ length: amount }, (_, at) => at.toString(16).padStart(64, "0"));
  const row = (id: string) => [id, { id, name: id, backend: "one", labels: {}, compose: null }] as const;
  const rows = new Map<string, unknown>(ids.map(row));
  const ending = new AbortController();
  const left = Promise.withResolvers<never>();
  left.promise.catch(() => {});
  ending.signal.addEventListener("abort", () => left.reject(ending.signal.reason));
  const told = { tries: 0, failed: [] as string[], leftOut: [] as number[] };
  const engine = {
    name: "one",
    doubt: new AbortController().signal,
    get: () => Promise.resolve({ State: { Running: true } }),
    greet: () => Promise.resolve({ kind: "docker" }),
    mustAnswer() {},
    // Each log is opened by a request: one is refused, the others wait
    target: (path: EnginePath) => {
      if (!path.text.includes(ids[0]!)) return left.promise;
      told.tries += 1;
      return Promise.reject(engineError("engine_failed", "It cannot be read"));
    },
  };
  const mirror = { containers: { rows, look: () => Promise.resolve(), rowOf: () => null } };
  const link = { name: "one", engine, mirror };
  const fresh = () => Promise.resolve({ up: [link], shown: [link], unavailable: [], stale: [] });
  const sights = new Sights(NO_OWNER);
  const sight = sights.of(Reach.EVERYWHERE);
  const logs = new FollowedLogs({
    // The other parts are never asked
    engines: {
      backends: { links: [link], feed: new EventFeed(0), fresh, pick: () => [link], named: () => link },
      sights,
    } as unknown as Engines,
    filter: { wantsContainer: () => true } as unknown as ContainerFilter,
    seen: { events: sight, running: sight, logs: sight } as unknown as Seen,
    tail: 10,
    signal: ending.signal,
    frame: () => {},
    ready: () => Promise.resolve(),
    write: () => ({ line: () => jsonText(""), gap: () => jsonText("") }),
    leftOut: (containers) => told.leftOut.push(containers),
    failed: ({ id }) => told.failed.push(id),
    onFailure: (error) => assert.fail(String(error)),
    judgeMs: 4,
  });
  await logs.begin();
  return {
    told,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await logs[Symbol.asyncDispose]();
    },
  };
}

Deno.test("FollowedLogs tells once of a log that cannot be read, and tries it ever more rarely", async () => {
  await using all = await follow(3);
  const { told } = all;
  await eventually("it is tried again", () => told.tries > 1);
  await pause(150);
  assert.ok(told.tries <= 8, `${told.tries} tries`);
  assert.deepEqual([told.failed.length, told.leftOut], [1, []]);
});

Deno.test("FollowedLogs counts the containers that are too many", async () => {
  await using all = await follow(300);
  assert.deepEqual(all.told.leftOut, [300 - 256]);
});
