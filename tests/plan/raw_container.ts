/** What an engine itself says of a container, without what it gives each one anew: compared without berth's table. */
import type { TestEngine } from "../support/engine.ts";

// deno-lint-ignore no-explicit-any -- an engine's own answer
type Raw = any;

/** Fields that hold the container's own id, or a time, or the form in which the same was asked for. */
const OWN_HOST = ["ContainerIDFile", "Binds", "Mounts", "ConsoleSize", "NetworkMode", "PortBindings"];
const OWN_CONFIG = [
  "Hostname",
  "Labels",
  "AttachStdin",
  "AttachStdout",
  "AttachStderr",
  "StdinOnce",
  "ExposedPorts",
  "Volumes",
];

/** An empty list, nothing and false mean the same. */
const isEmpty = (value: Raw): boolean =>
  value === null || value === undefined || value === false || value === "" || value === 0 ||
  (typeof value === "object" && Object.keys(value).length === 0);

const without = (object: Raw, names: readonly string[]): Raw =>
  Object.fromEntries(
    Object.entries(object).filter(([name, value]) => !names.includes(name) && !isEmpty(value)),
  );

function sorted(value: Raw): Raw {
  return Array.isArray(value) ? [...value].sort() : value;
}

const SPELLED: Readonly<Record<string, string>> = { default: "bridge", no: "" };

/** Returns the settings of a container by their names. */
export async function rawOf(
  engine: TestEngine,
  id: string,
  nameOf: ReadonlyMap<string, string>,
): Promise<Record<string, Raw>> {
  const { json } = await engine.ask(`GET /containers/${id}/json`);
  // In the network of another container, Podman tells the other one's names, among them the beginning of its id.
  const short = new Map([...nameOf].map(([id, name]) => [id.slice(0, 12), name]));
  const named = (text: string) =>
    text.replace(/[0-9a-f]{64}/g, (one) => nameOf.get(one) ?? "anonymous").replace(id.slice(0, 12), "own")
      .replace(/^[0-9a-f]{12}$/, (one) => short.get(one) ?? one);
  const host = without(json.HostConfig, OWN_HOST);
  const config = without(json.Config, OWN_CONFIG);
  const labels = Object.entries(json.Config.Labels ?? {}).filter(([name]) =>
    !/^com\.docker\.compose\./.test(name)
  );
  const mounts = json.Mounts.map((one: Raw) =>
    [
      one.Type,
      one.Name === undefined ? one.Source : named(one.Name),
      one.Destination,
      one.RW,
      one.Propagation,
    ].join(" ")
  );
  const own = [json.Name.slice(1), json.Config.Labels?.["com.docker.compose.service"], "own"];
  const networks = Object.entries(json.NetworkSettings.Networks ?? {}).map(([name, one]: [string, Raw]) => [
    name,
    {
      aliases: sorted((one.Aliases ?? []).map(named).filter((alias: string) => !own.includes(alias))),
      ipam: one.IPAMConfig ?? {},
      links: sorted((one.Links ?? []).map(named)),
      options: one.DriverOpts ?? {},
    },
  ]);
  const ports = Object.entries(json.HostConfig.PortBindings ?? {}).map(([name, list]: [string, Raw]) =>
    `${name} ${
      (list ?? []).map(({ HostIp, HostPort }: Raw) => `${HostIp}:${HostPort === "0" ? "" : HostPort}`).sort()
    }`
  );
  const exposed = Object.keys(json.Config.ExposedPorts ?? {}).map((port) =>
    port.includes("/") ? port : `${port}/tcp`
  );
  const isOwnName = (variable: string) => variable === `HOSTNAME=${id.slice(0, 12)}`;
  return {
    ...Object.fromEntries(
      Object.entries({ ...host, ...config }).map(([name, value]) => [name, sorted(value)]),
    ),
    Env: [...json.Config.Env ?? []].filter((one) => !isOwnName(one)).sort(),
    RestartPolicy: {
      ...json.HostConfig.RestartPolicy,
      Name: SPELLED[json.HostConfig.RestartPolicy.Name] ?? json.HostConfig.RestartPolicy.Name,
    },
    NetworkMode: SPELLED[json.HostConfig.NetworkMode] ?? named(json.HostConfig.NetworkMode),
    Hostname: json.Config.Hostname === id.slice(0, 12) ? "" : json.Config.Hostname,
    // Compose calls a service by the names of its container, too.
    Links: sorted((json.HostConfig.Links ?? []).filter((one: string) => !/-\d+$/.test(one))),
    VolumesFrom: sorted((json.HostConfig.VolumesFrom ?? []).map(named)),
    IpcMode: named(json.HostConfig.IpcMode),
    PidMode: named(json.HostConfig.PidMode),
    Labels: Object.fromEntries(labels.sort()),
    Mounts: mounts.sort(),
    Ports: ports.sort(),
    ExposedPorts: exposed.sort(),
    Networks: Object.fromEntries(networks.sort()),
  };
}

/** Returns the names of settings in which two answers differ. */
export function rawDifferences(one: Record<string, Raw>, other: Record<string, Raw>): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}
