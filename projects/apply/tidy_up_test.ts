/** Leftovers of an apply go in an order that an engine takes. */
import assert from "node:assert/strict";
import type { EngineActs } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import { tidyUp } from "./tidy_up.ts";

Deno.test("old containers that share each other's namespaces are all removed, whatever their order in the list", async () => {
  const left = new Map([["vpn", null], ["app", "vpn"], ["log", "app"]]);
  const listed = [...left.keys()].map((name, at) =>
    ({ id: name, name: `${name}.old-a1`, state: "exited", createdAt: `2026-01-01T00:00:0${at}.000Z` }) as // no more is read
    RunningContainer
  );
  const remove = (id: string) => {
    if ([...left.values()].includes(id)) throw new ServiceError("apply_failed", "Others share its network");
    left.delete(id);
    return Promise.resolve();
  };
  const find = (id: string) => Promise.resolve(left.has(id) ? {} : null);
  const acts = { remove, find } as unknown as EngineActs; // no more is asked
  const journal = { tidy: (_: string, work: () => Promise<unknown>) => work().then(() => {}) };

  assert.deepEqual(
    await tidyUp({ containers: () => Promise.resolve(listed) }, acts, "a1", journal as never),
    [],
  );
  assert.deepEqual([...left.keys()], []);
});
