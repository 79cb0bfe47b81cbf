/** The folders that berth reads, and registering another one. */
import { readOverview, type WorkspaceState } from "../../live/overview.ts";
import { useResource } from "../../live/resource.ts";
import { may } from "../../live/session.ts";
import { VERDICTS } from "../../verdict.ts";
import { shown } from "../../parts/shown.ts";
import { Places } from "../../parts/places.tsx";
import { Reading } from "../../parts/reading.tsx";
import { Mark } from "../../parts/sign.tsx";
import { words } from "../../words/en_later.ts";
import { FromRepository } from "./from_repository.tsx";

export function Folders() {
  const read = useResource("folders and their units", readOverview);
  return (
    <Reading read={read} permission="workspaces:read">
      {({ workspaces }) => <List workspaces={workspaces} reload={read.reload} />}
    </Reading>
  );
}

function List(
  { workspaces, reload }: { readonly workspaces: readonly WorkspaceState[]; readonly reload: () => void },
) {
  return (
    <>
      <section class="workspaces" aria-labelledby="folders">
        <div class="section-head">
          <h1 id="folders">{words.projects.folders}</h1>
          {may("workspaces:files") && workspaces.length > 0 && (
            <a class="button" href="/new">{words.titles.newProject}</a>
          )}
        </div>
        <ul class="rows">
          {workspaces.map((state) => <WorkspaceRow state={state} key={state.workspace.id} />)}
        </ul>
      </section>
      <section aria-labelledby="register">
        <div class="section-head">
          <h2 id="register">{words.overview.register}</h2>
        </div>
        <Places done={reload} />
        <FromRepository />
      </section>
    </>
  );
}

function WorkspaceRow({ state: { workspace, units, problem } }: { readonly state: WorkspaceState }) {
  const amounts = VERDICTS.map((verdict) =>
    [verdict, units.filter((unit) => unit.verdict === verdict).length] as const
  ).filter(([, amount]) => amount > 0);
  const { errors, warnings } = workspace.problems;
  return (
    <li class="row workspace">
      <a href={`/w/${encodeURIComponent(workspace.id)}`}>{shown(workspace.name)}</a>
      <span class="workspace-signs">
        {amounts.map(([verdict, amount]) => (
          <Mark verdict={verdict} key={verdict}>{words.overview.count(verdict, amount)}</Mark>
        ))}
        {problem !== null && <Mark verdict="unknown">{shown(problem.title)}</Mark>}
        {workspace.state === "reading" && <span class="quiet">{words.folder.reading}</span>}
        {workspace.state === "missing" && <Mark verdict="unknown">{words.folder.missing}</Mark>}
        {workspace.state === "unreadable" && <Mark verdict="unknown">{words.folder.unreadable}</Mark>}
        {workspace.state === "empty" && <span class="quiet">{words.folder.empty}</span>}
      </span>
      <span class="workspace-problems quiet">
        {errors > 0 && (
          <a href={`/w/${encodeURIComponent(workspace.id)}?view=findings`}>{words.folder.errors(errors)}</a>
        )}
        {warnings > 0 && (
          <a href={`/w/${encodeURIComponent(workspace.id)}?view=findings`}>
            {words.folder.warnings(warnings)}
          </a>
        )}
      </span>
      <code class="workspace-path quiet">{shown(workspace.path)}</code>
    </li>
  );
}
