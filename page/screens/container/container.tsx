/** One container: what it is, what it writes, and what it was made with. */
import { useState } from "preact/hooks";
import { CONTAINER, type ContainerDetail } from "../../../client/berth/containers.ts";
import { type Action, actOn, keyOf, NEEDS, results } from "../../live/actions.ts";
import { isCompared, useMarks } from "../../live/marks.ts";
import { useResource } from "../../live/resource.ts";
import { unitHref } from "../../live/projects.ts";
import { client } from "../../live/session.ts";
import { SIGN_OF } from "../../verdict.ts";
import { Act } from "../../parts/act.tsx";
import { publishedBy } from "../../parts/ports.ts";
import { RemoveDialog } from "../../parts/remove_dialog.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { Empty, Trouble, Unread } from "../../parts/states.tsx";
import { currentTab, type Tab, Tabs } from "../../parts/tabs.tsx";
import { words } from "../../words/en_later.ts";
import { Adopted } from "./adopted.tsx";
import { Environment, Inspect, Mounts, Networks } from "./details.tsx";
import { Differences } from "./differences.tsx";
import { ContainerLogView } from "./log.tsx";
import { Measures } from "./measures.tsx";
import { ShellView } from "./shell_view.tsx";

const TABS: readonly Tab[] = [
  { id: "log", word: words.container.log },
  { id: "shell", word: words.shell.word },
  { id: "differences", word: words.container.differences },
  { id: "measures", word: words.measures.word },
  { id: "mounts", word: words.container.mounts },
  { id: "networks", word: words.container.networks },
  { id: "environment", word: words.container.environment },
  { id: "inspect", word: words.container.inspect },
];

export function Container({ backend, name }: { readonly backend: string; readonly name: string }) {
  const read = useResource(`container ${backend} ${name}`, async (signal) => {
    // Without `raw` it is always the detail.
    return (await client.get(CONTAINER, { params: { id: name }, query: { backend }, signal }))
      .json() as ContainerDetail;
  });
  const container = read.value.value;
  const problem = read.problem.value;
  if (container === undefined) {
    return problem?.status === 404
      ? <Gone name={name} title={problem.title} />
      : <Unread problem={problem} again={read.reload} />;
  }
  const isGone = problem?.status === 404;
  const tab = currentTab(TABS);
  return (
    <div class="list-screen">
      {problem !== null && (
        <Trouble
          problem={isGone ? { ...problem, title: words.container.gone } : problem}
          since={read.at.value}
          {...(isGone ? {} : { again: read.reload })}
        />
      )}
      <header class="screen-head">
        <h1>{shown(container.name)}</h1>
        <Compared container={container} />
        {!isGone && <Buttons container={container} key={container.id} />}
      </header>
      <Facts container={container} />
      <Adopted container={container} done={read.reload} />
      <Tabs label={words.container.tabs} tabs={TABS} />
      {tab === "log" && <ContainerLogView backend={backend} id={container.id} name={container.name} />}
      {tab === "shell" && <ShellView container={container} key={container.id} />}
      {tab === "differences" && <Differences container={container} />}
      {tab === "measures" && <Measures container={container} key={container.id} />}
      {tab === "mounts" && <Mounts container={container} />}
      {tab === "networks" && <Networks container={container} />}
      {tab === "environment" && <Environment container={container} key={container.id} />}
      {tab === "inspect" && <Inspect backend={backend} id={container.id} />}
    </div>
  );
}

/** The container's condition, and its comparison with the declaration. */
function Compared({ container }: { readonly container: ContainerDetail }) {
  const own = SIGN_OF[container.condition];
  const found = useMarks()(container);
  const said = words.state(container);
  if (own === "broken" || found === null) return <Mark verdict={own}>{said}</Mark>;
  return <Mark verdict={found}>{isCompared(found) ? words.compared(said, found) : said}</Mark>;
}

function Gone({ name, title }: { readonly name: string; readonly title: string }) {
  return (
    <Empty title={shown(name)} whole>
      <p>{shown(title)}</p>
      <a class="button" href="/c">{words.containers.toList}</a>
    </Empty>
  );
}

function Buttons({ container }: { readonly container: ContainerDetail }) {
  const [isAsking, setAsking] = useState(false);
  const result = results.value.get(keyOf(container));
  const isRunning = container.state === "running" || container.state === "restarting";
  const button = (action: Action, act: () => void = () => void actOn(action, [container])) => (
    <Act permission={NEEDS[action]} act={act} disabled={result?.state === "working"}>
      {words.containers[action]}
    </Act>
  );
  return (
    <span class="screen-end">
      {result?.state === "failed" && (
        <span role="alert">
          <Mark verdict="broken">{shown(result.reason)}</Mark>
        </span>
      )}
      {isRunning ? button("stop") : button("start")}
      {button("restart")}
      {button("remove", () => setAsking(true))}
      {isAsking && (
        <RemoveDialog
          containers={[container]}
          close={() => setAsking(false)}
          remove={(options) => void actOn("remove", [container], options)}
        />
      )}
    </span>
  );
}

function Facts({ container }: { readonly container: ContainerDetail }) {
  const { workspace, image, command, restart, restartCount } = container;
  const ports = publishedBy(container);
  return (
    <dl class="facts">
      {workspace?.unit && (
        <div>
          <dt>{words.container.unit}</dt>
          <dd>
            <a href={unitHref(workspace.id, workspace.unit)}>
              {shown(workspace.unit)}
            </a>
          </dd>
        </div>
      )}
      <div>
        <dt>{words.container.image}</dt>
        <dd>
          <a href={`/images?${new URLSearchParams({ q: image })}`}>
            <code>{shown(image)}</code>
          </a>
        </dd>
      </div>
      {ports.length > 0 && (
        <div>
          <dt>{words.container.ports}</dt>
          <dd class="facts-list">
            {ports.map(({ text, href }) =>
              href === null
                ? <span key={text}>{text}</span>
                : <a key={text} href={href} target="_blank" rel="noopener noreferrer">{text}</a>
            )}
          </dd>
        </div>
      )}
      <div>
        <dt>{words.container.restartPolicy}</dt>
        <dd>{shown(restart.name || "no")}, {words.container.restarts(restartCount)}</dd>
      </div>
      {command.length > 0 && (
        <div class="is-long">
          <dt>{words.container.command}</dt>
          <dd>
            <code title={shown(command.join(" "))}>{shown(command.join(" "))}</code>
          </dd>
        </div>
      )}
    </dl>
  );
}
