/** The spec of a unit's container as the files decide it; the engine's ids and berth's labels are added when it is sent. */

import type { Model, Unit } from "../../artifacts/artifact.ts";
import type { Asked, Asking, Declared, Unknown } from "../fields/field.ts";
import { hookRows } from "../fields/hooks.ts";
import { FIELDS } from "../fields/table.ts";

/** Stands for a container of the same project whose id only the engine knows; no name and no id begins so. */
const PLACEHOLDER = "\0";

export const placeholderOf = (service: string): string => `${PLACEHOLDER}${service}`;
export const isPlaceholder = (container: string): boolean => container.startsWith(PLACEHOLDER);

/** Builds the spec, or the part of it that the rows of these keys ask for. */
export function containerSpec(of: Declared, asking: Asking, isWanted = (_key: string) => true): Asked {
  const asked: Asked = {};
  for (const row of FIELDS) if (isWanted(row.key)) row.ask(asked, of, asking);
  return asked;
}

/** Remembers what the function returns for each unit, until anything of the workspace is read anew. */
export function oncePerUnit<T extends object>(make: (of: Declared) => T): (of: Declared) => T {
  const known = new WeakMap<Model, WeakMap<Unit, T>>();
  return (of) => {
    let ofModel = known.get(of.model);
    if (ofModel === undefined) known.set(of.model, ofModel = new WeakMap());
    let found = ofModel.get(of.unit);
    if (found === undefined) ofModel.set(of.unit, found = make(of));
    return found;
  };
}

/** Returns the spec as a plan judges it: with placeholders for other containers. */
export const plannedSpec: (of: Declared) => Readonly<Asked> = oncePerUnit((of) =>
  containerSpec(of, {
    name: of.service.containerName ?? of.unit.label,
    containerOf: placeholderOf,
    nameOf: placeholderOf,
  })
);

/** Returns every value that is written and not known, hooks aside, which have a block of their own. A request without it would be another one than the file's. */
export const unknownsOf: (of: Declared) => readonly Unknown[] = oncePerUnit((of) =>
  FIELDS.flatMap((row) => hookRows.includes(row) ? [] : row.unknowns(of))
);
