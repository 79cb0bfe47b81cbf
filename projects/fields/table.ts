/** Every field of a service that makes its container what it is: one row each, for drift, plan and whoever makes one. */

import type { Node } from "../../artifacts/artifact.ts";
import { isFilled, namedScalarsOf, writtenOr } from "../../artifacts/yaml/values.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { looksSecret, MASK, maskCommandOf, maskText } from "../../core/secrets.ts";
import { capabilityRows } from "./capabilities.ts";
import { dependencies } from "./dependencies.ts";
import type { EngineView } from "./engine_view.ts";
import { environmentRows } from "./environment.ts";
import { type Asked, type Declared, type Difference, type Row, writtenAt } from "./field.ts";
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

/** A limit that no apply can bring about is no difference, or each apply would try it again. */
const UNHELD = { seen: "(left out: the kernel of the engine cannot hold it)", isRemark: true } as const;

/** All differences of a container, by the table, or by the rows of these keys. */
export function differencesOf(
  of: Declared,
  container: InspectedContainer,
  view: EngineView,
  only?: ReadonlySet<string>,
): FieldDifference[] {
  const differences: FieldDifference[] = [];
  for (const row of [...FIELDS, mountSourcesNow]) {
    if (only !== undefined && !only.has(row.key)) continue;
    for (const found of row.compare(of, container, view)) {
      const one = view.unheld?.has(row.key) ? { ...found, ...UNHELD } : found;
      const isCommand = row.key === "command";
      const actual = container.entrypoint ?? [];
      const seen = isCommand ? maskCommandOf(actual, one.seen) : maskText(one.seen);
      differences.push({
        ...one,
        declared: maskedAt(one, isCommand ? entrypointOf(of) ?? actual : []),
        seen,
        row,
      });
    }
  }
  return differences;
}

/** Returns the words of the entrypoint that the file declares; null where it declares none, or an unknown one. */
function entrypointOf(of: Declared): readonly string[] | null {
  const asked: Asked = {};
  const row = FIELDS.find(({ key }) => key === "entrypoint");
  row?.ask(asked, of, { name: "", containerOf: () => undefined, nameOf: () => undefined });
  return asked.entrypoint ?? null;
}

/** Fields whose entries have names that may tell of a secret. */
const NAMED =
  /^(?:environment|labels|annotations|deploy\.labels|log\.options|storageOptions|sysctls)\.(.*)$/s;
/** Nothing but variables, whose defaults would be values. */
const VARIABLES = /^(?:\$\w+|\$\{\w+\})+$/;

/** Returns the declared value as it may be shown: in the author's words, masked. `program` takes a command's words. */
export function maskedAt(
  one: Pick<Difference, "field" | "at" | "declared" | "isAbsent">,
  program: readonly string[],
): string {
  const text = shownAt(one);
  const [, name] = NAMED.exec(one.field) ?? [];
  if (text !== one.declared && name !== undefined && looksSecret(name) && !VARIABLES.test(text)) return MASK;
  return one.field === "command" ? maskCommandOf(program, text) : maskText(text);
}

/** Returns the declared value to show: the author's words, where a variable is among them. */
function shownAt(
  { at, declared, isAbsent }: Pick<Difference, "at" | "declared" | "isAbsent">,
): string {
  if (isAbsent) return declared;
  // Most places are the node that was read.
  if (!("kind" in at)) return writtenAt(at, declared);
  const node = at as Node;
  if (node.kind === "scalar") return writtenOr(node, declared);
  const scalars = namedScalarsOf(node);
  return scalars.some(([, one]) => isFilled(one))
    ? scalars.map(([name, one]) => namedText(name, writtenOr(one, String(one.value ?? "")))).join(" ")
    : declared;
}

/** Returns the author's word for one of several values, without a secret that its name tells of. */
function namedText(name: string, text: string): string {
  if (!looksSecret(name)) return text;
  const own = text.startsWith(`${name}=`) ? `${name}=` : "";
  return VARIABLES.test(text.slice(own.length)) ? text : own + MASK;
}
