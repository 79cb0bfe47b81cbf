import assert from "node:assert/strict";
import { engineError } from "../../../engines/calls/errors.ts";
import type { EngineAccess } from "../../../engines/lent.ts";
import { Cluster } from "./cluster.ts";

const taskOf = (service: string, state: string) => ({
  ID: `task-of-${service}`,
  ServiceID: service,
  Status: { State: state },
  DesiredState: "running",
  Spec: {},
});

Deno.test("Cluster reads the tasks of each doubted service though a look at one of them failed", async () => {
  const ids = ["s1", "s2", "s3"];
  let state = "running";
  let fails: string | null = null;
  const manager = {
    name: "one",
    state: "up",
    get: (path: { readonly text: string }, { query }: { readonly query: { readonly filters?: string } }) => {
      if (path.text === "/services") {
        return Promise.resolve(ids.map((ID) => ({ ID, Version: { Index: 1 }, Spec: { Name: ID } })));
      }
      if (path.text !== "/tasks") return Promise.resolve([]);
      const asked: string[] = query.filters === undefined ? ids : JSON.parse(query.filters).service;
      if (asked.includes(fails ?? "")) {
        return Promise.reject(engineError("runtime_unavailable", "It is away"));
      }
      return Promise.resolve(asked.map((one) => taskOf(one, state)));
    },
  } as unknown as EngineAccess; // as far as a cluster uses it
  const cluster = new Cluster("c", "c", { nodes: () => {}, changed: () => {} });
  cluster.managers.use([manager]);
  const states = () => cluster.services.map(({ service }) => service.tasks[0]?.state);
  await cluster.list();
  assert.deepEqual(states(), ["running", "running", "running"]);

  state = "failed";
  fails = "s2";
  for (const id of ids) cluster.doubt(id);
  await cluster.look({ withNodes: false });
  fails = null;
  await cluster.look({ withNodes: false });

  assert.deepEqual(states(), ["failed", "failed", "failed"]);
  assert.ok(!cluster.hasDoubts);
});
