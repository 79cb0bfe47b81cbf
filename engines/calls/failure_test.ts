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
    [
      500,
      "container 0123456789ab has dependent containers which must be removed before it: 6789ab: container already exists",
      "conflict",
    ],
    [500, "No such container: nope", "container_not_found"],
    [500, "`/usr/bin/crun start 0123456789ab` failed: exit status 1", "conflict"],
    [501, "configured logging driver does not support reading", "conflict"],
    [500, "this container is not logging output", "conflict"],
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

const ID = "0123456789ab".repeat(5) + "0123";
const TOLD =
  `driver failed on endpoint web (${ID}): Bind for 10.9.8.7:8080 failed: fd00:9::7 is in use: mount ` +
  `/var/lib/docker/overlay2/x/merged and /srv/shop/data, proxy http://ada:hunter2secret@registry.inner/v2`;

Deno.test("a scoped caller reads no id, address or engine's folder in a refusal, unless the request held it", () => {
  const doing = 'start container "web"';
  const hidden = failureOf("docker", 500, JSON.stringify({ message: TOLD }), { doing });
  const asked = failureOf(
    "docker",
    500,
    JSON.stringify({ message: TOLD }),
    { doing },
    undefined,
    "10.9.8.7:8080",
  );

  for (const part of [ID, "10.9.8.7", "fd00:9::7", "/var/lib/docker", "hunter2secret"]) {
    assert.ok(!hidden.discreet.includes(part), `${part}: ${hidden.discreet}`);
  }
  assert.match(hidden.discreet, /Bind for \.\.\. failed.*\/srv\/shop\/data/);
  assert.match(asked.discreet, /Bind for 10\.9\.8\.7:8080 failed/);
  assert.ok(hidden.message.includes("10.9.8.7:8080") && !hidden.message.includes("hunter2secret"));
});

Deno.test("a secret in an engine's words is masked before they are cut, and they are cut", () => {
  const message = `${"x ".repeat(245)} http://ada:${"s".repeat(100)}@registry`;
  const error = failureOf("docker", 500, JSON.stringify({ message }), { doing: "pull" });

  assert.ok(!error.message.includes("sss"), error.message);
  assert.ok(error.message.length < 600);
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
