/** A swarm that cannot be read, as plans and applies are told of it. */
import assert from "node:assert/strict";
import { ServiceError } from "../../../core/error.ts";
import { Cluster } from "../mirror/cluster.ts";
import type { Clusters } from "../mirror/clusters.ts";
import { planAccess } from "./plan_access.ts";

Deno.test("the reason of an apply that cannot read its swarm does not say that it plans", async () => {
  const clusters = { all: [new Cluster("s1", "prod", { nodes() {}, changed() {} })] } as unknown as Clusters; // as far as it is read
  const access = planAccess(clusters, { find: () => Promise.resolve(undefined) }, () => []);
  const reasonOf = async (id: string) => {
    const error: unknown = await access.read(id).catch((error) => error);
    assert.ok(error instanceof ServiceError && error.code === "engine_unavailable", String(error));
    return [error.message, error.discreet];
  };
  const discreet = "Cannot read the swarm: none of its managers answers";
  assert.deepEqual(await reasonOf("s1"), [
    'Cannot read swarm "prod": no manager that berth knows answers (none)',
    discreet,
  ]);
  assert.deepEqual(await reasonOf("s2"), [
    "Cannot reach the swarm: no engine of berth's is in it any more",
    discreet,
  ]);
});
