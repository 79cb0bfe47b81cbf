/** `kind:` documents of berth's own: groups, units and cards as their author wrote them. */

import type { ArtifactFile, Finding, Mapping, Node, Place, Reference, Unit } from "../artifact.ts";
import { folderOf } from "../files/paths.ts";
import { entriesOf, isNull, oneOrMany, textOf, valueAt } from "../yaml/values.ts";
import { readCard, type WrittenCard } from "./card.ts";

export interface NativeGroup {
  readonly name: string;
  readonly source: Place;
  readonly document: Mapping;
  readonly folder: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly compose: readonly { readonly written: string; readonly at: Node }[];
  readonly envFiles: readonly { readonly written: string; readonly at: Node }[] | null;
  readonly profiles: readonly string[];
  readonly dependsOn: readonly { readonly written: string; readonly at: Node }[];
}

export interface NativeUnit {
  readonly name: string;
  readonly source: Place;
  readonly document: Mapping;
  readonly title: string | null;
  readonly description: string | null;
  readonly group: { readonly written: string; readonly at: Node } | null;
  readonly type: string;
  readonly dependsOn: readonly { readonly written: string; readonly at: Node }[];
  readonly container: string | null;
}

export interface Natives {
  readonly groups: NativeGroup[];
  readonly units: NativeUnit[];
  readonly cards: WrittenCard[];
  readonly findings: Finding[];
}

const TOP = new Set(["apiVersion", "kind", "metadata", "spec"]);
const METADATA = new Set([
  "name",
  "title",
  "description",
  "tags",
  "links",
  "labels",
  "annotations",
]);
const SPEC: Record<string, ReadonlySet<string>> = {
  Group: new Set(["compose", "envFiles", "profiles", "dependsOn"]),
  Unit: new Set(["group", "type", "dependsOn", "runtime", "schedule", "command"]),
  Card: new Set(["subject", "owner", "lifecycle", "runbook", "links", "tags"]),
};
const NAMES: Record<string, RegExp> = {
  Group: /^[a-z0-9][a-z0-9_-]*$/,
  Unit: /^[a-zA-Z0-9._-]+$/,
  Card: /^[a-zA-Z0-9._-]+$/,
};

const known = new WeakMap<ArtifactFile, Natives>();

/** Read once per content: a file stays the same object while its content does. */
export function readNatives(file: ArtifactFile): Natives {
  let natives = known.get(file);
  if (!natives) {
    natives = { groups: [], units: [], cards: [], findings: [] };
    for (const document of file.documents) readDocument(document, natives);
    known.set(file, natives);
  }
  return natives;
}

function readDocument(document: Node, into: Natives): void {
  if (isNull(document)) return;
  if (document.kind !== "mapping") {
    into.findings.push({ code: "schema/invalid", message: "A document must be a mapping", at: document });
    return;
  }
  const kindAt = valueAt(document, "kind");
  const kind = textOf(kindAt) ?? "";
  const properties = Object.hasOwn(SPEC, kind) ? SPEC[kind] : undefined;
  if (properties === undefined) {
    into.findings.push({
      code: "schema/unknown-kind",
      message: kind === ""
        ? "The document has no kind: it needs Group, Unit or Card"
        : `Unknown kind "${kind}": it must be Group, Unit or Card`,
      at: kindAt ?? start(document),
    });
    return;
  }
  const metadata = valueAt(document, "metadata");
  const spec = valueAt(document, "spec");
  unknown(document, TOP, into.findings);
  unknown(metadata, METADATA, into.findings);
  unknown(spec, properties, into.findings);
  const name = nameOf(document, kind, into.findings);
  if (name === null) return;
  const common = {
    name: name.written,
    source: name.at,
    document,
    title: textOf(valueAt(metadata, "title")),
    description: textOf(valueAt(metadata, "description")),
    dependsOn: textsAt(valueAt(spec, "dependsOn")),
  };
  if (kind === "Group") into.groups.push({ ...common, ...groupFields(spec, document) });
  else if (kind === "Unit") into.units.push({ ...common, ...unitFields(spec) });
  else into.cards.push(readCard("native", name.written, name.at, document, [metadata, spec]));
}

/** `metadata.name`; null, and a finding, where there is none or it cannot be a name. */
function nameOf(document: Node, kind: string, findings: Finding[]): { written: string; at: Node } | null {
  const metadata = valueAt(document, "metadata");
  const name = textAt(valueAt(metadata, "name"));
  if (name === null) {
    findings.push({
      code: "schema/missing-name",
      message: `The ${kind} has no name: metadata.name is required`,
      at: metadata && !isNull(metadata) ? metadata : valueAt(document, "kind") ?? start(document),
    });
    return null;
  }
  // A unit without a group has no qualified name, so a dot in it would look like one.
  const isAlone = kind === "Unit" && textOf(valueAt(document, "spec", "group")) === null;
  if (NAMES[kind]!.test(name.written) && !(isAlone && name.written.includes("."))) return name;
  const allowed = kind === "Group"
    ? 'lower-case letters, digits, "_" and "-", with a letter or digit first'
    : isAlone
    ? 'letters, digits, "_" and "-"'
    : 'letters, digits, "_", "-" and "."';
  findings.push({
    code: "schema/invalid-name",
    message: `Invalid ${kind.toLowerCase()} name "${name.written}": use ${allowed}`,
    at: name.at,
  });
  return null;
}

function groupFields(spec: Node | null, document: Node) {
  const envFiles = valueAt(spec, "envFiles");
  return {
    folder: folderOf(document.file.path),
    compose: textsAt(valueAt(spec, "compose")),
    envFiles: envFiles === null ? null : textsAt(envFiles),
    profiles: oneOrMany(valueAt(spec, "profiles")).map(textOf).filter((one) => one !== null),
  };
}

function unitFields(spec: Node | null) {
  return {
    group: textAt(valueAt(spec, "group")),
    type: textOf(valueAt(spec, "type")) ?? "process",
    container: textOf(valueAt(spec, "runtime", "container")),
  };
}

/** The known texts of one value or several, with their places. */
function textsAt(node: Node | null): { written: string; at: Node }[] {
  return oneOrMany(node).map(textAt).filter((one) => one !== null);
}

function textAt(at: Node | null): { written: string; at: Node } | null {
  const written = textOf(at);
  return written === null || !at ? null : { written, at };
}

function start(document: Node): Place {
  return { file: document.file, start: document.start, end: Math.min(document.start + 1, document.end) };
}

function unknown(node: Node | null, allowed: ReadonlySet<string>, findings: Finding[]): void {
  for (const [key, entry] of entriesOf(node)) {
    if (allowed.has(key) || key.startsWith("x-")) continue;
    findings.push({ code: "schema/unknown-property", message: `Unknown property "${key}"`, at: entry.key });
  }
}

export function requirements(
  from: string,
  dependsOn: readonly { readonly written: string; readonly at: Node }[],
): Reference[] {
  return dependsOn.map(({ written, at }) => ({
    kind: "requires",
    from,
    target: null,
    written,
    at,
    implicit: false,
    required: true,
    under: "spec.dependsOn",
  }));
}

/** A unit that is not a Compose service. */
export function unitOf(native: NativeUnit, group: string | null): Unit {
  const name = group === null ? native.name : `${group}.${native.name}`;
  const id = `unit:${name}`;
  return {
    kind: "unit",
    id,
    name,
    label: native.name,
    group: group === null ? null : `group:${group}`,
    source: native.source,
    extent: native.document,
    type: native.type,
    title: native.title,
    description: native.description,
    value: native.document,
    service: null,
    annotation: null,
    container: native.container,
    references: requirements(id, native.dependsOn),
    paths: [],
  };
}

/** A service with what a document adds to it. */
export function annotated(unit: Unit, native: NativeUnit): Unit {
  return {
    ...unit,
    title: native.title,
    description: native.description,
    annotation: native.source,
    container: native.container,
    references: [...unit.references, ...requirements(unit.id, native.dependsOn)],
  };
}
