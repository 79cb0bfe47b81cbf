/** One project: its services beside what runs of them, its files, logs and graph, and its past applies. */
import { WORKSPACE, type Workspace } from "../../../client/berth/workspaces.ts";
import { problemOf } from "../../live/problem.ts";
import {
  planHref,
  type Project as Model,
  projectHref,
  useProject,
  useRevision,
} from "../../live/projects.ts";
import { useResource } from "../../live/resource.ts";
import { client, may, mayOnFolder } from "../../live/session.ts";
import { Files } from "../../parts/files/files.tsx";
import { Graph } from "../../parts/graph/graph.tsx";
import { MergedLogView } from "../../parts/log/merged_log_view.tsx";
import { Menu } from "../../parts/menu.tsx";
import { shown } from "../../parts/shown.ts";
import { Sign } from "../../parts/sign.tsx";
import { Trouble, Unread } from "../../parts/states.tsx";
import { currentTab, type Tab, Tabs } from "../../parts/tabs.tsx";
import { withQuery } from "../../router.ts";
import { type Verdict, VERDICTS } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";
import { History, Lately } from "./history.tsx";
import { Services } from "./services.tsx";

const TEXT = words.projects;

export function Project({ id }: { readonly id: string }) {
  const read = useProject(id, useRevision(id));
  const project = read.value.value;
  const problem = read.problem.value;
  if (problem?.code === "ambiguous_name") return <Candidates name={id} ids={problem.errors} />;
  if (project === undefined) return <Unread problem={problem} again={read.reload} />;
  return (
    <>
      {problem !== null && <Trouble problem={problem} since={read.at.value} again={read.reload} />}
      <Known project={project} key={project.id} />
    </>
  );
}

/** The projects that a short name could mean. */
function Candidates(
  { name, ids }: { readonly name: string; readonly ids: readonly { readonly message: string }[] },
) {
  return (
    <>
      <header class="screen-head">
        <h1>{words.project.which(shown(name))}</h1>
      </header>
      <ul class="rows">
        {ids.map(({ message }) => (
          <li class="row" key={message}>
            <a href={projectHref(message)}>{shown(message)}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Known({ project }: { readonly project: Model }) {
  const { workspace } = project;
  const folder = useResource(
    workspace !== null && mayOnFolder("workspaces:read", workspace.id) ? `folder ${workspace.id}` : null,
    (signal) => readFolder(workspace?.id ?? "", signal),
  ).value.value ?? null;
  const tabs: readonly Tab[] = [
    {
      id: "services",
      word: words.project.servicesWord,
      count: workspace === null ? project.containers.length : project.units.length,
    },
    ...folder === null ? [] : [{ id: "files", word: words.files.word }],
    { id: "logs", word: words.logs.word },
    ...workspace === null ? [] : [{ id: "graph", word: words.graph.word }],
    { id: "history", word: words.project.history },
  ];
  const tab = currentTab(tabs);
  return (
    <div class={tab === "logs" ? "list-screen" : ""}>
      <Header project={project} />
      <Tabs label={words.project.tabs} tabs={tabs} />
      {tab === "services" && (
        <>
          <Services project={project} revision={folder?.revision ?? ""} />
          <Lately id={project.id} revision={project.revision} />
        </>
      )}
      {tab === "files" && folder !== null && <Files workspace={folder} folder={project.folder ?? "."} />}
      {tab === "logs" && (
        <MergedLogView chosen={{ project: project.id }} name={project.name} key={project.id} />
      )}
      {tab === "graph" && workspace !== null && <Graph id={workspace.id} group={project.name} />}
      {tab === "history" && <History id={project.id} revision={project.revision} />}
    </div>
  );
}

/** Reads the folder of a project; null for callers who see only the project. */
async function readFolder(id: string, signal: AbortSignal): Promise<Workspace | null> {
  try {
    return (await client.get(WORKSPACE, { params: { id }, signal })).json();
  } catch (error) {
    if (problemOf(error)?.status === 404) return null;
    throw error;
  }
}

function Header({ project }: { readonly project: Model }) {
  const { name, verdict, counts, workspace, engines, ports, files } = project;
  const said = VERDICTS.filter((one) => counts[one] > 0).map((one) => words.overview.count(one, counts[one]));
  return (
    <>
      <header class="screen-head">
        <h1>
          <Sign verdict={verdict} /> {shown(name)}
        </h1>
        <span class="quiet">{said.join(", ")}</span>
        <span class="screen-end">
          {workspace !== null && may("projects:plan") && <Ways project={project} />}
        </span>
      </header>
      <p class="project-facts">
        {ports.map((port) => (
          <a key={port} href={`http://${location.hostname}:${port}/`} target="_blank" rel="noreferrer">
            :{port}
          </a>
        ))}
        {engines.length > 0 && <span>{shown(words.project.on(engines.join(", ")))}</span>}
        {workspace === null
          ? <span>{words.project.inNoFile}</span>
          : <DeclaredIn workspace={workspace} files={files} />}
      </p>
    </>
  );
}

/** The file and the folder that declare it, with their ways for callers who see the whole folder. */
function DeclaredIn(
  { workspace: { id, name }, files }: {
    readonly workspace: NonNullable<Model["workspace"]>;
    readonly files: Model["files"];
  },
) {
  const path = files.find(({ kind }) => kind === "compose" || kind === "native")?.path ?? null;
  const folder = words.project.inFolder;
  if (!mayOnFolder("workspaces:read", id)) {
    return <span>{shown([words.project.folder, path, path && folder, name].filter(Boolean).join(" "))}</span>;
  }
  return (
    <span>
      {words.project.folder} {path !== null && (
        <>
          <a href={withQuery({ view: "files", file: path })}>{shown(path)}</a> {folder}
          {" "}
        </>
      )}
      <a href={`/w/${encodeURIComponent(id)}`}>{shown(name)}</a>
    </span>
  );
}

const NEEDS_NOTHING: readonly Verdict[] = ["asWritten", "completed"];

/** Every way to change a project is a plan, which is shown first. */
const Ways = ({ project: { id, name, verdict, workspace, swarm } }: { readonly project: Model }) => (
  <>
    <a class={`button ${NEEDS_NOTHING.includes(verdict) ? "" : "is-main"}`} href={planHref(id)}>
      {TEXT.bring}
    </a>
    {swarm === null && (
      <>
        <a class="button" href={planHref(id, "update")}>{TEXT.update}</a>
        <a class="button" href={planHref(id, "restart")}>{words.containers.restart}</a>
        <a class="button" href={planHref(id, "stop")}>{words.containers.stop}</a>
      </>
    )}
    <Menu kind="row-menu" label={TEXT.ways(shown(name))} word="⋯">
      <a href={planHref(id, "down")}>{words.applies.actions.down}</a>
      <a href={`/updates?project=${encodeURIComponent(id)}`}>{words.titles.updates}</a>
      {mayOnFolder("workspaces:read", workspace?.id ?? "") && (
        <a href={`/w/${encodeURIComponent(workspace?.id ?? "")}?view=findings`}>{words.workspace.findings}</a>
      )}
    </Menu>
  </>
);
