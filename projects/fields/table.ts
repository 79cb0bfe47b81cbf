/** Every field of a service that makes its container what it is: one row each, for drift, plan and whoever makes one. */

import type { Node } from "../../artifacts/artifact.ts";
import { writtenIn } from "../../artifacts/yaml/values.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { maskCommandOf, maskText } from "../../core/secrets.ts";
import { capabilityRows } from "./capabilities.ts";
import { dependencies } from "./dependencies.ts";
import type { EngineView } from "./engine_view.ts";
import { environmentRows } from "./environment.ts";
import { type Declared, type Difference, type Row, writtenAt } from "./field.ts";
import { contents } from "./grants.ts";
import { hookRows } from "./hooks.ts";
import { identityRows } from "./identity.ts";
import { limitRows } from "./limits.ts";
import { mounts } from "./mounts.ts";
import { mountSourcesNow } from "./mount_sources_now.ts";
import { namespaceRows } from "./namespaces.ts";
import { networks } from "./networks.ts";
import { portRows } from "./ports.ts";
import { flag, processRows } from "./process.ts";

/** The table. */
export const FIELDS: readonly Row[] = [
  ...processRows,
  ...environmentRows,
  mounts,
  contents,
  ...portRows,
  networks,
  ...namespaceRows,
  ...limitRows,
  ...identityRows,
  flag("privileged", "privileged", "privileged"),
  flag("readOnly", "read_only", "readOnlyRoot"),
  ...capabilityRows,
  dependencies,
  ...hookRows,
];

/** One difference, and the row that found it; both texts are masked, and variables shown as the author wrote them. */
export interface FieldDifference extends Difference {
  readonly row: Row;
}

/** Rows whose declared values an engine shows to everybody who sees the container. */
const OPEN: ReadonlySet<string> = new Set([
  "image",
  "platform",
  "ports",
  "restart",
  "user",
  "name",
  "hostname",
  "networks",
  "mounts",
]);

export const isOpenRow = ({ key }: Row): boolean => OPEN.has(key) || key.startsWith("limits.");

/** All differences of a container, by the table, or by the rows of these keys. */
export function differencesOf(
  of: Declared,
  container: InspectedContainer,
  view: EngineView,
  only?: ReadonlySet<string>,
): FieldDifference[] {
  const found: FieldDifference[] = [];
  for (const row of [...FIELDS, mountSourcesNow]) {
    if (only !== undefined && !only.has(row.key)) continue;
    for (const one of row.compare(of, container, view)) {
      const masked = (text: string) =>
        row.key === "command" ? maskCommandOf(container.entrypoint ?? [], text) : maskText(text);
      found.push({ ...one, declared: masked(shownAt(one)), seen: masked(one.seen), row });
    }
  }
  return found;
}

/** Returns the declared value to show: the author's words, where a variable is among them. */
export function shownAt(
  { at, declared, isAbsent }: Pick<Difference, "at" | "declared" | "isAbsent">,
): string {
  if (isAbsent) return declared;
  // Most places are the node that was read.
  return "kind" in at ? writtenIn(at as Node, declared) : writtenAt(at, declared);
}
