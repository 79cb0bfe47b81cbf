/** The first screen while there is no project: the next step. */
import type { Projects } from "../../client/berth/projects.ts";
import { WORKSPACES } from "../../client/berth/workspaces.ts";
import { useResource } from "../live/resource.ts";
import { client, may } from "../live/session.ts";
import { words } from "../words/en_later.ts";
import { Lacking } from "./lacking.tsx";
import { RegisterForm } from "./register.tsx";

const TEXT = words.project;

export interface NoProjectsProps {
  readonly state: Projects;
  readonly reload: () => void;
}

export function NoProjects({ state, reload }: NoProjectsProps) {
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
      <RegisterForm done={reload} />
      {state.engines.length === 0 && <p class="hint">{words.register.noEngine}</p>}
      <Lacking engines={state.engines} />
    </div>
  );
}
