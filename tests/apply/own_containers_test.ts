/** The containers by which an apply with nobody present tells what a person stopped. */
import assert from "node:assert/strict";
import type { RunningContainer } from "../../core/runtime.ts";
import { containersOf } from "../../routes/own_containers.ts";

Deno.test("containersOf leaves out runs of one command, and what an earlier apply left aside", async () => {
  const container = (name: string, labels: Record<string, string> = {}, state = "running") => ({
    name,
    labels: { "com.docker.compose.container-number": "1", ...labels },
    state,
    compose: { project: "shop", service: "web" },
  });
  const all = [
    container("shop-web-1"),
    container("shop-web-run-ab12", { "com.docker.compose.oneoff": "True" }, "exited"),
    container("shop-web-1.old-0123abcd", {}, "exited"),
  ];
  const runtime = { containers: () => Promise.resolve(all as unknown as RunningContainer[]) };
  const found = await containersOf(runtime as never, "shop");
  assert.deepEqual(found.map(({ name }) => name), ["shop-web-1"]);
});
