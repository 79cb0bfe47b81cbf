/** The first screen while there is no project: the next step. */
import { WORKSPACES } from "../../client/berth/workspaces.ts";
import type { ProjectList } from "../live/projects.ts";
import { useResource } from "../live/resource.ts";
import { client, may } from "../live/session.ts";
import { words } from "../words/en_later.ts";
import { Lacking } from "./lacking.tsx";
import { Places } from "./places.tsx";

const TEXT = words.project;

export interface NoProjectsProps {
  readonly state: ProjectList;
}

export function NoProjects({ state }: NoProjectsProps) {
  const folders = useResource(
    may("workspaces:read") ? "folders of nothing" : null,
    (signal) => client.get(WORKSPACES, { signal }).then((answer) => answer.json().items.length),
  );
  const amount = folders.value.value ?? 0;
  return (
    <div class="first">
      <h1>{amount === 0 ? words.register.emptyTitle : TEXT.noneTitle}</h1>
      <p class="lead">{amount === 0 ? words.register.emptyLead : TEXT.noneLead(amount)}</p>
      {amount > 0 && (
        <p class="lead">
          <a href="/folders">{TEXT.toFolders}</a>
        </p>
      )}
      <Places />
      {amount > 0 && may("workspaces:files") && (
        <p class="lead">
          <a class="button" href="/new">{words.titles.newProject}</a>
        </p>
      )}
      {state.engines.length === 0 && <p class="hint">{words.register.noEngine}</p>}
      <Lacking engines={state.engines} />
    </div>
  );
}
