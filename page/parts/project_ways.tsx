/** The links of a project's menu: its plans, and its views. */
import { planHref, projectHref } from "../live/projects.ts";
import { may } from "../live/session.ts";
import { words } from "../words/en_later.ts";

export interface ProjectWaysProps {
  readonly id: string;
  /** True where it runs as a stack of a swarm, which is only brought up or taken down. */
  readonly isStack: boolean;
}

export function ProjectWays({ id, isStack }: ProjectWaysProps) {
  const viewHref = (view: string) => `${projectHref(id)}?view=${view}`;
  return (
    <>
      {may("projects:plan") && (
        <>
          <a href={planHref(id)}>{words.projects.bring}</a>
          {!isStack && (
            <>
              <a href={planHref(id, "update")}>{words.projects.update}</a>
              <a href={planHref(id, "restart")}>{words.containers.restart}</a>
              <a href={planHref(id, "stop")}>{words.containers.stop}</a>
            </>
          )}
          <a href={planHref(id, "down")}>{words.applies.actions.down}</a>
        </>
      )}
      {may("workspaces:read") && <a href={viewHref("files")}>{words.files.word}</a>}
      {may("containers:logs") && <a href={viewHref("logs")}>{words.logs.word}</a>}
      <a href={viewHref("history")}>{words.project.history}</a>
    </>
  );
}
