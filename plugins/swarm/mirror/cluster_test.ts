import assert from "node:assert/strict";
import { engineError } from "../../../engines/calls/errors.ts";
import type { EngineAccess } from "../../../engines/lent.ts";
import { Reach } from "../../../core/access.ts";
import { NO_SERVICES } from "../../../core/running_services.ts";
import { clustersOf } from "../rows/cluster.ts";
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

Deno.test("A task whose node is down does not count as running, whatever the swarm counts", async () => {
  const task = (ID: string, NodeID: string, DesiredState: string, ServiceID = "s") => ({
    ...{ ID, ServiceID, NodeID, DesiredState },
    Status: { State: "running" },
    Spec: {},
  });
  const node = (ID: string, State: string) => ({
    ID,
    Description: { Hostname: ID },
    Status: { State },
    Spec: {},
  });
  const service = (ID: string, Mode: unknown, RunningTasks: number) => ({
    ...{ ID, Version: { Index: 1 }, Spec: { Name: ID, Mode } },
    ServiceStatus: { RunningTasks, DesiredTasks: 2 },
  });
  const answers: Record<string, unknown> = {
    "/services": [service("job", { ReplicatedJob: {} }, 1), service("s", { Replicated: { Replicas: 2 } }, 4)],
    "/nodes": [node("one", "ready"), node("two", "down")],
    "/tasks": [
      ...[task("1", "one", "running"), task("2", "two", "shutdown"), task("3", "one", "shutdown")],
      ...[
        task("4", "two", "running"),
        task("5", "one", "running", "job"),
        task("6", "two", "shutdown", "job"),
      ],
    ],
  };
  const manager = {
    name: "one",
    state: "up",
    get: ({ text }: { readonly text: string }) => Promise.resolve(answers[text] ?? []),
  } as unknown as EngineAccess; // as far as a cluster uses it
  const cluster = new Cluster("c", "c", { nodes: () => {}, changed: () => {} });
  cluster.managers.use([manager]);
  await cluster.list();
  assert.deepEqual(cluster.services.map(({ service: { name, running } }) => [name, running]), [
    ["job", 1],
    ["s", 2],
  ]);
});

Deno.test("A swarm whose configs cannot be listed keeps their names, says why, and stays up", async () => {
  let fails = false;
  const manager = {
    name: "one",
    state: "up",
    get: ({ text }: { readonly text: string }) => {
      if (text !== "/configs") return Promise.resolve([]);
      if (fails) return Promise.reject(engineError("engine_failed", "Cannot read: it is too large"));
      return Promise.resolve([{ ID: "c1", Spec: { Name: "site" } }]);
    },
  } as unknown as EngineAccess; // as far as a cluster uses it
  const cluster = new Cluster("c", "c", { nodes: () => {}, changed: () => {} });
  cluster.managers.use([manager]);
  const look = async () => {
    await cluster.list();
    const [{ reason } = {}] = clustersOf(
      { all: [cluster], strays: [], services: NO_SERVICES },
      Reach.EVERYWHERE,
    );
    return [cluster.state, cluster.configs.map(({ name }) => name), reason];
  };
  assert.deepEqual(await look(), ["up", ["site"], null]);
  fails = true;
  assert.deepEqual(await look(), [
    "up",
    ["site"],
    "Its configs or secrets are shown as last known: Cannot read: it is too large",
  ]);
  fails = false;
  assert.deepEqual(await look(), ["up", ["site"], null]);
});

Deno.test("A service tells the image and the volumes that a rollback of it brings back", async () => {
  const mounts = [{ Type: "volume", Source: "old" }, { Type: "bind", Source: "/srv" }];
  const services = [
    {
      ID: "a",
      Spec: {},
      PreviousSpec: { TaskTemplate: { ContainerSpec: { Image: "web:1", Mounts: mounts } } },
    },
    { ID: "b", Spec: {} },
  ];
  const manager = {
    ...{ name: "one", state: "up" },
    get: ({ text }: { readonly text: string }) => Promise.resolve(text === "/services" ? services : []),
  } as unknown as EngineAccess; // as above
  const cluster = new Cluster("c", "c", { nodes: () => {}, changed: () => {} });
  cluster.managers.use([manager]);
  await cluster.list();
  assert.deepEqual(cluster.services.map(({ before }) => before), [
    { image: "web:1", volumes: ["old"] },
    null,
  ]);
});
