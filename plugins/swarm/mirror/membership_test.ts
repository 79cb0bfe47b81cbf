import assert from "node:assert/strict";
import { continued, type Membership } from "./membership.ts";

const MANAGER: Membership = {
  node: "n1",
  cluster: "c1",
  clusterName: "home",
  isManager: true,
  managers: ["10.0.0.1:2377"],
  problem: null,
};
/** As Docker 20.10 answers when too few managers can be reached. */
const ALONE: Membership = {
  ...MANAGER,
  cluster: null,
  clusterName: null,
  problem: "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
};

Deno.test("A manager that loses its quorum stays in its cluster, and one that left it does not", () => {
  assert.deepEqual(continued(MANAGER, ALONE), { ...ALONE, cluster: "c1", clusterName: "home" });
  const worker = { ...ALONE, isManager: false };
  assert.deepEqual(continued(MANAGER, worker), worker);
  const elsewhere = { ...ALONE, node: "n2" };
  assert.deepEqual(continued(MANAGER, elsewhere), elsewhere);
  const other = { ...MANAGER, cluster: "c2" };
  assert.deepEqual(continued(MANAGER, other), other);
});
