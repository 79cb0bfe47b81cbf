/** The logs of chosen containers, of a project or of a workspace, together: `?c=docker/web&c=docker/db`, `?project=shop`. */
import { type Container, CONTAINERS } from "../../../client/berth/containers.ts";
import { WORKSPACES } from "../../../client/berth/workspaces.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { MergedLogView } from "../../parts/log/merged_log_view.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import { go, query } from "../../router.ts";
import { words } from "../../words/en_later.ts";

export function Logs() {
  const { value } = query;
  const containers = value.getAll("c");
  const [project, workspace] = [value.get("project"), value.get("workspace")];
  const isAnything = containers.length > 0 || project !== null || workspace !== null ||
    value.has("all");
  const chosen = containers.length > 0
    ? { containers }
    : workspace !== null
    ? { workspace }
    : project !== null
    ? { project }
    : { all: true as const };
  if (!may("containers:logs")) return <Empty title={words.log.noRight} whole />;
  return (
    <div class="list-screen">
      <header class="screen-head">
        <h1>{words.titles.logs}</h1>
        <Choice containers={containers} project={project} workspace={workspace} isAll={value.has("all")} />
      </header>
      {isAnything
        ? <MergedLogView chosen={chosen} name={words.logs.word} key={JSON.stringify(chosen)} />
        : (
          <Empty title={words.logs.what}>
            <a class="button" href="/logs?all">{words.logs.all}</a>
          </Empty>
        )}
    </div>
  );
}

function Choice(
  { containers, project, workspace, isAll }: {
    readonly containers: readonly string[];
    readonly project: string | null;
    readonly workspace: string | null;
    readonly isAll: boolean;
  },
) {
  const read = useResource(
    may("containers:read") ? "containers to choose" : null,
    async (signal) =>
      (await client.get(CONTAINERS, { query: { sort: "name", order: "asc" }, signal })).json(),
  );
  const folders = useResource(
    may("workspaces:read") ? "workspaces to choose" : null,
    async (signal) => (await client.get(WORKSPACES, { signal })).json(),
  );
  const items = read.value.value?.items ?? [];
  const projects = [...new Set(items.flatMap(({ compose }) => compose?.project ?? []))].sort();
  const chips = [
    ...containers.map((one) => ({
      text: one.slice(one.indexOf("/") + 1),
      to: hrefOf(without(containers, one)),
    })),
    ...(containers.length === 0 && workspace !== null
      ? [{ text: words.logs.workspace(workspace), to: "/logs" }]
      : []),
    ...(containers.length === 0 && workspace === null && project !== null
      ? [{ text: words.logs.project(project), to: "/logs" }]
      : []),
  ];
  return (
    <div class="chips">
      {chips.map(({ text, to }) => (
        <span class="chip" key={text}>
          {shown(text)}
          <button type="button" aria-label={words.logs.remove(shown(text))} onClick={() => go(to)}>✕</button>
        </span>
      ))}
      <select
        aria-label={words.logs.of}
        value=""
        onChange={(event) => go(event.currentTarget.value)}
      >
        <option value="">{containers.length > 0 ? words.logs.add : words.logs.of}</option>
        {!isAll && <option value="/logs?all">{words.logs.all}</option>}
        {(folders.value.value?.items ?? []).map(({ id, name }) => (
          <option key={id} value={`/logs?workspace=${encodeURIComponent(id)}`}>
            {words.logs.workspace(shown(name))}
          </option>
        ))}
        {projects.map((name) => (
          <option key={name} value={`/logs?project=${encodeURIComponent(name)}`}>
            {words.logs.project(shown(name))}
          </option>
        ))}
        {items.filter((one) => !containers.includes(keyOf(one))).map((one) => (
          <option key={keyOf(one)} value={hrefOf([...containers, keyOf(one)])}>{shown(one.name)}</option>
        ))}
      </select>
    </div>
  );
}

function keyOf({ backend, name }: Pick<Container, "backend" | "name">): string {
  return `${backend}/${name}`;
}

function without(containers: readonly string[], one: string): readonly string[] {
  return containers.filter((other) => other !== one);
}

function hrefOf(containers: readonly string[]): string {
  return containers.length === 0
    ? "/logs"
    : `/logs?${new URLSearchParams(containers.map((one) => ["c", one]))}`;
}
