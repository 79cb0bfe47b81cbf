/** Services that a cluster of engines keeps running, without any type of an engine. */
import * as z from "./schema.ts";
import { later } from "./later.ts";
import { type Principal, type Reach, reachOf, type Subject } from "./access.ts";

export const TaskState = z.enum([
  "waiting",
  "starting",
  "running",
  "completed",
  "failed",
  "stopped",
  "lost",
]).meta({ id: "TaskState" });
export type TaskState = z.infer<typeof TaskState>;

const NodeRef = later(() =>
  z.object({
    id: z.string().describe("The node's id"),
    name: z.string().describe("Its host name"),
  })
);

/** One run of a service on one node. */
export const RunningTask = later(() =>
  z.object({
    id: z.string().describe("The task's id"),
    name: z.string().describe("Its name, as `shop_web.2`"),
    slot: z.int().nullable().describe("Its number in the service; null where each node has one"),
    node: NodeRef().nullable().describe("The node it is on; null while it waits for one"),
    at: z.string().nullable().describe("When it came into its state"),
    state: TaskState.describe("`lost`: it ran when its node was last heard, and may run on"),
    desired: z.boolean().describe("True if it is to run; false for one that was replaced"),
    current: z.boolean().describe("True if it was made from the service's newest definition"),
    reason: z.string().nullable().describe("The words of the scheduler or the node, masked"),
    exitCode: z.int().nullable().describe("The code it ended with"),
    container: z.object({
      id: z.string().describe("The container's id"),
      backend: z.string().nullable().describe(
        "The engine it is on; null where berth does not know that engine",
      ),
    }).nullable().describe("Its container; null before there is one"),
  }).meta({ id: "ServiceTask" })
);
export type RunningTask = z.infer<ReturnType<typeof RunningTask>>;

export const ServiceMode = z.enum(["replicated", "global", "replicatedJob", "globalJob"]).meta({
  id: "ServiceMode",
});
export type ServiceMode = z.infer<typeof ServiceMode>;

export const RunningService = later(() =>
  z.object({
    id: z.string().describe("The service's id"),
    name: z.string().describe("The service's name"),
    cluster: z.string().describe("The id of its cluster"),
    stack: z.string().nullable().describe("The stack that it belongs to"),
    mode: ServiceMode.describe("The number of tasks: replicated, or one for each node"),
    desired: z.int().nullable().describe("Number of tasks that should run; null while unknown"),
    running: z.int().describe("Number of tasks that run"),
    image: z.string().describe("The image's name, without its digest"),
    digest: z.string().nullable().describe("The digest that the image is pinned to"),
    ports: z.array(z.object({
      host: z.int().nullable().describe("The port of the nodes; null while there is none"),
      container: z.int().describe("The container's port"),
      protocol: z.string().describe("`tcp`, `udp` or `sctp`"),
      mode: z.enum(["ingress", "host"]).describe("`ingress`: on every node, `host`: on those with a task"),
    })).describe("Its published ports"),
    labels: z.record(z.string(), z.string()).describe("Values of labels that look secret are masked"),
    update: z.object({
      state: z.string().describe("`updating`, `paused`, `completed`, `rollback_completed`, ..."),
      at: z.string().nullable().describe("When it came into its state"),
      message: z.string().describe("The swarm's words, masked"),
    }).nullable().describe("Its latest update; null where there was none"),
    createdAt: z.string().nullable().describe("When it was made"),
    updatedAt: z.string().nullable().describe("When it was last changed"),
    tasks: z.array(RunningTask()).describe("Its tasks, also those that were replaced and are remembered"),
    staleSince: z.string().nullable().describe("When its cluster last answered; null while that is now"),
  }).meta({ id: "SwarmService" })
);
export type RunningService = Readonly<z.infer<ReturnType<typeof RunningService>>>;

/** A service as it was defined, for comparing with what was declared. Never answered as it is: `env` is unmasked. */
export interface ServiceDefinition {
  readonly image: string;
  readonly command: readonly string[];
  readonly entrypoint: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workingDir: string;
  readonly hostname: string;
  readonly terminal: boolean;
  readonly stdinOpen: boolean;
  readonly init: boolean | null;
  readonly stopSignal: string;
  readonly stopTimeoutSeconds: number | null;
  readonly readOnlyRoot: boolean;
  readonly memoryLimitBytes: number | null;
  readonly cpus: number | null;
  readonly healthcheck: readonly string[] | null;
  /** Nanoseconds, and 0 for what is left to the engine; null without a health check. */
  readonly healthTimes:
    | Readonly<Record<"interval" | "timeout" | "startPeriod" | "startInterval" | "retries", number>>
    | null;
  /** The labels of the service; `labels` are those of its containers. */
  readonly serviceLabels: Readonly<Record<string, string>>;
  readonly restart: RestartPolicy;
  /** Its networks by name; null while one of them is not known. */
  readonly networks: readonly ServiceNetwork[] | null;
  readonly dns: readonly string[];
  readonly dnsSearch: readonly string[];
  readonly dnsOptions: readonly string[];
  /** `name:address` */
  readonly extraHosts: readonly string[];
  readonly groupAdd: readonly string[];
  readonly sysctls: Readonly<Record<string, string>>;
  readonly capAdd: readonly string[];
  readonly capDrop: readonly string[];
  readonly ulimits: Readonly<Record<string, { readonly soft: number; readonly hard: number }>>;
  readonly isolation: string;
  readonly oomScoreAdjustment: number;
  readonly pidsLimit: number | null;
  readonly memoryReservationBytes: number | null;
  readonly cpusReserved: number | null;
  /** Numbers of what only some nodes have, by kind. */
  readonly generic: Readonly<Record<string, string>>;
  readonly log: { readonly driver: string; readonly options: Readonly<Record<string, string>> };
  /** Without the files of secrets and configs. */
  readonly mounts: readonly ServiceMount[];
  readonly secrets: readonly ServiceFile[];
  readonly configs: readonly ServiceFile[];
  readonly placement: {
    readonly constraints: readonly string[];
    /** The labels of nodes that its tasks are spread over. */
    readonly spread: readonly string[];
    /** 0: as many as fit. */
    readonly maxPerNode: number;
  };
  /** Null: nobody said anything. */
  readonly update: UpdatePolicy | null;
  readonly rollback: UpdatePolicy | null;
  readonly endpointMode: string;
}

/** The restart policy of tasks; in nanoseconds, and with the swarm's own values where nobody said any. */
interface RestartPolicy {
  readonly condition: "none" | "on-failure" | "any";
  readonly delay: number;
  /** 0: as often as it takes. */
  readonly maxAttempts: number;
  readonly window: number;
}

/** The way in which tasks are replaced, in nanoseconds. */
export interface UpdatePolicy {
  /** 0: all at once. */
  readonly parallelism: number;
  readonly delay: number;
  readonly failureAction: string;
  /** 0: the swarm's own time. */
  readonly monitor: number;
  readonly maxFailureRatio: number;
  readonly order: string;
}

interface ServiceNetwork {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly driverOptions: Readonly<Record<string, string>>;
}

interface ServiceMount {
  readonly type: string;
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
  /** As an engine writes them: `nocopy`, `size=64`, `rslave`. */
  readonly options: readonly string[];
}

/** A secret or config in the containers of a service. */
export interface ServiceFile {
  /** The object's name in the swarm. */
  readonly name: string;
  readonly target: string;
  readonly uid: string;
  readonly gid: string;
  readonly mode: number;
}

/** The services of all clusters, as last read. */
export interface RunningServices {
  /** Rises with every change of a service, a task or a cluster's state. */
  readonly revision: number;
  readonly items: readonly KnownService[];
  readonly clusters: readonly KnownCluster[];
}

/** A cluster, as far as its services are judged by it. */
interface KnownCluster {
  /** Its name in ids of stacks. */
  readonly name: string;
  /** The engines that a scope must hold to hold it. */
  readonly engines: readonly string[];
  /** Number of its nodes. */
  readonly nodes: number;
}

/** Objects of a node that one definition of a service names. */
export interface ServiceUses {
  readonly image: string;
  readonly volumes: readonly string[];
}

/** A service with its surroundings. */
export interface KnownService {
  readonly service: RunningService;
  readonly definition: ServiceDefinition;
  /** The image and the volumes of the definition before, which a rollback brings back; null where there is none. */
  readonly before: ServiceUses | null;
  /** As grants are asked about it, with its labels as they are. */
  readonly subject: Subject;
  /** The cluster's name in ids of stacks. */
  readonly cluster: string;
  /** The engines that a scope must hold to hold its cluster: those in it, and those that may be. */
  readonly engines: readonly string[];
  /** The engines of its managers that berth knows, the one that answered last before the others. */
  readonly managers?: readonly string[];
  /** True for one of which the caller may know no more than that it is there. */
  readonly isHidden?: boolean;
}

export const NO_SERVICES: RunningServices = { revision: 0, items: [], clusters: [] };

/** Tells services of all clusters apart: an id alone is a manager's word, and another one may say the same. */
export const serviceKey = ({ cluster, id }: Pick<RunningService, "cluster" | "id">): string =>
  JSON.stringify([cluster, id]);

/** Returns the name of the cluster whose task a container is; null for any other. Labels may be anybody's. */
export function clusterOf(
  { items }: RunningServices,
  { id, backend }: { readonly id: string; readonly backend: string },
): string | null {
  const found = items.find(({ service }) =>
    service.tasks.some(({ container }) => container?.id === id && container.backend === backend)
  );
  return found?.cluster ?? null;
}

/** The length from which the beginning of an id means it: a shorter text may be a name alone. */
const SHORT_ID = 12;

/** Returns the services in a scope that an id, the beginning of one or a name means. */
export function servicesNamed<Known extends KnownService>(
  items: readonly Known[],
  reach: Reach,
  asked: string,
): readonly Known[] {
  const seen = items.filter((one) => holdsService(reach, one));
  const exact = seen.filter(({ service: { id, name } }) => id === asked || name === asked);
  return exact.length > 0 || asked.length < SHORT_ID
    ? exact
    : seen.filter(({ service }) => service.id.startsWith(asked));
}

/** Returns true for the state of an update, or of a way back, that the swarm has stopped half-way. */
export const isPausedUpdate = (state: string): boolean => state === "paused" || state === "rollback_paused";

/** A task with its service. */
export interface KnownTask {
  readonly known: KnownService;
  readonly task: RunningTask;
}

/** Returns the tasks in a scope that an id or a name as `shop_web.2` means, those that are to run first. */
export function tasksNamed({ items }: RunningServices, reach: Reach, asked: string): KnownTask[] {
  return items.filter((known) => holdsService(reach, known)).flatMap((known) =>
    known.service.tasks.filter(({ id, name }) => id === asked || name === asked)
      .map((task) => ({ known, task }))
  ).sort((one, other) => Number(other.task.desired) - Number(one.task.desired));
}

/**
 * Returns true if a scope holds a service: by its stack, by a label, or by all engines of its cluster that berth knows,
 * with those that were away since the start and may be in it. One is not enough, since a service is not on one.
 */
export function holdsService(
  reach: Reach,
  { subject, engines }: Pick<KnownService, "subject" | "engines">,
): boolean {
  return reach.has(subject) || holdsCluster(reach, engines);
}

/** Returns the scope in which the caller may see services. */
export const reachOfServices = (principal: Principal): Reach => reachOf(principal, "services:read");

/** Returns true if a scope holds all these engines of a cluster. */
export const holdsCluster = (reach: Reach, engines: readonly string[]): boolean =>
  reach.everywhere || engines.length > 0 && engines.every((engine) => reach.has({ engine }));
