/** One field of a service, and all that is known of it: where it is written, what asks for it, how what runs differs. */

import type { Backend, ContainerSpec, InspectedContainer } from "../../core/runtime.ts";
import type { Group, Model, Node, Place, Service, Unit } from "../../artifacts/artifact.ts";
import { isNull, isUnknown, oneOrMany, textOf, truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import { declaredIn, shortDigest } from "./declared_label.ts";
import type { Digest, EngineView } from "./engine_view.ts";
import type { MountReading } from "../../artifacts/live/mount_reading.ts";

export type EngineKind = Backend["kind"];

/** A service of a group: where values are read from. */
export interface Declared {
  readonly model: Model;
  readonly group: Group;
  readonly unit: Unit;
  readonly service: Service;
}

/** A declared value in its canonical form, and where it stands. */
interface Written<T> {
  readonly value: T;
  readonly at: Place;
  /** The places of its entries. */
  readonly parts?: ReadonlyMap<string, Place>;
}

/** A variable in it is not set, or it is no value of this field: nothing can be said of it. */
export const UNKNOWN = Symbol("unknown");

/** Null: left to the image or the engine. */
export type Declaration<T> = Written<T> | typeof UNKNOWN | null;

/** One way in which a container differs. Both texts may hold secrets. */
export interface Difference {
  readonly field: string;
  readonly declared: string;
  readonly seen: string;
  readonly at: Place;
  /** Nothing is declared: what stands at the place is something else. */
  readonly isAbsent?: true;
  /** Of a mount whose file or folder is another one by now. */
  readonly mount?: MountReading;
  /** Said, and no difference by itself. */
  readonly isRemark?: true;
}

/** The request for a container while it is put together. */
export type Asked = { -readonly [Key in keyof ContainerSpec]?: ContainerSpec[Key] };

/** The inputs of a request for a container beside its declaration. */
export interface Asking {
  /** The name that the container will have. */
  readonly name: string;
  /** The id of the container that stands for a service. */
  readonly containerOf: (service: string) => string | undefined;
  /** Its name. */
  readonly nameOf: (service: string) => string | undefined;
}

/** The cost of a change of the field: a new container, one call to the engine, another start, or nothing. */
export type Change = "recreate" | "update" | "restart" | "none";

/** A value that is written and not known: a variable in it is not set, or it is no value of its field. */
export interface Unknown {
  /** The field as drift names it. */
  readonly field: string;
  readonly at: Place;
}

/** One row of the table. */
export interface Row {
  /** As drift and plan name it. */
  readonly key: string;
  /** The keys of a service that it stands for, as `healthcheck.test`; `*` is any key or index, and all below counts. */
  readonly covers: readonly string[];
  readonly change: Change;
  /** Engines that do not tell the value of a container that is there, or tell another one: there the label tells. */
  readonly untold: readonly EngineKind[];
  /** Returns the place where it is written; null where it is not, or where a variable in it is not set. */
  at(of: Declared): Place | null;
  /** Returns true if a variable in it is not set. */
  isUnknown(of: Declared): boolean;
  /** Values that are not known, which must not be left out of a request without a word. */
  unknowns(of: Declared): readonly Unknown[];
  /** For the label of a container: null where nothing is declared, and where all engines tell. */
  digest(of: Declared, digest: Digest): string | null;
  /** Every difference; none where neither engine nor label tells. */
  compare(of: Declared, container: InspectedContainer, view: EngineView): readonly Difference[];
  /** Puts the declared value into what a container is asked to be. */
  ask(asked: Asked, of: Declared, asking: Asking): void;
}

/** The parts in which rows of one kind differ. */
interface RowParts<T> {
  readonly key: string;
  readonly covers: readonly string[];
  readonly change?: Change;
  readonly untold?: readonly EngineKind[];
  readonly declared: (of: Declared) => Declaration<T>;
  readonly shown?: (value: T) => string;
  readonly ask: (asked: Asked, value: T, of: Declared, asking: Asking) => void;
  /** Returns the parts of a known value that are not known themselves. */
  readonly unknowns?: (of: Declared) => readonly Unknown[];
}

/** A row that compares in a way of its own. `declared` is null where the field is not declared. */
export function row<T>(
  parts: RowParts<T> & {
    readonly compare: (
      declared: Written<T> | null,
      container: InspectedContainer,
      view: EngineView,
      of: Declared,
    ) => readonly Difference[];
  },
): Row {
  const { key, covers, change = "recreate", untold = [], compare } = parts;
  // A unit is a new object whenever anything of its group changes.
  const known = new WeakMap<Unit, Declaration<T>>();
  const declared = (of: Declared): Declaration<T> => {
    let found = known.get(of.unit);
    if (found === undefined) known.set(of.unit, found = parts.declared(of));
    return found;
  };
  const digest = (of: Declared, digest: Digest): string | null => {
    const found = untold.length === 0 ? null : declared(of);
    return found === null || found === UNKNOWN ? null : shortDigest(key, found.value, digest);
  };
  const byLabel = (
    found: Written<T> | null,
    { labels }: InspectedContainer,
    view: EngineView,
    of: Declared,
  ): readonly Difference[] => {
    const label = declaredIn(labels);
    if (label === null || view.digest === null) return [];
    if ((label.get(key) ?? null) === digest(of, view.digest)) return [];
    const shown = found === null ? "(not set)" : parts.shown?.(found.value) ?? "(as written)";
    return [{
      field: key,
      declared: shown,
      seen: label.has(key) ? "(another value)" : "(not set)",
      at: found?.at ?? of.unit.source,
      ...(found === null && { isAbsent: true }),
    }];
  };
  return {
    key,
    covers,
    change,
    untold,
    at: (of) => {
      const found = declared(of);
      return found === null || found === UNKNOWN ? null : found.at;
    },
    isUnknown: (of) => declared(of) === UNKNOWN,
    unknowns: (of) => {
      const found = declared(of);
      if (found === null) return [];
      return found === UNKNOWN ? [{ field: key, at: writtenOf(of, covers) }] : parts.unknowns?.(of) ?? [];
    },
    digest,
    compare: (of, container, view) => {
      const found = declared(of);
      if (found === UNKNOWN) return [];
      return untold.includes(view.kind)
        ? byLabel(found, container, view, of)
        : compare(found, container, view, of);
    },
    ask: (asked, of, asking) => {
      const found = declared(of);
      if (found !== null && found !== UNKNOWN) parts.ask(asked, found.value, of, asking);
    },
  };
}

/** Returns the value of a container whose field is not declared; undefined where that cannot be told. */
type Otherwise<T> = (container: InspectedContainer, view: EngineView, of: Declared) => T | undefined;

/** A row with one value. */
export function single<T>(
  parts: RowParts<T> & {
    readonly seen: (container: InspectedContainer, view: EngineView, of: Declared) => T;
    readonly otherwise?: Otherwise<T>;
    readonly same?: (declared: T, seen: T, container: InspectedContainer, view: EngineView) => boolean;
    readonly show?: (value: T) => string;
  },
): Row {
  const { key, seen, otherwise, same = isSame, show = String } = parts;
  return row({
    ...parts,
    shown: show,
    compare: (declared, container, view, of) => {
      const expected = declared === null ? otherwise?.(container, view, of) : declared.value;
      if (expected === undefined) return [];
      const actual = seen(container, view, of);
      if (same(expected, actual, container, view)) return [];
      const at = declared?.at ?? of.unit.source;
      return [{ field: key, declared: show(expected), seen: show(actual), at }];
    },
  });
}

/** A row with a value under each of several names: each is a field of its own. */
export function keyed<T>(
  parts: RowParts<Readonly<Record<string, T>>> & {
    readonly seen: (container: InspectedContainer, view: EngineView) => Readonly<Record<string, T>>;
    readonly same?: (declared: T, seen: T, container: InspectedContainer, view: EngineView) => boolean;
    /** Returns true if somebody set an entry that is not declared: neither image nor engine brings it. */
    readonly isExtra: (
      name: string,
      seen: T,
      container: InspectedContainer,
      view: EngineView,
      of: Declared,
    ) => boolean;
    readonly show: (value: T, name: string) => string;
    readonly absent?: string;
    /** Returns true if the declared value allows that the entry is absent. */
    readonly mayBeAbsent?: (declared: T) => boolean;
    /** The name as the author wrote it. */
    readonly shownName?: (name: string, of: Declared) => string | undefined;
    /** Stands for a value that differs from the declared one, where neither may be shown. */
    readonly another?: string;
  },
): Row {
  const { key, seen, same = isSame, isExtra, show, absent = "(not set)", another, shownName, mayBeAbsent } =
    parts;
  return row({
    ...parts,
    compare: (declared, container, view, of) => {
      const actual = seen(container, view);
      const found: Difference[] = [];
      for (const [name, value] of Object.entries(declared?.value ?? {})) {
        const other = Object.hasOwn(actual, name) ? actual[name] : undefined;
        if (other === undefined ? mayBeAbsent?.(value) : same(value, other, container, view)) continue;
        const at = declared!.parts?.get(name) ?? declared!.at; // it has an entry
        found.push({
          field: `${key}.${shownName?.(name, of) ?? name}`,
          declared: show(value, name),
          seen: other === undefined ? absent : another ?? show(other, name),
          at,
        });
      }
      for (const [name, value] of Object.entries(actual)) {
        if (declared !== null && Object.hasOwn(declared.value, name)) continue;
        if (!isExtra(name, value, container, view, of)) continue;
        found.push({
          field: `${key}.${name}`,
          declared: absent,
          seen: show(value, name),
          at: declared?.at ?? of.unit.source,
          isAbsent: true,
        });
      }
      return found;
    },
  });
}

/** Equal as JSON, whatever the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, index) => isSame(one, b[index]));
  }
  const [one, other] = [Object.entries(a), new Map(Object.entries(b))];
  return Array.isArray(a) === Array.isArray(b) && one.length === other.size &&
    one.every(([key, value]) => other.has(key) && isSame(value, other.get(key)));
}

/** Equal whatever the order. */
export const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  (a.length === 0 && b.length === 0) || isSame([...new Set(a)].sort(), [...new Set(b)].sort());

/** Returns where one of these keys is written; the unit's own place for none. */
function writtenOf(of: Declared, covers: readonly string[]): Place {
  const parts = covers.map((one) => one.split("."));
  const whole = parts.map((path) => path.filter((part) => part !== "*"));
  const lists = parts.flatMap((path) => path.includes("*") ? [path.slice(0, path.indexOf("*"))] : []);
  return [...whole, ...lists].map((path) => nodeAt(of, ...path)).find((node) => node !== null) ??
    of.unit.source;
}

/** The node of a service that a path of keys leads to; null where nothing is written. */
export function nodeAt({ unit }: Declared, ...path: readonly string[]): Node | null {
  const node = valueAt(unit.value, ...path);
  return isNull(node) ? null : node;
}

/** A value made of one scalar; `read` answers null for what is none. */
export function scalarAt<T>(node: Node | null, read: (node: Node) => T | null): Declaration<T> {
  if (node === null) return null;
  const value = isUnknown(node) ? null : read(node);
  return value === null ? UNKNOWN : { value, at: node };
}

export const textAt = (...path: readonly string[]) => (of: Declared): Declaration<string> =>
  scalarAt(nodeAt(of, ...path), textOf);

export const flagAt = (...path: readonly string[]) => (of: Declared): Declaration<boolean> =>
  // Also as a text, which is what a variable leaves.
  scalarAt(nodeAt(of, ...path), truthOf);

/** The texts of a list, or the one that stands for it. */
export const textsAt = (...path: readonly string[]) => (of: Declared): Declaration<readonly string[]> => {
  const node = nodeAt(of, ...path);
  return node === null ? null : textsOf(node);
};

export function textsOf(node: Node): Declaration<readonly string[]> {
  const items = oneOrMany(node);
  const texts = items.flatMap((item) => textOf(item) ?? []);
  if (node.kind === "mapping" || texts.length < items.length) return UNKNOWN;
  const parts = new Map(items.map((item, index) => [texts[index]!, item])); // as many texts as items
  return { value: texts, at: node, parts };
}

/** Returns the text to show: the author's words, where the value of a variable is among them. */
export const writtenAt = (at: Place & { readonly written?: string }, text: string): string =>
  at.written ?? text;
