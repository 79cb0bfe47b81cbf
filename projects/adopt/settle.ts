/** Brings the file to the container: one node of the file is changed, and nothing else that berth reads. */

import type { List, Mapping, Model, Node, Place, Unit } from "../../artifacts/artifact.ts";
import { locationOf } from "../../artifacts/position.ts";
import {
  appended,
  dropped,
  inserted,
  removed,
  replaced,
  type Splice,
  spliced,
} from "../../artifacts/yaml/splice.ts";
import type { Yaml } from "../../artifacts/yaml/write.ts";
import { ServiceError } from "../../core/error.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { FieldDifference } from "../fields/table.ts";
import { SecretValues } from "./secret_values.ts";
import { WRITERS } from "./write_service.ts";
import { type Fragment, isMap, type Surroundings } from "./writing.ts";

/** The text that settles differences, and what it was before. */
export interface Settled {
  readonly splices: readonly Splice[];
  readonly text: string;
}

/** Returns the changed text of one file. Throws `cannot_settle`. */
export function settle(
  unit: Unit,
  differences: readonly FieldDifference[],
  container: InspectedContainer,
  around: Surroundings,
): Settled {
  const splices: Splice[] = [];
  for (const difference of differences) {
    for (
      const one of splicesFor(unit, difference, WRITERS.get(difference.row.key)?.(container, around) ?? null)
    ) {
      const isKnown = splices.some(({ start, end, text }) =>
        start === one.start && end === one.end && text === one.text
      );
      if (!isKnown) splices.push(one);
    }
  }
  const [first] = splices;
  if (first === undefined) throw cannotSettle(unit, differences[0]!, "no file can say this");
  if (splices.some(({ file }) => file !== first.file)) {
    throw cannotSettle(
      unit,
      differences[0]!,
      "the values stand in several files; settle one after the other",
    );
  }
  const text = spliced(first.file.text, splices);
  if (text === null) {
    throw cannotSettle(unit, differences[0]!, "the values stand in each other; settle one after the other");
  }
  return { splices, text };
}

function splicesFor(unit: Unit, difference: FieldDifference, fragment: Fragment | null): readonly Splice[] {
  const { row, field, at, isAbsent } = difference;
  const service = unit.value;
  if (service.kind !== "mapping") throw cannotSettle(unit, difference, "the service is empty");
  if (!WRITERS.has(row.key)) throw cannotSettle(unit, difference, "no file can say this");
  if (isVariable(at)) {
    throw cannotSettle(unit, difference, "the value comes from a variable: change that one");
  }
  const name = field.startsWith(`${row.key}.`) ? field.slice(row.key.length + 1) : null;
  if (fragment !== null) mustHoldNoSecret(unit, difference, name, fragment);
  const entries = Object.entries(fragment ?? {});
  const only = entries.length === 1 ? entries[0]![1] : undefined;
  // A value in its own place, however deep it stands.
  if (name === null && !isAbsent && isScalarNode(at) && only !== undefined && !isList(only) && !isMap(only)) {
    return [replaced(at, only)];
  }
  const found = name === null
    ? [
      ...entries.map(([key, value]) => whole(service, key, value)),
      ...elsewhere(service, at, fragment ?? {}),
    ]
    : topKeys(row.covers, entries.map(([key]) => key)).map((key) =>
      below(service, key, name, { row, fragment }) ?? part(service, key, name, fragment?.[key])
    );
  const splices = found.filter((one) => one !== null);
  if (splices.length === 0) throw cannotSettle(unit, difference, "berth finds no place for it");
  return splices;
}

/** Takes the deepest entry away that holds the place and is not alone. */
function withoutPlace(mapping: Mapping, at: Place): Splice | null {
  for (const [key, { value }] of mapping.entries) {
    if (value.file !== at.file || at.start < value.start || at.end > value.end) continue;
    return (value.kind === "mapping" ? withoutPlace(value, at) : null) ?? removed(mapping, key);
  }
  return null;
}

/** The keys of the service that the row may stand under; those that it is written under now come first. */
function topKeys(covers: readonly string[], written: readonly string[]): string[] {
  return [...new Set([...written, ...covers.map((one) => one.split(".")[0]!)])]; // a split has one part at least
}

/** The key with its whole value. */
function whole(service: Mapping, key: string, value: Yaml): Splice | null {
  const node = service.entries.get(key)?.value;
  if (node === undefined) return inserted(service, key, value);
  return (node.kind === "list" && isList(value) ? ofItems(node, value) : null) ?? replaced(node, value);
}

/** What is written in another form than the container's value, or at all where the container has none. */
function elsewhere(service: Mapping, at: Place, fragment: Fragment): (Splice | null)[] {
  const isReplaced = Object.keys(fragment).some((key) => {
    const value = service.entries.get(key)?.value;
    return value !== undefined && value.file === at.file && value.start <= at.start && at.end <= value.end;
  });
  return isReplaced ? [] : [withoutPlace(service, at)];
}

/** One entry two keys down, as one option of `logging`; null where the row stands right below the key. */
function below(
  service: Mapping,
  key: string,
  name: string,
  { row, fragment }: { readonly row: FieldDifference["row"]; readonly fragment: Fragment | null },
): Splice | null {
  const inner = row.covers.map((one) => one.split(".")).find(([first, , ...rest]) =>
    first === key && rest.length === 0
  )?.[1];
  const node = service.entries.get(key)?.value;
  if (inner === undefined || node?.kind !== "mapping") return null;
  if (node.entries.get(inner)?.value.kind !== "mapping") return null;
  const value = fragment?.[key];
  return part(node, inner, name, isMap(value) ? value[inner] : undefined);
}

/** One entry below the key, as one variable of `environment`; null where nothing is to be done about this key. */
function part(service: Mapping, key: string, name: string, value: Yaml | undefined): Splice | null {
  const node = service.entries.get(key)?.value;
  const own = isMap(value) ? value[name] : undefined;
  if (node === undefined) {
    return value === undefined ? null : inserted(service, key, own === undefined ? value : { [name]: own });
  }
  if (node.kind === "mapping" && (value === undefined || isMap(value))) {
    if (own === undefined && node.entries.has(name) && node.entries.size === 1) return removed(service, key);
    return ofMapping(node, name, own);
  }
  if (node.kind === "list" && !node.merged && (value === undefined || isMap(value))) {
    const hasIt = pairOf(node, name) !== undefined;
    return own === undefined && hasIt && node.items.length === 1
      ? removed(service, key)
      : ofPairs(node, name, own);
  }
  return value === undefined ? null : whole(service, key, value);
}

/** The one item in which two lists of texts differ; null where they differ in more. */
function ofItems(node: List, value: readonly Yaml[]): Splice | null {
  if (node.merged || !node.items.every(isScalarNode) || !value.every((one) => typeof one === "string")) {
    return null;
  }
  const written = new Set(node.items.map((one) => String(one.value)));
  const gone = node.items.filter((one) => !value.includes(String(one.value)));
  const added = value.filter((one) => !written.has(one));
  if (gone.length > 1 || added.length > 1) return null;
  const [[item], [own]] = [gone, added];
  if (item === undefined) return own === undefined ? null : appended(node, own);
  return own === undefined ? dropped(node, item) : replaced(item, own);
}

function ofMapping(node: Mapping, name: string, own: Yaml | undefined): Splice | null {
  const entry = node.entries.get(name);
  if (own === undefined) return entry === undefined ? null : removed(node, name);
  return entry === undefined ? inserted(node, name, own) : replaced(entry.value, own);
}

const pairOf = (node: List, name: string): Node | undefined =>
  node.items.find((one) =>
    one.kind === "scalar" && (one.value === name || String(one.value).startsWith(`${name}=`))
  );

/** `- NAME=value` */
function ofPairs(node: List, name: string, own: Yaml | undefined): Splice | null {
  const item = pairOf(node, name);
  if (own === undefined) return item === undefined ? null : dropped(node, item);
  const pair = `${name}=${String(own)}`;
  return item === undefined ? appended(node, pair) : replaced(item, pair);
}

const isList = (value: Yaml | undefined): value is readonly Yaml[] => Array.isArray(value);

const isScalarNode = (at: unknown): at is Node & { readonly kind: "scalar" } =>
  typeof at === "object" && at !== null && "kind" in at && at.kind === "scalar";

const isVariable = (at: unknown): boolean =>
  isScalarNode(at) && (at.interpolated === true || at.unknown === true);

/** Secrets go to `.env`, which berth does not settle: no value of theirs is written into a Compose file. */
function mustHoldNoSecret(
  unit: Unit,
  difference: FieldDifference,
  name: string | null,
  fragment: Fragment,
): void {
  const own = Object.entries(fragment).map(([key, value]): [string, Yaml] => [
    key,
    name !== null && isMap(value) && value[name] !== undefined ? { [name]: value[name]! } : value, // as was looked at
  ]);
  const secrets = new SecretValues();
  secrets.moved(unit.label, Object.fromEntries(own));
  if (secrets.text() === "" && secrets.unwritable.length === 0) return;
  throw cannotSettle(
    unit,
    difference,
    'it looks like a secret: write it into ".env", and name the variable here',
  );
}

/**
 * Returns what else would be another by the new text: null if the unit's changed keys are all. An anchor, `extends` or
 * an included file may carry a change further than its place tells.
 */
export function otherChange(before: Model, after: Model, unit: Unit): string | null {
  const now = new Map(after.units.map((one) => [one.id, one]));
  if (now.size !== before.units.length) return "it would change which services there are";
  for (const one of before.units) {
    const other = now.get(one.id);
    if (other === undefined) return "it would change which services there are";
    if (one.id !== unit.id && plain(one.value) !== plain(other.value)) {
      return `"${one.name}" would change as well`;
    }
  }
  const resources = (model: Model) =>
    model.groups.flatMap((group) => group.resources.map(({ id, value }) => `${id} ${plain(value)}`)).sort()
      .join("\n");
  return resources(before) === resources(after) ? null : "networks or volumes would change as well";
}

/** A value without its places. */
const plain = (node: Node): string => JSON.stringify(valueOf(node));

function valueOf(node: Node): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(valueOf);
  return [...node.entries].map(([key, { value }]) => [key, valueOf(value)]);
}

export function cannotSettle(
  unit: Unit,
  { field, at }: Pick<FieldDifference, "field" | "at">,
  why: string,
): ServiceError {
  const { file, range } = locationOf(at);
  const line = range.start.line;
  return new ServiceError(
    "cannot_settle",
    `Cannot bring the file to the container in "${field}" of "${unit.name}": ${why} (${file}:${line})`,
    { remedies: [{ kind: "edit", file, line }] },
  );
}
