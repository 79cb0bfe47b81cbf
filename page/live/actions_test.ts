/** Acts that take as long as an engine and a grace period do. */
import assert from "node:assert/strict";
import type { Container } from "../../client/berth/containers.ts";
import { TimeoutError } from "../../client/mod.ts";
import { answerWith } from "../../tests/page/fake_berth.ts";
import { tenfold } from "../../tests/support/tenfold.ts";
import { actOn, results } from "./actions.ts";
import { problemOf } from "./problem.ts";

Deno.test("a stop and a removal whose answers take 20 seconds are done, and not a berth that does not answer", async () => {
  const { setTimeout } = globalThis;
  using _ = tenfold();
  answerWith(async (path) => {
    if (!path.startsWith("/api/containers/")) return null;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return path.endsWith("/stop") ? { changed: true } : new Response(null, { status: 204 });
  });
  for (const action of ["stop", "remove"] as const) {
    await actOn(action, [{ backend: "docker", id: "abc" } as Container]);
    assert.deepEqual([...results.value.values()], [{ action, state: "done", reason: "" }]);
  }
});

Deno.test("problemOf says of an act that took too long that nothing is known of its end", () => {
  const late = (method: "GET" | "POST") =>
    problemOf(new TimeoutError("late", { method, url: "http://a/" }))?.code;
  assert.deepEqual([late("POST"), late("GET")], ["not_known", "not_reached"]);
});
