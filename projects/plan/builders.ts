/** The units of a group that build an image. */

import type { Group, Model, Unit } from "../../artifacts/artifact.ts";
import { imageNames } from "../fields/process.ts";
import { declaredOf } from "./scene.ts";

/** Returns the units that build, by the image that they build. */
export function buildersOf(model: Model, group: Group): ReadonlyMap<string, Unit> {
  const builders = group.units.flatMap((unit): [string, Unit][] => {
    const of = declaredOf(model, group, unit);
    return of === null || of.service.build === null ? [] : [[imageNames(of)[0]!, unit]]; // there is one at least
  });
  return new Map(builders.reverse()); // the first of those that build the same
}
