/** `kind:` documents of berth's own: groups, units and cards as their author wrote them. */

import type { ArtifactFile, Finding, Mapping, Node, Place, Reference, Unit } from "../artifact.ts";
import { child, entriesOf, isNull, itemsOf, textOf } from "../yaml/values.ts";
import { folderOf } from "../files/paths.ts";
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

/** Read once per content, as files are kept while theirs is the same. */
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
  const kindAt = child(document, "kind");
  const kind = textOf(kindAt) ?? "";
  const allowed = SPEC[kind];
  if (!Object.hasOwn(SPEC, kind) || !allowed) {
    into.findings.push({
      code: "schema/unknown-kind",
      message: kind === ""
        ? "A document needs a kind: Group, Unit or Card"
        : `"${kind}" is none of Group, Unit, Card`,
      at: kindAt ?? start(document),
    });
    return;
  }
  const metadata = child(document, "metadata");
  const spec = child(document, "spec");
  unknown(document, TOP, into.findings);
  unknown(metadata, METADATA, into.findings);
  unknown(spec, allowed, into.findings);
  const nameAt = child(metadata, "name");
  const name = textOf(nameAt);
  if (name === null || !nameAt) {
    into.findings.push({
      code: "schema/missing-name",
      message: `A ${kind} needs metadata.name`,
      at: metadata && !isNull(metadata) ? metadata : kindAt ?? start(document),
    });
    return;
  }
  const group = textAt(child(spec, "group"));
  if (!NAMES[kind]!.test(name) || (kind === "Unit" && !group && name.includes("."))) {
    into.findings.push({
      code: "schema/invalid-name",
      message: kind === "Group"
        ? `"${name}" is no name of a group: lower-case letters, digits, "_" and "-"`
        : `"${name}" is no name of a ${kind.toLowerCase()}: letters, digits, "_", "-"${
          kind === "Unit" && !group ? "" : ', "."'
        }`,
      at: nameAt,
    });
    return;
  }
  const common = {
    name,
    source: nameAt,
    document,
    title: textOf(child(metadata, "title")),
    description: textOf(child(metadata, "description")),
  };
  const dependsOn = itemsOf(child(spec, "dependsOn")).map(textAt).filter((one) => one !== null);
  if (kind === "Group") {
    const envFiles = child(spec, "envFiles");
    into.groups.push({
      ...common,
      folder: folderOf(document.file.path),
      compose: itemsOf(child(spec, "compose")).map(textAt).filter((one) => one !== null),
      envFiles: envFiles === undefined ? null : itemsOf(envFiles).map(textAt).filter((one) => one !== null),
      profiles: itemsOf(child(spec, "profiles")).map(textOf).filter((one) => one !== null),
      dependsOn,
    });
  } else if (kind === "Unit") {
    into.units.push({
      ...common,
      group,
      type: textOf(child(spec, "type")) ?? "process",
      dependsOn,
      container: textOf(child(child(spec, "runtime"), "container")),
    });
  } else into.cards.push(readCard("native", name, nameAt, document, [metadata, spec]));
}

function textAt(at: Node | undefined): { written: string; at: Node } | null {
  const written = textOf(at);
  return written === null || !at ? null : { written, at };
}

function start(document: Node): Place {
  return { file: document.file, start: document.start, end: Math.min(document.start + 1, document.end) };
}

function unknown(node: Node | undefined, allowed: ReadonlySet<string>, findings: Finding[]): void {
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

/** A unit that is no Compose service. */
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

/** A service with what a document adds; where both say something, the service wins. */
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
