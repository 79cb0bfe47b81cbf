import assert from "node:assert/strict";
import type { Group, Unit } from "../../artifacts/artifact.ts";
import type { UnitService } from "../../artifacts/live/stacks.ts";
import { ofService } from "./service_look.ts";

const unit = {
  id: "u",
  label: "web",
  value: { kind: "mapping", entries: new Map() },
  service: { image: "a:1", grants: [], replicas: 3 },
} as unknown as Unit; // as far as it is looked at
const group = { resources: [] } as unknown as Group; // as above

function lookAt(state: string, current: boolean) {
  const task = { state: "running", desired: true, current, reason: null };
  const service = {
    id: "s",
    name: "shop_web",
    mode: "replicated",
    desired: 3,
    running: 3,
    update: { state, at: null, message: "update paused due to failure or early termination of task t" },
    tasks: [task, task, task],
    staleSince: null,
  };
  const known = { service, definition: { networks: [] }, cluster: "one" };
  return ofService({ group, unit }, { name: "shop_web", known, match: {} } as unknown as UnitService, 0);
}

Deno.test("A unit whose update the swarm has paused is broken while tasks of another definition run", () => {
  for (const state of ["paused", "rollback_paused"]) {
    const { verdict, notCompared } = lookAt(state, false);
    assert.equal(verdict, "broken", state);
    assert.match(notCompared ?? "", /"one" paused the update.*: update paused due to failure/);
    assert.equal(lookAt(state, true).verdict, "asWritten", "all of its tasks are those of the file by now");
  }
  assert.equal(lookAt("updating", false).verdict, "asWritten");
});
