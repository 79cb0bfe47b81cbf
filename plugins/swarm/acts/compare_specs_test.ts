/** Two definitions of a service, field by field. */
import assert from "node:assert/strict";
import { compareSpecs } from "./compare_specs.ts";

const running = (Command: readonly string[], Args: readonly string[]) => ({
  TaskTemplate: { ContainerSpec: { Command, Args } },
});

Deno.test("each of two commands is masked by its own program", () => {
  const changes = compareSpecs(
    running(["mysql"], ["-pcanary1"]),
    running(["redis-cli"], ["-a", "canary2"]),
    () => null,
  );
  const command = changes.find(({ field }) => field === "command");
  assert.deepEqual([command?.declared, command?.actual], ["-p********", "-a ********"]);
});
