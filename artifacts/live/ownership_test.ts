/** The first answer names a container's owner, however asking and joining overlap. */
import assert from "node:assert/strict";
import type { RunningContainer } from "../../core/runtime.ts";
import { ContainerOwnership } from "./ownership.ts";

function container(project: string): RunningContainer {
  return {
    id: project,
    name: project,
    image: "",
    imageId: "",
    state: "running",
    health: null,
    healthOutput: null,
    stopped: null,
    exitCode: null,
    restartCount: 0,
    reason: null,
    condition: "running",
    createdAt: "",
    startedAt: null,
    finishedAt: null,
    ending: { keepsRunning: false, oomKilled: false, byHand: false },
    labels: {},
    compose: { project, service: "web", workingDir: null, configFiles: [] },
    backend: "docker",
  };
}

Deno.test("whoever asks first waits for the answer, nobody else does, and nothing runs on after it", async () => {
  let times = 0;
  await using ownership = new ContainerOwnership(() => {
    times++;
    return Promise.resolve([]);
  });
  assert.equal(ownership.settle(), false); // nobody was asked about
  ownership.ownerOf(container("first"));
  const first = ownership.settle();
  ownership.ownerOf(container("second"));
  const second = ownership.settle();

  assert.deepEqual([await first, await second], [true, true]);
  assert.ok(times > 0);
  assert.equal(ownership.settle(), false);
});

Deno.test("what joining cannot read is no answer, and no failure either", async () => {
  await using ownership = new ContainerOwnership(() => Promise.reject(new Error("the store is away")));
  ownership.ownerOf(container("lost"));

  assert.equal(await ownership.settle(), false);
  assert.equal(ownership.ownerOf(container("lost")), null);
});
