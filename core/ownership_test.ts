/** Projects as callers name them, and the containers that belong to each. */
import assert from "node:assert/strict";
import { isOfProject } from "./ownership.ts";
import type { RunningContainer } from "./runtime.ts";

Deno.test("a stack of one swarm is not that of another with the same name", () => {
  const labels = { "com.docker.stack.namespace": "shop" };
  const one = { labels, backend: "node1", id: "a", compose: null } as unknown as RunningContainer; // its other fields are not read
  const belongs = (asked: string, cluster: string | null) =>
    isOfProject(one, asked, { groupOf: () => null }, () => cluster);
  assert.equal(belongs("shop@swarm:first", "first"), true);
  assert.equal(belongs("shop@swarm:second", "first"), false);
  assert.equal(belongs("shop@swarm:first", null), false, "a label alone proves nothing");
  assert.equal(belongs("blog@swarm:first", "first"), false);
});
