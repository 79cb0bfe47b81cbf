/** Says which variables of a value are not set, and where they would be. */

import type { Group, Node, Place } from "../../artifacts/artifact.ts";
import { join } from "../../artifacts/files/paths.ts";
import { unsetNames } from "../../artifacts/report/values.ts";
import type { Remedies } from "../../core/remedy.ts";
import { edited } from "./draft.ts";

/** Returns the message for a value that holds variables without a value. */
export function unsetMessage(at: Node, group: Group): string {
  const names = unsetNames(at, group).map((name) => `"${name}"`);
  if (names.length === 0) return "A variable in this value is not set";
  return names.length === 1
    ? `The variable ${names[0]} is not set`
    : `The variables ${names.slice(0, -1).join(", ")} and ${names.at(-1)} are not set`;
}

/** Returns a remedy for each of them, and the one of the value itself. */
export const unsetRemedies = (at: Node, group: Group): Remedies =>
  remediesFor(unsetNames(at, group), at, group);

/** Returns a remedy for each of the variables, in the file that is read last, and the one of a place that needs them. */
export function remediesFor(names: readonly string[], at: Place | null, group: Group): Remedies {
  const file = group.envFiles.at(-1)?.path ?? join(group.folder, ".env");
  const own = edited(at);
  const [first, ...more] = [
    ...names.map((name) => ({ kind: "set", name, file }) as const),
    ..."none" in own ? [] : own,
  ];
  return first === undefined ? own : [first, ...more];
}
