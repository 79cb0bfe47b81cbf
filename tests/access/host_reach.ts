/**
 * Reads from the engine's own description what of the host or of other projects a container can reach. Each field that
 * differs from a container which the engine made of nothing but an image is judged by `engine_reach.ts`; where the answer
 * depends on who owns something, the owner is looked up. It imports nothing of berth's table of rights.
 */
import { CONFIG, HOST_CONFIG, MOUNT, reachOf } from "./engine_reach.ts";

/** A container as `GET /containers/{id}/json` describes it. */
// deno-lint-ignore no-explicit-any -- the engine's own words
type Wire = any;

/** The folder that a project may mount, and the names of what it owns on the engine. */
export interface Own {
  /** Null where nobody tells: no bind mount counts as the project's own then. */
  readonly folder: string | null;
  /** The same folder under other paths of the engine. */
  readonly sameFolders?: ReadonlySet<string>;
  readonly containers: ReadonlySet<string>;
  readonly networks: ReadonlySet<string>;
  readonly volumes: ReadonlySet<string>;
}

const NAMESPACES = ["PidMode", "IpcMode", "UTSMode", "UsernsMode", "CgroupnsMode", "NetworkMode", "Cgroup"];
/** Judged by `Mounts` and `NetworkSettings`, where both engines tell of all that is there. */
const ELSEWHERE = ["Binds", "Mounts"];
/** Annotations of the engine itself. */
const GIVEN =
  /^(?:io\.(?:container\.manager|podman\.|kubernetes\.cri-o\.)|org\.systemd\.|org\.opencontainers\.)/;
/** Labels by which berth and Compose know their containers. */
const OWN_LABEL = /^(?:com\.docker\.compose\.|dev\.berth\.)/;

/** Returns every fact by which the container reaches beyond its project. */
export function hostReach(container: Wire, own: Own, ordinary: Wire): string[] {
  const { HostConfig: host, Config: config, Mounts: mounts, NetworkSettings: net } = container;
  return [
    ...Object.entries(host).flatMap(([key, value]) => {
      if (isSame(value, ordinary.HostConfig[key]) || isEmpty(value) || ELSEWHERE.includes(key)) return [];
      return fieldReach(key, value, own);
    }),
    ...Object.entries(config ?? {}).flatMap(([key, value]) => {
      const field = CONFIG[key];
      if (field === undefined || isSame(value, ordinary.Config[key]) || isEmpty(value)) return [];
      const kept = key === "Labels" ? without(value as Wire, OWN_LABEL) : value;
      return reachOf(field, kept) === "own" ? [] : [`${key} ${JSON.stringify(kept)}`];
    }),
    ...(mounts ?? []).flatMap((mount: Wire) => mountFacts(mount, own)),
    ...Object.keys(net?.Networks ?? {}).flatMap((name) =>
      ["none", "bridge", "podman", "host"].includes(name) || own.networks.has(name) ? [] : [`network ${name}`]
    ),
  ];
}

function fieldReach(key: string, value: Wire, own: Own): string[] {
  const fact = [`${key} ${JSON.stringify(value)}`];
  const field = HOST_CONFIG[key];
  if (field === undefined) return ENGINES_OWN.includes(key) ? [] : fact;
  if (NAMESPACES.includes(key)) {
    const other = /^container:(.*)$/.exec(value)?.[1];
    if (other !== undefined) return own.containers.has(other) ? [] : fact;
    // Podman tells "bridge" and "private", and Docker the network's own name.
    return own.networks.has(value) || reachOf(field, value) === "own" ? [] : fact;
  }
  if (key === "VolumesFrom") {
    return value.every((one: string) => own.containers.has(one.split(":")[0]!)) ? [] : fact; // it has a first part
  }
  if (key === "Annotations") return Object.keys(without(value, GIVEN)).length === 0 ? [] : fact;
  // Limits of a device take a path in, and give none out.
  if (/^BlkioDevice|^BlkioWeightDevice/.test(key)) return [];
  return reachOf(field, value) === "own" ? [] : fact;
}

/** Fields that only an answer has, of what was asked by others. */
const ENGINES_OWN = ["CgroupMode", "Cgroups", "IDMappings"];

function mountFacts(mount: Wire, own: Own): string[] {
  const { Type, Source, Name, Destination, Propagation } = mount;
  if (Type === "volume") {
    return own.volumes.has(Name) || /^[0-9a-f]{64}$/.test(Name) ? [] : [`volume ${Name} at ${Destination}`];
  }
  if (Type !== "bind") {
    return reachOf(MOUNT.Type!, Type) === "own" ? [] : [`a mount of the type ${Type} at ${Destination}`];
  }
  const folders = [...own.folder === null ? [] : [own.folder], ...own.sameFolders ?? []];
  const isOwn = folders.some((folder) => `${Source}/`.startsWith(`${folder}/`));
  const isShared = !["", "private", "rprivate"].includes(Propagation ?? "");
  return [
    ...isOwn ? [] : [`bind ${Source} at ${Destination}`],
    ...isShared ? [`propagation ${Propagation} at ${Destination}`] : [],
  ];
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || value === false || value === 0;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const without = (map: Readonly<Record<string, unknown>>, names: RegExp) =>
  Object.fromEntries(Object.entries(map).filter(([name]) => !names.test(name)));

interface Need {
  readonly permission: string;
}

/** Returns the facts that nobody was asked about: the needs of the step that made the container do not name them. */
export function unasked(facts: readonly string[], needs: readonly Need[]): string[] {
  const has = (pattern: RegExp) => needs.some(({ permission }) => pattern.test(permission));
  if (has(/^projects:host$/)) return [];
  return facts.filter((fact) =>
    !(/^(?:network |NetworkMode )/.test(fact) && has(/^networks:/)) &&
    !(fact.startsWith("volume ") && has(/^volumes:/))
  );
}
