/** The graph of a workspace: what needs what, and how each is doing, as a drawing and as a list. */
import { useMemo, useState } from "preact/hooks";
import { type Dag, type DagNode, WORKSPACE_ARTIFACTS_DAG } from "../../../client/berth/workspaces.ts";
import { useResource } from "../../live/resource.ts";
import { projectHref, unitHref } from "../../live/projects.ts";
import { client, mayOnFolder } from "../../live/session.ts";
import { Reading } from "../reading.tsx";
import { shown } from "../shown.ts";
import { Sign } from "../sign.tsx";
import { Empty } from "../states.tsx";
import { go, query, withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { Drawn } from "./drawn.tsx";
import { layOut } from "../graph_layout.ts";
import { linksOf, nameOf } from "./links.ts";
import { Outline } from "./outline.tsx";

/** Node kinds that are always drawn; the others are drawn on request. */
const MAIN: readonly DagNode["kind"][] = ["unit", "group", "missing"];

/** Draws a workspace, or only the group of this name. */
export function Graph({ id, group }: { readonly id: string; readonly group: string | null }) {
  const read = useResource(
    `graph ${id} ${group}`,
    async (signal) => {
      const query = { live: true, ...(group === null ? {} : { group }) };
      // Without a format it is JSON.
      return (await client.get(WORKSPACE_ARTIFACTS_DAG, { params: { id }, query, signal })).json() as Dag;
    },
  );
  return (
    <Reading read={read} permission="artifacts:read" isPart>
      {(dag) => <Shown id={id} dag={dag} group={group} />}
    </Reading>
  );
}

function Shown(
  { id, dag, group }: { readonly id: string; readonly dag: Dag; readonly group: string | null },
) {
  const isAll = query.value.has("resources");
  const drawing = useMemo(() => layOut(dag, ({ kind }) => isAll || MAIN.includes(kind)), [dag, isAll]);
  const links = useMemo(() => linksOf(dag), [dag]);
  const [lit, setLit] = useState<string | null>(null);
  const open = (node: DagNode) => go(hrefOf(id, node));
  if (dag.nodes.length === 0) return <Empty title={words.graph.empty} />;
  const others = dag.nodes.filter(({ kind }) => !MAIN.includes(kind)).length;
  return (
    <>
      <div class="graph-bar">
        <span class="quiet" role="status">
          {words.graph.size(drawing.nodes.length, drawing.lines.length)}
        </span>
        {group !== null && <a href={withQuery({ group: null })}>{words.graph.allGroups(shown(group))}</a>}
        {others > 0 && dag.view === "all" && (
          <label>
            <input
              type="checkbox"
              checked={isAll}
              onChange={() => go(withQuery({ resources: isAll ? null : "1" }), { replace: true })}
            />{" "}
            {words.graph.resources(others)}
          </label>
        )}
      </div>
      {dag.view === "groups" && <p class="hint">{words.graph.onlyGroups}</p>}
      {dag.liveNeeds !== undefined && <p class="hint">{words.lacks(dag.liveNeeds)}</p>}
      {dag.cycles.map((cycle) => (
        <p class="cycle" key={cycle.join()}>
          <Sign verdict="broken" /> {words.graph.cycle}{" "}
          {[...cycle, cycle[0]!].map((one) => shown(nameOf(one))).join(" → ")}
        </p>
      ))}
      <div class="graph">
        <Drawn drawing={drawing} links={links} lit={lit} light={setLit} open={open} />
        <Outline
          dag={dag}
          drawing={drawing}
          links={links}
          hrefOf={(node) => hrefOf(id, node)}
          light={setLit}
        />
      </div>
    </>
  );
}

/** A unit leads to its differences, a group to its own graph. */
function hrefOf(workspace: string, { kind, label, id }: DagNode): string {
  const path = `/w/${encodeURIComponent(workspace)}`;
  if (!mayOnFolder("artifacts:read", workspace)) {
    if (kind === "unit") return unitHref(workspace, nameOf(id));
    const [group = ""] = kind === "group" ? [label] : nameOf(id).split("."); // an external resource has none
    return group === "" ? "?view=graph" : `${projectHref(`${group}@${workspace}`)}?view=graph`;
  }
  if (kind === "group") return `${path}?view=graph&group=${encodeURIComponent(label)}`;
  return kind === "unit" ? `${path}?unit=${encodeURIComponent(nameOf(id))}` : `${path}?view=graph`;
}
