/** A place in a file: its path, line and column. */
import type { Place as Where } from "../live/overview.ts";
import { shown } from "./shown.ts";

export function Place(
  { place, folder, workspace }: {
    readonly place: Where | null;
    readonly folder?: string;
    /** The id of the workspace whose file it is: then it leads there. */
    readonly workspace?: string;
  },
) {
  if (place === null) return null;
  const text = `${folder === undefined ? "" : `${folder}/`}${place.file}:${place.line}:${place.column}`;
  if (workspace === undefined) return <span class="place">{shown(text)}</span>;
  const at = new URLSearchParams({ view: "files", file: place.file, line: String(place.line) });
  return <a class="place" href={`/w/${encodeURIComponent(workspace)}?${at}`}>{shown(text)}</a>;
}
