/** A container as lists show it, read from the engine's `inspect`. */
import { z } from "zod";
import { ContainerState } from "../../../core/runtime.ts";
import {
  flagOf,
  listOf,
  mapOf,
  numberOf,
  objectOf,
  textOf,
  textOrNull,
  timeOf,
  type Wire,
} from "../engine/wire.ts";
import { maskValues } from "../../../core/secrets.ts";

const Health = z.enum(["starting", "healthy", "unhealthy"]);

const Port = z.object({
  container: z.int(),
  protocol: z.string(),
  host: z.int().nullable().describe("Null where it is exposed and not published"),
  address: z.string().nullable(),
}).meta({ id: "ContainerPort" });

const Mount = z.object({
  type: z.string().describe("volume, bind, tmpfs, ..."),
  name: z.string().nullable().describe("The volume's name"),
  source: z.string(),
  target: z.string(),
  readOnly: z.boolean(),
}).meta({ id: "ContainerMount" });

export const Container = z.object({
  id: z.string(),
  name: z.string(),
  image: z.string().describe("As it was asked for"),
  imageId: z.string(),
  state: ContainerState,
  status: z.string().describe("The state in words that do not age: pair it with startedAt and finishedAt"),
  health: Health.nullable(),
  exitCode: z.int().nullable().describe("Null while it runs and before it ran"),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  ports: z.array(Port),
  networks: z.array(z.string()),
  mounts: z.array(Mount),
  labels: z.record(z.string(), z.string()).describe("Values of labels that look secret are masked"),
  compose: z.object({
    project: z.string(),
    service: z.string(),
    workingDir: z.string().nullable(),
    configFiles: z.array(z.string()),
  }).nullable(),
  workspace: z.object({ id: z.string(), unit: z.string().nullable() }).nullable(),
  backend: z.string(),
}).meta({ id: "Container" });

/** What the mirror holds: all but the workspace, which is added when a list is built. */
export type ContainerRow = Readonly<Omit<z.infer<typeof Container>, "workspace">> & {
  /** For counting the users of a network. */
  readonly networkIds: readonly string[];
};

const EPOCH = new Date(0).toISOString();

/** The row of an inspected container; null for an answer without an id. */
export function containerRow(inspected: unknown, backend: string): ContainerRow | null {
  const wire = objectOf(inspected);
  const id = textOf(wire.Id);
  if (id === "") return null;
  const state = objectOf(wire.State);
  const config = objectOf(wire.Config);
  const settings = objectOf(wire.NetworkSettings);
  const labels = mapOf(config.Labels);
  const phase = stateOf(textOf(state.Status));
  const health = healthOf(state);
  const ended = phase === "exited" || phase === "dead";
  // Podman says -1 for an exit code that it does not know.
  const exitCode = ended && numberOf(state.ExitCode) >= 0 ? numberOf(state.ExitCode) : null;
  const networks = Object.entries(objectOf(settings.Networks)).sort(([one], [other]) => one < other ? -1 : 1);
  return {
    id,
    name: textOf(wire.Name).replace(/^\//, ""),
    image: textOf(config.Image),
    imageId: imageIdOf(textOf(wire.Image)),
    state: phase,
    status: statusOf(phase, health, exitCode),
    health,
    exitCode,
    createdAt: timeOf(wire.Created) ?? EPOCH,
    startedAt: phase === "created" ? null : timeOf(state.StartedAt),
    finishedAt: ended ? timeOf(state.FinishedAt) : null,
    ports: portsOf(objectOf(settings.Ports)),
    networks: networks.map(([name]) => name),
    networkIds: networks.map(([, network]) => textOf(objectOf(network).NetworkID)).filter((one) =>
      one !== ""
    ),
    mounts: listOf(wire.Mounts).map(mountOf).sort((one, other) => one.target < other.target ? -1 : 1),
    labels: maskValues(labels),
    compose: composeOf(labels),
    backend,
  };
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

function statusOf(state: ContainerState, health: string | null, exitCode: number | null): string {
  if (exitCode !== null) return `${state} (${exitCode})`;
  return health === null ? state : `${state} (${health})`;
}

/** With the algorithm, which Podman sometimes leaves out. */
export function imageIdOf(text: string): string {
  return /^[0-9a-f]{64}$/.test(text) ? `sha256:${text}` : text;
}

function portsOf(ports: Wire): z.infer<typeof Port>[] {
  const found = Object.entries(ports).flatMap(([name, bindings]) => {
    const match = /^(\d{1,5})(?:\/(\w+))?$/.exec(name);
    if (match === null) return [];
    const base = { container: Number(match[1]), protocol: match[2] ?? "tcp" };
    const bound = listOf(bindings).map(objectOf);
    if (bound.length === 0) return [{ ...base, host: null, address: null }];
    return bound.map((binding) => ({
      ...base,
      host: portNumber(textOf(binding.HostPort)),
      address: textOrNull(binding.HostIp),
    }));
  });
  return found.sort((one, other) =>
    one.container - other.container || (one.host ?? 0) - (other.host ?? 0) ||
    ((one.address ?? "") < (other.address ?? "") ? -1 : 1)
  );
}

function portNumber(text: string): number | null {
  return /^\d{1,5}$/.test(text) ? Number(text) : null;
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

/** What the labels of Docker's and Podman's Compose tools say. */
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
