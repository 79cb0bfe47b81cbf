/** Compares two definitions of a service, field by field: the one that a manager keeps, and the one it would be sent. */
import { looksSecret, MASK, maskCommandOf, maskText } from "../../../core/secrets.ts";
import type { SpecDifference } from "../../../core/stacks.ts";
import { listOf, mapOf, objectOf, textOf, textsOf, type Wire } from "../../../engines/calls/wire.ts";
import { FIELD_OF } from "./field_names.ts";
import { plain } from "./plain.ts";

type NameOf = (id: string) => string | null;

/** `networkOf` names a network by its id; null where the manager has none of that id. */
export function compareSpecs(declared: Wire, actual: Wire, networkOf: NameOf): SpecDifference[] {
  const [ours, theirs] = [fieldsOf(declared, (name) => name), fieldsOf(actual, networkOf)];
  const [image, pinned] = [ours.get("image"), theirs.get("image")];
  // Swarms pin every image: without a digest in the file any one of the tag is meant.
  if (pinned !== undefined && image?.includes("@") !== true) theirs.set("image", pinned.replace(/@.*$/, ""));
  const [ourProgram, theirProgram] = [programOf(declared), programOf(actual)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].sort().flatMap((field) => {
    const [wanted, seen] = [ours.get(field), theirs.get(field)];
    if (wanted === seen) return [];
    const isOther = field.startsWith("environment.") && wanted !== undefined && seen !== undefined;
    return [{
      field,
      declared: shown(field, wanted, ourProgram),
      actual: isOther ? "(another value)" : shown(field, seen, theirProgram),
      isAbsent: wanted === undefined,
    }];
  });
}

/** The program that the arguments of a definition are given to. */
const programOf = ({ TaskTemplate }: Wire): string[] =>
  textsOf(objectOf(objectOf(TaskTemplate).ContainerSpec).Command);

function shown(field: string, value: string | undefined, program: readonly string[]): string {
  if (value === undefined) return "(not set)";
  if (field.startsWith("environment.")) return MASK;
  const [, name] = /^(?:deploy\.labels|labels|log\.options|sysctls)\.(.*)$/s.exec(field) ?? [];
  if (name !== undefined && looksSecret(name)) return MASK;
  if (field === "command") return maskCommandOf(program, value);
  // Options of drivers, which have names of their own.
  return maskText(value.replace(OPTION, (all, key: string) => looksSecret(key) ? `"${key}":"${MASK}"` : all));
}

/** One text of an object in JSON, and its name. */
const OPTION = /"([^"\\]*)":"(?:[^"\\]|\\.)*"/g;

/** Labels by which clients know their own objects. */
const OWN_LABEL = /^(?:com\.docker\.stack\.|dev\.berth\.)/;
/** Set by the swarm itself, or by Docker's client from the registry, and carried over. */
const NOT_WRITTEN = [
  ...["Name", "Labels", "Mode"],
  ...["ForceUpdate", "Runtime", "Placement.Platforms"].map((key) => `TaskTemplate.${key}`),
];
/** Parts that are compared entry by entry. */
const BY_ENTRY = [
  ...["Labels", "Env", "Mounts", "Secrets", "Configs", "Ulimits", "Sysctls"].map((key) =>
    `TaskTemplate.ContainerSpec.${key}`
  ),
  "TaskTemplate.Networks",
  "TaskTemplate.LogDriver.Options",
  "EndpointSpec.Ports",
];

/** Returns the values of a definition by the names that drift has for them. */
function fieldsOf(spec: Wire, networkOf: NameOf): Map<string, string> {
  const found = new Map<string, string>();
  const template = objectOf(spec.TaskTemplate);
  const container = objectOf(template.ContainerSpec);
  const entries = (field: string, values: Iterable<readonly [string, unknown]>) => {
    for (const [name, value] of values) found.set(`${field}.${name}`, said(value));
  };
  const labels = (wire: unknown) => Object.entries(mapOf(wire)).filter(([name]) => !OWN_LABEL.test(name));
  entries("deploy.labels", labels(spec.Labels));
  entries("labels", labels(container.Labels));
  entries("environment", textsOf(container.Env).map((one) => [one.split("=", 1)[0] ?? "", one]));
  entries("mounts", listOf(container.Mounts).map((one) => mountEntry(objectOf(one))));
  for (const kind of ["Secret", "Config"] as const) {
    entries(
      `${kind.toLowerCase()}s`,
      listOf(container[`${kind}s`]).map((one) => fileEntry(kind, objectOf(one))),
    );
  }
  entries(
    "ulimits",
    listOf(container.Ulimits).map((one) => {
      const { Name, Soft, Hard } = objectOf(one);
      return [textOf(Name), `${Soft}:${Hard}`];
    }),
  );
  entries("sysctls", Object.entries(mapOf(container.Sysctls)));
  entries("log.options", Object.entries(mapOf(objectOf(template.LogDriver).Options)));
  entries("networks", listOf(template.Networks).map((one) => networkEntry(objectOf(one), networkOf)));
  const ports = listOf(objectOf(spec.EndpointSpec).Ports).map((one) => portText(objectOf(one))).sort();
  if (ports.length > 0) found.set("ports", ports.join(", "));
  for (const [field, value] of modeFields(objectOf(spec.Mode))) found.set(field, value);
  flatten(spec, "", found);
  return found;
}

/** All that is not compared entry by entry, also what berth has no name for. */
function flatten(value: unknown, path: string, found: Map<string, string>): void {
  if (NOT_WRITTEN.includes(path) || BY_ENTRY.includes(path)) return;
  const known = FIELD_OF.get(path);
  if (known === undefined && typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const [key, one] of Object.entries(value)) flatten(one, path === "" ? key : `${path}.${key}`, found);
    return;
  }
  const text = (known?.say ?? said)(value);
  if (text !== "" && !(known?.none ?? ["0", "false"]).includes(text)) found.set(known?.field ?? path, text);
}

/** Returns a value as text; nothing for what says nothing. */
function said(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) {
    return value.map((one) => typeof one === "string" ? quoted(one) : JSON.stringify(plain(one))).join(" ");
  }
  return typeof value === "object" ? JSON.stringify(plain(value)) : String(value);
}

const quoted = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);

function mountEntry(wire: Wire): readonly [string, string] {
  const { Type, Source, Target, ReadOnly, Consistency: _, ...options } = wire;
  const access = ReadOnly === true ? " read-only" : "";
  const more = JSON.stringify(plain(options));
  return [
    textOf(Target).replace(/(?<=.)\/+$/, ""),
    `${textOf(Type)} ${textOf(Source)}`.trim() + access + (more === "{}" ? "" : ` ${more}`),
  ];
}

function fileEntry(kind: "Secret" | "Config", wire: Wire): readonly [string, string] {
  const { Name, UID, GID, Mode } = objectOf(wire.File);
  const mode = typeof Mode === "number" ? Mode.toString(8) : "444";
  return [textOf(Name), `${textOf(wire[`${kind}Name`])} ${textOf(UID)}:${textOf(GID)} 0${mode}`];
}

function networkEntry(wire: Wire, networkOf: NameOf): readonly [string, string] {
  const { Target, Aliases, DriverOpts } = wire;
  const target = textOf(Target);
  const options = JSON.stringify(plain(objectOf(DriverOpts)));
  const aliases = [...new Set(textsOf(Aliases))].sort().join(", ");
  return [networkOf(target) ?? target, `as ${aliases}${options === "{}" ? "" : ` ${options}`}`];
}

function portText({ Protocol, TargetPort, PublishedPort, PublishMode }: Wire): string {
  const host = typeof PublishedPort === "number" && PublishedPort > 0 ? `${PublishedPort}:` : "";
  const mode = PublishMode === "host" ? " on its node alone" : "";
  return `${host}${String(TargetPort)}/${textOf(Protocol) || "tcp"}${mode}`;
}

function* modeFields(mode: Wire): Iterable<readonly [string, string]> {
  if (mode.Global !== undefined) yield ["deploy.mode", "global"];
  else if (mode.GlobalJob !== undefined) yield ["deploy.mode", "global-job"];
  else if (mode.ReplicatedJob !== undefined) {
    yield ["deploy.mode", "replicated-job"];
    yield ["replicas", String(objectOf(mode.ReplicatedJob).TotalCompletions ?? 1)];
  } else {
    yield ["deploy.mode", "replicated"];
    yield ["replicas", String(objectOf(mode.Replicated).Replicas ?? 1)];
  }
}
