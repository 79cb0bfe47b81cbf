/** The events of the engines, live. */
import { useEffect, useMemo } from "preact/hooks";
import { containerHref } from "../../parts/container_href.ts";
import { type EventKind, Events as Feed, type Happening } from "../../live/events.ts";
import { may, who } from "../../live/session.ts";
import { Choose } from "../../parts/choose.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { Empty, Trouble } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { query } from "../../router.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.events;

/** The permissions for reading the events of each kind. */
const NEEDS = {
  container: "events:read",
  image: "images:read",
  volume: "volumes:read",
  network: "networks:read",
} as const;
const KINDS = Object.keys(NEEDS) as EventKind[];

/** In the words of the engines; any other can be chosen where it happened. */
const ACTIONS = ["create", "start", "die", "stop", "kill", "oom", "destroy", "pull", "delete"];

export function Events() {
  const isForbidden = who.value && !may("events:read");
  if (isForbidden) return <Empty title={words.noRight("events:read")} whole />;
  const allowed = KINDS.filter((kind) => may(NEEDS[kind]));
  const kind = allowed.find((one) => one === query.value.get("kind"));
  const action = query.value.get("action");
  return (
    <Feeding key={`${kind} ${action}`} kinds={kind ? [kind] : allowed} action={action} offered={allowed} />
  );
}

function Feeding(
  { kinds, action, offered }: {
    readonly kinds: readonly EventKind[];
    readonly action: string | null;
    readonly offered: readonly EventKind[];
  },
) {
  const feed = useMemo(() => new Feed({ kinds, actions: action === null ? null : [action] }), []);
  useEffect(() => () => feed.end(), []);
  const items = feed.items.value;
  const problem = feed.problem.value;
  const state = feed.state.value;
  const actions = [...new Set([...ACTIONS, ...(action === null ? [] : [action])])];
  return (
    <>
      <header class="screen-head">
        <h1>{words.titles.events}</h1>
        <span class="quiet" role="status">
          {state === "live" ? TEXT.count(items.length) : TEXT.state[state]}
        </span>
        <div class="filters" role="search">
          <Choose name="kind" label={TEXT.kind} all={TEXT.allKinds} options={offered} />
          <Choose name="action" label={TEXT.action} all={TEXT.allActions} options={actions} />
        </div>
      </header>
      {problem !== null && <Trouble problem={problem} />}
      {items.length === 0
        ? problem === null && state !== "connecting" && (
          <Empty title={action === null && kinds.length === offered.length ? TEXT.waiting : TEXT.noMatch} />
        )
        : <Table label={TEXT.label} items={items} keyOf={({ number }) => number} isTerse columns={COLUMNS} />}
    </>
  );
}

function atOf(one: Happening): number {
  return one.type === "event" ? Date.parse(one.time) : one.at;
}

const BAD_ACTIONS = ["die", "oom", "kill"];

function What({ of }: { readonly of: Happening }) {
  if (of.type === "lost") return <Mark verdict="differs">{TEXT.lost(of.at)}</Mark>;
  if (of.type === "engine") {
    return (
      <Mark verdict={of.state === "up" ? "asWritten" : "unknown"}>
        {shown(TEXT.engine(of.backend, of.state))}
      </Mark>
    );
  }
  const { attributes, action, repeated } = of;
  const code = attributes["exitCode"];
  const isBad = BAD_ACTIONS.includes(action) && code !== "0";
  const text = shown(code === undefined ? action : `${action} ${code}`);
  return (
    <>
      {isBad ? <Mark verdict="broken">{text}</Mark> : text}
      {repeated !== undefined && <span class="quiet">{` ${TEXT.repeated(repeated)}`}</span>}
    </>
  );
}

function Whom({ of }: { readonly of: Happening }) {
  if (of.type !== "event") return null;
  const subject = of.container ?? of.subject;
  if (subject === undefined) return null;
  if (of.kind !== "container") return <code>{shown(subject.name || subject.id)}</code>;
  const href = containerHref({ backend: of.backend, name: subject.name });
  return <a href={href}>{shown(subject.name)}</a>;
}

const COLUMNS: readonly Column<Happening>[] = [
  { head: TEXT.time, kind: "short", cell: (one) => words.moment(atOf(one)) },
  { head: TEXT.kind, kind: "short", cell: (one) => one.type === "event" && TEXT.kinds[one.kind] },
  { head: TEXT.subject, kind: "name", cell: (one) => <Whom of={one} /> },
  { head: TEXT.action, cell: (one) => <What of={one} /> },
  {
    head: TEXT.on,
    kind: "short",
    cell: (one) => one.type === "event" && <span class="quiet">{shown(one.backend)}</span>,
  },
];
