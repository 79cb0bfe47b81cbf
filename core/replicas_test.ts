/** Heartbeats: one that fails is repeated soon, and no error ends them. */
import assert from "node:assert/strict";
import { SILENT } from "../tests/support/silent_log.ts";
import { eventually } from "../tests/support/eventually.ts";
import { Replicas } from "./replicas.ts";
import type { ReplicaStore } from "./store.ts";

Deno.test("A heartbeat that fails is repeated before anything else, and goes on after an error of any kind", async () => {
  const calls: string[] = [];
  const fails = new Map([[2, new Error("relation does not exist")], [3, new Error("still not")]]);
  let beats = 0;
  const store = {
    seen: () => {
      calls.push("seen");
      const error = fails.get(++beats);
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    },
    list: () => {
      calls.push("list");
      return Promise.resolve([]);
    },
    gone: () => Promise.resolve(),
  } as unknown as ReplicaStore; // all that a heartbeat asks for
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (message: string) => void warnings.push(message) };
  const self = { id: "one", name: "one", startedAt: 0, version: "0" };
  const began = performance.now();
  await using _ = await Replicas.join({ store, self, log, seenMs: 200 });

  await eventually("it beats again", () => beats >= 4, { everyMs: 5 });

  assert.deepEqual(calls.slice(0, 5), ["seen", "list", "seen", "seen", "seen"]);
  assert.equal(warnings.length, 1);
  assert.ok(performance.now() - began < 600, "two that failed cost a part of the time alone");
});
