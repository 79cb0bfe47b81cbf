/** One line about the repository that a folder follows, which leads to what its commits would change. */
import { type Source, WORKSPACE_SOURCE } from "../../client/berth/workspaces.ts";

import { type Resource, useResource } from "../live/resource.ts";
import { type RowOf, useRows } from "../live/rows.ts";
import { client, may } from "../live/session.ts";
import { words } from "../words/en_later.ts";
import { shown } from "./shown.ts";
import { Mark } from "./sign.tsx";

const TEXT = words.sources;
/** Groups that are named in one line. */
const MOST_NAMED = 5;

/** The row of a source; null where the folder follows nothing, undefined while that is not known. */
export function useSourceRow(id: string): RowOf<"sources"> | null | undefined {
  const rows = useRows(may("workspaces:read") ? "sources" : null, "sources").value.value;
  return rows === undefined ? undefined : rows.items.find(({ workspace }) => workspace === id) ?? null;
}

/** Reads a source, and again whenever its row says something else. */
export function useSource(id: string, row: RowOf<"sources"> | null | undefined): Resource<Source> {
  return useResource(
    row ? `source ${id}` : null,
    async (signal) => (await client.get(WORKSPACE_SOURCE, { params: { id }, signal })).json(),
    { live: false, revision: row ? [row.state, row.head, row.synced, row.checkedAt].join(" ") : null },
  );
}

export const sourceHref = (id: string): string => `/w/${encodeURIComponent(id)}/source`;

export function SourceStrip({ id }: { readonly id: string }) {
  const row = useSourceRow(id);
  const source = useSource(id, row).value.value;
  if (row === undefined || row === null) {
    if (row === undefined || !may("workspaces:manage")) return null;
    return (
      <p class="source-strip">
        <a href={sourceHref(id)}>{TEXT.follow}</a>
      </p>
    );
  }
  return (
    <p class="source-strip">
      <SourceMark state={source?.state ?? row.state} />{" "}
      <a href={sourceHref(id)}>{source === undefined ? TEXT.title : behindIn(source) ?? TEXT.title}</a>
      {row.error !== null && <span class="quiet">{shown(row.error)}</span>}
    </p>
  );
}

/** Returns "2 commits behind: blog, shop"; null where nothing waits. */
export function behindIn({ pending }: Source): string | null {
  if (pending === null) return null;
  const names = pending.groups.map(({ name }) => shown(name));
  const more = names.length > MOST_NAMED ? " …" : "";
  return TEXT.behind(pending.commits.length, names.slice(0, MOST_NAMED).join(", ") + more);
}

const SIGNS = {
  unchecked: "unknown",
  synced: "asWritten",
  behind: "differs",
  syncing: "differs",
  waiting: "differs",
  conflict: "differs",
  failed: "broken",
} as const satisfies Record<Source["state"], "unknown" | "asWritten" | "differs" | "broken">;

export function SourceMark({ state }: { readonly state: Source["state"] }) {
  return <Mark verdict={SIGNS[state]}>{TEXT.states[state] ?? state}</Mark>;
}
