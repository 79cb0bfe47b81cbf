/** The latest events of a project, newest first: applies, saved files, and containers that ended. */
import { PROJECT_HISTORY, type ProjectHistory } from "../../../client/berth/projects.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { ApplyMark } from "../../parts/apply_mark.tsx";
import { containerHref } from "../../parts/container_href.ts";
import { Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { Empty } from "../../parts/states.tsx";
import { withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.project;

type Item = ProjectHistory["items"][number];

const useHistory = (id: string, revision: string) =>
  useResource(
    `history ${id}`,
    async (signal) => (await client.get(PROJECT_HISTORY, { params: { id }, signal })).json(),
    { revision },
  );

export function History({ id, revision }: { readonly id: string; readonly revision: string }) {
  const read = useHistory(id, revision);
  return (
    <Reading read={read} isPart>
      {({ items, missing }) => (
        <>
          {missing.map(({ permission }) => <p class="hint" key={permission}>{words.lacks(permission)}</p>)}
          {items.length === 0 ? <Empty title={TEXT.noHistory} /> : <Items items={items} />}
        </>
      )}
    </Reading>
  );
}

const FEW = 3;

/** The latest few below the services; nothing where nothing has happened. */
export function Lately({ id, revision }: { readonly id: string; readonly revision: string }) {
  const items = useHistory(id, revision).value.value?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="lately">
      <div class="section-head">
        <h2 id="lately">{words.lately.title}</h2>
        <a href={withQuery({ view: "history" })}>{TEXT.history}</a>
      </div>
      <Items items={items.slice(0, FEW)} />
    </section>
  );
}

const Items = ({ items }: { readonly items: readonly Item[] }) => (
  <ul class="rows">
    {items.map((item) => (
      <li class="row journal-row" key={keyOf(item)}>
        <time class="quiet" dateTime={item.at}>{words.moment(Date.parse(item.at))}</time>
        <What item={item} />
      </li>
    ))}
  </ul>
);

const keyOf = (item: Item): string =>
  item.kind === "apply"
    ? item.apply.id
    : item.kind === "file"
    ? `${item.version}`
    : `${item.at} ${item.engine} ${item.container}`;

function What({ item }: { readonly item: Item }) {
  if (item.kind === "apply") {
    const { id, action, by, reason } = item.apply;
    return (
      <>
        <a href={`/applies/${encodeURIComponent(id)}`}>{words.applies.actions[action]}</a>
        <ApplyMark apply={item.apply} />
        <span class="quiet">{shown(words.applies.by(by))}</span>
        {reason !== null && <span class="hint">{shown(reason)}</span>}
      </>
    );
  }
  if (item.kind === "file") {
    return (
      <>
        <a href={withQuery({ view: "files", file: item.path })}>{shown(item.path)}</a>
        <span>{TEXT.saved}</span>
        <span class="quiet">{shown(words.applies.by(item.by))}</span>
      </>
    );
  }
  return (
    <>
      <a href={containerHref({ backend: item.engine, name: item.container })}>{shown(item.container)}</a>
      <Mark verdict={item.exitCode === 0 ? "completed" : "broken"}>{words.unit.exited(item.exitCode)}</Mark>
    </>
  );
}
