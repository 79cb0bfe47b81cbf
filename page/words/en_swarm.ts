/** The sentences of swarms in English. */
import { count } from "./en_counts.ts";

export const swarm = {
  none: "No engine is a node of a swarm.",
  noneHint:
    "berth shows a swarm by itself as soon as one of its engines is a node of it. Making one, and joining it, is done on the machines.",
  nodesCount: (amount: number) => count(amount, "node", "nodes"),
  servicesCount: (amount: number) => count(amount, "service", "services"),
  quorum: (reachable: number, managers: number, spare: number) =>
    `${reachable} of ${managers} managers can be reached; ` +
    (spare === 0 ? "none may be lost" : spare === 1 ? "one may be lost" : `${spare} may be lost`),
  stale: (at: string) => `As of ${at}; nothing can be changed.`,
  missing: (names: string) =>
    `berth does not know the engines of ${names}: their tasks are shown, and their logs and shells are not. Add them to BERTH_ENGINES.`,
  stackOn: (name: string) => `a stack of the swarm ${name}, declared in no folder`,
  onlyStack: "It runs as a stack, and no folder of berth's declares it.",
  nodes: "Nodes",
  node: "Node",
  role: "Role",
  roles: { manager: "manager", worker: "worker" },
  leads: "leads",
  state: "State",
  availability: { active: "takes tasks", pause: "takes no new tasks", drain: "drained" },
  tasks: "Tasks",
  resources: "Resources",
  cpus: (amount: number) => count(amount, "processor", "processors"),
  engine: "Engine",
  notKnown: "not known",
  services: "Services",
  service: "Service",
  noServices: "No service runs.",
  running: "Running",
  image: "Image",
  ofStack: (name: string) => `stack ${name}`,
  updated: {
    updating: "is being updated",
    paused: "update paused",
    rollback_started: "is being rolled back",
  },
  tasksOf: (name: string) => `Tasks of ${name}`,
  on: (node: string) => `on ${node}`,
  nowhere: "on no node yet",
  replaced: "replaced",
  ofBefore: "from an earlier definition",
  endedWith: (code: number) => `ended with ${code}`,
  states: {
    waiting: "waits",
    starting: "starts",
    running: "runs",
    completed: "completed",
    failed: "failed",
    stopped: "stopped",
    lost: "lost: its node is down, and it may run on",
  },
};
