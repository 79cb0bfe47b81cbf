/** The acts on the projects that are chosen. */
import { planHref } from "../live/projects.ts";
import { words } from "../words/en_later.ts";

const TEXT = words.project;

export interface BulkProps {
  /** Ids of projects, one at least. */
  readonly ids: readonly string[];
  readonly clear: () => void;
}

/** Acts on all rows that are chosen: each is a plan of its own, shown before anything is done. */
export function Bulk({ ids, clear }: BulkProps) {
  const hrefOf = (asked: Readonly<Record<string, string>>) => {
    const params = new URLSearchParams(asked);
    const [only] = ids;
    if (ids.length === 1 && only !== undefined) {
      return [planHref(only), params].join(params.size > 0 ? "?" : "");
    }
    for (const id of ids) params.append("p", id);
    return `/plan?${params}`;
  };
  return (
    <div class="bulk" role="toolbar" aria-label={words.containers.chosen(ids.length)}>
      <b>{words.containers.chosen(ids.length)}</b>
      <a class="button is-main" href={hrefOf({})}>{TEXT.bringAll(ids.length)}</a>
      <a class="button" href={hrefOf({ action: "update" })}>{words.projects.update}</a>
      <a class="button" href={hrefOf({ action: "restart" })}>{words.containers.restart}</a>
      <a class="button" href={hrefOf({ action: "stop" })}>{words.containers.stop}</a>
      <button type="button" class="link" onClick={clear}>{words.containers.clear}</button>
    </div>
  );
}
