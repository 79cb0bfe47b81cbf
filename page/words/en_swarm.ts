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
    `berth does not know the engines of ${names}: their logs come from a manager, and shells and measurements are missing. Add them to BERTH_ENGINES.`,
  logWaits: (task: string, node: string) =>
    `The log of ${task}${node === "" ? "" : ` on ${node}`} cannot be read for now; berth tries again.`,
  stackOn: (name: string) => `a stack of the swarm ${name}, declared in no folder`,
  /** `names` are of a few stacks; `more` others, if it is over 0. */
  notAsAWhole: (names: string, more: number) =>
    `Stacks are not updated, restarted or stopped as a whole: ${names}${
      more > 0 ? ` and ${more} more` : ""
    }.`,
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
    rollback_paused: "rollback paused",
    rollback_completed: "rolled back",
  },
  tasksOf: (name: string) => `Tasks of ${name}`,
  on: (node: string) => `on ${node}`,
  nowhere: "on no node yet",
  replaced: "replaced",
  ofBefore: "from an earlier definition",
  endedWith: (code: number) => `ended with ${code}`,
  acts: {
    scale: "Scale",
    restart: "Restart",
    rollback: "Roll back",
    remove: "Remove",
    drain: "Drain",
    pause: "Take no new tasks",
    activate: "Take tasks again",
  },
  actsOf: "Acts",
  replicas: "Number of tasks",
  startsTasks: (amount: number) => `${count(amount, "task starts", "tasks start")}.`,
  stopsTasks: (amount: number) => `${count(amount, "task stops", "tasks stop")} for good.`,
  replacesTasks: (amount: number) =>
    `${count(amount, "task is replaced", "tasks are replaced")}, a few at a time.`,
  waitsFor: (task: string, reason: string) => `${task} would wait: ${reason}`,
  changes: "What changes",
  isSo: "Nothing would change.",
  removeHint: "Volumes on nodes, networks, secrets and configs stay.",
  nodeHints: {
    drain: "Its tasks leave it, and it takes none until it is activated. Containers of no service stay.",
    pause: "Its tasks stay, and it takes no new ones.",
    activate: "It takes tasks with the next start; those that moved away do not come back by themselves.",
  },
  nothingMoves: "It runs no task, so nothing moves.",
  leaving: "Tasks that leave it",
  outcomes: {
    moves: "moves to another node",
    waits: "waits: no other node takes it",
    ends: "ends: each node runs its own",
  },
  moreTasks: (amount: number) => `${count(amount, "more task leaves", "more tasks leave")} it.`,
  updatedTasks: (done: number, amount: number) => `${done} of ${amount} tasks updated`,
  before: (amount: number) => count(amount, "earlier task", "earlier tasks"),
  gone: "No swarm has this service, or you may not see it.",
  inNoStack: "In no stack",
  besideFile: (amount: number, isUnknown: boolean) =>
    amount > 0
      ? `Differs from its file in ${count(amount, "field", "fields")}`
      : isUnknown
      ? "Not compared in full with its file"
      : "Defined as its file says",
  toProject: (name: string) => `project ${name}`,
  moreDifferences: (amount: number) => count(amount, "more difference", "more differences"),
  all: "All services",
  log: "Log of all tasks",
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
