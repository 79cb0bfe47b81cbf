/** Which groups are meant for a swarm: their file says so, or `berth.yaml` joins a stack with them. */

import { withoutEnd } from "../../core/without_end.ts";
import type { Group, Model, Scalar, Settings } from "../artifact.ts";
import { scalarOf, textOf, valueAt } from "../yaml/values.ts";

/** Returns what `x-berth.target` of a group's file says; null where it says nothing. */
export const targetOf = ({ value }: Pick<Group, "value">): Scalar | null =>
  scalarOf(valueAt(value, "x-berth", "target"));

/** Returns true if the group's own file says that it is meant for a swarm. */
export const saysSwarm = (group: Pick<Group, "value">): boolean => textOf(targetOf(group)) === "swarm";

/** Returns true if a group is meant for a swarm, by its file or by `berth.yaml`. */
export const isForSwarm = ({ settings }: Pick<Model, "settings">, group: Group): boolean =>
  saysSwarm(group) || stacksNamed(settings, group).length > 0;

/** Returns the stacks that `berth.yaml` joins with a group, by its name or by its folder. */
export function stacksNamed({ stacks }: Pick<Settings, "stacks">, group: Group): readonly string[] {
  if (stacks.size === 0) return NONE;
  return [...stacks].filter(([, of]) => of === group.name || folder(of) === group.folder)
    .map(([stack]) => stack);
}

const NONE: readonly string[] = [];

/** `./infra/shop/` is `infra/shop`; the root is "." alone, since "" is no name of a folder. */
const folder = (text: string): string | null => {
  const bare = withoutEnd(text.replace(/^(?:\.\/)+/, ""), "/");
  return bare === "." ? "" : bare === "" ? null : bare;
};
