/** Incidents of the last seven days, the open ones first, followed live. */
import type { Incident } from "../../../client/berth/incidents.ts";
import { useRows } from "../../live/rows.ts";
import { may, who } from "../../live/session.ts";
import { causeText } from "../../parts/cause.ts";
import { shown } from "../../parts/shown.ts";
import { Empty, Trouble } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";
import { Mutes } from "./mutes.tsx";
import { nameOf, State } from "./subject.tsx";
import { Gaps, Week } from "./week.tsx";

const TEXT = words.incidents;

export function Incidents() {
  const read = useRows(may("artifacts:read") ? "incidents" : null, "incidents");
  if (who.value && !may("artifacts:read")) return <Empty title={words.noRight("artifacts:read")} whole />;
  const items = (read.value.value?.items ?? []).toSorted(byNewest);
  const open = items.filter(({ closedAt }) => closedAt === null).length;
  const problem = read.problem.value;
  return (
    <>
      <header class="screen-head">
        <h1>{TEXT.title}</h1>
        <span class="quiet" role="status">{read.value.value && TEXT.status(open, items.length)}</span>
      </header>
      {problem !== null && <Trouble problem={problem} />}
      <Mutes />
      {read.value.value !== undefined && (items.length === 0 ? <None /> : (
        <>
          <Gaps of={items} />
          <Week of={items} completeFrom={read.value.value.beside.completeFrom ?? null} />
          <Table label={TEXT.list} items={items} keyOf={({ id }) => id} columns={COLUMNS} />
        </>
      ))}
    </>
  );
}

const None = () => (
  <Empty title={TEXT.none}>
    <p class="hint">{TEXT.noneHint}</p>
  </Empty>
);

const byNewest = (one: Incident, other: Incident): number =>
  Number(one.closedAt !== null) - Number(other.closedAt !== null) ||
  Date.parse(other.openedAt) - Date.parse(one.openedAt) || (one.id < other.id ? -1 : 1);

const COLUMNS: readonly Column<Incident>[] = [
  {
    head: TEXT.subject,
    kind: "name",
    cell: (one) => <a href={`/incidents/${encodeURIComponent(one.id)}`}>{shown(nameOf(one))}</a>,
  },
  { head: TEXT.state, kind: "short", cell: (one) => <State of={one} /> },
  {
    head: TEXT.cause,
    cell: ({ cause, endings }) => (
      <>
        {shown(causeText(cause))} {endings > 1 && <span class="quiet">· {TEXT.endings(endings)}</span>}
      </>
    ),
  },
  {
    head: TEXT.since,
    kind: "short",
    cell: ({ since, atLatest }) => (
      <time dateTime={since} title={words.causes.since(words.moment(Date.parse(since)), atLatest)}>
        {atLatest && "≤ "}
        {words.moment(Date.parse(since))}
      </time>
    ),
  },
  {
    head: TEXT.until,
    kind: "short",
    cell: ({ closedAt, mutedUntil }) =>
      closedAt === null
        ? <b>{mutedUntil === null ? TEXT.open : TEXT.mutes.muted}</b>
        : <time dateTime={closedAt}>{words.moment(Date.parse(closedAt))}</time>,
  },
];
