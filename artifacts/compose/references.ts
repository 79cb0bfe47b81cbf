/** The references of a service: other services, networks, volumes, secrets, configs, models. */

import type { Entry, Node, Place, Reference, Service } from "../artifact.ts";
import type { ReferenceKind, ResourceKind } from "../kinds.ts";
import { entriesOf, isNull, isUnknown, listOf, textOf, truthOf, valueAt, writtenOr } from "../yaml/values.ts";
import { grants } from "./service.ts";

const NAMESPACES = ["network_mode", "ipc", "pid", "uts", "cgroup"];

/** Links, namespaces and `volumes_from` are dependencies, too. */
const IMPLIED = { implicit: true, condition: "service_started", required: true };

/** The meaning of a service's names in its project. `resource` gives the id of a key, defined or not. */
export interface ProjectNames {
  readonly group: string;
  readonly resource: (kind: ResourceKind, key: string) => string;
  /** Returns true if the project defines it. */
  readonly defines: (kind: ResourceKind | "unit", key: string) => boolean;
}

/** All references of one service. `key` is its own key, which stands for the default network. */
export function referencesOf(
  id: string,
  value: Node,
  service: Service,
  names: ProjectNames,
  key: Place,
): Reference[] {
  const found = new Collector(id, names);
  dependencies(value, found);
  impliedDependencies(value, found);
  otherServices(value, found);
  networks(value, service, key, found);
  mountsAndGrants(value, service, found);
  byName("model", valueAt(value, "models"), "models", found);
  credentialSpec(value, found);
  return found.references;
}

type More = Partial<Reference>;
type Named = Entry["key"];

class Collector {
  readonly references: Reference[] = [];
  readonly #from: string;
  readonly #names: ProjectNames;

  constructor(from: string, names: ProjectNames) {
    this.#from = from;
    this.#names = names;
  }

  unit(kind: ReferenceKind, name: string, at: Named, under: string, more: More = {}): void {
    const meant = this.#meant("unit", name, at);
    this.#add(kind, `unit:${this.#names.group}.${meant}`, writtenOr(at, name), at, under, more);
  }

  resource(kind: ResourceKind, key: string, at: Named, under: string, more: More = {}): void {
    const meant = this.#meant(kind, key, at);
    this.#add("uses", this.#names.resource(kind, meant), writtenOr(at, key), at, under, more);
  }

  /** Names what is missing as it is written: the value of a variable is not shown. */
  #meant(kind: ResourceKind | "unit", name: string, at: Named): string {
    return this.#names.defines(kind, name) ? name : writtenOr(at, name);
  }

  #add(
    kind: ReferenceKind,
    target: string,
    written: string,
    at: Place,
    under: string,
    more: More,
  ): void {
    this.references.push({ kind, from: this.#from, target, written, at, under, implicit: false, ...more });
  }
}

function dependencies(value: Node, found: Collector): void {
  const written = valueAt(value, "depends_on");
  for (const item of listOf(written)) {
    const name = textOf(item);
    if (name === null) continue;
    found.unit("depends_on", name, item, "depends_on", { condition: "service_started", required: true });
  }
  for (const [name, entry] of entriesOf(written)) {
    found.unit("depends_on", name, entry.key, "depends_on", {
      condition: conditionOf(valueAt(entry.value, "condition")),
      required: truthOf(valueAt(entry.value, "required")) !== false,
      restart: truthOf(valueAt(entry.value, "restart")) === true,
    });
  }
}

const CONDITIONS = ["service_started", "service_healthy", "service_completed_successfully"];

function conditionOf(node: Node | null): string {
  const text = textOf(node) ?? "service_started";
  return CONDITIONS.includes(text) ? text : writtenOr(node, text);
}

function impliedDependencies(value: Node, found: Collector): void {
  for (const item of listOf(valueAt(value, "links"))) {
    const name = textOf(item)?.split(":")[0];
    if (name) found.unit("link", name, item, "links", { ...IMPLIED, restart: true });
  }
  for (const under of NAMESPACES) {
    const at = valueAt(value, under);
    const name = serviceIn(textOf(at));
    if (name && at) found.unit("namespace", name, at, under, { ...IMPLIED, restart: true });
  }
  for (const item of listOf(valueAt(value, "volumes_from"))) {
    const [name, mode] = (textOf(item) ?? "").split(":");
    if (!name || name === "container") continue;
    const access = mode === "ro" ? "ro" : "rw";
    found.unit("volumes_from", name, item, "volumes_from", { ...IMPLIED, access });
  }
}

/** Services in `build.additional_contexts` and `extends`. */
function otherServices(value: Node, found: Collector): void {
  for (const [written, at] of contexts(value)) {
    const name = serviceIn(written);
    if (name) found.unit("build_context", name, at, "build.additional_contexts");
  }
  const extend = valueAt(value, "extends");
  if (extend === null || !isNull(valueAt(extend, "file"))) return;
  const at = extend.kind === "mapping" ? valueAt(extend, "service") : extend;
  const name = textOf(at);
  if (name !== null && at) found.unit("extends", name, at, "extends");
}

/** `web` of `service:web`. */
function serviceIn(written: string | null): string | undefined {
  return /^service:(.+)$/.exec(written ?? "")?.[1];
}

function networks(value: Node, service: Service, key: Place, found: Collector): void {
  const written = valueAt(value, "networks");
  byName("network", written, "networks", found);
  const none = isNull(written) || (written?.kind === "list" && written.items.length === 0) ||
    (written?.kind === "mapping" && written.entries.size === 0);
  const alone = !isNull(valueAt(value, "network_mode")) || service.provider || isUnknown(written);
  if (none && !alone) {
    found.resource("network", "default", key, "networks", { implicit: true, byDefault: true });
  }
}

/** Names in a list, or as the keys of a mapping. */
function byName(kind: ResourceKind, written: Node | null, under: string, found: Collector): void {
  for (const item of listOf(written)) {
    const name = textOf(item);
    if (name !== null) found.resource(kind, name, item, under);
  }
  for (const [name, entry] of entriesOf(written)) found.resource(kind, name, entry.key, under);
}

function mountsAndGrants(value: Node, service: Service, found: Collector): void {
  for (const { type, source, unknown, invalid, sourceAt, readOnly } of service.mounts) {
    if (type !== "volume" || source === null || source === "" || unknown || invalid !== null) continue;
    found.resource("volume", source, sourceAt, "volumes", { access: readOnly ? "ro" : "rw" });
  }
  for (const { kind, source, at } of service.grants) {
    found.resource(kind, source, at, `${kind}s`, { access: "ro" });
  }
  for (const { source, at } of grants("secret", valueAt(value, "build", "secrets"))) {
    found.resource("secret", source, at, "build.secrets", { access: "ro" });
  }
}

function credentialSpec(value: Node, found: Collector): void {
  const at = valueAt(value, "credential_spec", "config");
  const config = textOf(at);
  if (config !== null && at) {
    found.resource("config", config, at, "credential_spec.config", { access: "ro" });
  }
}

/** `additional_contexts`, as a mapping or as `name=value`. */
export function contexts(value: Node): [string, Node][] {
  const node = valueAt(value, "build", "additional_contexts");
  const found: [string, Node][] = [];
  for (const item of listOf(node)) {
    const text = textOf(item);
    const sign = text?.indexOf("=") ?? -1;
    if (text !== null && sign !== -1) found.push([text.slice(sign + 1), item]);
  }
  for (const [, entry] of entriesOf(node)) {
    const text = textOf(entry.value);
    if (text !== null) found.push([text, entry.value]);
  }
  return found;
}
