/** The networks, volumes, secrets, configs and models of a project, and the names the engine knows them by. */

import type { Mapping, Node, Place, Resource } from "../artifact.ts";
import type { ResourceKind } from "../kinds.ts";
import { entriesOf, isFilled, isUnknown, shownOf, textOf, truthOf, valueAt } from "../yaml/values.ts";

const SECTIONS: readonly [string, ResourceKind][] = [
  ["networks", "network"],
  ["volumes", "volume"],
  ["secrets", "secret"],
  ["configs", "config"],
  ["models", "model"],
];

/** `variable` is what a name means at a place. */
export function readResources(
  value: Mapping,
  group: string,
  project: string,
  variable: (name: string, at: Place) => string | undefined,
): Resource[] {
  const resources: Resource[] = [];
  for (const [section, kind] of SECTIONS) {
    for (const [key, entry] of entriesOf(value.entries.get(section)?.value)) {
      const external = valueAt(entry.value, "external");
      const isExternal = truthOf(external) === true || external?.kind === "mapping";
      const nameAt = valueAt(entry.value, "name") ?? valueAt(external, "name");
      const name = isUnknown(nameAt)
        ? null
        : textOf(nameAt) ?? (isExternal || kind === "model" ? key : `${project}_${key}`);
      const written = isFilled(nameAt) ? shownOf(nameAt) : name;
      resources.push({
        kind,
        // A name from a variable is known to its own group alone: its value is not shown as an id.
        id: isExternal && !isFilled(nameAt) ? `${kind}:.${name ?? key}` : `${kind}:${group}.${key}`,
        key,
        name,
        written,
        external: isExternal,
        content: isExternal ? null : contentOf(kind, entry.value, variable),
        implicit: false,
        at: entry.key,
        value: entry.value,
      });
    }
  }
  return resources;
}

function contentOf(
  kind: ResourceKind,
  value: Node,
  variable: (name: string, at: Place) => string | undefined,
): string | null {
  if (kind !== "secret" && kind !== "config") return null;
  const name = valueAt(value, "environment");
  if (name === null) return textOf(valueAt(value, "content"));
  return variable(textOf(name) ?? "", name) ?? null;
}

/** The network that services join by default. */
export function defaultNetwork(at: Place, group: string, project: string): Resource {
  const value: Node = { kind: "scalar", file: at.file, start: at.start, end: at.start, value: null };
  return {
    kind: "network",
    id: `network:${group}.default`,
    key: "default",
    name: `${project}_default`,
    written: `${project}_default`,
    external: false,
    content: null,
    implicit: true,
    at,
    value,
  };
}
