import assert from "node:assert/strict";
import { Placement } from "./placement.ts";

const NODE = {
  ID: "n1",
  Spec: { Availability: "active", Labels: { disk: "SSD" } },
  Status: { State: "ready" },
  Description: { Hostname: "node1", Resources: { NanoCPUs: 1e9, MemoryBytes: 1e9 } },
};

const placed = (constraint: string) =>
  new Placement([NODE], [], new Map()).place("s1", {
    TaskTemplate: { Placement: { Constraints: [constraint] } },
  }, true);

Deno.test("Placement reads constraints as the swarm does, with any spaces", () => {
  for (
    const met of [
      "node.labels.disk==ssd",
      " node.labels.disk == ssd ",
      "\tnode.hostname!=node2\n",
      "node.labels.none==",
      "node.labels.disk != a==b",
    ]
  ) {
    assert.equal(placed(met), null, met);
  }
  for (
    const unmet of [
      "node.hostname==node2",
      "node.labels.disk!=SSD",
      "disk",
      "no de.id==n1",
      "==n1",
      "node.id=n1",
    ]
  ) {
    assert.equal(placed(unmet), `no node takes it: node1 does not meet "${unmet}"`);
  }
});

Deno.test("Placement reads a constraint of many spaces in linear time", () => {
  const began = performance.now();
  placed(`node.id==${" ".repeat(60_000)}x${" ".repeat(60_000)}x`);

  assert.ok(performance.now() - began < 2_000, "quadratic it takes ten times as long");
});

Deno.test("Placement names no node to a caller who may not see them", () => {
  const busy = { ID: "t1", NodeID: "n1", ServiceID: "s2", Spec: {} };
  const spec = (PublishedPort: number) => ({
    EndpointSpec: { Ports: [{ PublishMode: "host", PublishedPort, Protocol: "tcp" }] },
  });
  const placement = new Placement([NODE], [busy], new Map([["s2", spec(8080)]]));

  assert.equal(
    placement.place("s1", spec(8080), true),
    "no node takes it: node1 has the port 8080/tcp in use",
  );
  assert.equal(placement.place("s1", spec(8080), false), "no node takes it");
  assert.equal(placement.place("s1", spec(8081), false), null);
});
