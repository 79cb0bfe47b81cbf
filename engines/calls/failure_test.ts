/**
 * Refusals of an engine become typed errors, by their words where statuses disagree. Bad paths never reach an engine.
 */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { failureOf } from "./failure.ts";
import { identifier, SlashedName } from "./path.ts";

Deno.test("a refusal that the caller can mend is no failure of the engine", () => {
  const refusals: readonly (readonly [number, string, string])[] = [
    [403, "only one instance of 'host' network is allowed", "conflict"],
    [403, "operation is not permitted on pre-defined bridge network", "conflict"],
    [409, "network with name n1 already exists", "name_taken"],
    [500, "No such container: nope", "container_not_found"],
    [500, "loopback interface is broken", "engine_failed"],
  ];
  for (const [status, message, code] of refusals) {
    const error = failureOf("docker", status, JSON.stringify({ message }), {
      doing: 'create network "n1"',
      missing: "container_not_found",
    });
    assert.equal(error.code, code, message);
  }
});

Deno.test("a name that no engine could have given is refused as a part of the path", () => {
  for (const refuse of [() => identifier("../info"), () => new SlashedName("../../containers/json")]) {
    assert.throws(refuse, (error) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, "invalid_request");
      assert.equal(error.errors?.[0]?.path, "path.id");
      return true;
    });
  }
});
