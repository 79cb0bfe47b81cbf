/** One container in full, with its secrets masked unless `reveal` is set. */
import * as z from "../../../core/schema.ts";
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
} from "../../../engines/calls/wire.ts";
import { MASK, maskArguments, maskSaid, maskText } from "../../../core/secrets.ts";
import { Container, type ContainerRow } from "../../../engines/rows/container.ts";

export const ContainerDetail = Container.extend({
  masked: z.boolean().describe("True if secrets were masked in this answer"),
  command: z.array(z.string()).describe("The arguments it runs with"),
  entrypoint: z.array(z.string()).describe("The program it runs"),
  env: z.record(z.string(), z.string()).describe("Values are masked without `reveal`"),
  user: z.string().describe("The user it runs as; empty for the image's own"),
  workingDir: z.string().describe("The folder it runs in"),
  hostname: z.string().describe("Its host name"),
  terminal: z.boolean().describe("True if it has a terminal"),
  stopSignal: z.string().nullable().describe("The signal that asks it to stop"),
  restart: z.object({
    name: z.string().describe("The policy"),
    maximumRetries: z.int().describe("Maximum number of restarts; 0 for no limit"),
  }).describe("Restart policy"),
  pid: z.int().nullable().describe("The process on the machine; null while it does not run"),
  oomKilled: z.boolean().describe("True if it was killed because memory ran out"),
  limits: z.object({
    memoryBytes: z.int().nullable().describe("Memory"),
    cpus: z.number().nullable().describe("Processors"),
    pids: z.int().nullable().describe("Processes"),
  }).describe("Its limits; null for no limit"),
  privileged: z.boolean().describe("True if it may do whatever the host may"),
  readOnlyRoot: z.boolean().describe("True if its own files are read-only"),
  capAdd: z.array(z.string()).describe("Capabilities it was given"),
  capDrop: z.array(z.string()).describe("Capabilities it was denied"),
  networkMode: z.string().describe("Network mode, in the engine's word"),
  attachments: z.array(z.object({
    network: z.string().describe("The network's name"),
    networkId: z.string().nullable().describe("The network's id; null before the first start"),
    address: z.string().nullable().describe("Its address there"),
    gateway: z.string().nullable().describe("The way out"),
    mac: z.string().nullable().describe("Its hardware address there"),
    aliases: z.array(z.string()).describe("Further names it answers to there"),
  })).describe("Its connection to each of its networks"),
  healthcheck: z.array(z.string()).nullable().describe("The command that checks its health"),
  healthLog: z.array(z.object({
    startedAt: z.string().nullable().describe("When the check began"),
    endedAt: z.string().nullable().describe("When it ended"),
    exitCode: z.int().describe("0 for healthy"),
    output: z.string().describe("Its log"),
  })).describe("The last checks of its health"),
  logDriver: z.string().describe("Destination of its output"),
}).meta({ id: "ContainerDetail" });

type Detail = Omit<z.infer<typeof ContainerDetail>, "workspace">;

/** `reveal` leaves the values of environment, arguments and labels unmasked. */
export function containerDetail(row: ContainerRow, inspected: unknown, reveal: boolean): Detail {
  const wire = objectOf(inspected);
  const config = objectOf(wire.Config);
  const host = objectOf(wire.HostConfig);
  const state = objectOf(wire.State);
  const { networkIds: _ids, healthCommand: _command, ending: _ending, ...shown } = row;
  const words = (args: readonly string[], program: readonly string[] = []) =>
    reveal ? [...args] : maskArguments(args, program);
  const text = (one: string) => reveal ? one : maskText(one);
  const said = (one: string) => reveal ? one : maskSaid(one, textsOf(config.Env));
  return {
    ...shown,
    labels: reveal ? mapOf(config.Labels) : shown.labels,
    masked: !reveal,
    command: words(textsOf(config.Cmd), commandWords(config.Entrypoint)),
    entrypoint: words(commandWords(config.Entrypoint)),
    env: environmentOf(config, reveal),
    user: text(textOf(config.User)),
    workingDir: text(textOf(config.WorkingDir)),
    hostname: text(textOf(config.Hostname)),
    terminal: flagOf(config.Tty),
    stopSignal: textOrNull(config.StopSignal),
    restart: restartOf(host),
    pid: numberOf(state.Pid) > 0 ? numberOf(state.Pid) : null,
    oomKilled: flagOf(state.OOMKilled),
    limits: {
      memoryBytes: numberOf(host.Memory) > 0 ? numberOf(host.Memory) : null,
      cpus: cpusOf(host),
      pids: numberOf(host.PidsLimit) > 0 ? numberOf(host.PidsLimit) : null,
    },
    privileged: flagOf(host.Privileged),
    readOnlyRoot: flagOf(host.ReadonlyRootfs),
    capAdd: textsOf(host.CapAdd),
    capDrop: textsOf(host.CapDrop),
    networkMode: textOf(host.NetworkMode),
    attachments: Object.entries(objectOf(objectOf(wire.NetworkSettings).Networks)).map(attachmentOf),
    healthcheck: config.Healthcheck === null || config.Healthcheck === undefined
      ? null
      : words(textsOf(objectOf(config.Healthcheck).Test)),
    healthLog: listOf(objectOf(state.Health).Log).slice(-10).map((entry) =>
      healthEntry(objectOf(entry), said)
    ),
    logDriver: textOf(objectOf(host.LogConfig).Type),
  };
}

/** A command as a list: some engines write one text where others write a list. */
export function commandWords(value: unknown): string[] {
  return typeof value === "string" && value !== "" ? value.split(" ") : textsOf(value);
}

/** `NAME=value` entries as they are. */
/** Returns variables by name; null for a name without a value, which takes away what the image sets. */
export function plainEnvironment(entries: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(entries.map((entry) => {
    const equals = entry.indexOf("=");
    return equals < 0 ? [entry, null] : [entry.slice(0, equals), entry.slice(equals + 1)];
  }));
}

function environmentOf(config: Wire, reveal: boolean): Record<string, string> {
  const plain = plainEnvironment(textsOf(config.Env));
  return Object.fromEntries(
    Object.entries(plain).map(([name, value]) => [name, reveal ? value ?? "" : MASK]),
  );
}

export function restartOf(host: Wire): { name: string; maximumRetries: number } {
  const policy = objectOf(host.RestartPolicy);
  return { name: textOf(policy.Name) || "no", maximumRetries: numberOf(policy.MaximumRetryCount) };
}

export function cpusOf(host: Wire): number | null {
  if (numberOf(host.NanoCpus) > 0) return numberOf(host.NanoCpus) / 1e9;
  const quota = numberOf(host.CpuQuota);
  return quota > 0 ? quota / (numberOf(host.CpuPeriod) || 100_000) : null;
}

function attachmentOf([network, value]: [string, unknown]): Detail["attachments"][number] {
  const wire = objectOf(value);
  return {
    network,
    networkId: textOrNull(wire.NetworkID),
    address: textOrNull(wire.IPAddress),
    gateway: textOrNull(wire.Gateway),
    mac: textOrNull(wire.MacAddress),
    aliases: textsOf(wire.Aliases),
  };
}

function healthEntry(entry: Wire, text: (one: string) => string): Detail["healthLog"][number] {
  return {
    startedAt: timeOf(entry.Start),
    endedAt: timeOf(entry.End),
    exitCode: numberOf(entry.ExitCode),
    output: text(textOf(entry.Output).slice(0, 4_096)),
  };
}
