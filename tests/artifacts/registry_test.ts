/** The registries that pulls are tested against: real ones, with and without an account. */

import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { startRegistry } from "../support/registry.ts";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("startRegistry keeps what was pushed and gives it back", async (engine) => {
    await using registry = await startRegistry(engine);
    const reference = await registry.push(FIXTURE, "kept:1");

    assert.equal((await engine.ask(`GET /images/${reference}/json`)).status, 404);
    await engine.cli("pull", reference);
    assert.equal((await engine.ask(`GET /images/${reference}/json`)).status, 200);
    await engine.cli("rmi", reference);
  });

  test("startRegistry with an account refuses strangers", async (engine) => {
    await using registry = await startRegistry(engine, { account: true });
    const reference = await registry.push(FIXTURE, "secret:1");

    await assert.rejects(engine.cli("pull", reference));
    assert.match(await registry.requests(), /401|authorization|unauthorized/i);
  });
}
