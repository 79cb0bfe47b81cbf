/** A place in a file: its path, line and column. */
import type { Place as Where } from "../live/overview.ts";
import { projectHref } from "../live/projects.ts";
import { mayOnFolder } from "../live/session.ts";
import { shown } from "./shown.ts";

export function Place(
  { place, folder, workspace, project }: {
    readonly place: Where | null;
    readonly folder?: string;
    /** The id of the workspace whose file it is: then it leads there, if the caller has all of it in scope. */
    readonly workspace?: string;
    /** The id of the project whose file it is, which it leads to otherwise. */
    readonly project?: string;
  },
) {
  if (place === null) return null;
  const text = `${folder === undefined ? "" : `${folder}/`}${place.file}:${place.line}:${place.column}`;
  const path = workspace !== undefined && mayOnFolder("artifacts:read", workspace)
    ? `/w/${encodeURIComponent(workspace)}`
    : project && projectHref(project);
  if (path === undefined) return <span class="place">{shown(text)}</span>;
  const at = new URLSearchParams({ view: "files", file: place.file, line: String(place.line) });
  return <a class="place" href={`${path}?${at}`}>{shown(text)}</a>;
}
