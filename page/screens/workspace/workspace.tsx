/** One workspace: what is declared beside what runs, and what the rules find. */
import { useState } from "preact/hooks";
import { WORKSPACE } from "../../../client/berth/workspaces.ts";
import { readWorkspace } from "../../live/overview.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { MergedLogView } from "../../parts/log/merged_log_view.tsx";
import { Trouble, Unread } from "../../parts/states.tsx";
import { SourceStrip } from "../../parts/source_strip.tsx";
import { currentTab, type Tab, Tabs } from "../../parts/tabs.tsx";
import { go, query } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { Differences } from "./differences.tsx";
import { Files } from "../../parts/files/files.tsx";
import { Findings } from "./findings.tsx";
import { Graph } from "../../parts/graph/graph.tsx";

export function Workspace({ id }: { readonly id: string }) {
  const read = useResource(`workspace ${id}`, (signal) => readWorkspace(id, signal));
  const state = read.value.value;
  const problem = read.problem.value ?? state?.problem ?? null;
  if (state === undefined) return <Unread problem={problem} again={read.reload} />;
  const { workspace, units } = state;
  const differing = units.filter(({ verdict }) => verdict !== "asWritten" && verdict !== "completed").length;
  const { errors, warnings } = workspace.problems;
  const tabs: readonly Tab[] = [
    { id: "differences", word: words.workspace.differences, count: differing },
    { id: "graph", word: words.graph.word },
    { id: "files", word: words.files.word },
    { id: "findings", word: words.workspace.findings, count: errors + warnings },
    { id: "logs", word: words.logs.word },
  ];
  const tab = currentTab(tabs);
  return (
    <div class={tab === "logs" ? "list-screen" : ""}>
      {problem !== null && <Trouble problem={problem} since={read.at.value} again={read.reload} />}
      <header class="screen-head">
        <h1>{shown(workspace.name)}</h1>
        <code class="quiet">{shown(workspace.path)}</code>
        <a class="button" href={`/w/${encodeURIComponent(id)}/plan`}>{words.titles.plan}</a>
        <Forget id={id} name={workspace.name} />
      </header>
      <SourceStrip id={id} />
      <Tabs label={words.workspace.tabs} tabs={tabs} />
      {tab === "differences" && <Differences units={units} revision={workspace.revision ?? ""} />}
      {tab === "graph" && <Graph id={id} group={query.value.get("group")} />}
      {tab === "files" && <Files workspace={workspace} />}
      {tab === "findings" && <Findings id={id} revision={workspace.revision ?? ""} />}
      {tab === "logs" && <MergedLogView chosen={{ workspace: id }} name={workspace.name} key={id} />}
    </div>
  );
}

function Forget({ id, name }: { readonly id: string; readonly name: string }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <span class="screen-end">
      <Act permission="workspaces:write" act={() => setAsking(true)}>{words.workspace.forget}</Act>
      {isAsking && (
        <Dialog title={words.workspace.forget} onClose={() => setAsking(false)}>
          <p class="lead">{words.workspace.forgetQuestion(shown(name))}</p>
          <Form
            submit={words.workspace.forget}
            aside={
              <button type="button" class="button" onClick={() => setAsking(false)}>{words.cancel}</button>
            }
            send={async () => {
              await client.delete(WORKSPACE, { params: { id } });
              go("/");
            }}
          >
            {null}
          </Form>
        </Dialog>
      )}
    </span>
  );
}
