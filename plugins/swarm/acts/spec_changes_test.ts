/** The changes that a rollback would make. */
import assert from "node:assert/strict";
import { changesBetween } from "./spec_changes.ts";

const running = (container: Record<string, unknown>) => ({ TaskTemplate: { ContainerSpec: container } });

Deno.test("the arguments of a rollback are masked by their command", () => {
  const before = running({ Command: ["redis-cli"], Args: ["-a", "canary1"] });
  const after = running({ Command: ["mysql"], Args: ["-pcanary2"] });
  const changes = changesBetween(before, after);
  assert.doesNotMatch(JSON.stringify(changes), /canary/);
  assert.equal(changes.length, 3, JSON.stringify(changes));
});

Deno.test("a change far behind in a value is a change", () => {
  const long = "x".repeat(2_000);
  for (
    const [name, one, other] of [["Args", [`${long}1`], [`${long}2`]], ["Env", [`A=${long}1`], [
      `A=${long}2`,
    ]]]
  ) {
    const changes = changesBetween(running({ [String(name)]: one }), running({ [String(name)]: other }));
    assert.equal(changes.length, 1, String(name));
    assert.ok(JSON.stringify(changes).length < 2_500, "what is shown is cut");
  }
});
