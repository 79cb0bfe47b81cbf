/** Reasons why a draft cannot be saved as it is. */
import { BUDGETS } from "../artifacts/files/budgets.ts";
import type { Group } from "../artifacts/artifact.ts";
import { mainGroups } from "../artifacts/graph/graph.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Ownership } from "../core/ownership.ts";
import type { RunningContainer } from "../core/runtime.ts";
import type { DraftProject } from "../projects/adopt/draft.ts";

/** The groups of all workspaces by the names of their projects. */
export type DeclaredNames = ReadonlyMap<
  string,
  readonly { readonly workspace: string; readonly group: Group }[]
>;

export async function declaredNames(registry: Pick<Registry, "models">): Promise<DeclaredNames> {
  const all = (await registry.models()).flatMap(({ workspace, model }) =>
    mainGroups(model).map((group) => ({ workspace: workspace.id, group }))
  );
  return Map.groupBy(all, ({ group }) => group.project);
}

/**
 * Returns the folder in which the very text lies already: files were written, and berth stopped before it adopted the
 * containers. Null where there is none.
 */
export function writtenIn(
  { name, files }: Pick<DraftProject, "name" | "files">,
  workspace: string,
  names: DeclaredNames,
): string | null {
  const [own, ...others] = names.get(name) ?? [];
  if (own === undefined || others.length > 0 || own.workspace !== workspace) return null;
  const text = files.find(({ path }) => path === "compose.yaml")?.text;
  const { group } = own;
  return group.files.length === 1 && group.files[0]!.text === text ? group.folder : null;
}

/** Returns the ids of those that a file declares already, in whichever workspace. */
export async function declaredIds(
  rows: readonly RunningContainer[],
  ownership: Pick<Ownership, "groupOf" | "settle">,
): Promise<ReadonlySet<string>> {
  rows.forEach((row) => ownership.groupOf(row)); // asks whose they are
  await ownership.settle();
  return new Set(rows.flatMap((row) => ownership.groupOf(row) === null ? [] : [row.id]));
}

export function blockedBy(
  { name, refused, files, services }: DraftProject,
  { projects, isTaken, ids }: {
    /** The projects of the same draft. */
    readonly projects: readonly { readonly name: string }[];
    /** True if another project has the name. */
    readonly isTaken: boolean;
    readonly ids: ReadonlySet<string>;
  },
): string[] {
  const declared = services.filter(({ id }) => ids.has(id)).map(({ container }) => container);
  const [first] = declared;
  return [
    ...(isTaken ? [`A workspace has a project "${name}" already: choose another name`] : []),
    ...(first === undefined ? [] : [
      `A file declares ${
        declared.length === 1 ? `"${first}"` : `${declared.length} of the containers`
      } already`,
    ]),
    ...(projects.filter((one) => one.name === name).length > 1
      ? [`Containers of several engines cannot be one project "${name}"`]
      : []),
    // An unsaved text is read whatever its size.
    ...files.filter(({ text }) => new TextEncoder().encode(text).length > BUDGETS.fileBytes).map(({ path }) =>
      `"${path}" would have over ${BUDGETS.fileBytes} bytes, and berth reads no such file`
    ),
    ...(refused.length > 0 ? ["Some containers cannot be written down"] : []),
    ...(files.some(({ path }) => path === "compose.yaml") ? [] : ["berth cannot read its own text"]),
  ];
}
