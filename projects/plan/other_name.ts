/** Blocks the plan of a group that runs as another project than its files make it. */

import type { Group } from "../../artifacts/artifact.ts";
import { type Draft, edited } from "./draft.ts";

/**
 * A project that runs under another name is seen as this group's, by `berth.yaml` or by its files, but names and labels of
 * all that would be made are those of the file: nothing could be changed without a second project beside it.
 */
export function blockByOtherName(
  group: Group,
  sure: readonly { readonly project: string }[],
  draft: Draft,
): void {
  const { id, project, projectFrom: { by, at } } = group;
  const names = [...new Set(sure.map((one) => one.project))].filter((name) => name !== project).sort();
  const [first] = names;
  if (first === undefined) return;
  const [line, file] = by === "env"
    ? [`COMPOSE_PROJECT_NAME=${first}`, "the file that names it"]
    : [`name: ${first}`, "its Compose file"];
  const message =
    `This group runs as the project "${names.join('", "')}", and its files make it the project ` +
    `"${project}": write "${line}" into ${file}, or take down what runs under the other name`;
  draft.block("project/other-name", message, at, id, edited(at));
}
