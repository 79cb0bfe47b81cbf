/** What was found of each group, remembered while everything that it was found from is the same. */

import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import type { RunningContainer } from "../../core/runtime.ts";
import type { FieldDifference } from "../fields/table.ts";
import type { Bundle } from "./bundles.ts";
import type { GroupLook } from "./group_look.ts";
import { inputsOf, knownDifferences } from "./remembered.ts";
import type { DiskSide, EngineSide } from "./views.ts";

/** A bundle, and everything that a look at it depends on. */
export interface Asked {
  readonly bundle: Bundle;
  readonly model: Model;
  /** Further inputs, compared by identity. */
  readonly around: readonly unknown[];
  readonly engine: (backend: string) => EngineSide;
  readonly disk: Pick<DiskSide, "digest" | "contents">;
}

interface Comparison {
  readonly unit: Unit;
  readonly container: RunningContainer;
  readonly found: readonly FieldDifference[];
}

interface Remembered {
  readonly from: readonly unknown[];
  readonly comparisons: readonly Comparison[];
  readonly look: GroupLook;
}

/** Callers of different scopes see different containers and images: each kind has an entry of its own. */
const MOST_VIEWS = 4;
const remembered = new WeakMap<Group, readonly Remembered[]>();

/** Returns what was found, if looking again would find the same; undefined otherwise. Waits for nothing. */
export function rememberedLook(asked: Asked): GroupLook | undefined {
  const { bundle: { group } } = asked;
  const all = group === null ? undefined : remembered.get(group);
  if (all === undefined) return undefined;
  const from = fromOf(asked);
  return all.find((one) =>
    one.from.length === from.length && one.from.every((it, at) => it === from[at]) &&
    areKnown(asked, one.comparisons)
  )?.look;
}

/** Remembers a look, unless something could not be compared. */
export function rememberLook(asked: Asked, look: GroupLook): void {
  const { bundle: { group, units } } = asked;
  if (group === null) return;
  const inputs = inputsBy(asked);
  const comparisons: Comparison[] = [];
  for (const unit of units) {
    if (unit.service === null) continue;
    for (const container of look.containers.get(unit.id) ?? []) {
      const { from, engine } = inputs(container.backend);
      const found = knownDifferences(unit, container, from, engine);
      if (found === undefined) return;
      comparisons.push({ unit, container, found });
    }
  }
  const from = fromOf(asked);
  const others = (remembered.get(group) ?? []).filter((one) =>
    one.from.length !== from.length || one.from.some((it, at) => it !== from[at])
  );
  remembered.set(group, [{ from, comparisons, look }, ...others].slice(0, MOST_VIEWS));
}

function areKnown(asked: Asked, comparisons: readonly Comparison[]): boolean {
  const inputs = inputsBy(asked);
  return comparisons.every(({ unit, container, found }) => {
    const { from, engine } = inputs(container.backend);
    return knownDifferences(unit, container, from, engine) === found;
  });
}

/** The inputs of comparisons on each engine. */
function inputsBy({ bundle: { group }, model, engine, disk }: Asked) {
  const known = new Map<string, { readonly from: readonly unknown[]; readonly engine: EngineSide }>();
  return (backend: string) => {
    let own = known.get(backend);
    if (own === undefined) {
      const side = engine(backend);
      const from = inputsOf({ group: group!, model }, { engine: side, disk }); // only groups are remembered
      known.set(backend, own = { from, engine: side });
    }
    return own;
  };
}

function fromOf({ bundle: { joined, rows, services }, around }: Asked): readonly unknown[] {
  const signs = joined.map(({ running: { backend, project }, match }) =>
    `${backend} ${project} ${match.by} ${match.confidence}`
  );
  const kept = [...services].flatMap((
    [unit, { name, known, match, isHidden }],
  ) => [unit, name, known?.service ?? null, isHidden, match.by, match.confidence]);
  return [...around, signs.join("\n"), ...kept, ...rows];
}
