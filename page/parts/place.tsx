/** Where something is written: file, line and column. */
import type { Place as Where } from "../live/overview.ts";
import { shown } from "./shown.ts";

export function Place({ place, folder }: { readonly place: Where | null; readonly folder?: string }) {
  if (place === null) return null;
  const text = `${folder === undefined ? "" : `${folder}/`}${place.file}:${place.line}:${place.column}`;
  return <span class="place">{shown(text)}</span>;
}
