/** A container as lists show it, read from the engine's `inspect`. */
import * as z from "../../core/schema.ts";
import { Condition, conditionOf, type Ending, Stopped } from "../../core/condition.ts";
import { type ClaimLookup, NO_CLAIMS } from "../../core/claims.ts";
import { ContainerState } from "../../core/runtime.ts";
import {
  flagOf,
  listOf,
  mapOf,
  numberOf,
  objectOf,
  textOf,
  textOrNull,
  textsOf,
  timeOf,
  type Wire,
} from "../calls/wire.ts";
import { said } from "../calls/failure.ts";
import { maskValues } from "../../core/secrets.ts";
import { Stale } from "./stale.ts";
import { causeOfStart } from "./start_error.ts";

const Health = z.enum(["starting", "healthy", "unhealthy"]).meta({ id: "ContainerHealth" });

const Port = z.object({
  container: z.int().describe("The port in the container"),
  protocol: z.string().describe("tcp, udp or sctp"),
  host: z.int().nullable().describe("Null where it is only exposed, or the engine chooses one at the start"),
  address: z.string().nullable().describe("The machine's address it is published on"),
  published: z.boolean().describe(
    "True if it is open now; false for a port that opens when the container runs",
  ),
}).meta({ id: "ContainerPort" });

const Mount = z.object({
  type: z.string().describe("volume, bind, tmpfs, ..."),
  name: z.string().nullable().describe("The volume's name"),
  source: z.string().describe("The folder on the machine, or the volume's name"),
  target: z.string().describe("Path in the container"),
  readOnly: z.boolean().describe("True if it is read-only"),
}).meta({ id: "ContainerMount" });

const ComposeLabels = z.object({
  project: z.string().describe("The project"),
  service: z.string().describe("The service"),
  workingDir: z.string().nullable().describe("The folder it was started in"),
  configFiles: z.array(z.string()).describe("The files it was started from"),
  claim: z.enum(["certain", "likely"]).optional().describe(
    "Present for a container that was adopted: its own labels say less. `likely`: another one has its name by now",
  ),
}).meta({ id: "ComposeLabels" });

const Owner = z.object({
  id: z.string().describe("The workspace's id"),
  unit: z.string().nullable().describe("The id of its unit"),
}).meta({ id: "ContainerOwner" });

export const Container = z.object({
  id: z.string().describe("The container's id"),
  name: z.string().describe("The container's name"),
  image: z.string().describe("As it was asked for"),
  imageId: z.string().describe("The id of its image"),
  state: ContainerState.describe("State as the engine reports it"),
  status: z.string().describe("The state in words that do not age: pair it with startedAt and finishedAt"),
  health: Health.nullable().describe("Result of its health check; null without one"),
  healthOutput: z.string().nullable().describe(
    "The output of the health check when it was last read, masked and cut; null unless it is unhealthy",
  ),
  exitCode: z.int().nullable().describe(
    "Of the last end, also between restarts; null while it runs and before it ran",
  ),
  restartCount: z.int().describe("Number of restarts by the engine since its last start"),
  reason: z.string().nullable().describe("The engine's reason why it does not run, beyond an exit code"),
  condition: Condition.describe(
    "Its condition by itself: `restarting` lasts for a minute after a restart that was not the first",
  ),
  createdAt: z.string().describe("When it was made"),
  startedAt: z.string().nullable().describe("When it last started"),
  finishedAt: z.string().nullable().describe("When it last ended"),
  stopped: Stopped.nullable().describe("Only of a container whose condition is `stopped`"),
  ports: z.array(Port).describe("Its ports"),
  networks: z.array(z.string()).describe("The names of its networks"),
  mounts: z.array(Mount).describe("Its mounts"),
  labels: z.record(z.string(), z.string()).describe("Values of labels that look secret are masked"),
  compose: ComposeLabels.nullable().describe(
    "The project and service that its Compose labels name, or that it was adopted for",
  ),
  workspace: Owner.nullable().describe("The workspace it belongs to"),
  backend: z.string().describe("The engine it is on, by name"),
  stale: Stale,
}).meta({ id: "Container" });

/** A row of the mirror: all but the workspace, which is added when a list is built. */
export type ContainerRow = Readonly<Omit<z.infer<typeof Container>, "workspace" | "stale">> & {
  /** For counting the users of a network. */
  readonly networkIds: readonly string[];
  /** The command of its health check as events of its execs show it; null without one. */
  readonly healthCommand: string | null;
  readonly ending: Ending;
};

/** The restart policies by which an engine starts a container again whenever it ends by itself. */
const KEPT_RUNNING = new Set(["always", "unless-stopped"]);

/** Characters of a health check's output. */
const MOST_OUTPUT = 300;

const EPOCH = new Date(0).toISOString();

/**
 * The row of an inspected container; null for an answer without an id. `stoppedMs` is the time at which the engine
 * told that somebody stopped it, by the engine's clock.
 */
export function containerRow(
  inspected: unknown,
  backend: string,
  { stoppedMs, claims = NO_CLAIMS }: {
    readonly stoppedMs?: number | undefined;
    readonly claims?: ClaimLookup;
  } = {},
): ContainerRow | null {
  const wire = objectOf(inspected);
  const id = textOf(wire.Id);
  if (id === "") return null;
  const state = objectOf(wire.State);
  const config = objectOf(wire.Config);
  const settings = objectOf(wire.NetworkSettings);
  const labels = mapOf(config.Labels);
  const phase = stateOf(textOf(state.Status));
  const health = healthOf(state);
  const environment = textsOf(config.Env);
  const reason = reasonOf(phase, state, environment);
  // A start that failed leaves it created, with a code and an error.
  const ended = phase === "exited" || phase === "dead" || phase === "restarting" ||
    (phase === "created" && reason !== null);
  // Podman says -1 for an exit code that it does not know.
  const exitCode = ended && numberOf(state.ExitCode) >= 0 ? numberOf(state.ExitCode) : null;
  const networks = Object.entries(objectOf(settings.Networks)).sort(([one], [other]) => one < other ? -1 : 1);
  const restartCount = numberOf(wire.RestartCount);
  const startedAt = phase === "created" ? null : timeOf(state.StartedAt);
  const judged = {
    state: phase,
    health,
    exitCode,
    reason,
    restartCount,
    startedAt,
    finishedAt: ended ? timeOf(state.FinishedAt) : null,
    ending: {
      keepsRunning: KEPT_RUNNING.has(textOf(objectOf(objectOf(wire.HostConfig).RestartPolicy).Name)),
      oomKilled: flagOf(state.OOMKilled),
      byHand: stoppedMs !== undefined && startedAt !== null && stoppedMs >= Date.parse(startedAt),
    },
  };
  const condition = conditionOf(judged, Date.now());
  const { finishedAt, ending: { byHand } } = judged;
  const name = textOf(wire.Name).replace(/^\//, "");
  const labelled = composeOf(labels);
  return {
    id,
    name,
    image: textOf(config.Image),
    imageId: imageIdOf(textOf(wire.Image)),
    ...judged,
    healthOutput: health === "unhealthy" ? healthOutputOf(state, environment) : null,
    status: statusOf(phase, health, exitCode),
    condition,
    createdAt: timeOf(wire.Created) ?? EPOCH,
    stopped: condition === "stopped" ? { since: finishedAt, byHand } : null,
    ports: portsOf(phase, objectOf(settings.Ports), wire),
    networks: networks.map(([name]) => name),
    networkIds: networks.map(([, network]) => textOf(objectOf(network).NetworkID)).filter((one) =>
      one !== ""
    ),
    mounts: mountsOf(wire).sort((one, other) => one.target < other.target ? -1 : 1),
    healthCommand: healthCommandOf(config),
    labels: maskValues(labels),
    compose: claims.of({ engine: backend, id, name, isLabelled: labelled !== null }) ?? labelled,
    backend,
  };
}

function healthCommandOf(config: Wire): string | null {
  const [kind, ...words] = textsOf(objectOf(config.Healthcheck).Test);
  if (kind === "CMD-SHELL") {
    const shell = textsOf(config.Shell);
    return [...(shell.length > 0 ? shell : ["/bin/sh", "-c"]), ...words].join(" ");
  }
  return kind === "CMD" ? words.join(" ") : null;
}

/** Docker's states, and Podman's words for the same. */
export function stateOf(status: string): ContainerState {
  switch (status.toLowerCase()) {
    case "created":
    case "configured":
    case "initialized":
      return "created";
    case "running":
    case "stopping":
      return "running";
    case "stopped":
    case "exited":
      return "exited";
    case "paused":
      return "paused";
    case "restarting":
      return "restarting";
    case "removing":
      return "removing";
    case "dead":
      return "dead";
    default:
      return "unknown";
  }
}

function healthOf(state: Wire): z.infer<typeof Health> | null {
  const parsed = Health.safeParse(objectOf(state.Health ?? state.Healthcheck).Status);
  return parsed.success ? parsed.data : null;
}

/** Returns the output of the latest check; null where it wrote nothing. */
function healthOutputOf(state: Wire, environment: readonly string[]): string | null {
  const last = listOf(objectOf(state.Health ?? state.Healthcheck).Log).at(-1);
  const output = said(textOf(objectOf(last).Output), environment);
  return output === "" ? null : output.slice(0, MOST_OUTPUT);
}

/** The engine's error of the last start, or that memory ran out; null while it runs. */
function reasonOf(phase: ContainerState, state: Wire, environment: readonly string[]): string | null {
  if (phase === "running" || phase === "paused") return null;
  const error = said(causeOfStart(textOf(state.Error)), environment);
  if (error !== "") return error;
  return flagOf(state.OOMKilled) ? "Out of memory: the kernel killed it at its limit" : null;
}

function statusOf(state: ContainerState, health: string | null, exitCode: number | null): string {
  if (exitCode !== null) return `${state} (${exitCode})`;
  return health === null ? state : `${state} (${health})`;
}

/** With the algorithm, which Podman sometimes leaves out. */
export function imageIdOf(text: string): string {
  return /^[0-9a-f]{64}$/.test(text) ? `sha256:${text}` : text;
}

/** The open ports, or those that it opens when it runs. */
function portsOf(phase: ContainerState, open: Wire, wire: Wire): z.infer<typeof Port>[] {
  const isLive = phase === "running" || phase === "paused";
  if (isLive && Object.keys(open).length > 0) return portList(open, true);
  const exposed = Object.fromEntries(
    Object.keys(objectOf(objectOf(wire.Config).ExposedPorts)).map((name) => [name, null]),
  );
  // Podman lists the ports of a stopped container as if they were open.
  return portList({ ...exposed, ...open, ...objectOf(objectOf(wire.HostConfig).PortBindings) }, false);
}

function portList(ports: Wire, open: boolean): z.infer<typeof Port>[] {
  const found = Object.entries(ports).flatMap(([name, bindings]) => {
    const match = /^(\d{1,5})(?:\/(\w+))?$/.exec(name);
    if (match === null) return [];
    const base = { container: Number(match[1]), protocol: match[2] ?? "tcp" };
    const bound = listOf(bindings).map(objectOf);
    if (bound.length === 0) return [{ ...base, host: null, address: null, published: false }];
    return bound.map((binding) => {
      const host = portNumber(textOf(binding.HostPort));
      return { ...base, host, address: textOrNull(binding.HostIp), published: open && host !== null };
    });
  });
  return found.sort((one, other) =>
    one.container - other.container || (one.host ?? 0) - (other.host ?? 0) ||
    ((one.address ?? "") < (other.address ?? "") ? -1 : 1)
  );
}

function portNumber(text: string): number | null {
  return /^\d{1,5}$/.test(text) && text !== "0" ? Number(text) : null;
}

/** Returns the mounts, with `--tmpfs`, which Docker does not list as a mount. */
function mountsOf(wire: Wire): z.infer<typeof Mount>[] {
  const mounts = listOf(wire.Mounts).map(mountOf);
  const targets = new Set(mounts.map(({ target }) => target));
  for (const [target, options] of Object.entries(objectOf(objectOf(wire.HostConfig).Tmpfs))) {
    if (targets.has(target)) continue;
    const readOnly = textOf(options).split(",").includes("ro");
    mounts.push({ type: "tmpfs", name: null, source: "", target, readOnly });
  }
  return mounts;
}

function mountOf(value: unknown): z.infer<typeof Mount> {
  const mount = objectOf(value);
  return {
    type: textOf(mount.Type),
    name: textOrNull(mount.Name),
    source: textOf(mount.Source),
    target: textOf(mount.Destination),
    readOnly: !flagOf(mount.RW),
  };
}

/** Reads the labels of Docker's and Podman's Compose tools. */
function composeOf(labels: Readonly<Record<string, string>>): ContainerRow["compose"] {
  const project = labels["com.docker.compose.project"] ?? labels["io.podman.compose.project"];
  const service = labels["com.docker.compose.service"] ?? labels["io.podman.compose.service"];
  if (project === undefined || service === undefined) return null;
  return {
    project,
    service,
    workingDir: labels["com.docker.compose.project.working_dir"] ?? null,
    configFiles: (labels["com.docker.compose.project.config_files"] ?? "").split(",").filter((file) =>
      file !== ""
    ),
  };
}
