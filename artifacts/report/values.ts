/** The values that variables put into fields which an engine shows anyway, of those that are no secrets. */

import { looksPlain } from "../../core/plain_values.ts";
import { looksSecret, MASK, maskText } from "../../core/secrets.ts";
import type { ArtifactFile, Group, Model, Node, Place, Scalar } from "../artifact.ts";
import { interpolateText, replaceExpressions } from "../env/interpolate.ts";
import { positionOf } from "../position.ts";
import { namedScalarsOf, scalarsOf } from "../yaml/values.ts";
import { maskedUses } from "./masked_uses.ts";

/** A text with the values of its variables, and where each of them is set. */
interface Resolved {
  readonly resolved: string;
  readonly from: { name: string; file: string; line: number }[];
}

interface Definition {
  readonly value: string;
  /** As it stands in the file. */
  readonly raw: string;
  readonly at: Place;
}

/** Shorter values are found within others by chance. */
const SHORTEST_PART = 4;

const definitions = new WeakMap<Group, ReadonlyMap<string, Definition>>();
/** By the model, since another group may use the same file. */
const shown = new WeakMap<Model, WeakMap<Group, ReadonlySet<string>>>();

/** Returns what stands at a place, with the variables that may be shown; null where it has none, or is not known. */
export function resolvedAt(
  at: Place & Partial<Node>,
  group: Group,
  model: Model,
): Resolved | null {
  const names = shownNames(group, model);
  const show = (name: string, value: string) => names.has(name) || value === "" ? value : MASK;
  const found = expandedAt(at, group, { show, isHidden: looksSecret });
  return found === null ? null : { ...found, resolved: maskText(found.resolved) };
}

/** Returns the same with all values as they are: only for callers who may see secrets. */
export function revealedAt(at: Place & Partial<Node>, group: Group): Resolved | null {
  return expandedAt(at, group, { show: (_, value) => value, isHidden: () => false });
}

/** Returns the names of the variables in a value that no file of the group sets, as far as they can be told. */
export function unsetNames(at: Node, group: Group): readonly string[] {
  const set = definitionsOf(group);
  // Without anything put in, the author's text is that of the file.
  const texts = scalarsOf(at).flatMap(({ unknown, written, file, start, end }) =>
    unknown ? written ?? file.text.slice(start, end) : []
  );
  return [...new Set(texts.flatMap((text) => interpolateText(text, (name) => set.get(name)?.value).unset))];
}

function expandedAt(
  at: Place & Partial<Node>,
  group: Group,
  { show, isHidden }: {
    readonly show: (name: string, value: string) => string;
    /** Returns true for the name of an entry whose value may not be shown. */
    readonly isHidden: (name: string) => boolean;
  },
): Resolved | null {
  const isNode = at.kind !== undefined;
  const scalars: readonly (readonly [string, Pick<Scalar, "value" | "written">])[] = isNode
    ? namedScalarsOf(at as Node)
    : [["", at as Pick<Scalar, "value" | "written">]];
  if (scalars.every(([, { written }]) => !written?.includes("$"))) return null;
  const set = definitionsOf(group);
  const names = new Set<string>();
  const texts: string[] = [];
  for (const [entry, { value, written }] of scalars) {
    if (isHidden(entry)) {
      texts.push(MASK);
      continue;
    }
    if (written === undefined) {
      texts.push(String(value ?? ""));
      continue;
    }
    const real = interpolateText(written, (name) => set.get(name)?.value);
    // Set elsewhere, as by an `include` with files of its own.
    if (isNode && real.value !== String(value ?? "")) return null;
    for (const name of real.names) names.add(name);
    const { value: text } = interpolateText(written, (name) => {
      const known = set.get(name)?.value;
      return known === undefined ? real.unset.includes(name) ? `\${${name}}` : undefined : show(name, known);
    });
    texts.push(text);
  }
  const from = [...names].flatMap((name) => {
    const place = set.get(name)?.at;
    return place === undefined
      ? []
      : [{ name, file: place.file.path, line: positionOf(place.file, place.start).line }];
  });
  return { resolved: texts.join(" "), from };
}

/** The variables of a group, as its last file sets them. */
export function definitionsOf(group: Group): ReadonlyMap<string, Definition> {
  let known = definitions.get(group);
  if (known !== undefined) return known;
  const found = new Map<string, Definition>();
  for (const file of group.envFiles) {
    const [document] = file.documents;
    if (document?.kind !== "mapping") continue;
    for (const [name, { key, value }] of document.entries) {
      if (value.kind !== "scalar" || typeof value.value !== "string") continue;
      found.set(name, { value: value.value, raw: file.text.slice(value.start, value.end), at: key });
    }
  }
  definitions.set(group, known = found);
  return known;
}

/** The names of variables whose values may be shown: by their name, form, and every use in the workspace. */
export function shownNames(group: Group, model: Model): ReadonlySet<string> {
  let own = shown.get(model);
  if (own === undefined) shown.set(model, own = new WeakMap());
  let names = own.get(group);
  if (names === undefined) own.set(group, names = findShown(group, model));
  return names;
}

function findShown(group: Group, model: Model): ReadonlySet<string> {
  const set = definitionsOf(group);
  const masked = maskedNames(group, model);
  const isOpen = (name: string, value: string) =>
    !looksSecret(name) && !masked.has(name) && looksPlain(value);
  const names = new Set([...set].filter(([name, { value }]) => isOpen(name, value)).map(([name]) => name));
  const hidden = [...set].filter(([name, { value }]) => value !== "" && !names.has(name));
  for (const [name, { value }] of set) {
    // The value of a hidden one, under another name.
    const holds = ([, { value: other }]: readonly [string, Definition]) =>
      value === other || (other.length >= SHORTEST_PART && value.includes(other));
    if (names.has(name) && hidden.some(holds)) names.delete(name);
  }
  // All that is made of a hidden one, however often it was handed on.
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const name of names) {
      let isHidden = false;
      replaceExpressions(set.get(name)!.raw, (used) => { // names come from there
        isHidden ||= set.has(used) && !names.has(used);
        return "";
      });
      if (isHidden) isChanged = names.delete(name) || isChanged;
    }
  }
  return names;
}

/** The variables that any group which reads one of the same files uses where its text is masked. */
function maskedNames({ envFiles }: Group, model: Model): ReadonlySet<string> {
  const paths = new Set(envFiles.map(({ path }) => path));
  const names = new Set<string>();
  const files = new Set<ArtifactFile>();
  for (const group of model.groups) {
    if (!group.envFiles.some(({ path }) => paths.has(path))) continue;
    for (const file of [...group.sources, ...group.bases, ...group.envFiles]) files.add(file);
    for (const { file } of group.units.flatMap((unit) => unit.paths)) if (file !== undefined) files.add(file);
  }
  for (const file of files) for (const name of maskedUses(file)) names.add(name);
  return names;
}
