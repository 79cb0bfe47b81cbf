/** Reasons that block a plan: files that were read in part, and decisions that only a person can make. */

import type { ArtifactFile, Node, Place, Unit } from "../../artifacts/artifact.ts";
import { truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import { unreadError } from "../drift/unread.ts";
import { uncovered } from "../fields/coverage.ts";
import { type Declared, nodeAt, UNKNOWN } from "../fields/field.ts";
import { hooksOf } from "../fields/hooks.ts";
import { compact } from "../fields/security.ts";
import { grantsOf } from "../fields/grants.ts";
import { resourceJson } from "../hash/resource_labels.ts";
import { serviceJson } from "../hash/service_json.ts";
import { pathOf } from "../fields/mount_sources.ts";
import { MOST_PORTS, portsOf } from "../fields/ports.ts";
import { oncePerUnit, plannedSpec, unknownsOf } from "../specs/container_spec.ts";
import { tooNew, tooNewIn } from "../fields/since.ts";
import { bindsIn } from "../specs/bind_sources.ts";
import { isInside } from "../../artifacts/files/inside.ts";
import { listed, NO_REMEDY } from "../../core/remedy.ts";
import { errorsOf } from "../../artifacts/rules/check.ts";
import { isLifted, type JudgedFinding } from "../../artifacts/rules/settings.ts";
import { type Draft, edited } from "./draft.ts";
import { type Asked, namesakes, type Scene } from "./scene.ts";
import { remediesFor, unsetMessage, unsetRemedies } from "./unset.ts";

/** Blocks a plan for what the files alone say. */
export function blockByFiles(asked: Asked, draft: Draft): void {
  const { group } = asked;
  const at = group.projectFrom.at;
  if (group.standing !== "main") {
    const message =
      `"${group.name}" is ${
        group.standing === "included" ? "included by another group" : `a ${group.standing}`
      }: ` +
      "plan the group that it belongs to";
    const remedy = NO_REMEDY("the group that it belongs to has a plan of its own");
    draft.block("project/not-main", message, at, group.id, remedy);
  }
  if (group.incomplete) {
    // The error itself where there is one: an include that is missing stands at the group.
    const error = unreadError(group);
    const why = error === undefined ? "" : `, ${error.message}`;
    const message =
      `A file of this group could not be read whole${why}: what is not read would be taken for removed`;
    const where = error?.at ?? group.source;
    draft.block("project/incomplete", message, where, group.id, edited(where));
  }
  const others = namesakes(asked);
  if (others !== "") {
    const message = `Other groups have the project name "${group.project}" too: ${others}`;
    draft.block("project/same-name", message, at, group.id, edited(at));
  }
}

/**
 * Blocks a plan whose own units have errors. The author of a file can silence its findings, so that counts only for
 * a caller who may reach the host.
 */
export function blockByErrors(
  { model, group, mayReachHost }: Asked,
  active: readonly Unit[],
  draft: Draft,
): void {
  const idle = group.units.filter((unit) => !active.includes(unit));
  const isIdle = ({ at, subject }: JudgedFinding) =>
    idle.some(({ id, extent }) =>
      id === subject ||
      (at !== null && at.file === extent.file && at.start >= extent.start && at.end <= extent.end)
    );
  for (const one of errorsOf(group)) {
    if (isIdle(one) || (mayReachHost && isLifted(model, one))) continue;
    const subject = one.subject ?? group.id;
    if (draft.isBlockedBy({ ...one, subject })) continue;
    const missing = one.code === "env/required-variable-missing" ? [String(one.data?.["variable"])] : [];
    const remedies = listed(remediesFor(missing, one.at, group));
    draft.blocked.push({ ...one, subject, remedies });
  }
}

/** Blocks a plan for what one unit says. */
export function blockByUnit(of: Declared, draft: Draft): void {
  const { unit, service } = of;
  for (const { key, at } of uncovered(unit)) {
    draft.block(
      "compose/field-not-supported",
      `"${key}" has no place in a plan yet: take it out, or use docker compose`,
      at,
      unit.id,
      edited(at),
    );
  }
  for (const [label, { at }] of service.labels) {
    if (!/^(?:com\.docker\.compose|dev\.berth)\./.test(label)) continue;
    const message = `The label "${label}" is Compose's or berth's own`;
    draft.block("project/reserved-label", message, at, unit.id, edited(at));
  }
  blockByValues(of, draft);
  for (const mount of service.mounts) {
    if (mount.createHostPath) continue;
    const use = pathOf(unit, mount);
    if (use?.found !== "missing") continue;
    draft.block(
      "project/absent-file",
      `"${use.written}" is not there, and is not to be made`,
      use.at,
      unit.id,
      edited(use.at),
    );
  }
  const { containerNameAt, containerName, replicas } = service;
  if (containerName !== null && replicas !== null && replicas > 1) {
    const message = `${replicas} containers cannot all be called "${containerName}"`;
    draft.block("project/name-of-several", message, containerNameAt, unit.id, edited(containerNameAt));
  }
}

/** Blocks a plan for values of a unit that are not known, and would be left out of its request. */
export function blockByValues(of: Declared, draft: Draft): void {
  const { group, unit } = of;
  for (const at of unsetIn(of)) {
    const message = unsetMessage(at, group);
    draft.block("project/unknown-variable", message, at, unit.id, unsetRemedies(at, group));
  }
  const broken = blockByReadFiles(unit, draft);
  for (const { field, at } of unknownsOf(of)) {
    if (broken.has(at.file) || isBlockedWithin(draft, at)) continue;
    const message = field === "ports" && portsOf(of) > MOST_PORTS
      ? `${portsOf(of)} ports are published, and a plan takes ${MOST_PORTS} at most: publish fewer`
      : `The value of "${field}" is not known, and would be left out: mend it, or set its variable`;
    draft.block("project/unknown-value", message, at, unit.id, edited(at));
  }
}

/** Blocks on values of networks and volumes that are not known, and would be left out of their request. */
export function blockByResources({ group }: Asked, active: readonly Unit[], draft: Draft): void {
  const used = new Set(active.flatMap(({ references }) => references.flatMap(({ target }) => target ?? [])));
  for (const resource of group.resources) {
    if (resource.external || !used.has(resource.id)) continue;
    if (resource.kind !== "network" && resource.kind !== "volume") continue;
    for (const at of unknownIn(resource.value)) {
      const message = unsetMessage(at, group);
      draft.block("project/unknown-variable", message, at, resource.id, unsetRemedies(at, group));
    }
    const json = resourceJson(resource);
    if (typeof json === "string" || isBlockedWithin(draft, json.at)) continue;
    const message = `The value of "${json.field}" is not known, and would be left out: mend it`;
    draft.block("project/unknown-value", message, json.at, resource.id, edited(json.at));
  }
}

/** Returns the fields for which Compose's JSON is not sure: one, or none. */
const formlessOf = oncePerUnit((of) => {
  const json = serviceJson(of, "a", (service) => service);
  return typeof json === "string" ? [] : [json];
});

/** Warns where Compose would not recognise the container that berth makes, and would make it anew. */
export function warnByHash(of: Declared, draft: Draft): void {
  const { id, label } = of.unit;
  if (draft.blocked.some(({ subject }) => subject === id)) return;
  for (const { field, at } of formlessOf(of)) {
    const message = `Compose's hash of "${label}" cannot be computed, because of "${field}": ` +
      `the next "docker compose up" makes its container anew. Mend the value to keep it`;
    draft.warn("project/no-hash", message, at, id, edited(at));
  }
}

/** Blocks on files of variables and labels that cannot be read, and returns those with errors: one block stands for all values of a file. */
function blockByReadFiles({ id, paths }: Unit, draft: Draft): ReadonlySet<ArtifactFile> {
  const broken = new Set<ArtifactFile>();
  for (const { kind, file, found, refused, required, written, at } of paths) {
    if (kind === "seccomp" && file !== undefined && compact(file.text) === null) {
      const message = `"${written}" is no seccomp profile: it is not JSON`;
      draft.block("project/unreadable-file", message, at, id, edited(at));
    }
    if (kind !== "env_file" && kind !== "label_file" && kind !== "seccomp") continue;
    const [error] = file?.findings ?? [];
    if (file !== undefined && error !== undefined) {
      if (broken.has(file)) continue;
      broken.add(file);
      const message = `"${written}" cannot be read: ${error.message}`;
      draft.block("project/unreadable-file", message, error.at, id, edited(error.at ?? at));
    } else if (file === undefined && (found !== "missing" || required)) {
      const why = refused === undefined ? "" : `: ${refused}`;
      draft.block("project/unreadable-file", `"${written}" cannot be read${why}`, at, id, edited(at));
    }
  }
  return broken;
}

/** Returns true if a value at this place, or within it, blocks the plan already. */
const isBlockedWithin = ({ blocked }: Draft, { file, start, end }: Place): boolean =>
  blocked.some(({ at }) => at !== null && at.file === file && at.start >= start && at.end <= end);

/** Blocks a plan for what its engine is too old for, or cannot do. */
export function blockByEngine({ backend, group }: Scene, unit: Unit, draft: Draft): void {
  const used = new Set(unit.references.flatMap(({ kind, target }) => kind === "uses" ? target ?? [] : []));
  const networks = group.resources.filter((one) => one.kind === "network" && used.has(one.id));
  const found = [...tooNew(unit, backend), ...networks.flatMap((one) => tooNewIn(one, backend) ?? [])];
  for (const { key, at, since, os } of found) {
    const needed = since === null
      ? os ?? "Docker"
      : `Docker's API ${since}, and this engine has ${backend.apiVersion}`;
    draft.block(
      "project/engine-cannot",
      `"${key}" cannot be asked of the engine "${backend.name}": it needs ${needed}`,
      at,
      unit.id,
      edited(at),
    );
  }
}

/** The folder of the workspace is somewhere else on the engine's host: the engine would make empty folders. */
export function blockByHost(scene: Scene, of: Declared, draft: Draft): void {
  const { hostSight, model, backend } = scene;
  if (hostSight === "same") return;
  const binds = bindsIn(plannedSpec(of)).filter(({ source }) => isInside(source, model.root));
  const [first] = binds;
  if (first === undefined) return;
  const shown = `./${first.source.slice(model.root.length + 1)}`;
  const at = of.service.mounts.find(({ target }) => target === first.target)?.at ?? of.unit.source;
  const many = `${binds.length} mount${binds.length === 1 ? "" : "s"}`;
  const advice = `Register the folder there, use a volume, or map it with "paths" in berth.yaml.`;
  if (hostSight === "unknown") {
    const message =
      `Nothing tells whether "${backend.name}" has "${shown}": ${many} may be empty folders there. ${advice}`;
    draft.warn("project/host-unknown", message, at, of.unit.id, edited(at));
    return;
  }
  const why = hostSight === "absent" ? "does not exist on" : "is in another folder on";
  const message = `"${shown}" ${why} "${backend.name}": ${many} would be empty folders. ${advice}`;
  draft.block("project/not-on-engine", message, at, of.unit.id, edited(at));
}

/** A source that is a loop of links: the engine would fail in the middle of the apply. */
export function blockByLoops({ loops }: Scene, of: Declared, draft: Draft): void {
  for (const { source, target } of bindsIn(plannedSpec(of))) {
    if (!loops.has(source)) continue;
    const mount = of.service.mounts.find((one) => one.target === target);
    const message =
      `"${mount?.shown.source ?? source}" is a loop of links, which leads to no file or folder: ` +
      "mend the link, or take the mount out";
    const at = mount?.at ?? of.unit.source;
    draft.block("project/absent-file", message, at, of.unit.id, edited(at));
  }
}

/** Secrets and configs that are no files are copied into the container. */
export function blockByGrants(of: Declared, draft: Draft): void {
  const isReadOnly = truthOf(valueAt(of.unit.value, "read_only")) === true;
  for (const { id, copy, at } of grantsOf(of)) {
    if (copy === null) continue;
    if (copy.content === null) {
      const message = `What "${id}" holds is not known`;
      draft.block("project/unknown-variable", message, at, of.unit.id, edited(at));
    } else if (isReadOnly) {
      const message = `"${id}" is no file, and cannot be copied into a read-only container: make it a "file"`;
      draft.block("project/read-only", message, at, of.unit.id, edited(at));
    }
  }
  for (const { kind, source, at } of of.service.grants) {
    const resource = of.group.resources.find((one) => one.kind === kind && one.key === source);
    if (resource === undefined) continue;
    const fileAt = valueAt(resource.value, "file");
    const use = of.group.paths.find((path) => path.kind === kind && path.at === fileAt);
    if (use?.found === "missing") {
      // Engines would make a folder of that name.
      draft.block(
        "project/absent-file",
        `"${use.written}" of "${resource.id}" is not there`,
        use.at,
        of.unit.id,
        edited(use.at),
      );
    }
    if (!resource.external) continue;
    const message = `The external ${kind} "${source}" is a swarm's, and no engine alone has it`;
    draft.block("compose/field-not-supported", message, at, of.unit.id, edited(at));
  }
}

/** A hook that is known in part would be left out, or run as another one. */
export function blockByHooks(of: Declared, draft: Draft): void {
  for (const key of ["post_start", "pre_stop"] as const) {
    if (hooksOf(of, key) !== UNKNOWN) continue;
    const message = `A hook of "${key}" has no command, or a variable in it is not set`;
    const at = nodeAt(of, key);
    draft.block("project/unknown-hook", message, at, of.unit.id, edited(at));
  }
}

/** The project that holds berth itself: a process cannot swap itself. */
export function blockSelf({ members, group }: Scene, self: string | null, draft: Draft): void {
  for (const [label, list] of members) {
    for (const { container } of list) {
      const isSelf = container.id === self || container.labels["dev.berth.self"] !== undefined;
      if (!isSelf) continue;
      const message = `Container "${container.name}" is berth itself, which cannot replace itself: type ` +
        `"docker compose -p ${group.project} up -d" on its host`;
      const unit = group.units.find((one) => one.label === label);
      const at = unit?.source ?? group.source;
      const remedy = NO_REMEDY("only the host can replace berth, with the command of the message");
      draft.block("project/self", message, at, unit?.id ?? group.id, remedy);
    }
  }
}

/** Returns the values of a unit that hold a variable that is not set. */
const unsetIn = oncePerUnit(({ unit }) => [...unknownIn(unit.value)]);

/** Yields the values below a node that hold a variable that is not set, but for those of extensions. */
function* unknownIn(node: Node): Iterable<Node> {
  if (node.kind === "scalar") {
    if (node.unknown) yield node;
  } else if (node.kind === "list") { for (const item of node.items) yield* unknownIn(item); }
  else {
    for (const [key, { value }] of node.entries) if (!key.startsWith("x-")) yield* unknownIn(value);
  }
}
