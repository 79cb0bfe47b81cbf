/** Writes what a container has of the world around it: variables, labels, mounts and ports. */

import type { Yaml } from "../../artifacts/yaml/write.ts";
import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { ENGINES_VARIABLES, TOOLS } from "../fields/environment.ts";
import { ownMemory } from "../fields/mounts.ts";
import { keyOf, type Writer } from "./writing.ts";

const environment: Writer = ({ env, imageDefaults: image }, { kind }) => {
  const isEngines = (name: string) =>
    kind === "podman" && ENGINES_VARIABLES.includes(name) &&
    (name !== "PATH" || image?.env["PATH"] === undefined);
  const own = Object.entries(env).filter(([name, value]) => image?.env[name] !== value && !isEngines(name));
  return keyOf("environment", Object.fromEntries(own));
};

const labels: Writer = ({ labels, imageDefaults: image }) => {
  const own = Object.entries(labels).filter(([name, value]) =>
    image?.labels[name] !== value && !TOOLS.test(name)
  );
  return keyOf("labels", Object.fromEntries(own));
};

type Mount = InspectedContainer["mounts"][number];

/** The name that an engine gives a volume without one. */
const ANONYMOUS = /^[0-9a-f]{64}$/;

const isAnonymous = ({ type, source }: Mount): boolean =>
  type === "volume" && (source === "" || ANONYMOUS.test(source));

/** Options that only the long form has. */
const LONG = /^(?:subpath|recursive|size|mode)=/;

function mountText(mount: Mount, source: string): Yaml {
  const { type, target, readOnly, options } = mount;
  const isShort = (type === "bind" || type === "volume") && !/[:,]/.test(source + target) &&
    !options.some((one) => LONG.test(one));
  if (isShort) {
    const words = [...readOnly ? ["ro"] : [], ...options];
    // Without a sign of a path Compose would take it for the name of a volume.
    const path = type === "bind" && !/^[./~]/.test(source) ? `./${source}` : source;
    return [path, target, ...words.length > 0 ? [words.join(",")] : []].join(":");
  }
  const valueOf = (name: string) => options.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const more: Record<string, Yaml> = {};
  const [subpath, size, mode, recursive] = ["subpath", "size", "mode", "recursive"].map(valueOf);
  const propagation = options.find((one) => /^r?(?:shared|slave|private)$/.test(one));
  const selinux = options.find((one) => /^[zZ]$/.test(one));
  if (subpath !== undefined) more["subpath"] = subpath;
  if (size !== undefined) more["size"] = Number(size);
  if (mode !== undefined) more["mode"] = parseInt(mode, 8);
  if (recursive !== undefined) more["recursive"] = recursive;
  if (options.includes("nocopy")) more["nocopy"] = true;
  if (propagation !== undefined) more["propagation"] = propagation;
  if (selinux !== undefined) more["selinux"] = selinux;
  return {
    type,
    ...(source !== "" && { source }),
    target,
    ...(readOnly && { read_only: true }),
    ...(Object.keys(more).length > 0 && { [type]: more }),
  };
}

const mounts: Writer = (container, { kind, volumeKey }) => {
  const { mounts, tmpfs, imageDefaults, inherited } = container;
  const ofImage = new Set((imageDefaults?.volumes ?? []).map(cleanPath));
  const inMemory = new Set(Object.keys(tmpfs).map(cleanPath));
  const engines = ownMemory(container, kind);
  const written = mounts.flatMap((mount): Yaml[] => {
    const target = cleanPath(mount.target);
    if (mount.type === "tmpfs" && (inMemory.has(target) || engines.includes(target))) return [];
    if (inherited.includes(mount.target)) return [];
    if (isAnonymous(mount)) return ofImage.has(target) ? [] : [target];
    return [mountText(mount, mount.type === "volume" ? volumeKey(mount.source) : mount.source)];
  });
  const memory = Object.entries(tmpfs).filter(([target]) => !engines.includes(cleanPath(target))).map((
    [target, options],
  ) => options === "" ? target : `${target}:${options}`);
  return keyOf("volumes", written) === null && memory.length === 0
    ? null
    : { ...keyOf("volumes", written), ...keyOf("tmpfs", memory) };
};

type Bound = InspectedContainer["ports"][number];

function portText({ container, protocol, host, hostLast, address }: Bound): string {
  const published = host === null ? "" : hostLast === undefined ? `${host}` : `${host}-${hostLast}`;
  const ip = address === null ? "" : address.includes(":") ? `[${address.replace(/^\[|\]$/g, "")}]` : address;
  const target = protocol === "tcp" ? `${container}` : `${container}/${protocol}`;
  if (ip !== "") return `${ip}:${published}:${target}`;
  return published === "" ? target : `${published}:${target}`;
}

/** A container without a network of its own publishes nothing. */
export const publishes = ({ networkMode }: InspectedContainer): boolean =>
  networkMode !== "host" && networkMode !== "none" && !networkMode.startsWith("container:");

const ports: Writer = (container) =>
  publishes(container) ? keyOf("ports", [...new Set(container.ports.map(portText))]) : null;

const exposed: Writer = ({ exposedPorts, ports, imageDefaults }) => {
  const known = new Set([
    ...ports.map(({ container, protocol }) => `${container}/${protocol}`),
    ...imageDefaults?.exposedPorts ?? [],
  ]);
  return keyOf(
    "expose",
    exposedPorts.filter((port) => !known.has(port)).map((port) => port.replace(/\/tcp$/, "")),
  );
};

export const outsideWriters: Readonly<Record<string, Writer>> = {
  environment,
  labels,
  mounts,
  // Copied into the container: no engine tells them.
  contents: () => null,
  ports,
  exposed,
};
