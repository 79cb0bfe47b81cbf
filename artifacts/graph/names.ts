/** Finding artifacts by name: exact, qualified by their group, or bare where that is not ambiguous. */

import type { Card, Model } from "../artifact.ts";

/** The meaning of a name: one id, one of several, or none. */
export type Found =
  | { readonly id: string }
  | { readonly candidates: readonly string[] }
  | { readonly none: true };

/** The names of one kind of artifact. */
interface NamesOfKind {
  readonly ids: ReadonlySet<string>;
  /** Short name to ids: of units (`db` for `shop.db`), and of cards that are named after what they describe. */
  readonly bare: ReadonlyMap<string, readonly string[]>;
}

/** The kinds that a document or a route can name. */
export type NamedKind = "group" | "unit" | "card";

/** Every name of a workspace. */
export type NameIndex = Readonly<Record<NamedKind, NamesOfKind>>;

const indexes = new WeakMap<Model, NameIndex>();

/** The names of a model, made once. */
export function namesOf(model: Model): NameIndex {
  const known = indexes.get(model);
  if (known) return known;
  const bare = new Map<string, string[]>();
  for (const unit of model.units) if (unit.group !== null) addName(bare, unit.label, unit.id);
  const index: NameIndex = {
    group: { ids: new Set(model.groups.map((group) => group.id)), bare: new Map() },
    unit: { ids: new Set(model.units.map((unit) => unit.id)), bare },
    card: { ids: new Set(model.cards.map((card) => card.id)), bare: shortNamesOfCards(model.cards) },
  };
  indexes.set(model, index);
  return index;
}

/** `shop` for `group:shop`, `web` and `shop.web` for `unit:shop.web`; a group's card goes before a unit's. */
function shortNamesOfCards(cards: readonly Card[]): Map<string, string[]> {
  const bare = new Map<string, string[]>();
  const named = (kind: string) => cards.filter(({ name }) => name.startsWith(`${kind}:`));
  for (const { id, name } of named("group")) addName(bare, name.slice("group:".length), id);
  const groups = new Set(bare.keys());
  for (const { id, name } of named("unit")) {
    const qualified = name.slice("unit:".length);
    for (const short of new Set([qualified, qualified.slice(qualified.indexOf(".") + 1)])) {
      if (!groups.has(short)) addName(bare, short, id);
    }
  }
  return bare;
}

function addName(names: Map<string, string[]>, name: string, id: string): void {
  const same = names.get(name);
  if (same) same.push(id);
  else names.set(name, [id]);
}

/** Finds the artifact of one kind that the `{name}` of a route means. */
export function findByName(model: Model, kind: NamedKind, name: string): Found {
  const { ids, bare } = namesOf(model)[kind];
  const exact = `${kind}:${name}`;
  if (ids.has(exact)) return { id: exact };
  const several = bare.get(name) ?? [];
  if (several.length === 1) return { id: several[0]! };
  return several.length === 0 ? { none: true } : { candidates: several };
}

/**
 * Finds the artifact that `[kind:]name` means in a document of the group `own`: its own group first, then the
 * workspace.
 */
export function findWritten(model: Model, written: string, own: string | null): Found {
  const names = namesOf(model);
  const split = /^(group|unit|card):(.*)$/s.exec(written);
  const name = split === null ? written : split[2]!;
  const kind = split === null ? null : split[1] as NamedKind; // one of the three that the pattern lists
  if (own !== null && kind !== "group" && kind !== "card") {
    const near = `unit:${own.slice("group:".length)}.${name}`;
    if (names.unit.ids.has(near)) return { id: near };
  }
  const fits: string[] = [];
  for (const candidate of kind === null ? ["unit", "group"] as const : [kind]) {
    const found = findByName(model, candidate, name);
    if ("id" in found) fits.push(found.id);
    else if ("candidates" in found) fits.push(...found.candidates);
  }
  if (fits.length === 1) return { id: fits[0]! };
  return fits.length === 0 ? { none: true } : { candidates: fits };
}

/** The candidate that a misspelt name most likely means, if any is close: at most a third of it differs. */
export function closest(name: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  let budget = 2_000;
  for (const candidate of candidates) {
    if (--budget === 0) break;
    if (candidate === name || Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein's distance, with a swap of neighbours as one step; `limit` or more is not told apart. */
function editDistance(a: string, b: string, limit: number): number {
  if (a.length > 64 || b.length > 64) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    let lowest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      current.push(cost);
      if (cost < lowest) lowest = cost;
    }
    if (lowest >= limit) return limit;
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}

/** `; did you mean "web"?` where something is close, else nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = closest(name, candidates);
  return near === null ? "" : `; did you mean "${near}"?`;
}
