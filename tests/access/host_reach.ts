/**
 * Reads from the engine's own description what of the host or of other projects a container can reach. It holds facts
 * of the engines' API, and imports nothing of berth's table of rights.
 */

/** A container as `GET /containers/{id}/json` describes it. */
// deno-lint-ignore no-explicit-any -- the engine's own words
type Wire = any;

/** The folder that a project may mount, and the names of what it owns on the engine. */
export interface Own {
  readonly project: string;
  readonly folder: string;
  readonly containers: ReadonlySet<string>;
  readonly networks: ReadonlySet<string>;
  readonly volumes: ReadonlySet<string>;
}

const LOCAL_LOGS = ["json-file", "local", "journald", "none", "k8s-file", "passthrough", ""];
/** Kernel parameters that Linux keeps once for each network or IPC namespace. */
const OF_A_NAMESPACE = /^(net\.|kernel\.(msg|sem$|shm)|fs\.mqueue\.)/;

/** Returns every fact by which the container reaches beyond its project. */
export function hostReach(
  { HostConfig: host, Mounts: mounts, NetworkSettings: net }: Wire,
  own: Own,
): string[] {
  const found: string[] = [];
  const note = (is: unknown, fact: string) => void (is && found.push(fact));
  note(host.Privileged, "privileged");
  note(host.CapAdd?.length > 0, `capabilities ${host.CapAdd}`);
  note(host.Devices?.length > 0, "devices");
  note(host.DeviceCgroupRules?.length > 0, "device rules");
  note(host.DeviceRequests?.length > 0, "device requests");
  note(host.CgroupParent, `cgroup parent ${host.CgroupParent}`);
  note(host.OomKillDisable === true, "never killed for memory");
  note(host.OomScoreAdj < 0, "killed for memory after others");
  for (const option of host.SecurityOpt ?? []) {
    note(!/^no-new-privileges(?:[:=]true)?$/.test(option), `security ${option}`);
  }
  for (const name of Object.keys(host.Sysctls ?? {})) note(!OF_A_NAMESPACE.test(name), `sysctl ${name}`);
  for (const key of ["PidMode", "IpcMode", "UTSMode", "UsernsMode", "CgroupnsMode", "NetworkMode"]) {
    const mode: string = host[key] ?? "";
    const other = /^container:(.*)$/.exec(mode)?.[1];
    note(/^(host$|ns:|pod:|slirp4netns:.|pasta:.)/.test(mode) && !isDefault(key, mode), `${key} ${mode}`);
    note(other !== undefined && !own.containers.has(other), `${key} ${mode}`);
  }
  for (const one of host.VolumesFrom ?? []) {
    note(!own.containers.has(one.split(":")[0]), `volumes from ${one}`);
  }
  note(!LOCAL_LOGS.includes(host.LogConfig?.Type ?? ""), `log driver ${host.LogConfig?.Type}`);
  for (const { Type, Source, Name, Destination, Propagation } of mounts ?? []) {
    if (Type === "bind") {
      note(!`${Source}/`.startsWith(`${own.folder}/`), `bind ${Source} at ${Destination}`);
      note(
        /shared|slave/.test(Propagation ?? "") && Propagation !== "rprivate",
        `propagation ${Propagation}`,
      );
    }
    if (Type === "volume") {
      note(!own.volumes.has(Name) && !/^[0-9a-f]{64}$/.test(Name), `volume ${Name} at ${Destination}`);
    }
  }
  for (const name of Object.keys(net?.Networks ?? {})) {
    const isPlain = ["none", "bridge", "podman"].includes(name);
    note(!isPlain && !own.networks.has(name) && name !== "host", `network ${name}`);
  }
  return found;
}

/** Engines on the first version of control groups say "host" of every container: nothing can be told there. */
const isDefault = (key: string, mode: string): boolean => key === "CgroupnsMode" && mode === "host";

interface Need {
  readonly permission: string;
}

/** Returns the facts that nobody was asked about: the needs of the step that made the container do not name them. */
export function unasked(facts: readonly string[], needs: readonly Need[]): string[] {
  const has = (pattern: RegExp) => needs.some(({ permission }) => pattern.test(permission));
  if (has(/^projects:host$/)) return [];
  return facts.filter((fact) =>
    !(fact.startsWith("network ") && has(/^networks:/)) && !(fact.startsWith("volume ") && has(/^volumes:/))
  );
}
