/** Every name in a service that means something else: other services, networks, volumes, secrets, configs, models. */

import type { Mount, Node, Place, Reference, ReferenceKind, ResourceKind, Service } from "../artifact.ts";
import { grants } from "./service.ts";
import { child, entriesOf, isNull, isUnknown, itemsOf, textOf, truthOf } from "../yaml/values.ts";

const NAMESPACES = ["network_mode", "ipc", "pid", "uts", "cgroup"];

/** `resource` gives the id of a key in this project, whether or not it is defined. */
export interface Names {
  readonly group: string;
  readonly resource: (kind: ResourceKind, key: string) => string;
}

export function referencesOf(
  id: string,
  value: Node,
  service: Service,
  names: Names,
  key: Place,
): Reference[] {
  const found: Reference[] = [];
  const toUnit = (
    kind: ReferenceKind,
    written: string,
    at: Place,
    under: string,
    more: Partial<Reference> = {},
  ) => {
    const target = `unit:${names.group}.${written}`;
    found.push({ kind, from: id, target, written, at, under, implicit: false, ...more });
  };
  const toResource = (
    kind: ResourceKind,
    written: string,
    at: Place,
    under: string,
    more: Partial<Reference> = {},
  ) => {
    const target = names.resource(kind, written);
    found.push({ kind: "uses", from: id, target, written, at, under, implicit: false, ...more });
  };

  const dependsOn = child(value, "depends_on");
  if (dependsOn?.kind === "list") {
    for (const item of dependsOn.items) {
      const name = textOf(item);
      if (name !== null) {
        toUnit("depends_on", name, item, "depends_on", { condition: "service_started", required: true });
      }
    }
  }
  for (const [name, entry] of entriesOf(dependsOn)) {
    toUnit("depends_on", name, entry.key, "depends_on", {
      condition: textOf(child(entry.value, "condition")) ?? "service_started",
      required: truthOf(child(entry.value, "required")) !== false,
      restart: truthOf(child(entry.value, "restart")) === true,
    });
  }
  const implied = { implicit: true, condition: "service_started", required: true };
  for (const item of itemsOf(child(value, "links"))) {
    const name = textOf(item)?.split(":")[0];
    if (name) toUnit("link", name, item, "links", { ...implied, restart: true });
  }
  for (const under of NAMESPACES) {
    const at = child(value, under);
    const name = /^service:(.+)$/.exec(textOf(at) ?? "")?.[1];
    if (name && at) toUnit("namespace", name, at, under, { ...implied, restart: true });
  }
  for (const item of itemsOf(child(value, "volumes_from"))) {
    const [name, mode] = (textOf(item) ?? "").split(":");
    if (!name || name === "container") continue;
    toUnit("volumes_from", name, item, "volumes_from", { ...implied, access: mode === "ro" ? "ro" : "rw" });
  }
  for (const [written, at] of contexts(value)) {
    const name = /^service:(.+)$/.exec(written)?.[1];
    if (name) toUnit("build_context", name, at, "build.additional_contexts");
  }
  const extend = child(value, "extends");
  if (extend && isNull(child(extend, "file"))) {
    const at = extend.kind === "mapping" ? child(extend, "service") : extend;
    const name = textOf(at);
    if (name !== null && at) toUnit("extends", name, at, "extends");
  }

  networks(value, service, key, toResource);
  for (const mount of service.mounts) if (isNamedVolume(mount)) toVolume(mount, toResource);
  for (const grant of service.grants) {
    toResource(grant.kind, grant.source, grant.at, `${grant.kind}s`, { access: "ro" });
  }
  for (const grant of grants("secret", child(child(value, "build"), "secrets"))) {
    toResource("secret", grant.source, grant.at, "build.secrets", { access: "ro" });
  }
  const models = child(value, "models");
  for (const item of itemsOf(models)) {
    const name = textOf(item);
    if (name !== null) toResource("model", name, item, "models");
  }
  for (const [name, entry] of entriesOf(models)) toResource("model", name, entry.key, "models");
  const credential = child(child(value, "credential_spec"), "config");
  const config = textOf(credential);
  if (config !== null && credential) {
    toResource("config", config, credential, "credential_spec.config", { access: "ro" });
  }
  return found;
}

type ToResource = (
  kind: ResourceKind,
  written: string,
  at: Place,
  under: string,
  more?: Partial<Reference>,
) => void;

function networks(value: Node, service: Service, key: Place, add: ToResource): void {
  const written = child(value, "networks");
  const before = written;
  for (const item of itemsOf(before)) {
    const name = textOf(item);
    if (name !== null) add("network", name, item, "networks");
  }
  for (const [name, entry] of entriesOf(before)) add("network", name, entry.key, "networks");
  const none = isNull(written) || (written?.kind === "list" && written.items.length === 0) ||
    (written?.kind === "mapping" && written.entries.size === 0);
  const alone = !isNull(child(value, "network_mode")) || service.provider || isUnknown(written);
  if (none && !alone) add("network", "default", key, "networks", { implicit: true, byDefault: true });
}

function isNamedVolume(mount: Mount): boolean {
  return mount.type === "volume" && mount.source !== null && mount.source !== "" && !mount.unknown &&
    mount.invalid === null;
}

function toVolume(mount: Mount, add: ToResource): void {
  if (mount.source !== null) {
    add("volume", mount.source, mount.sourceAt, "volumes", { access: mount.readOnly ? "ro" : "rw" });
  }
}

/** `additional_contexts`, as a mapping or as `name=value`. */
export function contexts(value: Node): [string, Node][] {
  const node = child(child(value, "build"), "additional_contexts");
  const found: [string, Node][] = [];
  for (const item of itemsOf(node)) {
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
