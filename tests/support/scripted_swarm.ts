/** A manager of a swarm that says what a test wants: its services, tasks and nodes are rows of the test's own. */
import { ScriptedWorld } from "./scripted_world.ts";

/** One run of a service. */
interface ScriptedTask {
  readonly node: string;
  /** `running` unless given. */
  readonly state?: string;
  readonly desired?: "running" | "shutdown";
  readonly error?: string;
  readonly exitCode?: number;
}

interface ScriptedService {
  readonly stack: string;
  readonly unit: string;
  /** As the client pins it: `name:tag@digest`. */
  readonly image: string;
  readonly replicas: number;
  /** The further members of `ContainerSpec`. */
  readonly container?: Readonly<Record<string, unknown>>;
  /** Slot by slot; each slot with the tasks that were in it. */
  readonly slots?: readonly (readonly ScriptedTask[])[];
  readonly ports?: readonly { readonly published: number; readonly target: number }[];
  readonly update?: Readonly<Record<string, string>>;
}

interface ScriptedNode {
  readonly name: string;
  readonly role?: "manager" | "worker";
  readonly state?: string;
  readonly availability?: string;
  readonly reachability?: string;
}

export interface ScriptedSwarm {
  readonly nodes: readonly ScriptedNode[];
  readonly services: readonly ScriptedService[];
}

const AT = "2026-01-02T03:04:05.678901234Z";
const CLUSTER = "swarmcluster0000000000000";

/** The id of a service, a node or a task, as long as those of a swarm. */
const swarmId = (of: string): string =>
  of.toLowerCase().replace(/[^a-z0-9]/g, "").padEnd(25, "0").slice(0, 25);

/** The manager, which is the first of the nodes. Without a quorum it answers as a real one does. */
export class ScriptedManager extends ScriptedWorld {
  hasQuorum = true;

  constructor(swarm: ScriptedSwarm) {
    super({
      override: (request, path) =>
        (this.hasQuorum ? answerOf(swarm, request, path) : withoutQuorum(swarm, request, path)) ?? undefined,
    });
  }
}

/** Answers as Docker 20.10 does: it tells of itself, without the cluster's id, and has its networks still. */
function withoutQuorum(swarm: ScriptedSwarm, request: Request, path: string): Response | null {
  const noLeader = "rpc error: code = Unknown desc = The swarm does not have a leader. It's possible that " +
    "too few managers are online. Make sure more than half of the managers are online.";
  if (path === "/info") return Response.json(infoOf(swarm, noLeader));
  if (path === "/networks") return answerOf(swarm, request, path);
  if (!/^\/(?:services|tasks|nodes|configs|secrets)\b/.test(path)) return null;
  return Response.json({ message: noLeader }, { status: 500 });
}

function answerOf(swarm: ScriptedSwarm, request: Request, path: string): Response | null {
  const { services, nodes } = swarm;
  if (path === "/info") return Response.json(infoOf(swarm, ""));
  if (path === "/configs" || path === "/secrets") return Response.json([]);
  if (path === "/nodes") return Response.json(nodes.map(nodeOf));
  if (path === "/services") return Response.json(services.map(serviceOf));
  if (path === "/networks") {
    return Response.json([...new Set(services.map(({ stack }) => stack))].map(networkOf));
  }
  if (path !== "/tasks") return null;
  const filters = JSON.parse(new URL(request.url).searchParams.get("filters") ?? "{}");
  const asked: readonly string[] | undefined = filters.service;
  return Response.json(services.filter((one) => asked?.includes(idOf(one)) ?? true).flatMap(tasksOf));
}

const infoOf = ({ nodes }: ScriptedSwarm, Error: string) => ({
  ID: "scripted",
  OSType: "linux",
  Architecture: "x86_64",
  Swarm: {
    NodeID: swarmId(`node${nodes[0]!.name}`), // a swarm has one
    LocalNodeState: "active",
    ControlAvailable: true,
    Error,
    RemoteManagers: nodes.map(({ name }) => ({ NodeID: swarmId(`node${name}`), Addr: `${name}:2377` })),
    Cluster: Error === "" ? { ID: CLUSTER, Spec: { Name: "default" } } : { ID: "", Spec: {} },
  },
});

const nodeOf = ({ name, role, state, availability, reachability }: ScriptedNode, at: number) => ({
  ID: swarmId(`node${name}`),
  Version: { Index: 10 },
  Spec: { Role: role ?? "manager", Availability: availability ?? "active", Labels: {} },
  Description: {
    Hostname: name,
    Resources: { NanoCPUs: 4e9, MemoryBytes: 8 * 2 ** 30 },
    Engine: { EngineVersion: "28.2.2" },
  },
  Status: { State: state ?? "ready", Addr: `10.0.0.${at + 1}` },
  ...(role !== "worker" && {
    ManagerStatus: {
      Leader: at === 0,
      Reachability: reachability ?? "reachable",
      Addr: `10.0.0.${at + 1}:2377`,
    },
  }),
});

const networkOf = (stack: string) => ({
  Id: swarmId(`net${stack}`),
  Name: `${stack}_default`,
  Driver: "overlay",
  Scope: "swarm",
  Labels: { "com.docker.stack.namespace": stack },
});

const nameOf = ({ stack, unit }: ScriptedService): string => `${stack}_${unit}`;
const idOf = (service: ScriptedService): string => swarmId(`svc${nameOf(service)}`);

const templateOf = ({ stack, unit, image, container }: ScriptedService) => ({
  ContainerSpec: { Image: image, Labels: { "com.docker.stack.namespace": stack }, ...container },
  Networks: [{ Target: swarmId(`net${stack}`), Aliases: [unit] }],
});

function serviceOf(service: ScriptedService) {
  const { stack, image, replicas, slots = [], ports = [], update } = service;
  const running = slots.flat().filter(({ state = "running", desired = "running" }) =>
    state === "running" && desired === "running"
  );
  const Ports = ports.map(({ published, target }) => ({
    Protocol: "tcp",
    PublishedPort: published,
    TargetPort: target,
    PublishMode: "ingress",
  }));
  return {
    ID: idOf(service),
    Version: { Index: 20 },
    CreatedAt: AT,
    UpdatedAt: AT,
    Spec: {
      Name: nameOf(service),
      Labels: {
        "com.docker.stack.namespace": stack,
        "com.docker.stack.image": image.split("@")[0],
      },
      TaskTemplate: templateOf(service),
      Mode: { Replicated: { Replicas: replicas } },
      EndpointSpec: { Mode: "vip", Ports },
    },
    Endpoint: { Ports },
    ...(update !== undefined && { UpdateStatus: update }),
    ServiceStatus: { RunningTasks: running.length, DesiredTasks: replicas, CompletedTasks: 0 },
  };
}

function tasksOf(service: ScriptedService) {
  return (service.slots ?? []).flatMap((slot, number) =>
    slot.map(({ node, state = "running", desired = "running", error, exitCode }, at) => ({
      ID: swarmId(`t${number}x${at}${nameOf(service)}`),
      ServiceID: idOf(service),
      Slot: number + 1,
      NodeID: node === "" ? "" : swarmId(`node${node}`),
      DesiredState: desired,
      Spec: templateOf(service),
      Status: {
        Timestamp: AT,
        State: state,
        Message: state,
        ...(error !== undefined && { Err: error }),
        ContainerStatus: {
          ContainerID: node === "" ? "" : swarmId(`c${number}x${at}${nameOf(service)}`).padEnd(64, "0"),
          ExitCode: exitCode ?? 0,
        },
      },
    }))
  );
}
